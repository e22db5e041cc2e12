"""How acceptance, a list of rules and a new goal are told, in both languages."""

from typing import Final

from app.memory.rules_lazy import Lazy

ACCEPTANCE: Final = tuple(
    Lazy(pattern)
    for pattern in (
        r"\bdone (?:only )?(?:when|once)\b|\bfinished (?:only )?(?:when|once)\b"
        r"|\bcomplete (?:only )?(?:when|once)\b",
        r"\bdefinition of done\b|\bsuccess criteri\w+|\bacceptance (?:criteri\w+"
        r"|conditions?|is|means|requires)\b|\bacceptance\s*[:=]|\bfor acceptance\b"
        r"|\baccepted (?:when|once|if)\b|\b(?:counts|only counts) as done\b",
        r"\buntil\b[^.;]{0,120}?\b(?:pass(?:es|ing)?|green|succeeds?|clean)\b",
        r"\bmust\s+(?:all\s+|still\s+|also\s+|always\s+|continue to\s+"
        r"|keep\s+)*(?:pass(?:ing)?|be (?:passing|green)|succeed)\b(?!\s+(?!(?:the "
        r"|a |an )?(?:\w+[ -]){0,2}(?:tests?|checks?|checker|lint\w*|ci|build|suite"
        r"|gate|benchmarks?|validation|review)\b"
        r"|(?:on|in|under|with) (?:ci|windows|linux|mac\w*|arm\w*|all|every|both|each|python"
        r"|node)\b|(?:in|at) the end\b)"
        r"(?:a|an|the|in|it|them|this|through"
        r"|by|to|on|along|over|\w+ (?:to|as|into))\b)",
        r"\b(?:tests?|checks?|builds?|suites?|lint\w*|ci|pipelines?"
        r"|everything|it)\s+(?:should|needs? to|has to|have to)\s+(?:all\s+|still\s+"
        r"|also\s+)*(?:pass|be (?:passing|green)|succeed|stay green)\b",
        r"\b(?:make sure|ensure|be sure)\b[^.;]{0,80}?\b(?:pass(?:es)?|(?:is|are"
        r"|stays?) green)\b(?!\s+(?:a|an|the|in|it)\b)",
        r"\bensure (?:there are )?no (?:test )?regressions?\b",
    )
)

NO_ACCEPTANCE: Final = Lazy(
    r"\bwait(?:ed|ing)\b|\b(?:ran|worked|kept|took|was|were"
    r"|had)\b[^.;]*\buntil\b|\buntil recently\b|\bare you done\b"
    r"|\b(?:i'm|i am|we're|tell me|let me know|ping me|notify me"
    r"|report back)\b[^.;]*\b(?:done|finished|complete) (?:when|once)\b"
    r"|\bit must have pass|\bshould (?:all )?(?:pass|be (?:green|passing)) (?:now|again)\b"
)

ACCEPTANCE_ZH: Final = Lazy(
    r"验收\s*(?:的)?(?:标准|条件|要求|方式|方法|依据|准则)?\s*(?:[:：]|是|为|以"
    r"|看|就|要求|需要|必须|时)"
    r"|(?:作为|按|才能?|算|为|通过)\S{0,8}?验收(?!报告|文档|脚本|代码)"
    r"|验收(?:标准|条件|准则)"
    r"|直到[^。；]{0,80}?(?:通过|成功|全绿|变绿|没有(?:错误|报错|警告)|不报错|跑通|达标|为止)"
    r"|(?:完成|成功|交付|结束|达标)的?(?:标准|条件|定义|标志)"
    r"|才(?:算|叫|能算|可以算)\S{0,4}?(?:完成|完|好|结束|通过|成功|做完|搞定|数|合格)"
    r"|就算\S{0,2}(?:完成|做完|搞定|合格)(?!了?[也都])"
    r"|(?:必须|务必|一定要|都要|都得|也要|也得|要全部|要能|应该全部|应当|确保|保证"
    r"|需要?)(?:[^，。；]{0,20}?)(?:通过|跑通|全绿|变绿)(?!了|的"
    r"|过)(?!\S{0,3}(?:接口|参数|方式|调用|配置|命令|代码|API|api))"
)

