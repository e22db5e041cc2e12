"""What makes an English sentence a standing rule by its grammar, whatever it is about.

Applied behind `rules_stated`. Marks that last ("for the rest of …", "at no point"), prohibitions
that don't say "don't" ("steer clear of", "is out of bounds"), wishes ("I never want to see"),
consent ("without telling me"), and norms of what the work makes ("all new code has to …"). Tuned on
the tables in `tests/memory/rules_worded.py`, `rules_rare.py` and `rules_alike.py`; so are the other
modules of this kind.
"""

from typing import Final

from app.memory.rules_english import AT, FILL
from app.memory.rules_lazy import keyed

_MINE = (
    r"my (?:(?:explicit|prior|express|written) )?(?:approval|ok|okay|permission|consent|sign-?off"
    r"|blessing|go-ahead|say-so|confirmation)\b"
)
"""The user's consent."""

_GENERAL = (
    r"(?:code|files?|functions?|methods?|class(?:es)?|modules?|components?|tests?|commits?"
    r"|commit messages?|messages|branch(?:es)?|prs?|pull requests?|endpoints?|routes?|migrations?"
    r"|quer(?:y|ies)|strings?|comments?|variables?|constants?|types?|dates?|times?|timestamps?"
    r"|amounts?|values?|prices?|errors?|exceptions?|logs?|imports?|dependenc(?:y|ies)|paths?"
    r"|scripts?|docs?|docstrings?|identifiers?|names?|secrets?|passwords?|tokens?|credentials?"
    r"|fixtures?|calls?|features?|changes?|tables?|columns?|releases?|handlers?|apis?"
    r"|interfaces?|hooks?|styles?|colou?rs?|texts?|labels?|replies|answers?|ids?)"
)
"""One or all of what the work makes."""

_DONE_TO = (
    r"(?:overwritten|reused|shared|translated|committed|stored|logged|written|edited|mutated"
    r"|deleted|exposed|hard-?coded|merged|pushed"
    r"|imported|swallowed|printed|named|kept|prefixed|wrapped|validated|sorted|put|placed|quoted"
    r"|formatted|tested|reviewed|squashed|signed|escaped|typed|documented|rebased|renamed|changed"
    r"|touched|checked in|mocked|skipped|in|on|lower ?case|upper ?case|integers|strings|utc)"
)
"""How what the work makes has to be, or must not be."""

_SEEN = (
    r"(?:,\s*|\s)(?:but|yet|because|which|so|even though|although|when|here|and (?:that|then)|again"
    r"|somehow|why)\b"
)
"""Behind a statement: it is a report."""

_KEPT = (
    r"(?:stayed|avoided|stuck|asked me|refrained"
    r"|(?:kept|left)\b[^,;.]{1,50}\b(?:as (?:it|they)|alone|untouched|unchanged|short|small|out of"
    r"|to a minimum|simple)|"
    r"(?:would|could) (?:not|never|always|only|keep|leave|avoid|stay|stick|refrain)"
    r"|wouldn't|didn't|did not|don't|do not|never|always|only)"
)
"""What the user would rather have: "I'd be glad if you …"."""

_STEPS = (
    r"(?:please |always |also |just |then |you )*(?:must |should |have to |need to )?"
    r"(?:stop|ask|show|tell|check|run|use|add|update|format|lint|test|write|put|document|make sure"
    r"|bump|regenerate|record|note|mention|explain|give|keep|leave|do|don't|never|include)\b"
)
"""What is to be done on an occasion."""

