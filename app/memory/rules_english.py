"""What is a standing rule in English.

Applied to one masked sentence at a time. Tuned on the tables in `tests/memory/rules_cases.py` and
on what users wrote in the replayed sessions.
"""

from typing import Final

from app.memory.rules_lazy import keyed

FILL: Final = (
    r"(?:(?:please|pls|plz|kindly|uh|um|er|yeah|well|anyway|basically|just|also|and|but|so|then"
    r"|however|really|ok(?:ay)?|again|hey|first"
    r"|remember(?: to| that)?|note(?: that)?|important(?:ly)?|warning|caution|attention|btw|oh|plus"
    r"|generally|let's|in general|in short|as a rule|as always|as usual|fyi|ps|side note|though"
    r"|from now on|going forward|henceforth"
    r"|by the way|be so (?:kind|good) as to|be kind enough to|one more thing|more importantly"
    r"|most importantly|be careful(?: to)?|"
    r"(?:make|be) sure (?:that )?(?:you |to )?|ensure (?:that )?(?:you )?|try to"
    r"|(?:i|we) (?:want|need) you to"
    r"|you (?:must|should|need to|have to))(?:[,:!]|\b)\s*){0,6}"
)
"""Words before what is asked for that change nothing of it; a few, for each is tried anew."""

AT: Final = (
    r"(?:^|[,;:(—–]\s*|\s-+\s+|\b(?:i\.e\.|meanwhile|otherwise)\s+"
    rf"|\b(?P<link>and|but|then|so|or|also|plus|please)\s+){FILL}"
)
"""Where something asked for may begin: at the front of a clause, also of an aside."""

_BASE = (
    r"(?!(?:got|had|has|was|were|did|came|went|saw|knew|found|made|worked|mind|been|even|happens?"
    r"|works?|a|an|the|in|on|of|to|more|less|that|this|sure|once|really|quite|null|true|false|one"
    r"|fun|nice|good|great|bad|hard(?!-)|easy|true|better|best|worth|anything|enough|got|get"
    r"|gets|see"
    r"|seen|saw|seem|seems|happen|know|knows"
    r"|heard|hear|forget|return(?:s|ed)?)\b)"
    r"(?:\w+ly\s+)?(?!(?!(?:exceed|proceed|feed|seed|embed|bring|ping)\b)\w+(?:ed|ing)\b)"
    r"(?!\w+[^\Ws]s\b)[a-z]\w*"
)

_IDLE = (
    r"(?:worry|bother|know|think|care|mind|panic|forget|need|have|want|see|get"
    r"|understand|like|believe"
    r"|remember|recall|hesitate|wait|stop|give up|feel|give a|seem|really|we"
    r"|they|i|you (?:think|have)"
    r"|look like|mean|even (?:know|need|have)|agree|say|expect|exist|work|matter"
    r"|wanna|be (?:afraid|sorry"
    r"|silly|surprised|shy|scared|like that)|start|apologi[sz]e|quite|actually)\b"
)

_SELF = (
    r"(?:(?:do|does|touch|change|delete|use|remove|run|fix|merge|close|send)\s+)"
    r"(?:it|that|this(?: one)?"
    r"|so|them|those|these|anything|either)(?:\s+(?:now|here|then))?\s*(?:$"
    r"|[,.!;])"
)

_STOPPED = (
    r"(?:using|adding|writing|creating|committing|running|editing|changing"
    r"|making|asking|doing|putting"
    r"|deleting|generating|apologi[sz]ing|mocking|pushing|installing|rewriting|renaming|refactoring"
    r"|touching|modifying|summari[sz]ing|explaining|reformatting)"
)

_FIXED = (
    r"(?:untouched|unchanged|as[- ](?:it )?is|as they are|intact|the same|alone|stable|compatible"
    r"|backwards?[- ]compatible|read[- ]only|in sync|up[- ]to[- ]date|working"
    r"|\w{3,}[ai]ble|green|unmodified|identical|consistent|private|out of)"
)

_STYLED = (
    r"(?:short|simple|concise|brief|small|minimal|terse|clean|focused|dry|under"
    r"|below|at most|within|free of|in (?:english|chinese))"
)

_CHANGING = (
    r"(?:changing|touching|modifying|breaking|altering|adding|using|affecting"
    r"|editing|renaming|installing"
    r"|introducing|removing|losing|rewriting|dropping|deleting|moving|asking"
    r"|my (?:approval|ok|permission)"
    r"|any (?:new )?\w+|new \w+|external \w+|regress\w+)"
)

