"""Words by which a sentence is taken as a plain statement about this project, or is not.

Two lists of opposite kinds. Hedges silence a sentence: plans, conditions, questions, the past,
likes, other projects. The plain words are those that may stand around a claim when a file is to
**contradict** it: with any word beyond them (`the Android client uses Java 8`) the sentence may be
about something else than the file. Both lean to silence.
"""

import re

from app.memory.name_tables import words


def _any(*words: str) -> str:
    return "|".join(" ".join(words).split())


_HEDGES_EN = _any(
    "if unless whether would could should might may maybe perhaps probably plans? planned planning",
    "wants? wanted wish hopes? considers? considering considered propos\\w* todo someday",
    "eventually soon later until previously formerly",
    "(?:was|were)(?!\\s(?:upgraded|updated|moved|switched)) had once originally deprecated will",
    "prefers? preferred preferences? likes? liked favou?rites? loves? ideally legacy old older",
    "other another example examples e\\.g supports? supported compatible compatibility tested",
    "try tries tried experiment\\w* instead migrat\\w+ bump upgrade downgrade when while after",
    "before future past next(?!\\.?js|\\s*v?\\d) last earlier history",
    "ago yesterday tomorrow can said says",
)
_HEDGES = re.compile(
    rf"\b(?:{_HEDGES_EN})\b|\b(?:used to|going to|works? with|(?:switch|move|change|update) to)\b"
    r"|[?？]|n't\b"
    r"|如果|假如|要是|倘若|除非|是否|吗|计划|打算|准备|将来|将要|将会|即将|以后|之后|未来|可能|也许|大概"
    r"|想要|希望|考虑|建议|应该|应当|以前|之前|曾|过去|原来|原先|原本|早期|旧|老的|老项目|另一|其他|其它"
    r"|别的|喜欢|偏好|偏爱|最好|例如|比如|兼容|支持|迁移|待办|尝试|试试|测试过|到时|等到|下个|下一|明年"
    r"|(?:升级?|换|改|切换|迁|降级?)(?:到|至|为|成)(?!.{0,24}(?:了|完))(?<!已升到)(?<!已经升到)(?<!已经升级到)(?<!已升级到)(?<!已换成)(?<!已改为)(?<!已切换到)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|no|none|without|avoid\w*|stop\w*|rather than|except|neither|nor|cannot|drop\w*"
    r"|remov\w*|delet\w*|exclud\w*|forbid\w*|forbidden|bann?\w*|fail\w*|break\w*|broken|bugs?"
    r"|past|below|under|beyond|up to|at most|less than|more than|max\w*|outside|gone|missing)\b"
    r"|不|别|没|无|非|禁|避免|勿|莫|除了|停用|弃用|移除|移走|删|去掉|报错|失败|超过|低于|高于|最多|至多|未",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|minimum|or (?:newer|later|higher|above|greater))\b"
    r"|最低|至少|(?:及|或|或者)?以上|≥|>=",
    re.IGNORECASE,
)
_MAKES = re.compile(
    r"\b(?:creat\w*|add\w*|generat\w*|writ\w+|output\w*|produc\w*|renam\w*|mov(?:e|ed|ing)|put|save[sd]?"
    r"|store[sd]?|log(?:s|ged)?|record\w*|note[sd]?|keep\w*|track\w*|export\w*|download\w*|upload\w*"
    r"|server|servers|laptop|machine|remote|container|bucket|upstream|artifacts?|cop(?:y|ied)"
    r"|repository|repo|wiki|home|optional(?:ly)?|draft\w*)\b"
    r"|新建|创建|生成|输出|写入|写到|写进|新增|添加|加到|重命名|改名|移动|移到|导出|下载|上传|放到|存到|存进|保存"
    r"|记录|记到|记进|服务器|本机|电脑|远程|容器|上游|产物|仓库|可选|复制|写",
    re.IGNORECASE,
)
_LOCATES = re.compile(
    r"\b(?:(?:is|are|lives?|located|stands?|sits?|found|defined|declared"
    r"|implemented) (?:in|at|under)|entry ?point"
    r"|(?:file|config\w*|path|directory|folder|script|main|module|class) (?:is|are)"
    r"|is the)\b|在|位于|入口|路径|目录是|文件是|就是",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。；！？\n]|[;!]\s|\.\s|\.$")
