"""What is a standing rule in English though it has no verb, or says a value alone.

"No unsafe.", "tabs, not spaces", "Python 3.11 only", "all times are UTC", "line length is 100".
Applied behind `rules_customs`. A report has the same form ("no luck", "all files are in src",
"the port is 8081"): so each needs a word of `rules_lexicon` where its form leaves a place, and
nothing behind it that tells of something.
"""

from typing import Final

from app.memory.rules_english import AT, FILL, LANGUAGE
from app.memory.rules_lazy import keyed
from app.memory.rules_lexicon import (
    ASPECT,
    CASES,
    CHOICE,
    ELSEWHERE,
    FORM,
    MADE,
    MANY,
    MODE,
    NOTHING,
    NUMBER,
    PROPERTY,
    SIZED,
    TOOL,
    UNIT,
    UNWANTED,
    VERSION,
)

_FRONT: Final = rf"(?:^|[,;:(—–]\s*|\s-+\s){FILL}"
_END: Final = r"(?:,? (?:please|pls|thanks|always|period|full stop))?[\s!]*(?:$|[,;]|\s[—–-]+\s)"
_TELLS: Final = (
    r"(?!.*\b(?:but|why|because|so|yet|already|currently|though|although|which|now|anymore|still"
    r"|since|found|left|again|i'm|i am|i've|i have|as far as|missing|wrong|broken|slow|fails?"
    r"|failed|need(?:ed)?|required"
    r"|necessary)\b)"
)
"""Nothing behind it says that it is a report."""
_ALONE: Final = (
    r"(?!(?:.*(?:[,;]|\band\b|\s[—–-]+\s))? *(?:(?:and|please|can you|could you) )*"
    r"(?:i(?:'m)? (?:just |still |only |also )?(?!want\b|insist|hate\b|need\b|like\b|prefer"
    r"|expect|(?:don't|do not) (?!know|see|get|understand|think))\w+"
    r"|(?:it|they) (?!is\b|are\b|has\b|have\b|must\b|should\b|helps?\b|makes?\b)\w+"
    r"|(?:the|this|that) [\w-]+ (?!too\b|also\b|as well\b|must\b|should\b|ha(?:s|ve) to\b"
    r"|needs?\b)\w+"
    r"|(?!keep\b|leave\b|put\b|write\b|store\b)[a-z]+ (?:it|them|those|these|that)\b))"
)
"""Nor does a clause behind it go on to tell of the same, or ask to have it changed."""
_GENERAL: Final = (
    r"(?!(?:the|this|that|these|those|some|most|both|its|their|his|her|which|what|whose|other|such"
    r"|old|legacy|existing|two|three|many|few|only|no|not|it|they|we|i|you|he|she|there|if|when"
    r"|all of)\b)"
)
_WORD: Final = (
    r"(?!(?:such|one|longer|in|on|of|for|from|with|to|at|is|are|was|were|need|problem|idea|luck|way"
    r"|doubt|wonder|matter|and|or|but|so|the|a|an|i|you|we|it)\b)[\w#@.-]+ "
)
_KEPT: Final = r"(?:[,;]|\s[—–-]+)\s*(?:and |so |please )*(?:keep|leave) (?:it|that|them)"

_LINKS: Final = (
    r"in|on|to(?! (?:apply|run|commit|update|install|fix|show|report|be|do|make|migrate|review"
    r"|merge|push|test|check|deploy|worry|see|find|add|remove)\b)|under|inside|within|outside|for"
    r"|without|with|between|at|during|or|and|that|unless|except|beyond|besides|other than"
    r"|apart from|like|such as|anywhere|ever|whatsoever|here|allowed"
)
"""Behind what there is to be none of."""