NO_ACCEPTANCE_ZH: Final = Lazy(
    r"验收(?:通过了|完了|过了|没过|失败|报告)|写(?:一?份|个|一下)?验收|已经通过"
    r"|没有?通过|不通过|未通过|等了|一直等|直到[^，。；]*才(?!停|算|能|可以|结束|罢休|收工|提交|完)"
)

HINTS_ACCEPTANCE: Final = (
    *("done", "finish", "complete", "criteri", "accept", "until", "pass", "green", "succe"),
    *(
        "regression",
        "验收",
        "直到",
        "标准",
        "条件",
        "定义",
        "标志",
        "才",
        "就算",
        "通过",
        "跑通",
        "绿",
    ),
)

HEADING: Final = Lazy(
    r"(?:the\s+|my\s+|our\s+|some\s+|ground\s+|hard\s+|strict\s+|general\s+"
    r"|standing\s+|project\s+|coding\s+|important\s+|key\s+)*(?:rules"
    r"|constraints|restrictions|guardrails|do'?s and don'?ts|don'?ts"
    r"|non-negotiables)"
    r"(?:\s+(?:to follow|for you|for this \w+|here|of \w+))?\s*[:：]?|never\s*:"
    r"|(?:项目|开发|编码|硬性|以下|几条|重要|工作|基本)?(?:的)?(?:规则|约束|限制"
    r"|约定|硬性要求|规范|铁律|红线|注意事项)(?:如下)?\s*[:：]?"
)

HEADING_ACCEPTANCE: Final = Lazy(
    r"(?:the\s+|my\s+|our\s+)?(?:acceptance(?: criteri(?:a|on)| conditions?"
    r"| tests?)?|definition of done|dod|success criteria|done when|it(?:'s"
    r"| is) done when)\s*[:：]?"
    r"|(?:验收|完成|成功|交付)(?:标准|条件|要求|准则|定义)?(?:如下)?\s*[:：]?"
)

_WORK = (
    r"(?:build|implement|write|port|fix|create|add|migrate|rewrite|refactor|convert|work on|develop"
    r"|design|review|investigate|find|set up|do|make|start|help|finish|switch to|focus on|translate"
    r"|test|document|debug|upgrade)"
)
"""What a new task begins with; "use Redis instead" only changes how the old one is done."""

