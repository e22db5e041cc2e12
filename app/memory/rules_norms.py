"""What is a standing rule in English as a norm of the work: what its products are, who may do what.

Applied behind `rules_marks`. Norms are told of things without an article ("public functions need
docstrings"): with one, it is mostly a piece of work ("the new endpoints need tests").
"""

from typing import Final

from app.memory.rules_english import AT, FILL, LANGUAGE
from app.memory.rules_lazy import keyed
from app.memory.rules_lexicon import MANY, NOTHING

_STEPWISE = (
    r"(?:changes?|commits?|commit messages?|prs?|pull requests?|features?|bugs?"
    r"|(?:bug ?)?fix(?:es)?|releases?|steps?|tasks?|replies|reply|answers?|responses?|edits?"
    r"|migrations?|dependenc(?:y|ies)|requirements?|new \w+)"
)
"""What there is more than one of in the course of the work."""

_MATTER = (
    r"(?:sql|html|css|javascript|python|code|config(?:uration)?|settings|documentation|markup"
    r"|state|data|pii|text|copy|business logic|logic|validation|styling|test data|production code)"
)

_NO_FAULT = (
    r"(?!(?:fail|crash|happen|occur|take|appear|show|need|work|exist|load|finish|get|have|seem"
    r"|arrive"
    r"|match|pass|run|come|stem|mean|wait)\b|be (?:so|this|that|there|null|found|reached|loaded"
    r"|opened|seen|shown|the|visible|fixed|moved|added|removed|renamed|changed|handled|made"
    r"|wrong|broken|down|hidden|listed|aligned|centered|bold|red|green|clickable|draggable|editable"
    r"|filterable|resiz\w+|scrollable|searchable|selectable|sortable|collaps\w+)\b)"
)
"""Behind "must" or "should": not what only says that something is broken, or how it looks."""

_HELD = (
    r"(?:use|follow|avoid|adhere|stick|keep|obey|write|separate|limit|forbid\w*|apply|respect"
    r"|observe)"
)

