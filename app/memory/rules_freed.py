"""Sentences that end a norm: "new code no longer has to be typed", 金额不用再用整数分了.

A norm names a thing and what is demanded of it; what frees from it names both again. So the two are
compared by all their words (`_gist`), without those that only say that it is demanded, and nothing
may be left over on either side: "the old code needn't be typed" ends nothing. That a rule is wider
("you may edit docs too" beside "limit yourself to src") is an exception, and ends nothing either.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.memory.name_tables import words
from app.memory.rules_apart import TEMPORARY, TEMPORARY_ZH
from app.memory.rules_forms import FILLERS, IN_PROJECT, VERBS, WORD, compared
from app.memory.rules_lazy import Lazy
from app.memory.rules_simplified import simplified
from app.memory.rules_topics import parts

_LEAD: Final = (
    r"(?:(?:ok(?:ay)?|alright|actually|please|and|but|so|now|well|also|yes|no|from now on"
    r"|i(?:'ve| have)? changed my mind)[,\s]+)*"
)
_LASTS: Final = (
    r"\s+(?:any ?more|any longer|from now on|from here on(?: out)?|going forward|again|after all)"
)
_END: Final = r"(?:,?\s+(?:please|thanks|thank you))?[\s.!]*"
_NEED: Final = r"(?:ha(?:s|ve) to|needs? to|needs?|requires?|must|(?:is|are) required to)"
_SHUT: Final = (
    r"(?:off[- ]limits|frozen|forbidden|banned|prohibited|taboo|read[- ]only|untouchable|a no-go"
    r"|set in stone)"
)
_OPEN: Final = (
    r"(?:welcome|fine|ok|okay|alright|all right|acceptable|allowed|permitted|possible|tolerated)"
)

_NEEDLESS: Final = Lazy(
    rf"{_LEAD}(?P<who>[^,;]{{1,80}}?) no longer {_NEED} (?P<what>[^,;]+?)(?:{_LASTS})?{_END}"
    rf"|{_LEAD}(?P<thing>[^,;]{{1,80}}?) (?:(?:don't|doesn't|do not|does not) "
    r"(?:have to|need to|need|require)|needn't|need not)"
    rf" (?P<rest>[^,;]+?){_LASTS}{_END}"
    rf"|{_LEAD}we no longer (?P<did>[a-z][^,;]+?)(?:{_LASTS})?{_END}"
    rf"|{_LEAD}(?:there's |there is )?no need (?P<need>(?:for|to) [^,;]+?){_LASTS}{_END}"
)
_MAY: Final = Lazy(
    rf"{_LEAD}(?P<thing>[^,;]{{1,80}}?) (?:is|are) (?:now |again )?no longer {_SHUT}"
    rf"(?P<rest>(?: (?:for|to) you)?)(?:{_LASTS})?{_END}"
    rf"|{_LEAD}(?P<open>[^,;]{{1,80}}?) (?:is|are) (?:(?:now|again) )?{_OPEN}"
    rf"(?P<where>(?: (?!to\b|for\b|by\b|with\b|but\b)[^,;]+?)??)(?:{_LASTS}|\s+now)+{_END}"
    rf"|{_LEAD}(?P<can>[^,;]{{1,80}}?) (?:(?:can|may) (?:(?:now|again) )?be"
    rf"|may(?: now| again)?) (?P<done>[^,;]+?)(?:{_LASTS}|\s+now)+{_END}"
    rf"|{_LEAD}you (?:can|may) (?P<you>[a-z][^,;]+?)(?:{_LASTS}|\s+now)+{_END}"
)
_NEEDLESS_ZH: Final = Lazy(
    r"(?:(?:好的?|行|嗯|那|算了|对了|我改主意了)[,，\s]\s*)?(?:现在|以后|今后)?(?P<thing>[^,，]*?)"
    r"(?:都|也|就)?(?:不用|不必|不需要|无需|无须|不要求)(?P<again>再|每次)?(?P<what>[^,，]+?)"
    r"(?P<done>了|啦)?[吧。！!\s]*"
)
_MAY_ZH: Final = Lazy(
    r"(?:(?:好的?|行|嗯|那|算了|对了|我改主意了)[,，\s]\s*)?(?:现在|以后|今后)?(?P<thing>[^,，]*?)"
    r"(?:现在|又|也|就)*(?:可以|允许|能)(?P<what>[^,，]*?)(?:了|啦)[吧。！!\s]*"
)
_ASKED: Final = (
    r"(?:(?:ask|tell|inform|notify|consult) me|(?:check|confirm|clear (?:it|things|that)|talk)"
    r" (?:with|to) me|wait for me|my (?:approval|ok|okay|permission|consent|sign-?off|go-ahead))"
)
_NO_ASKING: Final = Lazy(
    rf"{_LEAD}(?:there's |there is )?(?:no need (?:to|for)|you (?:"
    r"(?:don't|do not) (?:have to|need to|need)|needn't))"
    rf" {_ASKED}(?: first| beforehand)?{_LASTS}{_END}"
    rf"|{_LEAD}you no longer (?:have to|need to|need) {_ASKED}(?: first| beforehand)?{_END}"
    r"|(?:现在|以后|今后)?(?:你|都|也|就)*(?:不用|不必|不需要|无需|无须)再?(?:事先|提前|先|每次|都|来)*"
    r"(?:问我|告诉我|通知我|请示我|跟我(?:说|讲|商量|确认)|找我确认|经(?:过)?我(?:的)?(?:同意|批准|确认)"
    r"|等我(?:同意|批准|确认|点头))了[吧。！!\s]*"
)
"""It is over with asking, whatever was to be asked for: it ends the one rule that says so."""
_ASKS: Final = Lazy(
    rf"\b{_ASKED}\b|\b(?:asking|telling|consulting|notifying) me\b"
    r"|\bi (?:want|need|have) to approve\b"
    r"|(?:问|告诉|通知|请示|知会)我|(?:跟|和|找)我(?:说|讲|商量|确认)|我(?:的)?(?:同意|批准|点头|确认|允许)"
)

_FREES: Final = (
    *("no longer", "n't", " not ", "no need", "can ", "may ", "now", "again", "any", "from"),
    *("after all", "going forward"),
)
"""An English sentence without one of these frees from nothing."""

_NARROWED: Final = Lazy(
    r"\b(?:if|unless|except|until|while|as long as|just|maybe|probably|this|that|these|those|his"
    r"|her|their|he|she|they)\b|如果|要是|除非|除了|只要|等|暂时|可能|[这那此]|(?<![脚版样文])本|吗|呢"
)
_BEARS: Final = Lazy(
    r"\b(?:must|should|shall|has to|have to|needs?|never|always|no|not|\w+n't|only|keep|leave|use"
    r"|avoid|without|if|when|whenever|before|after|once|unless|for (?:each|every|all)|ask|tell"
    rf"|every|each|all|may|can|{_SHUT})\b"
    r"|不|别|勿|必|须|要|只|一律|都|统一|禁|严|得|请|先|前|后|时|如果|凡|每|除|用|可以|能"
    r"|冻结|定死|^(?:跑|运行|执行|遵)"
)
"""A clause of a rule with one of these demands something itself, or says when."""

_CONSENT: Final = Lazy(
    r"\b(?:without|unless|until|before)\b.*\b(?:me|my|i|approv\w+|ask\w*|permission)\b"
    r"|(?:没|未|不)[^，。；]{0,4}(?:同意|批准|允许|许可|点头|告知|通知|告诉|确认)"
    r"|(?:(?<![已曾])经(?![常历验典])|先问|批准|点头|同意)"
)
"""A rule that something needs the user's consent: to give it is no end of the rule."""

