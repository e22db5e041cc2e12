"""What is a standing rule in English though it is told as how things are: "every PR needs a test".

Applied as `rules_english`. A report has the same form, so these are few and narrow: of what is made
here (commits, tests, names), in general (every one, plurals without an article), or of "you".
"""

from typing import Final

from app.memory.rules_english import AT, FILL
from app.memory.rules_lazy import keyed
from app.memory.rules_lexicon import MADE, MANY

_CHANGE = (
    r"(?:add|change|edit|touch|create|write|modify|introduce|rename|delete|remove|need|commit|push"
    r"|merge|install)"
)

_STEP = (
    r"(?:ask|show|tell|check|run|use|add|update|format|lint|test|write|put|document|make sure)\b"
)

STATED: Final = keyed(
    (
        "every|each|any|new",
        rf"{AT}(?:every|each|any|new)\s+(?:[\w-]+ )?(?:{MADE}|{MANY})\s"
        r"(?:needs?|gets|has to|have to|goes (?:in|into|under|behind|through))\s"
        r"(?!(?:to )?be (?:saved|fixed|moved|converted|deleted|removed|renamed|replaced|migrated"
        r"|restarted|reloaded|run|clicked|loaded|sent|opened|closed)\b|wrong|an? (?:error|\d|minute"
        r"|second|restart|while|fix|look)|long|\d)\w",
    ),
    (
        "everything|anything",
        rf"{AT}(?:everything|anything) (?:you \w+|(?:under|in|inside) \S+) "
        r"(?:needs?|has to|must|should|gets|goes|is not ours|is off)\b",
    ),
    (
        "always go|always live|always belong",
        r"(?<!\bit )(?<!\bthis )(?<!\bthat )(?<!\bthey )\balways (?:go|live|belong)"
        r" (?:through|in|into|under|behind|next to)\b",
    ),
    (
        "not |never |rather than|instead of",
        r"\b(?:belong|live|go (?:in|into|under)|we (?:use|write|name|put"
        r"|prefer))\s[^,.;]{1,50}?,?\s"
        r"(?:not|never|rather than|instead of)\s(?!sure\b|only\b|yet\b|work)",
    ),
    (
        "accept|allow|edit|touch|break|release|review",
        r"\bwe (?:never|don't|do not)\s+(?:accept|allow|edit|touch|break|release|review)\b"
        r"(?!\s+(?:that|it|this|anything)\b)",
    ),
    (
        "stay|leave",
        r"\bstay (?:exactly )?(?:as they are|untouched|where they are)(?!\w)"
        rf"|{AT}leave\s+(?!(?:it|this|that|them)\b)(?:[^,;.]|\.\b){{1,60}}?\b(?:in place"
        rf"|out of it|where (?:it is|they are))\b",
    ),
    (
        "as long as",
        r"\bas long as\s(?:[^,;.]|\.\b){1,50}?\s(?:doesn't|don't|does not|do not|isn't|aren't"
        r"|is not|are not)"
        r" (?:change|changed|modified|touched|broken|edited"
        r"|break)\b"
        r"|\bas long as\s(?:[^,;.]|\.\b){1,50}?\sstays? (?:the same|as |compatible|untouched)",
    ),
    (
        "has to|have to|needs to|need to",
        r"\b(?:has|have|needs?) to (?:keep|continue|still) (?:to )?(?:work|run|compil|build)\w*\b",
    ),
    (
        "convention|policy|standard|practice|rule",
        r"\b(?:our|my|the team's) (?:\w+ )?(?:convention|policy|standard|practice) (?:here )?is"
        r" (?:to|that|not to)\b"
        r"|\b(?:we|i) have an? (?:(?:very )?(?:strict|firm|hard|simple) (?:[\w-]+ )?"
        r"|(?:no|zero|clean)-[\w-]+ )(?:policy|rule|convention)\b(?! (?!that\b|to\b|of\b|about\b"
        r"|for\b"
        r"|on\b|in\b|here\b|against\b|not\b)\w)|^(?:zero|no)[- ][\w-]+ policy\b",
    ),
    (
        "important|crucial|vital|essential|critical",
        r"\bit(?:'s| is) (?:very |really )?(?:important|crucial|vital|essential|critical)"
        r" (?:that (?!i\b|we (?:find|know|understand)\b)|to (?:always|never|keep|not)\b|not to\b)",
    ),
    (
        "every|each|rather|everywhere|throughout",
        r"\bi (?:want|need|expect) (?:every|each)\s+(?:[\w-]+\s){1,3}(?:to|in|with|as|behind)\b"
        r"|\bi (?:want|expect) [^,.;]{1,60} (?:everywhere|throughout)\b"
        r"|\bi(?:'d| would) rather (?:you (?:didn't|don't|never)|not (?:have|use|add|see))\b"
        r"(?!\s+(?:it|that|this)\b)",
    ),
    (
        "ask|check with|tell me|show me|doubt|sure|uncertain|clear|ambiguous|specified|vague",
        r"\b(?:ask|check with|tell|show) me (?:first|before(?:hand)?)\b|\bask first\b"
        r"|\b(?:if|when(?:ever)?) (?:in doubt,? (?!that\b|whether\b|about\b)\w"
        r"|(?:[^,.;]{1,24} )?(?:in doubt|unsure|uncertain|not sure|unclear|not clear|ambiguous"
        r"|(?:un|under)specified|vague)\b[^,.;]{0,40},? (?:please |just |then |always )*(?:stop|ask"
        r"|check with|tell me|don't guess|say so|come)\b)",
    ),
    (
        "whatever you|before you|after you|once you|if you|when",
        rf"^{FILL}(?:whatever you {_CHANGE}\b[^,.;]{{0,30}}|(?:before|after|once|if"
        rf"|when(?:ever)?) you"
        rf" (?:want to |need to |have to )?{_CHANGE} (?:anything|any|something|an?|each|every"
        rf"|new)\b"
        rf"[^,.;]{{0,50}}), (?:please |always |also )*{_STEP}",
    ),
    ("only ever", rf"{AT}only ever [a-z]+\b"),
    (
        "not ",
        r"\b(?:free to|any|anything|whatever|what you (?:like|want))\b[^,;.]{0,40}[,;]?"
        r" (?:just|but|only) not (?!now|today|yet|sure|here|there|too\b|so\b|always\b)\w",
    ),
    (
        "agree|settle|yourself",
        r"\blet's (?:agree|settle) (?:that|on)\b|\b(?:limit|restrict) yourself to\b",
    ),
    ("nothing", rf"{AT}nothing (?:goes|gets|ships|lands|is merged)\b[^.;]{{0,60}}\bwithout\b"),
    ("never to be", r"\b(?:is|are) never to be\b"),
    (
        "to stay|to remain",
        r"\bi (?:want|need) [^,.;]{1,50} to (?:stay|remain) (?!here\b|there\b|with\b)\w",
    ),
    (
        "always|ever|exception",
        r"^(?!(?:it|this|that|they|he|she|i|we|the|my)\b)[^,;.]{3,60}(?:,|\s[–—-])"
        r"\s*(?:always|ever|every time|no exceptions)[\s!]*$",
    ),
    (
        "strictly no|absolutely no",
        r"\b(?:strictly|absolutely) no (?!way\b|idea\b|need\b)[a-z]",
    ),
    (
        "so no ",
        r", so no (?!need|problem|idea|worries|luck|rush|way|errors?\b|output|results?\b"
        r"|changes?\b|one\b)"
        r"[\w-]+(?: [\w-]+){0,5}[\s!]*$",
    ),
)
"""As `rules_english.RULES`, applied behind them."""