MARKED: Final = keyed(
    # What lasts
    (
        "rest of|duration of|until further|in all |throughout|for all ",
        r"\bfor the (?:rest|remainder|duration) of (?:this|the|our) (?:project|session"
        r"|conversation|chat|work|repo\w*|codebase|branch|task)\b|\buntil further notice\b"
        r"|^for all (?:future|further|upcoming|subsequent) \w+,?\s"
        rf"|{AT}(?:in all (?:of )?(?:your|our|the) |throughout (?:this|the|our) )[^,;.]{{2,30}},?"
        r"\s(?:please |you should |we )?(?:use|write|keep|avoid|prefer|stick|follow|don't|never"
        r"|always|only)\b",
    ),
    (
        "no account|at no |any circumstances|any reason|no exceptions|exception|no matter|may"
        "|happens|whatever reason",
        r"\bon no account\b|\bat no (?:time|point)\b(?! (?:did|was|were|does|do i|have|has|had)\b)"
        r"|\b(?:do not|don't|never|not|may|must|should|keep|leave|use)\b[^.;]{1,60}"
        r"\b(?:under any circumstances?|for (?:any|whatever) reason|no matter what"
        r"(?! (?:i|we|you|it)\b)|come what may|whatever happens|without exceptions?"
        r"|no exceptions)\b",
    ),
    (
        "any time|anytime|each time|every time|as soon as|ever ",
        r"\b(?:any ?time|as soon as) you (?:touch|change|add|edit|modify|create|write|rename|move"
        rf"|remove|delete|introduce|need|commit|push|update|fix)\b[^;]{{1,60}}, {_STEPS}"
        rf"|^{FILL}(?:if|when) you(?:'re| are| have to| need to| want to)? ever\b(?! (?:get|have"
        rf"|want)\b)[^;]{{1,60}},? {_STEPS}"
        rf"|{AT}(?:every|each) time you (?!get\b|see\b|run it)[^,;.]{{3,50}},? {_STEPS}",
    ),
    # Prohibitions that don't say "don't"
    (
        "clear of|away from|within|inside|out of|hands off|off ",
        rf"{AT}(?:(?:steer|stay|keep) (?:well )?clear of\s"
        r"|(?:keep|stay) (?:well |far )?(?:away|out) (?:from|of)\s"
        r"|(?:(?:stay|remain) (?:strictly |only |exclusively )?|work (?:strictly |only "
        r"|exclusively ))(?:within|inside)\s\S"
        r"|keep (?:your|all) (?:hands|fingers|paws) off\b|stay off (?:the |of )?\w)",
    ),
    (
        "confine|limit|restrict",
        rf"{AT}(?:confine|limit|restrict) (?:yourself|(?:all |any )?your (?:changes|edits|work"
        r"|search\w*))\b[^,;.]{0,20} to\b",
    ),
    (
        "leave",
        rf"{AT}leave\s+(?!(?:it|this|that|them|me|us)\b)(?:[^,;.]|\.\b){{1,60}}?\b(?:be"
        r"|in peace|the way (?:it is|they are)|exactly as|just as)\s*(?:$|[,;.!]|it\b|they\b)",
    ),
    (
        "not to|never to|no permission|no business|permission to|not supposed|no right|the right",
        r"\byou(?:'re| are) (?:not|never) to\b|\byou have no (?:permission|business"
        r"|right)\b(?! to be\b)|\byou (?:don't|do not) have (?:permission|the right) to\b"
        r"|\byou(?:'re| are) not supposed to (?!know\b|see\b)\w",
    ),
    (
        "we're not|we are not|we can't|we cannot|we may|we're forbidden",
        r"\bwe(?:'re| are) (?:not allowed|not permitted|forbidden|not supposed) to (?!know|be\b)\w"
        r"|\bwe (?:can't|cannot|can not|may not) (?:use|ship|depend on|add|include|bundle|store"
        r"|log|break|change|expose)\b(?! (?:it|this|that)\b)(?![^.;]*\b(?:today|because|yet"
        r"|anymore)\b)",
    ),
    (
        "for you|bounds|the table|taboo|untouchable|no-go|sacred|sacrosanct|frozen|a must|no go"
        "|requirement|welcome|acceptable|tolerated|set in stone|not to be",
        r"\b(?:is|are) (?:strictly )?(?:read|append)[- ]only (?:for|to) you\b"
        r"|\b(?:is|are) (?:strictly |absolutely |completely |totally )*"
        r"(?:out of bounds(?=\s*(?:$|[,;]|for\b|to you))|off the table|taboo|untouchable"
        r"|sacrosanct|sacred|a no[- ]go|no[- ]go|set in stone"
        r"|a must(?![ -](?:see|have|read))|a hard requirement|not (?:welcome|acceptable"
        r"|tolerated|to be \w+ed))\b"
        r"|\b(?:api|schema|interface|format|contract|protocol|type|grammar|layout|spec|branch"
        r"|version"
        r"|signature|dependencie)s? (?:is|are) frozen\s*(?:$|[,;])",
    ),
    (
        "no ",
        rf"{AT}no\s(?:(?!one\b|such\b|need|matter|idea|problem|way\b|wonder|doubt|longer)"
        r"(?:[^,;.]|\.\b){1,50}?\s(?:(?:may|must|shall|is to|are to) (?!have been|be wrong)\w"
        r"|(?:gets?|goes?) (?:\w+ ){0,3}without\b)"
        r"|[\w-]+(?: [\w-]+){0,3} without (?:an? |any |my |prior )?(?:tests?|reviews?"
        r"|docstrings?|approval|asking|permission|tickets?|\w+ comments?|types?|migrations?)\b)",
    ),
    (
        "nothing",
        rf"{AT}nothing (?:in|under|from|outside|inside|within|below"
        rf"|of) \S[^,;]{{0,30}}?\s(?:is to\b"
        r"|(?:is|gets?) (?:ever )?(?:edited|changed|touched|modified|deleted) (?:by hand|manually"
        r"|directly|without|ever|unless))",
    ),
    (
        "there must be no|there should be no|there are to be no|there is to be no|there shall",
        r"\bthere (?:must|should|shall|are to|is to) (?:never )?be no (?!need|problem|issue|reason"
        r"|difference|errors? (?:here|now))\w",
    ),
    (
        "resist|go easy|sparing|minimum",
        rf"{AT}(?:resist the (?:urge|temptation) to\b|(?:go easy on|be sparing with)\b"
        r"|keep (?:[^,;.]|\.\b){2,40}? to (?:a|the|an absolute) minimum\b)",
    ),
    ("let's not", rf"{AT}not (?:ever )?(?:use|add|touch|change|introduce|edit|commit|push)\b"),
    # Wishes and consent
    (
        "i never|i don't|i do not|never want|to see",
        r"\bi (?:never|don't ever|do not ever) want (?:to (?:see|find|have)\b|you to\b|any\b)"
        r"|\bi (?:don't|do not) (?:want|like|wish) to (?:see|find) (?:any|another|a (?:single"
        r"|bare)|more|[a-z]+s)\b"
        r"|\bi (?:won't|will not|don't|do not) (?:accept|tolerate|allow)\s(?!it\b|this\b|that\b)\w",
    ),
    (
        "if you|rather you|sooner you",
        r"\b(?:i'd|i would|we'd|we would|it would be (?:great|good|nice|best|better)) ?"
        r"(?:really |much |very much )*(?:(?:appreciate|like|love) (?:it )?if|prefer (?:it )?if"
        rf"|be (?:happy|happier|glad|grateful) if|if|rather|sooner) you {_KEPT}\b"
        r"(?!\s+(?:it|this|that)\b)",
    ),
    (
        "i insist|always|never",
        r"\bit (?:would|might) be (?:best|good|better|great|nice) (?:to|if you) (?:always"
        r"|never) (?!see\b|have\b|know\b)|\bi insist (?:on|that (?!i\b|we\b|it (?:is|was)))\b",
    ),
    (
        "i want|i expect|i like|i need|i always want",
        r"\bi always (?:want|expect) (?!to know)\w"
        rf"|\bi (?:want|expect|like) (?:all|any|my) (?:[\w-]+ ){{0,2}}?{_GENERAL} (?:to\b"
        r"|short\b|small\b|signed\b"
        r"|typed\b|in\b|sorted\b|with\b|behind\b|under\b|flat\b|pure\b)",
    ),
    (
        "my |with me|by me|past me|me know|telling me|asking me",
        rf"\b(?:needs?|requires?|get|only with|not without) {_MINE}"
        r"|(?<=\w\s)without (?:first )?(?:telling|asking|consulting|informing|notifying) me\b"
        r"|\bwithout (?:first )?(?:checking|clearing|agreeing"
        rf"|discussing)\b[^,;.]{{0,20}}? with me\b"
        rf"|\bwithout {_MINE}|(?<=\w\s)without (?:letting me know|running it (?:by|past) me)\b"
        rf"|{AT}(?:always )?(?:consult|notify|inform|check with|talk to|confirm with|clear it with"
        r"|run it (?:by|past)) me before\b",
    ),
    # Norms of what the work makes
    (
        "all |any |every |each ",
        rf"{AT}(?:all|any|every|each)\s(?:of (?:our|your|the)\s)?(?:[\w-]+\s){{0,3}}?{_GENERAL}"
        r"(?:\s(?:you|we|that you) \w+)?(?:\s(?:in|under|inside|of)\s\S+)?\s"
        rf"(?:(?:has|have|needs?|is|are) to|must)\s(?:be (?:{_DONE_TO}\b|(?!done|run|\w+ed\b)\w)"
        r"|(?:have|come|include|follow|use|start|end|carry|contain|respect|support|live|match|build"
        r"|compile|state|declare|keep|stay|remain)\b)",
    ),
    (
        "your ",
        r"\byour (?:answers?|repl(?:y|ies)|responses?|commits?|commit messages?|code|output"
        r"|explanations?|changes|edits|comments|summaries|diffs|patches|prs?|messages|tests)"
        r" (?:should|must|has to|have to|needs? to|may|are to|is to)\b"
        r"(?! (?:work|have \w+ed|be (?:able|fine|ok|there)|fix|also work)\b)",
    ),
    (
        "always|never",
        rf"(?:^|[,;:]\s*)(?!(?:the|this|that|these|those|it|my)\b)(?:[\w-]+\s){{0,2}}?{_GENERAL}"
        rf"\s(?:are|is|get|gets|go|goes) (?:always|never) (?:ever )?{_DONE_TO}\b(?!.*{_SEEN})",
    ),
    (
        ", never",
        rf"\b(?:are|is|get|gets|go|goes|live|lives|stay|stays|belongs?)\b[^,;.]{{1,50}},"
        rf" never\b(?!.*{_SEEN})(?! (?:mind|seen|works?|again did)\b)",
    ),
    (
        "one ",
        rf"{AT}(?:(?:only|exactly|just) )?one [\w-]+(?: [\w-]+)? (?:per|for (?:each|every)) [\w-]+"
        r"(?: [\w-]+)?[\s!]*(?:$|[,;])",
    ),
    (
        "in this|in our|around here|here",
        r"(?:^|[,;]\s*)(?:in (?:this|our) (?:repo(?:sitory)?|project|code ?base|team|company|house)"
        r"|around here),?\s(?:we|you|one|everything|everyone|nobody) (?:only|never|always|don't|do"
        r" not|avoids?|prefers?|uses? (?!an?\b|the\b|this\b|that\b)|follow|stick|write|must|goes)\b"
        r"|\bwe use (?!an?\b|the\b|this\b|that\b|it\b)[\w/.+-]+(?: [\w/.+-]+){0,2} (?:here"
        r"|in this (?:repo|project|code ?base)"
        r"|throughout|exclusively|for everything)[\s!]*(?:$|[,;])"
        r"|\bin (?:this|our) (?:repo(?:sitory)?|project|code ?base),?\s(?:nothing|everything"
        r"|all \w+"
        r"|no \w+) (?:is|are|must|may|goes|gets)\b(?! (?:broken|red|failing|slow))"
        r"|\ball (?:\w+ ){1,3}(?:are|must|go|use|have to|live) (?!broken|red\b|failing"
        r"|slow)[^,;.]{2,30} in (?:this|our) (?:repo(?:sitory)?|project|code ?base)[\s!]*$",
    ),
    (
        "follow|conform|comply|respect|observe|obey|hono|keep to|mimic|match",
        rf"{AT}(?:follow|conform to|comply with|respect|obey|match|mimic) (?:the |our |my |its )?"
        r"(?:(?:existing|project(?:'s)?|house|team(?:'s)?|repo(?:'s)?|surrounding|established"
        r"|usual|current|google|airbnb) )*(?:[\w-]+ )?(?:style(?: ?guide)?s?|conventions?|patterns"
        r"|guidelines?|linter|layering|pep ?8|editorconfig|naming|conventional commits)\b"
        r"|(?:^|[,;:(—–]\s*|\b(?:and|but|please|also) )(?:respect|observe|honou?r|obey"
        r"|keep to) (?:the |our "
        r"|all )?(?:[\w-]+ ){0,3}?(?:limits?|budgets?|boundar\w+|contracts?|layers|layering|rules?"
        r"|conventions?|order(?! of)|standards?|requirements)\b",
    ),
    (
        "indent|name |prefix",
        rf"{AT}(?:(?:always )?indent (?:with|by|using) (?!the\b|this\b)\w"
        r"|(?:name|prefix) (?:all |your |new |any |every )*(?:(?!the\b|this\b"
        rf"|that\b)\w+ )?{_GENERAL} (?:after|with"
        r"|in|like)\b(?! (?:this|the following)))",
    ),
    (
        "has to|have to|needs to|need to",
        r"\b(?:has|have|needs?) to (?:work|run|compile|build) (?:on|with|under) (?-i:[A-Z])[\w.]*"
        r"(?: \d[\w.]*)(?![\w.]| to\b)",
    ),
    ("so should you|neither should you|so must you", r"\b(?:so|neither) (?:should|must) you\b"),
)
"""As `rules_english.RULES`."""