_FORBIDS: Final = Lazy(
    r"\b(?:don'?t|do not|never|no|not|avoid|without|\w+n't|cannot|refrain|nobody|nothing|none)\b"
    rf"|\b{_SHUT}\b|\boff the table\b|\b(?:keep|leave|stay)\b.+\b(?:untouched|unchanged|alone|be"
    r"|away|out|off|clear)\b|\bonly (?:the |our )?[\w-]+(?: [\w-]+)? (?:may|can)\b"
    r"|\bhands off\b"
    r"|不|别|勿|禁|严禁|谁[都也]|只有[^，。；]{1,8}?(?:能|可以)|只读|定死|冻结|杜绝|切忌"
)
_RESERVED: Final = Lazy(
    r"\b(?:nobody|no one)(?: (?:but|except|other than) [\w-]+)?\b"
    r"|\bonly (?:ever\b|(?:the |our )?[\w-]+(?: [\w-]+)? (?=may|can|is allowed|are allowed))"
    r"|只有[^，。；]{1,8}?才?(?=能|可以)|除了[^，。；]{1,8}?(?:谁|其他人|别人)[都也]?(?=不)"
)
"""Who alone may: it is forbidden to all others."""

_TWICE: Final = Lazy(
    r"\b(?:not|no|never|\w+n't|nobody|nothing)\b[^,;]*\b(?:not|without|\w+n't|un\w+ed)\b"
    r"|[没未不无][^，。；]*[不别勿禁]"
)
"""Forbidden is what is done without something: "no merges without tests"."""
_DENIES: Final = Lazy(r"\b(?:not|no|\w+n't|without|un\w+ed)\b|[没未无]|不用|不必|不需")