GOAL: Final = tuple(
    Lazy(pattern)
    for pattern in (
        r"(?:(?:ok(?:ay)?|alright|great|good|thanks|now|so|perfect|cool|done|well|and)[,.!:;]?\s+)*"
        r"(?:here(?:'s| is) (?:a|the|your) )?(?:the\s+|a\s+|your\s+"
        r"|my\s+)?(?:(?:brand[- ])?new|next|different|another|changed)\s+(?:task"
        r"|goal|objective|assignment|job)"
        r"(?:\s+for you)?(?:\s*(?:[:：]|\s[—–-]+\s)\s*|\s+(?:is(?: now)?(?: to)?"
        r"|from now on is)\s*:?\s+)(?=\S)(?P<what>.)",
        r"(?:(?:ok(?:ay)?|alright|so|and)[,.!:;]?\s+)*(?:from now on\s*,?\s+)?(?:the"
        r"|our|your|my)\s+(?:new\s+|main\s+|only\s+)?(?:goal|task"
        r"|objective)\s+(?:is\s+now|now\s+is|has\s+changed(?:\s+to)?|changes\s+to"
        r"|becomes)\s*[:,]?\s*(?:to\s+)?(?=\S)(?P<what>.)",
        r"(?:(?:ok(?:ay)?|alright|actually|wait|no|hmm|stop|sorry"
        r"|well)[,.!:;]?\s+)*(?:let's\s+|please\s+|just\s+)?(?:forget|drop|scrap"
        r"|abandon|shelve|cancel)(?:\s+about)?\s+(?:that|this|it|all (?:of )?(?:that"
        r"|this)|everything|the (?:previous|current|old|last) (?:task|goal|one|work)"
        r"|what (?:i|we) said(?: before)?)"
        r"\s*[,;.:!—–-]+\s*(?:and\s+|please\s+|now\s+)*(?:instead\b,?"
        r"|let's\b(?:\s+instead)?|do\b|work on\b|build\b|implement\b|switch to\b"
        r"|we(?:'ll| will)\b)\s*(?=\S)(?P<what>.)",
        r"(?:(?:ok(?:ay)?|alright|actually|wait|no|hmm|stop|sorry|well)[,.!:;]?\s+)*(?:let's\s+"
        r"|please\s+)?(?:forget|drop|scrap|abandon|shelve)(?:\s+about)?\s+the\s+(?:current|previous)"
        rf"\s+(?:task|goal)\s+and\s+(?:instead,?\s+)?(?P<what>{_WORK})\b",
        r"(?:(?:ok(?:ay)?|alright|actually|wait|no|hmm|stop|sorry|well)[,.!:;]?\s+)*(?:slight\s+"
        r"|small\s+|big\s+|a\s+)?change of plans?\s*(?:[:：,;.!]|\s[—–-]+\s)\s*(?:please\s+"
        r"|let's\s+"
        rf"|instead,?\s+|we(?:'ll| will| need to| have to)\s+|now\s+|first\s+)*(?P<what>{_WORK})\b",
        r"(?:好了?|行|嗯|算了|那|等等|不)?[,，。！\s]*(?:(?:改变|变更|更改|调整)(?:一下)?计划|计划(?:有变|变了|改了"
        r"|变更|变动)(?:了)?)\s*[:：,，。！]\s*(?:现在|我们|咱们|你|请|改|先|转)*(?P<what>做|实现|开发|写|修|搞|完成"
        r"|重构|迁移|新增|添加|设计|搭|移植|排查|调查)",
        r"(?:(?:ok(?:ay)?|alright|now|so)[,.!:;]?\s+)*(?:let's\s+"
        r"|please\s+)?(?:switch|move on|change)\s+to\s+(?:a\s+|the\s+)?(?:new"
        r"|different|another|completely different)\s+(?:task|goal|project|topic"
        r"|job)\s*[:：,—–-]+\s*(?=\S)(?P<what>.)",
        r"(?:好了?|行|嗯|ok|那|现在|那么|完成了|很好|谢谢)?[,，。！\s]*(?:新(?:的)?"
        r"|下一个|另一个|另外一个|换一?个|还有一个新)(?:任务|目标"
        r"|需求任务)\s*(?:[:：]|是|——|[,，])\s*(?=\S)(?P<what>.)",
        r"(?:好了?|行|嗯|ok|那|现在|那么)?[,，。！\s]*(?:接下来|现在|下面|从现在起"
        r"|今天|目前)(?:你|我们)?的?(?:新)?(?:目标|任务)(?:就?是|改为|改成|变为|变成"
        r"|换成|[:：])\s*(?=\S)(?P<what>.)",
        r"(?:好了?|行|嗯|ok|那|现在|那么)?[,，。！\s]*(?:把)?(?:我们的?"
        r"|你的)?(?:目标|任务)(?:现在)?(?:改为|改成|变为|变成|换成|更新为|调整为"
        r"|变更为|换为)\s*[:：]?\s*(?=\S)(?P<what>.)",
        r"(?:好了?|行|嗯|算了|那|等等|不)?[,，。！\s]*(?:我们)?(?:先)?(?:(?:不做"
        r"|不管|不搞|不弄|别做|别管|放下|放弃|停下|忘掉|忘了)(?:这个|那个|它|之前的?"
        r"|刚才的?|原来的?|现在的?|上面的?)?(?:任务|目标|需求|活|工作|方案)?了?"
        r"|(?:这个|那个|之前的|原来的)(?:任务|需求|活)?先?(?:不做|不管|不搞|放一放"
        r"|放一边|停一下)了?)"
        r"\s*[,，。；！\s]\s*(?:先|我们|请|而是|现在|咱们)*\s*(?:改做|改成做|改为做"
        r"|转做|转而|去做|来做|换成|换做|做另|改去做|新任务|开始做"
        r"|重新做)\s*(?=\S)(?P<what>.)",
    )
)
"""Said at the beginning of a message or of one of its lines, with what is wanted behind it."""

HINTS_GOAL: Final = (
    *("task", "goal", "objective", "assignment", "job", "forget", "drop", "scrap", "abandon"),
    *(
        "shelve",
        "cancel",
        "project",
        "topic",
        "plan",
        "计划",
        "任务",
        "目标",
        "不做",
        "不管",
        "不搞",
        "不弄",
    ),
    *("别做", "别管", "放下", "放弃", "放一", "停", "忘"),
)
"""Of an acceptance or a goal one of these stands in the sentence, in lower case."""
