"""In which forms something is demanded, forbidden or allowed, and words that are compared there."""

from typing import Final, Literal

from app.memory.name_tables import words
from app.memory.rules_lazy import Lazy
from app.memory.stem import stem

Sense = Literal["must", "must not", "may", "need not"]

_HAN: Final = "\u3400-\u9fff"

VERBS: Final = {
    word: kind
    for kind, listed in (
        ("use", "use uses using used 使用 用 采用 install installing installed 安装 装"),
        (
            "change",
            "change changing changed modify modifying modified edit editing edited touch touching"
            " touched alter altering altered update updating updated rewrite rewriting"
            " rewritten break breaking"
            " 修改 改动 改变 变更 触碰 更改 编辑 更新 变动 改 动 碰 变",
        ),
        (
            "delete",
            "delete deleting deleted remove removing removed drop dropping 删除 移除 删掉 删",
        ),
        ("run", "run running execute executing 运行 执行 跑"),
        ("commit", "commit committing committed 提交"),
        ("push", "push pushing pushed 推送 推"),
        ("add", "add adding added introduce introducing introduced 引入 新增 增加 添加 加"),
        ("write", "write writing written create creating created 编写 创建 新建 写"),
        ("rename", "rename renaming renamed 重命名"),
        ("merge", "merge merging merged 合并"),
        ("deploy", "deploy deploying deployed 部署 发布"),
        ("ask", "ask asking 询问 问"),
        ("pass", "pass passing passes 通过"),
        ("mock", "mock mocking mocked"),
        ("read", "read reading 阅读 读"),
    )
    for word in listed.split()
}

_VERB_EN: Final = "|".join(sorted((w for w in VERBS if w.isascii()), key=len, reverse=True))

_VERB_ZH: Final = "|".join(sorted((w for w in VERBS if not w.isascii()), key=len, reverse=True))

_AFTER = r"(?P<verb>" + _VERB_EN + r")\b\s+(?P<what>.+)"

_BEFORE = r"(?P<what>\S.{0,80}?)\s+"

_NOW = r"(?:\s+(?:now|again|also|ever|even|please|just))*\s+"

_AFTER_ZH = r"(?:再|去|直接|随便|随意|擅自)?\s*(?P<verb>" + _VERB_ZH + r")\s*(?:了)?(?P<what>.+)"

_BEFORE_ZH = r"(?P<what>\S.{0,40}?)\s*(?:现在|已经|都|也|又|就|绝对|一律|以后|的限制)*\s*"

_VERB_END_ZH = r"(?:再|被)?\s*(?P<verb>" + _VERB_ZH + r")\s*(?:了|啦|的)?$"

_LEAD = (
    r"^(?:(?:ok(?:ay)?|alright|actually|please|and|but|so|now|well|also|then|yes"
    r"|fine|from now on|going forward|by the way)[,\s]+)*"
)

_FINE = r"(?:ok|okay|fine|alright)"
"""Of a thing, without "now", it may only say how it is."""