_NORM_EN: Final = words(
    "a an the any all every each no not never always ever must should shall may can could will"
    " would has have had is are be been being do does did to of in on at for with by from as it"
    " you your yours we our us i me my yourself please make sure ensure need needs require requires"
    " required allowed permitted allow want like expect insist get gets give treat consider regard"
    " frozen forbidden banned prohibited taboo off-limits off limits read-only untouchable welcome"
    " fine ok okay alright acceptable tolerated now again anymore longer more here there today on"
    " first everywhere anywhere throughout times time both and or dont doesnt isnt arent neednt"
    " mustnt shouldnt cant cannot wont avoid without stop nobody nothing everybody repo project"
    " about when codebase please too either also keep"
)
_NORM_ZH: Final = Lazy(
    r"从(?:现在|今天|今)起|从今以后|我们(?:这里|这边)?|每一?[个次项条]|所有的?"
    r"|任何|全部|一切|凡是|无一例外|一[律概]不?|统一|必须|务必|一定|总是|始终|一直|永远|不要|请勿|切勿"
    r"|不许|不得|不准|禁止|严禁|不可侵犯|不能|不可以?|不允许|不欢迎|不用|不必|绝不|别|勿|应该?|记得"
    r"|默认|保持|可以|允许|需要|以后|今后|后面|现在|已经|能(?!力)|表示|进行|使用|定死|冻结|神圣|禁区"
    r"|红线|雷区|原样|(?<=只)[许准]|整个|经过?|里面?|[的都要得须把将请再也就由让有带用写加是中了我你没未]"
)
"""What a norm and the end of it are worded with, whatever they are about."""

_PLACE_ZH: Final = Lazy(r"(?:这个|整个)(?:项目|仓库|工程)(?:里面?|中)?")
_CONSENT_EN: Final = (
    Lazy(
        r"\b(?:my|your) (?:(?:explicit|prior|express|written) )?(?:approval|ok|okay|permission"
        r"|consent|sign-?off|blessing|go-ahead)\b"
    ),
    Lazy(r"\b(?:check|confirm|clear it|talk|consult|asking|telling)(?: with| to)? me\b"),
)
"""Called "approval", and "ask", wherever two are compared."""
_SHUT_ZH: Final = Lazy(r"定死|冻结|不可侵犯|禁区|红线|雷区")
_STEMS: Final = {
    **{compared(word): kind for word, kind in VERBS.items() if word.isascii()},
    **{compared("goes"): "go", compared("does"): "do"},
}
_USUAL: Final = frozenset({"use", "write", "add"})
_VERBS_ZH: Final = sorted((one for one in VERBS if not one.isascii()), key=len, reverse=True)
_NAMES: Final = FILLERS & words(
    "file files folder folders directory directories module modules package manager code"
)
"""What `FILLERS` holds though it says which thing is meant."""


@dataclass(frozen=True, slots=True)
class _Gist:
    """What a clause is about, in whatever order.

    Attributes:
        words: of no Chinese, as stems, verbs as their class.
        letters: the Chinese characters, sorted, verbs as their class among `words`.
    """

    words: frozenset[str]
    letters: str

    @property
    def says(self) -> bool:
        """Whether there is enough to be compared."""
        return len(self.words) > 1 or len(self.letters) > 1


def is_freeing(said: str) -> bool:
    """Whether a sentence only says that something needn't be done any more: it is no rule.

    Args:
        said: a sentence that looks like a rule.
    """
    return _freed(said, allowed=False) is not None


def needs_condition(said: str, rule: str) -> bool:
    """Whether a rule forbids what is done without something, of which a sentence says nothing.

    Args:
        said: a sentence that allows something: "merges with tests are fine now".
        rule: as "no merges without tests".
    """
    return bool(_TWICE.search(_plain(rule))) and not _DENIES.search(_plain(said))


def unasked(said: str, rules: Sequence[str]) -> list[int] | None:
    """Which rule a sentence ends that says only that the user needn't be asked any more.

    Args:
        said: a sentence of the user's that isn't a question.
        rules: that hold, or parts of them.

    Returns:
        Its place; none where several rules ask, or none does; None if it says nothing of the sort.
    """
    if not _NO_ASKING.fullmatch(_plain(said)):
        return None
    asking = [place for place, rule in enumerate(rules) if _ASKS.search(_plain(rule))]
    return asking if len(asking) == 1 else []


