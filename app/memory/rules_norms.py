"""What is a standing rule in English as a norm of the work: what its products are, who may do what.

Applied behind `rules_marks`. Norms are told of things without an article ("public functions need
docstrings"): with one, it is mostly a piece of work ("the new endpoints need tests").
"""

from typing import Final

from app.memory.rules_english import AT, FILL, LANGUAGE
from app.memory.rules_lazy import keyed

_STEPWISE = (
    r"(?:changes?|commits?|commit messages?|prs?|pull requests?|features?|bugs?"
    r"|(?:bug ?)?fix(?:es)?|releases?|steps?|tasks?|replies|reply|answers?|responses?|edits?"
    r"|migrations?|dependenc(?:y|ies)|requirements?|new \w+)"
)
"""What there is more than one of in the course of the work."""

_MANY = (
    r"(?:files|functions|methods|classes|modules|components|tests|commits|commit messages|messages"
    r"|branches|prs|pull requests|endpoints|routes|migrations|queries|strings|comments|variables"
    r"|constants|types|dates|timestamps|amounts|prices|errors|exceptions|logs|imports|dependencies"
    r"|paths|scripts|docs|docstrings|identifiers|names|secrets|passwords|tokens|credentials"
    r"|fixtures|features|tables|columns|releases|handlers|apis|interfaces|hooks|styles|services"
    r"|controllers|views|models|helpers|repositories|adapters|plugins|packages|rules|commands"
    r"|operations|deletes|deployments)"
)

_MATTER = (
    r"(?:sql|html|css|javascript|python|code|config(?:uration)?|settings|documentation|markup"
    r"|state|data|pii|text|copy|business logic|logic|validation|styling|test data|production code)"
)

_PROPERTY = (
    r"(?:docstrings?|(?:unit |integration )?tests?|type(?:s| hints?| annotations?)|reviews?"
    r"|approval|a ticket|a changelog(?: \w+)?|comments|documentation|validation|auth\w*"
    r"|a timeout|timeouts|a licen[cs]e header|logging|error handling|a dry run|confirmation"
    r"|a backup|a (?:reason|justification|rationale))"
)

_NOTHING = (
    r"(?!(?:luck|idea|problems?|sense|difference|effect|response|results?|output|errors?|need"
    r"|worries|rush|doubt|wonder|clue|chance|reason|time|way|one|more|longer|such|matter|use)\b)"
)