_FORMS: Final[tuple[tuple[Sense, str], ...]] = (
    (
        "need not",
        (
            rf"{_LEAD}(?:there's |there is )?(?:you |we )?(?:no need to|no longer need to"
            rf"|no longer have to|needn't|(?:don't|do not) (?:have|need) to)(?:{_NOW}"
            rf"|\s+){_AFTER}"
        ),
    ),
    (
        "need not",
        (
            rf"{_LEAD}{_BEFORE}(?:no longer (?:needs?|has|have) to|(?:doesn't"
            rf"|don't) (?:need|have) to)\s+(?P<verb>pass)\b.*"
        ),
    ),
    (
        "need not",
        r"(?:以后|现在|今后)?(?:都|就)?(?:不用|不必|不需要|无需|无须|不再需要)再" + _AFTER_ZH,
    ),
    (
        "need not",
        (
            r"(?:以后|现在|今后)?(?:都|就)?(?:不用|不必|不需要|无需|无须"
            r"|不再需要)(?:每次)?"
        )
        + _AFTER_ZH
        + "(?<=了)",
    ),
    (
        "may",
        (
            rf"{_LEAD}(?:now )?(?:you|we)\s+(?:can|may|are (?:now )?(?:allowed|free) to"
            rf"|are welcome to)(?:{_NOW}|\s+)(?:go ahead and )?{_AFTER}"
        ),
    ),
    (
        "may",
        (
            rf"{_LEAD}(?:(?:it's|it is|it'd be|that's|you're|is)\s+)?(?:now )?(?:totally "
            rf"|perfectly |absolutely )?(?:ok|okay|fine|alright|all right|allowed"
            rf"|safe)(?: now| again)?(?: for you)? to(?:{_NOW}|\s+){_AFTER}"
        ),
    ),
    ("may", rf"{_LEAD}(?:feel free to|go ahead and)(?:{_NOW}|\s+){_AFTER}"),
    (
        "may",
        (
            rf"{_LEAD}{_BEFORE}(?:can|may)\s+(?:(?:now"
            rf"|again)\s+)?be\s+(?P<verb>{_VERB_EN})\b(?:\s+(?:now|again))*$"
        ),
    ),
    (
        "may",
        (
            rf"{_LEAD}{_BEFORE}(?:is|are)\s+(?:(?:now|again)\s+(?P<any>{_FINE})|{_FINE}\s+"
            rf"(?:now|again|to use)|(?:also\s+)?(?:allowed|permitted|no longer"
            rf" (?:off[- ]limits|forbidden|banned|prohibited)))(?:\s+(?:now|again|to use))*$"
        ),
    ),
    (
        "may",
        (
            r"(?:现在|已经|你|你们|我们|从现在起|以后|今后|也|又|就|好了"
            r"|行)*(?<!不)(?:可以|能|允许(?:你)?|准许(?:你)?)(?!不)"
        )
        + _AFTER_ZH,
    ),
    ("may", _BEFORE_ZH + r"(?<!不)(?:可以|能|允许)(?!不)" + _VERB_END_ZH),
    (
        "must not",
        (
            rf"(?:^|.*?\b)(?:don'?t|do not|never|must not|mustn't|should not|shouldn't"
            rf"|avoid|cannot|can't|not allowed to|refrain from|without|stop"
            rf"|you(?:'re| are) (?:not|never) to|rather you (?:didn't|did not)"
            rf"|may not)(?:{_NOW}|\s+){_AFTER}"
        ),
    ),
    (
        "must not",
        (
            rf"{_LEAD}{_BEFORE}(?:must not|mustn't|should not|shouldn't|may not|can't"
            rf"|cannot|must never)\s+be\s+(?P<verb>{_VERB_EN})\b.*"
        ),
    ),
    ("must not", rf"{_LEAD}{_BEFORE}(?:must not|should not|must never)\s+(?P<verb>change)\b$"),
    (
        "must not",
        (
            rf"{_LEAD}{_BEFORE}(?:is|are)\s+(?:strictly\s+)?(?P<any>off[- ]limits"
            rf"|forbidden|banned|prohibited|not allowed)\b.*"
        ),
    ),
    (
        "must not",
        (
            rf"{_LEAD}(?:keep|leave)\s+(?P<what>.+?)\s+(?P<kept>untouched|unchanged|alone"
            rf"|intact|as[- ]is|as it is|as they are|unmodified)\b.*"
        ),
    ),
    (
        "must not",
        (
            rf"{_LEAD}(?:(?:steer|stay|keep) (?:well )?(?P<kept>clear of|away from|out of|off)"
            rf"|(?:keep your )?hands off)\s+(?P<what>.+)"
        ),
    ),
    ("must not", _BEFORE_ZH + r"(?:是|属于|算是?)(?P<any>禁区|红线|雷区)$"),
    (
        "must not",
        (
            r".*?(?:不要|别|请勿|切勿|勿|不许|不得|不准|禁止|严禁|不能|不可以?|不允许"
            r"|不用(?=\s*[A-Za-z]))"
        )
        + _AFTER_ZH,
    ),
    (
        "must not",
        _BEFORE_ZH + r"(?:不要|别|不许|不得|不准|禁止|不能|不可以?|不允许)" + _VERB_END_ZH,
    ),
    ("must not", r"(?:保持|维持)(?P<what>.+?)(?P<kept>不变|不动|原样)$"),
    (
        "must not",
        (
            r"(?:.*?(?:^|且|也|在|请))不(?P<verb>改变?|改动|修改|动|碰|破坏|引入"
            r"|新增)(?P<what>.+?)(?:的(?:前提|情况|基础|条件)下?)?$"
        ),
    ),
    ("must", rf"{_LEAD}{_BEFORE}must\s+(?:all\s+|still\s+|always\s+)*(?P<verb>pass)\b$"),
    (
        "must",
        (
            rf"{_LEAD}(?:you (?:must|should)\s+)?(?:always|only|must)?\s*(?:make sure to "
            rf"|remember to )?{_AFTER}"
        ),
    ),
    (
        "must",
        (
            r"(?:以后|今后|从现在起|从今以后|必须|务必|一律|统一|总是|始终|一直|只|都"
            r"|全部|请|你|每次|都要|要|一定要|改)*\s*"
        )
        + _AFTER_ZH,
    ),
)