def freed(said: str, rules: Sequence[str]) -> list[int]:
    """Which rules a sentence ends by saying that what they demand is no longer so.

    Args:
        said: a sentence of the user's that isn't a question.
        rules: that hold, or parts of them.

    Returns:
        Their places.
    """
    plain = _plain(said)
    if _NARROWED.search(plain) or TEMPORARY_ZH.search(plain):
        return []
    needless, allowed = _freed(said, allowed=False), _freed(said, allowed=True)
    if needless is None and allowed is None:
        return []
    return [
        place
        for place, rule in enumerate(rules)
        if len(parts(rule)) == 1 and _is_ended(rule, needless, allowed)
    ]


_WITH: Final = Lazy(
    r"(?<=\w) (?:with an? [\w-]+(?: [\w-]+)?|(?:before|after|once) (?:it|they)\b[\w' ]*)$"
)
"""How what is demanded has to be: who needn't do that needn't do it so."""


def _is_ended(rule: str, needless: str | None, allowed: str | None) -> bool:
    consent = _CONSENT.search(_plain(rule)) is not None
    for clause in _clauses(rule):
        about = _gist(clause)
        if not about.says:
            continue
        forbids = _FORBIDS.search(clause) is not None
        bare = _gist(_WITH.sub("", clause))
        if needless is not None and (consent or not forbids) and _gist(needless) in (about, bare):
            return True
        if allowed is None or not forbids or consent:
            continue
        if _gist(allowed) == about:
            return True
    return False


def _plain(text: str) -> str:
    return simplified(text).replace("’", "'").replace("*", " ").strip()


def _freed(said: str, *, allowed: bool) -> str | None:
    """What a sentence says of: that it may be done, or that it needn't be; None if of nothing."""
    plain = _plain(said)
    if plain.isascii():
        if not any(sign in plain.lower() for sign in _FREES) or _is_for_now(plain):
            return None
        found = (_MAY if allowed else _NEEDLESS).fullmatch(plain)
    else:
        found = (_MAY_ZH if allowed else _NEEDLESS_ZH).fullmatch(plain)
        if found and not allowed and not (found["done"] or found["again"]):
            return None
        if found and allowed and "不" in plain:
            return None
    return " ".join(part for part in found.groupdict().values() if part) if found else None


_NOW: Final = Lazy(r"\s*\bnow\b[\s.!]*$")


def _is_for_now(plain: str) -> bool:
    return TEMPORARY.search(_NOW.sub("", plain)) is not None


_CONTRAST: Final = Lazy(
    r",\s*(?:and )?(?:not|never (?=in\b|on\b|next to\b|under\b|beside\b))[^,;:]+$"
)
"""What is said instead of what is demanded: "tests go in tests/, never next to the source"."""

_SPLIT: Final = Lazy(r"[,;:，；：。]+\s*|\.\s+|\.$")


@lru_cache(512)
def _clauses(rule: str) -> tuple[str, ...]:
    """A rule, and what is left of it without the clauses that demand nothing."""
    plain = _CONTRAST.sub("", _plain(rule).rstrip("."))
    pieces = [piece.strip() for piece in _SPLIT.compiled.split(plain) if piece.strip()]
    bearing = [piece for piece in pieces if _BEARS.search(piece) or _is_order(piece)]
    whole = " ".join(pieces)
    return (whole, " ".join(bearing)) if 0 < len(bearing) < len(pieces) else (whole,)


def _is_order(piece: str) -> bool:
    """Whether a clause begins with a verb: "run mypy"."""
    first = WORD.compiled.match(piece.lower())
    return first is not None and first[0].isascii() and first[0] in VERBS


@lru_cache(2_048)
def _gist(clause: str) -> _Gist:
    plain = _RESERVED.sub(" ", IN_PROJECT.sub(" ", _PLACE_ZH.sub(" ", clause)))
    for called, pattern in zip(("approval", "ask"), _CONSENT_EN, strict=True):
        plain = pattern.sub(f" {called} ", plain)
    shut = _SHUT_ZH.search(plain) is not None
    found = set(_words(plain))
    letters: list[str] = []
    for word in WORD.compiled.findall(plain):
        if word[0] < "\u3400":
            continue
        rest = _NORM_ZH.sub(" ", word)
        for verb in _VERBS_ZH:
            if verb in rest:
                found.add(VERBS[verb])
                rest = rest.replace(verb, " ")
        letters.extend(rest.replace(" ", ""))
    if shut:
        found.add("change")
    return _Gist(frozenset(found - _USUAL), "".join(sorted(letters)))


def _words(plain: str) -> Iterator[str]:
    for word in WORD.compiled.findall(plain.replace("'", "").lower()):
        bare = word.rstrip(".")
        if word[0] >= "\u3400" or bare in _NORM_EN or (bare in FILLERS and bare not in _NAMES):
            continue
        stem = compared(bare)
        yield _STEMS.get(stem, stem)