TERSE: Final = keyed(
    (
        "no ",
        rf"{AT}no (?:(?:more )?(?:{NOTHING}{_WORD}){{0,3}}?[`'\"]?{UNWANTED}(?![\w-])[`'\"]?"
        rf"{ELSEWHERE}"
        rf"(?= (?:{_LINKS})\b|{_END}){_TELLS}|{NOTHING}[\w().-]+(?: [\w-]+){{0,3}}?,? (?:please"
        rf"|whatsoever|ever|anywhere"
        r"|of any kind|outside(?: of)? [\w/.-]+(?: \w+)?)[\s!]*(?:$|[,;])"
        r"|(?:commits|pushes|merges|restarts|writes|deploys|deployments|deletes) (?:on|to|in|from"
        r"|under|during) (?!the (?:last|past)|my\b|that\b)[\w/.-]+[\s!]*$)",
    ),
    (
        "only|everywhere|throughout|at all times|exclusively|everything",
        rf"{_FRONT}(?:use )?{_GENERAL}(?:[\w-]+ ){{0,2}}?(?:{VERSION}|{FORM}|{MODE})"
        r" (?:everywhere|throughout|exclusively|at all times|across the board|for everything)"
        rf"{_END}{_TELLS}"
        r"|^[\w-]+(?: [\w-]+){1,2} (?:throughout|everywhere),? please[\s!]*$"
        rf"|{_FRONT}{_GENERAL}(?:[\w-]+ )?{CHOICE} only{_END}{_TELLS}"
        rf"|{AT}only (?:in )?(?:{LANGUAGE} (?:in|for)\b|(?:the )?{CHOICE}{_END}){_TELLS}",
    ),
    (
        " not |, no | over |instead of|rather than",
        rf"{_FRONT}(?:use )?{CHOICE},? (?:not|no|never|instead of|rather than|over)"
        rf" [\w/.-]+(?: [\w-]+)?{_END}{_TELLS}"
        rf"|{_FRONT}{_GENERAL}[\w/.-]+(?: [\w-]+)?(?:, no|,? not) {CHOICE}{_END}{_TELLS}"
        rf"|{_FRONT}{_GENERAL}[\w-]+(?: [\w-]+)? only, no(?:t|thing)? {_TELLS}\w",
    ),
    (
        "space|zero ",
        rf"{_FRONT}(?:\d|two|three|four|eight)[- ]spaces? (?:indents?|indentation){_END}"
        rf"|^{FILL}zero (?:{UNWANTED}|warnings)[\s!]*$",
    ),
    (
        " for | in ",
        rf"{_FRONT}(?:{FORM} for|(?:{CASES}|{LANGUAGE}) in) (?:(?:all|every|any"
        rf"|our) )?{_GENERAL}(?:[\w-]+ ){{0,2}}?"
        rf"{ASPECT}{_END}{_TELLS}",
    ),
    (
        " is | are | in | as | use| stay|:",
        rf"{_FRONT}(?:(?:all|every|each|any|our) )*{_GENERAL}(?:[\w-]+ ){{0,2}}?{ASPECT}(?::| is"
        rf"| only| strictly"
        r"| are| in| as| uses?| stays?| go| get)(?: (?:always|strictly|only|in|as|with|plain"
        rf"|simple|stored|written|kept))* (?:{VERSION}|{FORM})(?!\w){_END}{_TELLS}{_ALONE}"
        rf"|{_FRONT}everything (?:only |strictly )?in (?:plain |simple )?{LANGUAGE}\b",
    ),
    (
        "every |each |all |new ",
        rf"{AT}(?:every|each|all|any)(?: new)? {_GENERAL}(?:[\w-]+ ){{0,2}}?(?:{MADE}|{MANY})"
        r" (?:always )?(?:has|have|gets?|needs?|carr(?:y|ies)|(?:comes?|ships?) with|requires?)"
        r" (?:(?:an?|its|their|own|one|at least one|full|proper|complete|matching|corresponding)"
        rf" ){{0,3}}(?:[\w-]+ )?{PROPERTY}(?!\w)(?= (?:with|in|for|before|and)\b|{_END})"
        rf"{_TELLS}(?=[,;]?{_ALONE})",
    ),
    (
        "commit|change|step",
        rf"{AT}(?:every|each) (?:single )?(?:commit|change|step|pr|pull request) (?:compiles|builds"
        rf"|(?:is|stays) (?:atomic|green|self-contained|small|signed|buildable)|does one thing"
        rf"|stands alone|passes (?:ci|the tests)){_END}{_TELLS}",
    ),
    (
        "need|require|get",
        rf"(?:^|[,;:]\s*){_GENERAL}(?:[\w-]+ ){{0,2}}?{MANY} (?:always )?(?:need|require|get)"
        rf" (?:an? |their own )?{PROPERTY}(?!\w){_TELLS}{_ALONE}",
    ),
    (
        "length|width|nesting|depth|limit|size",
        rf"(?:^|[,;:]\s*){FILL}(?:(?:max(?:imum|\.)?|min(?:imum|\.)?) )?(?:line|function|method"
        r"|file|nesting|subject|column|tab|indent)s? (?:length|width|depth|limit|size)(?: (?:is"
        r"|of|stays?|at|max"
        rf"|limit|under|below|at most|limited to)|:|,)* ?\d+(?: ?(?:{UNIT}|spaces?))?"
        rf"(?: (?:max(?:imum)?|at most|or (?:less|fewer)|tops|everywhere|(?:for|in) (?:all|every"
        rf"|tests"
        rf"|docs|code|comments)\b[^,;]*))?{_END}{_TELLS}",
    ),
    (
        "max|most|more|least|above|≥|≤|>|under|below|over|within|up to|longer|less|fewer|<",
        rf"{_FRONT}(?:(?:all|every|each|our) )*{_GENERAL}(?:[\w-]+ ){{0,2}}?{SIZED}(?: (?:is|are"
        r"|stays?|remains?|keep|have|has))?:? (?:max(?:imum|\.)?|at most|under|below|less than"
        r"|fewer than|no (?:longer|more) than|not over|never over|within|up to|<=?|≤) ?"
        rf"{NUMBER} {UNIT}{_END}{_TELLS}"
        rf"|^{FILL}(?:max(?:imum|\.)?|at most|no more than) {NUMBER} (?:columns?|cols?|(?:lines"
        r"|params|parameters|arguments|args|chars|characters) (?:per|in a|each) \w+)[\s!]*$"
        rf"|^{FILL}{NUMBER} (?:columns?|cols?) (?:max(?:imum)?|at most|tops)[\s!]*$"
        r"|^(?:[\w-]+ )?coverage (?:(?:is|stays|remains|must be|must stay) )?(?:at least|above|over"
        r"|>=?|≥|not below|no less than) \d+ ?%?[\s!]*$",
    ),
    (
        "keep |leave ",
        rf"\b(?:is|are) (?:[\w-]+ )?(?:v?\d[\w.]*|{CHOICE}){_KEPT}(?: (?:that way|like that"
        rf"|so|there|as it is|as is|at that))?[\s!]*$|{_KEPT} (?:that way|at that)[\s!]*$",
    ),
    (
        "you ",
        rf"{_FRONT}(?:(?:in|for) (?:this|our) (?:repo(?:sitory)?|project|code ?base),? )?"
        rf"you (?:(?:have|need) to use (?:only )?(?:the )?{CHOICE}"
        rf"|(?:can't|can ?not|may not) (?:use|install|add|introduce) (?:(?:any|new|more|extra) )*"
        rf"[`'\"]?(?:{UNWANTED}"
        rf"|{TOOL})[`'\"]?(?![\w-]){ELSEWHERE})(?: (?:here|anywhere|for (?:this|everything"
        rf"|anything)"
        rf"|in (?:this|our|the) (?:repo(?:sitory)?|project|code ?base|tests?|docs"
        rf"|app)))?{_END}{_TELLS}"
        rf"{_ALONE}",
    ),
    (
        "use ",
        rf"{_FRONT}use (?:at most|no more than|up to|max(?:imum|\.)?) {NUMBER} (?:{UNIT}|threads?"
        rf"|workers?|process(?:es)?|cores?|cpus?|jobs|connections?|sub-?agents?|agents){_END}{_TELLS}",
    ),
    (
        "but ",
        r"\b(?:you|we) (?:may|can)\b[^,;]{3,60}\b(?:again|from now on|any ?more)\b[^,;]{0,30}"
        r",? but (?:still |just )*(?:not|never) (?:for|in|on|inside|under|with|from|to|the)\b"
        r"|\b(?:is|are) (?:fine|ok(?:ay)?|allowed|permitted|welcome) [^,;]{2,40},? but (?:still"
        r" |just )*(?:not|never) (?:for|in|on|inside|under|with|from|to)\b",
    ),
)
"""As `rules_english.RULES`."""