TOOLS: Final = (
    r"(?:npm|pnpm|yarn|bun|pip|uv|poetry|pipenv|conda|pdm|pytest|unittest|nose"
    r"|jest|vitest|mocha|ruff"
    r"|black|yapf|flake8|eslint|prettier|biome|make|gradle|maven|mvn|tabs"
    r"|(?:\w+ )?spaces|tailwind|postgres\w*"
    r"|mysql|sqlite|typescript|docker|podman|mypy|pyright|(?:single"
    r"|double) quotes|camelcase|snake_case"
    r"|async/await|conventional commits)"
)

LANGUAGE: Final = r"(?:english|chinese|mandarin|german|french|spanish|japanese|korean|russian)"

RULES: Final = keyed(
    # Prohibitions, as one says them
    (
        "don't|dont|do not",
        rf"{AT}(?:don'?t|do not),?\s+(?:under [^,]{{1,40}},\s*)?(?:you\s+)?"
        rf"(?:ever\s+|even\s+|dare\s+(?:to\s+)?|just\s+|simply\s+"
        rf"|blindly\s+)*(?!{_IDLE})(?!{_SELF})(?P<verb>[a-z]\w*)",
    ),
    (
        "never|not ever",
        rf"{AT}(?:please\s+)?(?:never,?\s+ever|never"
        rf"|not ever),?\s+(?:under [^,]{{1,40}},\s*)?(?:again\s+"
        rf"|ever\s+)?(?!{_SELF}(?<!again)){_BASE}",
    ),
    (
        "always",
        rf"{AT}always\s+(?:be sure to\s+)?{_BASE}",
    ),
    (
        "never|always|only",
        r"(?<!\bit )(?<!\bthis )(?<!\bthat )(?<!\bthere )(?<!\bthey )\b(?:should"
        r"|must|shall|(?:(?<=you )|(?<=we )|(?<=agents )|(?<=everyone )|(?<=nobody )|(?<=tests )"
        r"|(?<=code ))(?:need to|have to|may))\s+(?:never|always|only)\s+(?!have\b"
        r"|happen|be (?:a|the|null"
        r"|empty)\b)\w+",
    ),
    (
        "must not|mustn't|must never|may not|shall not",
        r"\b(?:must not|mustn't|must never|you may not|shall not)\b(?! have\b"
        r"| be (?:the|a)\b| know\b)",
    ),
    (
        "should not|shouldn't|allowed|permitted|only|cannot|except|you can|you may",
        r"\byou're not (?:allowed|permitted)\b|\byou (?:can|may) \w+ (?:anything"
        r"|everything|all \w+|any \w+) (?:except|but|other than)\b"
        r"|\byou (?:should not|shouldn't|are not allowed|aren't allowed"
        r"|are not permitted|may only|can only|cannot (?:use|touch|change|modify"
        r"|edit|delete|commit|push))\b(?! have\b)",
    ),
    (
        "must",
        r"(?<!\bit )(?<!\bthat )(?<!\bthis )(?<!\bthere )(?<!\bthey )\bmust\s+(?:"
        r"(?:also|all|still|each|both)\s+)?(?:be|have|stay|remain|use|support|keep"
        r"|contain|return|include|follow|run|work|match|go|come|live|follow|start"
        r"|end|conform|handle|respect|land|fit|take|cover|preserve|accept|compile"
        r"|build)\b"
        r"(?!\s+(?:been\b|\w+ed\b(?<!based)(?<!named)(?<!typed)(?<!tested)"
        r"(?<!covered)(?<!written)(?<!documented)(?<!signed)(?<!controlled)"
        r"(?<!sorted)(?<!escaped)(?<!validated)(?<!preserved)(?<!used)(?<!formatted)"
        r"(?<!approved)(?<!reviewed)(?<!logged)|a\b|an\b|the\b|because|due|some"
        r"|wrong|missing|caused|related|coming|something|why|confus|broken|running"
        r"|happening|kidding|joking|mistaken|new\b|gone|come\b|got\b|gotten|left\b|sent\b|lost\b"
        r"|taken|fallen|become|forgotten|already\b))",
    ),
    (
        "you must",
        r"\byou must\b(?! (?:be|have) (?:a|the|been|some|confus\w+|mistaken|joking"
        r"|kidding|missed|forgotten|seen)\b)",
    ),
    (
        "sure",
        rf"{AT}(?:(?:make|be) (?:very )?sure|ensure) (?:that )?(?:you (?:don't|never)|not to"
        rf"|never to|to (?:never|always|not)|nothing|no\b|every|always|for (?:any"
        rf"|every|each|all))\b",
    ),
    (
        "when",
        r"^(?:note: )?when(?:ever)? (?!you (?:have|get|are|can)\b)(?:you )?\w+(?:[^,;.]"
        r"|\.\b){0,60}, (?:please |always "
        r"|make sure|be sure|use\b|run\b|add\b|write\b|put\b|prefer\b)",
    ),
    (
        "preserve",
        rf"{AT}preserve\s+(?!a\b)\w",
    ),
    (
        "every|each",
        rf"^{FILL}(?:every|each)\s+(?!users?\b|requests?\b|rows?\b|customers?\b|visitors?\b"
        rf"|items?\b|clicks?\b|players?\b|one\b|time\b)(?:[^,;.]|\.\b){{1,40}}?\s(?:has to"
        rf"|needs to|should"
        rf"|must)\s+(?!be \w+ed\b)\w",
    ),
    (
        "want|only allowed|make no|compatib",
        r"\bi (?:would |'d )?only want (?!to\b)|\bi (?:don't|do not) want (?:any"
        r"|you to)\b|\byou(?:'re| are) only allowed\b"
        r"|\bmake no (?:changes|edits)\b|\bkeep (?:full )?backwards?[- ]compatib",
    ),
    (
        "use ",
        rf"{AT}use (?:british |american |plain |simple )?{LANGUAGE}\b",
    ),
    (
        "nothing",
        r"\bnothing\b(?:[^,;.]|\.\b){0,30}\b(?:may|must|should)\b",
    ),
    (
        "you never|you always|you don't|you do not",
        r"\b(?:important|crucial|vital|essential|critical|want"
        r"|careful)\s+(?:that\s+)?you\s+(?:never|always|don't|do not)\b",
    ),
    (
        "only",
        rf"{AT}(?:work|edit|commit|change|write|run|test|deploy) only (?:on|in"
        rf"|inside|within|with|from|to|files)\b",
    ),
    (
        " per | each",
        r"\b(?:at most|no more than|under|fewer than|max(?:imum|\.)?) \d+ \w+ (?:per"
        r"|in each|for each|each)\b",
    ),
    (
        "not to|to never|to always|to only",
        r"\bbe careful not to\b|\btry not to\b|\b(?:asked|told) you (?:to never"
        r"|never to|not to|to always|to only)\b",
    ),
    (
        "avoid|refrain",
        rf"{AT}(?:avoid|refrain from)\s+(?:any\b|all\b|using\b"
        r"|(?!(?:the|this|that|an?)\b[^,;.]*\b(?:in|on|at|when|here)\b(?! (?:tests?|code|all|any"
        r"|every)\b))[a-z]\w+)",
    ),
    (
        "stop",
        rf"{AT}stop\s+{_STOPPED}\b",
    ),
    (
        "allowed|forbidden|limits|prohibited|banned|mandatory|compulsory|negotiable"
        "|permitted|not to be",
        r"\b(?:is|are)\s+(?:strictly\s+|absolutely\s+)?(?:not allowed|forbidden"
        r"|off[- ]limits|prohibited|banned|mandatory|compulsory|non[- ]negotiable"
        r"|not permitted|not to be (?:touched|changed|used|modified|edited|deleted"
        r"|moved))\b",
    ),
    (
        "allowed|circumstances|hands off|all costs|no case",
        r"\bno\s+\w+(?:\s\w+)?\s+(?:is |are )?allowed\b|\bunder no circumstances\b"
        r"|\bhands off\b(?! mode)|\bat all costs\b|\bin no case\b",
    ),
    (
        "stay ",
        rf"{AT}stay (?:away from|out of)\s",
    ),
    # What is to stay as it is
    (
        "keep",
        rf"{AT}keep\s+(?!(?:it|this|that|them)\s+(?:as|the same|alone"
        rf"|working))(?:[^,;.]|\.\b){{1,80}}?\b{_FIXED}(?!\w)",
    ),
    (
        "keep",
        rf"{AT}keep\s+(?:[^,;.]|\.\b){{1,60}}?\b{_STYLED}(?!\w)",
    ),
    (
        "leave",
        rf"{AT}leave\s+(?!(?:it|this|that|them)\b)(?:[^,;.]|\.\b){{1,80}}?\b(?:alone"
        rf"|untouched|unchanged|intact|as[- ](?:it )?is|as they are)(?!\w)",
    ),
    (
        "without",
        rf"\bwithout\s+(?:ever\s+)?{_CHANGING}\b",
    ),
    (
        "stay|remain",
        r"\b(?:should|has to|have to|needs? to|must)\s+(?:stay|remain)\s+(?!(?:at|on) the\b|visible"
        r"|hidden|open\b|closed|cent[er]{2}ed|sticky|selected|focused|highlighted|disabled|enabled)\w+",
    ),
    (
        "should not|shouldn't",
        r"\b(?:should not|shouldn't)\s+(?:change|be (?:changed|touched|modified"
        r"|edited|altered|removed|renamed|used|committed|deleted))\b",
    ),
    # Habits
    (
        "from |going forward|henceforth",
        r"\b(?:from now on|from here on|from this point|going forward|henceforth|from today on)\b",
    ),
    (
        "future",
        r"\bin (?:the )?future,?\s+(?:please\b|always\b|never\b|don't\b|do not\b"
        r"|only\b|use\b|run\b|ask\b|make\b|write\b|put\b|keep\b|avoid\b|you\b)",
    ),
    (
        "time you|whenever",
        r"\b(?:every time|each time|whenever) you\b(?!.*\b(?:fails?|crash\w*|it|error)\b)",
    ),
    (
        " each| every| any",
        rf"{AT}(?:[a-z]\w*\b(?:[^,;.]|\.\b){{1,80}}?)\b(?:before|after) (?:each|every"
        rf"|any)\s+(?:single\s+)?\w+",
    ),
    (
        "each|every|any",
        r"(?:^|[,;:]\s*)(?:before|after) (?:each|every"
        r"|any)\s+(?:single\s+)?\w+\b(?! (?:it|i|the|this|that|they|we)\b)(?:(?:[^,;.]"
        r"|\.\b){0,40},\s*(?:please\s+"
        r"|always\s+)*(?!it\b|i\b|the\b|there\b|we\b|they\b)[a-z]\w+"
        r"|(?:\s\w+)?\s(?:please\s+|always\s+)?(?:run|check|use|commit|format|lint"
        r"|test|update|push|execute|rerun|ask|make|add|write)\b)",
    ),
    (
        "rule|constraint:|requirement:",
        r"\bas a (?:general )?rule\b|^(?:general )?rule(?: \w+)?:|^constraint:"
        r"|^(?:hard )?requirement:",
    ),
    (
        "only|nothing but",
        rf"{AT}(?:only (?:ever )?(?:use|run|edit|touch|change|modify|write|read|work"
        rf"|add|commit|push|test|import|import|support|return)|use only"
        rf"|use nothing but)\b",
    ),
    (
        "use",
        rf"{AT}use\s+(?:[^,;.(]|\.\b){{1,50}}?\b(?:only"
        rf"|(?:instead of|rather than)(?! (?:the|this|that|an?|it|them|these|those)\b)|everywhere"
        rf"|for everything|throughout|not (?!only)\w+)(?!\w)(?!.*[:：]$)",
    ),
    (
        "use",
        rf"{AT}use\s+[`'\"]?{TOOLS}[`'\"]?(?!\w)(?!\s+(?:to|skill|run|test|add"
        rf"|install|build|and|as a)\b)(?=(?:[^,;.]|\.\b){{0,40}}(?:$|[,;.]))",
    ),
    (
        "stick|adhere",
        rf"{AT}(?:stick (?:to|with)|adhere to)\s",
    ),
    (
        "prefer",
        rf"{AT}(?:always\s+)?prefer\s+(?:to\s+)?(?!not\b)[`\w]|\b(?:i"
        rf"|we) (?:strongly |really |generally |always |usually )?prefer\s+(?!not\b"
        rf"|if\b|that\b|this\b|it\b|your\b|option|variant|the (?:first|second|third|last|other"
        rf"|former|latter|previous|old|new)\b)[`\w]+(?:[^,;.]|\.\b)*$",
    ),
    (
        " in ",
        rf"{AT}(?:answer|reply|respond|speak|talk|communicate"
        rf"|write (?:all )?(?:comments|commit messages"
        rf"|docs))\b(?:[^,;.]|\.\b){{0,40}}\bin (?:plain |simple )?{LANGUAGE}\b",
    ),
    (
        "ask ",
        rf"{AT}(?:always )?ask (?:me )?(?:first )?(?:before|for (?:my )?(?:approval"
        rf"|permission|confirmation))\b",
    ),
    (
        "we ",
        r"\bwe (?:only|always|never|don't|do not)\s+(?:use|write|commit|run|test"
        r"|name|put|keep|deploy|squash|rebase|merge|push|ship|mock|support|import"
        r"|hardcode|log|do)\b(?!\s+(?:that|it|this|anything)\b)",
    ),
)