_UNWANTED = (
    r"(?:whitespace|(?:magic )?numbers|(?:string )?literals|one-liners|ternar\w+|macros|recursion"
    r"|reflection|eval|regex(?:es)?|goto|threads|polling|(?:raw )?sql|inheritance|mutation"
    r"|side effects|abbreviations|inline \w+|dead code|commented-out code|copy-?past\w+"
    r"|duplication|duplicated code|wildcard \w+|circular \w+|implicit \w+|blocking \w+)"
)

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
    (
        "no ",
        rf"{AT}no {_NOTHING}[\w-]+(?: [\w-]+){{0,3}}?,? (?:please|whatsoever|ever|anywhere"
        r"|of any kind)[\s!]*(?:$|[,;])",
    ),
    (
        "no ",
        rf"{AT}no (?:(?:new|more|trailing|unused|unnecessary|hidden|nested|global|public) )*"
        rf"{_UNWANTED}\b(?!\s+(?:is|are|was|were|yet|found|in the|work|fail|here))",
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
        "must|have to|has to|are to",
        rf"(?:^|[,;:]\s*)(?!(?:the|these|those|some|your|my)\b)(?:[\w-]+ ){{0,2}}?(?:{_MANY}"
        rf"|{_MATTER}) (?:must|ha(?:ve|s) to|are to) (?:not )?(?!be\b|have\b|come\b|stem\b|mean\b"
        r"|exist\b|happen\b|get\b|run\b|wait\b|fail\b)\w",
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
        "shouldn't|should not|mustn't|may not",
        rf"(?:^|[,;:]\s*)(?!(?:the|these|those|some|your|my)\b)(?:[\w-]+ ){{0,2}}?(?:{_MANY}"
        rf"|{_MATTER}) (?:shouldn't|should not|mustn't|may not) (?!fail|crash"
        r"|happen|occur|take\b|appear|show|need\b|work|exist|load|finish|get\b|have\b|seem|arrive"
        r"|match|pass|run\b|show|be (?:so|this|that|there|null|found|reached|loaded|opened|seen"
        r"|shown|the)\b)\w",
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
        "in doubt|ambiguous|unclear|unspecified|underspecified",
        r"\b(?:when(?:ever)?|if) in doubt,? (?!that\b|whether\b|about\b)\w"
        r"|\b(?:if|when(?:ever)?) (?:something|anything|(?:a|the|any) (?:requirement|spec|task"
        r"|request)) (?:is|seems|looks) (?:ambiguous|unclear|unspecified|underspecified|vague"
        r"|missing|not clear)\b[^;.]{0,20},? (?:please |just |then |always )*(?:stop|ask|check|tell"
        r"|don't guess|come)",
    ),
    (
        "nobody|no one|only i ",
        r"^(?:nobody|no one) (?:but|except|other than) [\w ]{1,20} (?:may|must|should|merg\w+"
        r"|push\w*|deploys?|touch\w*|edits?|commits?|changes?|approves?|reviews?|releases?)\b"
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
        rf"{AT}(?:consider|regard|treat|view) (?:[^,;.]|\.\b){{2,50}}? (?:as )?(?:off[- ]limits"
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
        rf"{AT}keep (?:(?:all|your|our|all your|all the) )?(?:\w+ )?(?:{_MANY}|{_MATTER})"
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
        "need|require|get",
        r"(?:^|[,;:]\s*)(?!(?:the|these|those|some|your|my|both|two|three|more|those)\b)"
        rf"(?:[\w-]+ ){{0,2}}?{_MANY} (?:always )?(?:need|require|get) (?:an? |their own )?"
        rf"{_PROPERTY}(?!\w)",
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
        "policy|rule|convention",
        r"\b(?:we|i) have an? (?:(?:very )?(?:strict|firm|hard|simple) (?:[\w-]+ )?"
        r"|(?:no|zero|clean)-[\w-]+ )(?:policy|rule|convention)\b",
    ),
    (
        "sure |ensure",
        rf"{AT}(?:make sure|be sure|see to it|ensure) (?:that )?(?:(?:all|every|any|the|your|our"
        rf"|each) )?(?:[\w-]+ )?(?:{_MANY}|{_MATTER}|interface|api|schema|format|build|signature)"
        r" (?:\w+ )?(?:never|always|stays?|remains?|doesn't|does not|don't|do not|keeps?)\b",
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
        "respect|observe|honor|honour|obey|keep to",
        rf"{AT}(?:respect|observe|honou?r|obey|keep to) (?:the |our "
        rf"|all )?(?:[\w-]+ ){{0,3}}?(?:limits?"
        r"|budgets?|boundar\w+|contracts?|layers|layering|rules?|conventions?|order|standards?"
        r"|requirements)\b",
    ),
    (
        "follow|start with|end with|begin with|conform|sit ",
        r"(?:^|[,;:]\s*)(?!(?:the|these|those|some|your"
        rf"|my)\b)(?:[\w-]+ ){{0,2}}?{_MANY} (?:follow(?! an?\b)"
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
        "outside",
        rf"{AT}no [\w().-]+(?: [\w-]+){{0,2}} outside(?: of)? [\w/.-]+(?: \w+)?[\s!]*(?:$|[,;])",
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
    (
        "frozen",
        r"\b(?:types|grammar|layout|spec|branch|format|dependencies|versions?"
        r"|signatures?) (?:is|are) frozen\s*(?:$|[,;])",
    ),
    ("spell out|pin ", rf"{AT}(?:spell out|pin) (?:all |your )?(?:\w+ )?{_MANY}[\s!]*(?:$|[,;])"),
    (
        "use ",
        rf"{AT}use (?!it\b|this\b|that\b)[^,;.]{{2,40}}? for (?:(?:anything|everything)(?: [\w-]+)?"
        rf"[\s!]*(?:$|[,;])|(?:all|every) (?:new )?(?:{_MANY}|{_STEPWISE})(?!\w))",
    ),
    (
        "you not to|you never to|you to ",
        r"\b(?:i|we) (?:\w+ ){0,2}(?:ask|request|beg|urge|remind) (?:that )?you (?:not to"
        r"|never to|to (?:never|always|refrain|avoid|keep|leave|stick)\b)",
    ),
    (
        "in this|in our|in here",
        r"\bin (?:this|our) (?:repo(?:sitory)?|project|code ?base),?\s(?:nothing|everything|all \w+"
        r"|no \w+) (?:is|are|must|may|goes|gets)\b(?! (?:broken|red|failing|slow))"
        r"|\ball (?:\w+ ){1,3}(?:are|must|go|use|have to|live) (?!broken|red\b|failing"
        r"|slow)[^,;.]{2,30} in (?:this|our) (?:repo(?:sitory)?|project|code ?base)[\s!]*$",
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
        rf"{AT}no (?:{_NOTHING}[\w-]+, (?:just|only) [\w-]+"
        r"|(?:tests?|tickets?|reviews?|docs?|approval"
        r"|types?|changelog|issue|specs?|green \w+), no [\w-]+)[\s!]*$",
    ),
    ("commit ", rf"{AT}commit (?:early|often|in small)\b"),
    (
        " than ",
        rf"{AT}no {_NOTHING}[\w-]+(?: [\w-]+)? (?:bigger|larger|longer|older|newer|shorter|smaller"
        r"|deeper|wider|higher|lower) than \S",
    ),
    ("only ", rf"{AT}only (?:in )?{LANGUAGE}(?: (?:in|for|please)\b|[\s!]*(?:$|[,;]))"),
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
)
"""As `rules_english.RULES`."""