FORMS: Final = tuple((sense, Lazy(pattern)) for sense, pattern in _FORMS)
"""Of a clause the first form that fits says what it is: what is denied before what is demanded."""

CLAUSES: Final = Lazy(
    r"[,;:，；：。！!?？()（）\n]+|\s+[-–—]+\s+|\.(?=\s|$)|\s(?:and|but|then"
    r"|so)\s|但是?|而且|并且|然后"
)

DROPPED: Final = Lazy(
    r"\s*(?:\binstead of\b|\brather than\b|\bnot\b|\bover\b|\bbecause\b"
    r"|\bsince\b|而不是|而非|代替|因为).*$"
)

TALK_EN: Final = Lazy(
    r"\b(?:answer|reply|respond|speak|talk|communicate)\b.{0,40}?\bin (?:plain "
    r"|simple )?(english|chinese|german|french|spanish|japanese|korean"
    r"|russian)\b"
)

TALK_ZH: Final = Lazy(
    r"(?:用|使用|讲|说)\s*(?:简体|繁体)?(中文|英文|英语|汉语|日文"
    r"|日语)\s*(?:来)?(?:回答|回复|交流|沟通|答复|说明|解释)"
)

TONGUES: Final = {
    "中文": "chinese",
    "汉语": "chinese",
    "英文": "english",
    "英语": "english",
    "日文": "japanese",
    "日语": "japanese",
}

VERB_FIRST: Final = Lazy(rf"^(?:不要|不能|不许|不得|禁止|别|不|必须|只)?(?:{_VERB_ZH})?")

FILLERS: Final = words(
    "a an the any this that these those my our your its their of all every file"
    " files folder folders"
    " directory directories module modules code package manager now again anymore longer more any"
    " please here repo project codebase ever at is be are too either as well from on everywhere"
)

IN_PROJECT: Final = Lazy(
    r"\b(?:in|for|inside|across|throughout) (?:this|the|our"
    r"|the whole) (?:repo(?:sitory)?|project|codebase)\b"
    r"|\b(?:any ?more|any longer|from now on|for everything|go(?:ing)? forward"
    r"|instead|after all|from here on(?: out)?|any ?time)\b|本?项目里?(?:面|中)?|在这个项目"
)


def compared(word: str) -> str:
    """A word of an object as it is compared.

    Args:
        word: of no Chinese, in lower case.
    """
    return stem(word.rstrip("./-").removesuffix("'s"))


WORD: Final = Lazy(rf"[A-Za-z0-9_@][A-Za-z0-9_@./+#-]*|[{_HAN}]+")

PARTICLES: Final = Lazy(
    r"^(?:了|的|任何|所有|这个|那个|这些|那些|我们的?|你的?|现在|已经|再|一下|该|全部|整个|掉)+"
    r"|(?:了|的|吧|啊|呀|哦|啦|文件|目录|代码|现在|也|都|一下|再)+$"
)

CATEGORIES: Final = (
    words("npm pnpm yarn bun"),
    words("pip uv poetry pipenv conda pdm"),
    words("pytest unittest nose"),
    words("jest vitest mocha"),
    words("black ruff yapf"),
    words("eslint biome"),
    words("maven mvn gradle"),
    words("postgres postgresql mysql sqlite mariadb"),
    words("tab space"),
    words("singl doubl"),
    words("camelcase snake_case"),
    words("english chinese german french spanish japanese korean russian"),
    words("mypi pyright"),
    words("docker podman"),
)
"""Of each only one thing is used: another one takes its place."""
