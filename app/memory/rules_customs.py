"""What is a standing rule in English though it is told as how things are, with little to mark it.

Applied last. A report has the same form: so each of these needs a thing in general (all of a kind,
a plural without an article), and a sentence that goes on ("..., so it is slow") is none.
"""

from typing import Final

from app.memory.rules_english import AT, FILL
from app.memory.rules_lazy import keyed
from app.memory.rules_lexicon import ELSEWHERE

_ENDS = (
    r"(?!.*, so\b)(?!.*\b(?:but|yet|why|because|so that's|so it|so the|so we|so i|which|although"
    r"|though|wrong|old|legacy|deprecated|same|too|slow)\b)"
)
"""Nothing behind it says that it is a report."""

_IN_GENERAL = (
    r"(?!(?:the|this|that|these|those|some|your|my|its|both|users|requests|errors|calls|threads"
    r"|processes|people|they|we|you|things|values|bugs|failures)\b)"
)

CUSTOMS: Final = keyed(
    (
        " by ",
        r"\b(?:ha(?:s|ve) to|needs? to|must) be (?:approved|reviewed|signed off|confirmed"
        r"|cleared) by\b(?!.*, (?:who|which|but)\b)",
    ),
    (
        "anything|everything",
        rf"{AT}(?:anything|everything) (?!else\b|that\b|is\b|was\b|still\b"
        r"|now\b)[\w-]+(?: [\w-]+)? (?:has to"
        r"|must"
        r"|needs to) (?!have been)\w",
    ),
    (
        ", not|, never",
        rf"(?:^|[,;:]\s*){_IN_GENERAL}(?:[\w-]+ ){{1,3}}(?:gets?) \w+ed, (?:not|never) \w+",
    ),
    ("anywhere", r"\bi (?:don't|do not) want (?!to\b)[^,.;]{2,30} anywhere\b"),
    (
        "are always in",
        rf"^{_IN_GENERAL}(?:[\w-]+ ){{0,2}}[\w-]+s are always in (?!the\b|a\b){_ENDS}\w",
    ),
    (
        "each |every ",
        r"(?:^|[,;:]\s*)(?:each|every) (?!user|request|time|one\b"
        r"|call)[\w-]+ needs an? (?!minute|second"
        r"|while|restart|fix|look|long|lot|new|bit\b)[\w-]+[\s!]*$"
        r"|\bi want to (?:approve|review|check|see|confirm|sign off on) (?:each|every|any)\b",
    ),
    (
        "new ",
        r"^new [\w-]+s (?:default to|go (?:in|into|under|behind)|are (?:always )?(?:off|disabled"
        rf"|private)) {_ENDS}\w",
    ),
    (
        "are always|are never",
        rf"^{_IN_GENERAL}(?:[\w-]+ ){{0,2}}[\w-]+s are (?:always|never) (?:pinned|named|signed"
        r"|encrypted|hashed|quoted|escaped|validated|sorted|versioned|prefixed|squashed|redacted"
        rf"|anonymi[sz]ed|documented|reviewed)\b{_ENDS}",
    ),
    (
        "append|not ours|not yours",
        r"\b(?:is|are) append[- ]only\b(?!.*\b(?:that's|because|so|why)\b)|\bnot (?:ours"
        r"|yours) to\b",
    ),
    (
        "u can|u may|u must|u should",
        r"\bu (?:can only|may only|must|should(?:n't| not| never| always| only))\b",
    ),
    (
        "you write|you make|you create|you touch|you add",
        rf"{AT}(?:use|put|add|write|keep|include|follow|prefer|don't|avoid)\b[^;]{{2,40}} (?:in"
        r"|to|for|on)"
        r" (?:all|any|every|each)(?: (?:the|of the))? [\w-]+ (?:that )?you (?:write|make|create"
        r"|touch|add)",
    ),
    (
        "we're|we are",
        r"\bwe(?:'re| are) (?:strictly |only |stuck |locked |pinned )+(?:on|to|at) [\w.]+ \d",
    ),
    (
        "all |every |each ",
        r"(?:^|[,;:]\s*)(?:all|every|each) (?!the\b|users?\b|requests?\b|calls?\b|threads?\b"
        r"|times?\b|values?\b|process\w*\b|the time|of (?:this|that|it)\b|one\b)(?:[\w-]+ ){1,5}?"
        r"(?:uses?|follows?|carr(?:y|ies)|comes? with|lives? (?:in|under|next)|starts? with"
        r"|ends? with|has its own|gets? (?:its own|their own))"
        rf" (?!\d|error){_ENDS}\w",
    ),
    ("only ever", r"\b(?:is|are|may be|must be) only ever \w+"),
    (
        "all your|all of your|every answer|all our|each of your",
        rf"{AT}(?:assume|use|write|keep|avoid|explain|state|cite|stick|follow|include|mention|add"
        r"|prefer|show|give|put|name|format|quote|don't"
        r"|do not)\b[^;]{2,60} in (?:all (?:of )?(?:your"
        r"|our)|every one of your|each of your|every (?:answer|reply|response|commit|message))"
        r"(?: (?:answers|replies|responses|explanations|code|commits|messages|tests|docs|files|work"
        r"|projects|comments|summaries|examples))?[\s!]*$",
    ),
    (
        "stay|stays|stays ",
        rf"(?:^|[,;:]\s*){_IN_GENERAL}(?:[\w-]+ )?(?:rules|logic|code|secrets|data|config\w*|tests"
        r"|types|styles|state|queries|sql|keys|passwords|credentials|strings|docs|migrations|names)"
        rf" stays? (?:in|out of|inside|within|behind|under|where)\b{_ENDS}",
    ),
    (
        "at all times|everywhere|without exception|across the board|every single time",
        rf"{AT}(?!(?:it|this|that|i|we|they|there)\b)[a-z]+(?<!ed)(?<!ing)(?<!s) [^,;]{{2,60}}"
        r" (?:at all times|without exception|every single time)[\s!]*$"
        r"|\b(?:is|are) to be\b[^,;]{1,60}\b(?:at all times|everywhere|without exception"
        r"|across the board)\b|\b(?:sure|ensure|keep|must|should|has to|have to|needs? to)\b"
        r"[^,;]{1,80}\bat all times\b",
    ),
    (
        "are left|is left",
        rf"(?:^|[,;:]\s*){_IN_GENERAL}(?:[\w-]+ ){{1,3}}(?:are|is) left (?:untranslated"
        rf"|untouched|unchanged|unedited|unmodified|alone|as (?:is|they|it)){_ENDS}",
    ),
    (
        "mind|note|remember|aware",
        rf"^{FILL}(?:mind|note|remember|keep in mind|bear in mind|be aware)(?: that)? (?:we|you)"
        r" (?:don't|do not|never|must|only|always|can't|cannot|may not)\b(?! (?:have|know|need)\b)"
        r"|\b(?:but|and) (?:mind|note|remember|keep in mind|bear in mind) that (?:we|you) (?:don't"
        r"|do not|never|must|only|always|may not)\b(?! (?:have|know|need)\b)",
    ),
    (
        "up for",
        r"\b(?:is|are) not up for (?:debate|discussion|negotiation)\b",
    ),
    (
        "place|business|belong",
        rf"^{_IN_GENERAL}(?:[\w-]+ ){{1,3}}(?:(?:has|have) no (?:place|business) (?:in|being|on)\b"
        r"|(?:doesn't|don't|does not|do not) belong (?:in|on|under|into)\b)",
    ),
    (
        "we ",
        r"^we (?:pin|squash|indent|prefix|sign|tag|rebase|namespace|capitali[sz]e|abbreviate) "
        r"(?!it\b|this\b|that\b|the\b)[^,;.]{2,40}$",
    ),
    (
        "if anything|if something|if any ",
        r"^if (?:anything|something|any \w+) (?!else\b|is (?:possible"
        r"|fine))[^,;]{2,40}, (?:please |then"
        r" |just )*(?:report|stop|ask|do not|don't|leave|never|abort|roll back|undo)\b",
    ),
    (
        "when you|whenever you",
        rf"^{FILL}when(?:ever)? you (?!get\b|have\b|are\b|can\b|see\b|click|open|press|start"
        r"|look|finish"
        r"|run (?:it|this|that)\b|do (?:it|this|that)\b|say\b"
        r"|said\b)[a-z]+(?<!ed)(?: [^,;]{1,40})?,"
        r" (?:please |always |also )*(?:be|do|don't|never|keep|leave|explain|include|mention|cite"
        r"|quote|name|state|ask|prefer|stick|avoid|start|end|check)\b",
    ),
    (
        "always",
        rf"^{_IN_GENERAL}(?:[\w-]+ ){{0,2}}[\w-]+(?<!s)s always (?:carry|use|come|start|end|include"
        r"|contain|get|state|have (?:an?|their|units|the))"
        rf" (?!to\b){_ENDS}\w",
    ),
    (
        "wins|precedence|prevails|comes first|goes first",
        r"\b(?:if|when(?:ever)?|any ?time|where) [^,;]{3,50}, [^,;]{2,25} (?:wins|takes precedence"
        r"|prevails|goes first|comes first)[\s!]*$",
    ),
    (
        "treat",
        rf"{AT}treat (?!the\b|this\b|that\b|it\b|them\b|me\b)(?:all |any "
        r"|every )?[\w-]+(?: [\w-]+)?"
        rf" as (?!if\b|the\b|such\b)[\w-]+(?![\w-]){ELSEWHERE}",
    ),
)
"""As `rules_english.RULES`."""