_CLAUSE = re.compile(r"，|,\s| - | — |——")

_SUBJECTS = words(
    "project projects service repo repository codebase we our app application backend build "
    "builds ci this"
)
_PLAIN = _SUBJECTS | words(
    "the a an is are be on at to of in with it its us use uses used using run runs running "
    "require requires required needs need must target targets targeting version versions "
    "level language release runtime compile compiles compiled compiler toolchain temurin "
    "openjdk lts jdk sdk base based baseline platform image start starts from set sets pinned "
    "pin built build builder server default port ports listen listens listening serve serves "
    "served exposed expose exposes available localhost http https tcp web number address api "
    "package packages manager tool tools dependency dependencies manage manages managed "
    "install installs installed and still currently now always stays stay remains remain "
    "exactly at least minimum or newer later higher above upgraded switched moved updated "
    "been was were has have s code all everything team standard here that for node_version "
    "python_version java_version please only just by as well up"
)
_PLAIN_ZH = re.compile(
    "本项目|这个项目|该项目|项目|本工程|工程|本服务|服务端|服务器端|服务|后端|应用程序|应用|程序|本仓库|代码库|代码"
    "|我们|团队|目前|当前|现在|默认|统一|一律|必须|需要|要求|请|使用|采用|用的|用|基于|运行在|运行|跑在|跑|编译|构建"
    "|打包|部署|开发|安装|管理|包管理器|包管理|依赖|构建工具|工具链|工具|语言级别|语言|环境|镜像|基础|版本号|版本|端口号|端口"
    "|监听|启动|暴露|访问|地址|本地|设置|设为|配置|固定|锁定|保持|可以|还是|仍然|仍|依然|已经|已|升级|升|换|切换|改"
    "|最低|至少|以上|及|或|和|与|以|为|是|在|到|成|至|了|的|上|里|中|由|来|这个|这|本|该|都|就|也|要|从|全部|所有|标准|主"
)
_LATIN = re.compile(r"[A-Za-z][\w'-]*", re.ASCII)
_CJK = re.compile(r"[\u3400-\u9fff]")
_SUBJECT_ZH = re.compile("项目|工程|本服务|我们|本仓库|代码库|后端|应用")
_TURNS = re.compile(
    r"\b(?:for|by|in|inside|within|from|as|with|of|on|via|through)\b|用于|给|对于|里|中|的|由|对|在",
    re.IGNORECASE,
)


def hedged(fact: str) -> bool:
    """Whether the fact as a whole is a plan, a wish, a question, the past or about others."""
    return _HEDGES.search(fact) is not None


def at_least(clause: str) -> bool:
    """Whether a clause names the lowest version of several."""
    return _AT_LEAST.search(clause) is not None


def makes(fact: str) -> bool:
    """Whether a file that is named may be one that comes into being, or lies elsewhere."""
    return _MAKES.search(fact) is not None


def locates(clause: str) -> bool:
    """Whether a clause is about where something stands."""
    return _LOCATES.search(clause) is not None


def clauses(fact: str) -> list[str]:
    """The clauses that state something: those of a sentence up to the first that denies.

    What follows a denial may be more of what is denied: `never use npm, yarn`.
    """
    found: list[str] = []
    for sentence in _SENTENCE.split(fact):
        for clause in _CLAUSE.split(sentence):
            if _NOT.search(clause):
                break
            if clause.strip():
                found.append(clause)
    return found


def is_plain(before: str, after: str, also: frozenset[str]) -> bool:
    """Whether the words around a claim leave no doubt that it is about this project.

    Args:
        before: the clause up to the claim.
        after: what follows it, without other claims.
        also: names that are the project's own, in lower case.
    """
    if _unknown(before, also):
        return False
    if not _unknown(after, also):
        return True
    said = {word.lower() for word in _LATIN.findall(before)}
    named = bool(said & (_SUBJECTS | also)) or _SUBJECT_ZH.search(before) is not None
    return named and _TURNS.search(after) is None


def _unknown(text: str, also: frozenset[str]) -> bool:
    for word in _LATIN.findall(text):
        lowered = word.lower().removesuffix("'s").strip("'-_")
        if lowered not in _PLAIN and lowered not in also:
            return True
    return _CJK.search(_PLAIN_ZH.sub("", text)) is not None