NORMS: Final = keyed(
    (
        "every |each |all |any ",
        rf"^{FILL}(?:for|in|with|on|to) (?:every|each|any|all)(?: single)?(?: new)? {_STEPWISE},?"
        r" (?:please |always |also |you )*(?:should |must |need to )?(?:add|mention|write|run|use"
        r"|update|include|create|open|put|note|explain|show|give|ask|make|bump|reference|link"
        r"|record|keep|leave|say|state|don't|never)\b",
    ),
    (
        "every |each |all ",
        rf"{AT}(?:add|mention|write|run|use|update|include|create|open|note|explain|show|give|make"
        rf"|bump|reference|record|state)\b[^,;.]{{2,50}} (?:for|in|with|on|to) (?:every|each)"
        rf"(?: single)?(?: new)? {_STEPWISE}[\s!]*(?:$|[,;])",
    ),
    (
        "exception|circumstances|cases|case,|habit|a point",
        r"^(?:without exception|under all circumstances|in all cases),?\s(?!(?:i|it|this|that)\b)\w"
        rf"|{AT}(?:please )?(?:make|get into) (?:it )?(?:a|the) (?:habit|point)(?: of| to)?\b",
    ),
    ("to be", r"\b(?:isn't|aren't|is not|are not|(?:is|are) \w+ and not) to be \w+(?:ed|en|n)\b"),
    (
        "so ",
        r"\b(?:i|we) (?:\w+ly )?(?:hate|dislike|can't stand|don't like|avoid|don't want)\b"
        r"[^,;.]{2,40}, so (?:please )?(?:don't|do not|never|avoid|no|leave)\b(?! (?:mind|worry"
        r"|bother))",
    ),
    (
        "everything|your |any work|any change",
        rf"{AT}do (?:everything|(?:all (?:of )?(?:your|the)|your) (?:work|changes|edits|coding)"
        r"|any (?:work|changes?|edits?)) (?:on|in|inside|via|through|with|from|under)\b(?! this\b)",
    ),
    (
        "all ",
        rf"{AT}all (?!(?:the|these|those|of) )(?:[\w-]+ ){{0,3}}(?!users"
        r"|requests)[\w-]+s must (?:not )?"
        r"(?!have been|be (?:wrong|broken|down)|log\b|wait\b|pass\b|come from)\w",
    ),
    (
        "when |whenever |before |after ",
        rf"^{FILL}(?:when(?:ever)? (?:add|modify|chang|writ|creat|edit|touch|updat|refactor|fix"
        r"|implement"
        r"|introduc|renam|remov|delet|committ|review|work)ing|(?:before|after) (?:committ|push"
        r"|merg|open"
        r"|submitt|releas|deploy)ing)\b(?! (?:this|that|it)\b)[^,;]{0,50}, (?:please |always "
        r"|also |be sure"
        r" to |make sure (?:to|you) |you (?:should|must) )*(?:add|update|run|use|check|ensure"
        r"|write|make|keep"
        r"|leave|put|test|ask|tell|prefer|avoid|include|note|document|bump|follow|mention"
        r"|regenerate"
        r"|verify|do|don't|never|remember|stick|set|rebase|squash|format|lint|mark|record|explain"
        r"|confirm|stop|start|read|assign|give)\b",
    ),
    (
        "everything|all |every |our ",
        r"\bwe (?:write|do|keep|put|name|test|document|format|store|log|review|version|deploy|build"
        r"|track|translate) (?:everything|all|every|our) (?!(?:the )?time|day\b|night)[^,;.]{0,40}?"
        r"(?:in|with|on|under|through|via|behind|using|by) \w",
    ),
    (
        "you don't get to|you do not get to|yours to|leave |to me|myself",
        r"\byou (?:don't|do not) get to (?!see\b|know\b)\w|\bnot yours to\b"
        rf"|{AT}leave (?:the |all |any )?(?:\w+ing|commits?|releases?|merges?|deploy\w*) to me\b"
        r"|\bi(?:'ll| will)? (?:do|handle|take care of) (?:the |all |all the )?(?:commits?"
        r"|committing|push(?:es|ing)|deploy\w*|merg\w+|releases?|git)\b[^,;.]{0,20}\bmyself\b",
    ),
    (
        "nobody|no one|only i ",
        r"^(?:nobody|no one)(?: (?:but|except|other than) [\w ]{1,20})? (?:may|must|should|merg\w+"
        r"|push\w*|deploys?|touch\w*|edits?|commits?|changes?|approves?|reviews?|releases?)\b"
        r"(?!.*\b(?:any ?more|since|because|so|yet)\b)"
        r"|\bonly i (?:may|can|am allowed to|get to|should|merge|deploy|push|commit)\b",
    ),
    (
        "once a|when a|whenever a|as soon as a|after a|if a|once each|after each",
        rf"^{FILL}(?:once|when(?:ever)?|as soon as|if) (?:an?|any|each|every) (?:\w+ )?{_STEPWISE}"
        r" (?:is|has been|gets|changes|adds|touches|needs|breaks)\b[^,;.]{1,40}, (?:please |always"
        r" |also |you )*(?:should |must )?(?:update|ask|tell|add|write|mark|tick|note|post|commit"
        r"|stop|show|open|create|bump|don't|never)\b",
    ),
    (
        "you to ",
        r"\bi(?:'d| would)? (?:really |also |very much )*(?:like|want|need|expect|ask|prefer|beg)"
        r" you to (?:please )?(?:never|always|only|not(?! (?:panic|worry))|avoid|refrain|stick"
        r"|stay (?:in|on|with|away|out|off|inside)|consistently)\b",
    ),
    (
        "consider|regard|treat|view",
        r"\b(?:consider|regard|treat|view) (?:[^,;.]|\.\b){2,60}? (?:as )?(?:off[- ]limits"
        r"|read[- ]only|frozen|immutable|sacred|untouchable|append[- ]only|out of bounds|forbidden)"
        r"(?!\w)",
    ),
    (
        "everywhere|throughout|across the board|at all times|exclusively|strictly",
        rf"{AT}(?:(?:assume|write|keep|apply|prefer|spell|format|support|quote|enforce|employ"
        r"|expect"
        r"|work|target|edit|commit)\b(?:[^,;.]|\.\b){1,50} (?:everywhere|throughout"
        r"|across the board|at all times|exclusively)[\s!]*(?:$|[,;])"
        rf"|use [^,;.]{{2,40}} exclusively\b|strictly {_HELD}\b)",
    ),
    (
        "first|before",
        rf"{AT}(?:tests|specs?|docs|types|plan|design"
        r"|interfaces?) (?:first(?:,? (?:and )?then \w+)?"
        r"|before (?:code|implementation|coding))[\s!]*(?:$|[,;])",
    ),
    (
        " over |above ",
        rf"{AT}(?:always )?(?:favou?r|value|choose|opt for|put|rank) [\w-]+(?: [\w-]+){{0,2}}"
        r" (?:over|above|before) (?!the\b|this\b|all\b|it\b)\w",
    ),
    ("stay on", rf"{AT}stay on (?!topic|track|it\b|this\b|the (?:line|page)|top)\S"),
    (
        "keep ",
        rf"{AT}keep (?:(?:all|your|our|all your|all the) )?(?:\w+ )?(?:{MANY}|{_MATTER})"
        r" (?!for\b|in\b|until\b|from\b|when\b|and\b|or\b|to\b|as\b|on\b|here|there|open|running"
        r"|around|coming|that\b|which\b|we\b|you\b|it\b|i\b|the\b|if\b|with\b|only\b)[\w-]+"
        r"(?: and [\w-]+)?[\s!]*(?:$|[,;])",
    ),
    (
        "without",
        rf"{AT}(?:absolutely )?nothing (?:is|gets|may|can|should|will)(?: ever)?(?: be)? \w+ed"
        r" without\b",
    ),
    (
        "speak|talk|chat|write",
        rf"{AT}(?:always |please )*(?:(?:speak|talk|chat)(?: to me)?(?: in)? {LANGUAGE}"
        rf"(?: with me| to me|$|[,;!])|write(?: to me)?(?: in)? {LANGUAGE} (?:with|to) me\b)",
    ),
    (
        "belongs|lives|goes",
        r"(?<!\bit )(?<!\bthis )(?<!\bthat )\b(?:belongs|lives|goes) (?:in|into|under|on|next to"
        r"|behind)\s[^,.;]{1,50}?,?\s"
        r"(?:not|never|rather than|instead of)\s(?!sure\b|only\b|yet\b|work)",
    ),
    (
        "only ",
        r"\b(?:i|we) only (?:ever )?(?:accept|merge|allow|ship|deploy|release)\b"
        r"(?! (?:it|this|that|a few|once)\b)",
    ),
    (
        "sure |ensure",
        rf"{AT}(?:make sure|be sure|see to it|ensure) (?:that )?(?:(?:all|every|any|the|your|our"
        rf"|each) )?(?:[\w-]+ )?(?:{MANY}|{_MATTER}|interface|api|schema|format|build|signature)"
        r" (?:\w+ )?(?:never|always|stays?|remains?|doesn't|does not|don't|do not|keeps?)\b"
        rf"|\b(?:make sure|be sure|ensure)\b(?: that)? (?:all (?!requests"
        rf"|users)[^,;.]{{1,40}}? always\b"
        r"|[^,;]{1,60}?\b(?:stays?|remains?)\s(?:above|below|under|over|within|at (?:least|most))\s"
        r"(?:[^\s\d]+ )?\d)",
    ),
    (
        "nowhere else|nothing else|no one else|nobody else",
        r"^(?!(?:it|this|that|the (?:bug|error)|there|i)\b)[^.;]{3,80}?,? (?:and )?(?:nowhere"
        r"|nothing|no one|nobody) else[\s!]*$",
    ),
    (
        "only ",
        r"^only (?!one\b|the (?:first|last|second|other))(?:the |our )?[\w-]+(?: [\w-]+)? (?:may"
        r"|must|(?:is|are) allowed to|gets? to) (?!be (?:shown|visible|one))\w",
    ),
    (
        "follow|start with|end with|begin with|conform|sit ",
        r"(?:^|[,;:]\s*)(?!(?:the|these|those|some|your"
        rf"|my)\b)(?:[\w-]+ ){{0,2}}?{MANY} (?:follow(?! an?\b)"
        r"|start with|end with|begin with|conform to|sit (?:in|under|behind|next to)) "
        r"(?!.*\b(?:but|when|why|which|because|although|instead)\b)\S",
    ),
    (
        "if ",
        r"^if (?:an?|any|it's not|it isn't|it is not|something) (?!too\b)(?![^,;]*\b(?:fails?"
        r"|crash\w*|happens?|appears?)\b)[^,;.]{2,50}, (?:then |please |just )*"
        r"(?:leave (?:it|them)|don't (?:touch|edit|change|add|build|use|guess|commit|merge)"
        r"|ask\b|do not (?:touch|edit|change|add|build|use|guess|commit|merge))"
        rf"|^{FILL}if you (?:touch|edit|change|modify|add|rename|break|delete|need|introduce|move)"
        r" (?!it\b|that\b|this\b)[^,;]{2,40}, (?:then |please |always |also |just )*(?:explain"
        r"|say|flag|report|update"
        r"|add|ask|run|tell|show|write|bump|document|mention|note|regenerate)\b(?!.*\botherwise\b)",
    ),
    (
        "before you",
        rf"{AT}(?!(?:what|how|why|i|it)\b)[a-z][\w-]*\b(?:[^,;.]{{0,60}}? before you (?:hand|ship"
        r"|submit|deliver|commit|push|merge|remove|delete|release|deploy|change|touch|install"
        r"|finish|run|call) (?:in )?(?:anything|any)\b| before you \w+[\s!]*$)",
    ),
    ("cite |attribute", rf"{AT}(?:cite|attribute) (?:every|each|all|your)\b"),
    (
        "nothing",
        rf"{AT}(?:ship|merge|commit|push|deploy|release|delete|change|do|install|add|remove|touch)"
        r" nothing (?:without|outside|unless|except|beyond|but)\b",
    ),
    (
        "not an",
        r"(?<!\bthat )(?<!\bthis )(?<!\bit )\b(?:is|are) not an? (?:option|acceptable \w+)\b",
    ),
    ("we target", r"\bwe target (?-i:[A-Z0-9])[\w.+-]*(?: [\w.+-]+)?[\s!]*(?:$|[,;])"),
    (
        "without",
        rf"{AT}(?:give|write|keep|make|send)\b[^,;.]{{0,20}}\b(?:answers?|replies|commits?|commit"
        r" messages|responses|code|docs|comments) without \w",
    ),
    ("in everything", r"\bin everything (?:we|you) (?:do|build|write|make|ship)\b"),
    ("spell out|pin ", rf"{AT}(?:spell out|pin) (?:all |your )?(?:\w+ )?{MANY}[\s!]*(?:$|[,;])"),
    (
        "use ",
        rf"{AT}use (?!it\b|this\b|that\b)[^,;.]{{2,40}}? for (?:(?:anything|everything)(?: [\w-]+)?"
        rf"[\s!]*(?:$|[,;])|(?:all|every) (?:new )?(?:{MANY}|{_STEPWISE})(?!\w))",
    ),
    (
        "you not to|you never to|you to ",
        r"\b(?:i|we) (?:\w+ ){0,2}(?:ask|request|beg|urge|remind) (?:that )?you (?:not to"
        r"|never to|to (?:never|always|refrain|avoid|keep|leave|stick)\b)",
    ),
    (
        "rule",
        r"\b(?:the|my|our|one|house|only) rules? (?:is|are)(?: (?:simple|clear|short|easy|this"
        r"|these|as follows|always))?:",
    ),
    (
        "every |each ",
        rf"\bi (?:want|need|expect)\b[^.;]{{2,60}}\b(?:with|for|at|after|before|in) (?:every|each)"
        rf" {_STEPWISE}\b",
    ),
    (
        "no ",
        rf"{AT}no (?:{NOTHING}[\w-]+, (?:just|only) [\w-]+"
        r"|(?:tests?|tickets?|reviews?|docs?|approval"
        r"|types?|changelog|issue|specs?|green \w+), no [\w-]+)[\s!]*$",
    ),
    ("commit ", rf"{AT}commit (?:early|often|in small)\b"),
    (
        " than ",
        rf"{AT}no {NOTHING}[\w-]+(?: [\w-]+)? (?:bigger|larger|longer|older|newer|shorter|smaller"
        r"|deeper|wider|higher|lower) than \S",
    ),
    (
        "we never|we always",
        r"\bwe (?:never ever [a-z]|never (?:ever )?(?:delete|drop|store|expose|rename"
        r"|amend|skip|disable|swallow|guess|mutate|trust)\b"
        r"|always (?:add|sort|squash|document|review|validate|escape|sign|tag|prefix|pin|lint)\b)"
        r"(?! (?:it|this|that)\b)(?!.*\b(?:because|in that|so)\b)",
    ),
    (
        "stays|stay |remain",
        rf"{AT}(?:the |our )?[\w-]+(?: [\w-]+)? (?:stays?|remains?) (?:clean|as is|as it is"
        r"|as they are"
        r"|untouched|put|off[- ]limits|private)[\s!]*(?:$|[,;])",
    ),
    (
        "only ",
        rf"{AT}only (?:deploy|merge|install|delete|create|rename|refactor|mock|log|ask|call|fix"
        r"|reply"
        r"|answer|comment|format|rebase|release|rely|depend) (?:[\w-]+ ){0,3}?(?:when|if|after|once"
        r"|what i|with my|as needed)\b",
    ),
    (
        "must|have to|has to|are to|should|may not|belong",
        rf"{AT}(?!(?:the|this|that|these|those|some|your|my|our|whether|if|how|what|which)\b)"
        rf"(?:[\w-]+ ){{0,2}}?(?:{MANY} (?:should|belong)|(?:{MANY}|{_MATTER})"
        r" (?:(?:must|ha(?:ve|s) to)(?! be\b)|are to|should(?= not)|shouldn't|mustn't|may(?= not)))"
        rf"(?: not)? {_NO_FAULT}\w",
    ),
)
"""As `rules_english.RULES`."""
