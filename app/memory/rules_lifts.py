"""Sentences that name a rule and say that it is void: "forget the rule about npm", 这条作废.

What they call it must be in the rule, and in no other one.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from app.memory.canonical import canonical
from app.memory.name_tables import words
from app.memory.rules_apart import TEMPORARY
from app.memory.rules_claims import object_words
from app.memory.rules_forms import VERB_FIRST, VERBS
from app.memory.rules_lazy import Lazy
from app.memory.rules_simplified import simplified
from app.memory.rules_topics import holds, topic

_DENIED: Final = Lazy(r"\b(?:don't|do not|never|stop)\b|不要|别(?!管)|禁止")

_LIFTS: Final = Lazy(
    r"\b(?:forget|drop|lift|remove|ignore|cancel|scrap|revoke|delete"
    r"|disregard)\s+(?:about\s+)?(?:the|my|that|our|this)\s+"
    r"(?:(?P<before>[^,.;]{1,60}?)\s+)?(?:rule|restriction|constraint|ban"
    r"|requirement)s?\b(?:\s+(?:about|on|that|of|against|for|not to|regarding|to"
    r"|never to)\s+(?P<what>[^,.;]{1,80}))?"
    r"|\bthe\s+(?P<gone>[^,.;]{1,60}?)\s+(?:rule|restriction|constraint|ban"
    r"|limit|requirement)\s+(?:is (?:lifted|gone|off|over|cancell?ed|void)"
    r"|no longer (?:applies|holds)|doesn't apply)"
    r"|(?:取消|解除|撤销|忘掉|忘了|作废|去掉|删掉|废除|忽略|不用管|别管)(?:掉"
    r"|了)?(?:之前|刚才|前面|上面|原来)?(?:的|说的)?(?:关于)?"
    r"(?P<zh>[^，。；]{1,40}?)(?:这条|这个|的)*(?:限制|规则|要求|约定|约束|禁令)"
    r"|(?:关于)?(?P<zhgone>[^，。；]{1,40}?)(?:这条|这个|的)*(?:限制|规则|要求"
    r"|约定|约束|禁令)(?:现在|已经|就)?(?:取消|解除|作废|撤销|不算|没了|失效)"
)

_LIFT_SIGNS: Final = (
    *("rule", "restrict", "constraint", "ban", "requirement", "limit"),
    *("限制", "规则", "要求", "约定", "约束", "禁令"),
)

_LIFTS_ALL: Final = Lazy(
    r"^(?:(?:ok(?:ay)?|please|now|and)[,\s]+)*(?:forget|drop|lift|ignore|cancel"
    r"|scrap|revoke|disregard)\s+(?:about\s+)?all\s+(?:of\s+)?(?:the\s+|my\s+"
    r"|these\s+|those\s+|our\s+)?(?:previous\s+|earlier\s+|standing\s+|old\s+"
    r"|other\s+)*(?:rules|restrictions|constraints)(?:\s+(?:so far|now"
    r"|from before))?$"
    r"|^(?:取消|解除|忘掉|忘了|撤销|作废)(?:之前|以前|前面|上面|现有)?(?:的"
    r"|说的)?(?:所有|全部|一切)(?:的)?(?:限制|规则|要求|约定|约束)了?$"
    r"|^(?:之前|以前|前面)的?(?:所有|全部)?的?(?:规则|限制|约束)(?:全部|都)(?:取消|作废|不算)了?$"
)

_ONLY_GENERIC: Final = frozenset(
    {"rule", "restrict", "constraint", "ban", "requir", "first", "last", "previou", "old"}
)

_LEAD: Final = (
    r"(?:(?:ok(?:ay)?|please|actually|now|and|so|well|no|you can|you may|let's|just)[,\s]+)*"
)
_EARLIER: Final = r"(?:\s+(?:earlier|before|previously|above|so far|at first|yesterday))?"
_NAMED: Final = tuple(
    Lazy(pattern)
    for pattern in (
        rf"{_LEAD}(?:forget|disregard|ignore|scrap|drop|never ?mind|skip)\s+(?:about\s+)?"
        r"(?:what|everything|all)\s+(?:that\s+)?i(?:'ve| have)?\s+(?:just\s+)?"
        rf"(?:said|told you|asked|wrote|wanted|mentioned|demanded){_EARLIER}"
        rf"\s+(?:about|on|regarding|concerning)\s+(?P<what>[^,;]+?){_EARLIER}",
        rf"{_LEAD}i(?:'d like to| want to|'ll)?\s+(?:take back|withdraw|retract)\s+(?:what"
        rf"|everything)\s+i\s+(?:said|told you|wrote|asked){_EARLIER}\s+(?:about|on|regarding)\s+"
        r"(?P<what>[^,;]+)",
        rf"{_LEAD}i(?:'ve| have)? changed my mind (?:about|on) (?P<what>[^,;]+?),"
        r"\s*(?:you (?:can|may)|it's (?:ok|okay|fine) to|feel free to)\s+\w+\s+(?:it|them)"
        r"(?:\s+(?:now|again|after all))?",
    )
)
_VOID_ZH: Final = (
    r"(?:现在|已经|就|都|全部|可以|从现在起)*(?:作废|取消|撤销|解除|废除|失效|不算数?|不作数|不用管"
    r"|不必管|不再有效|收回)(?:了|吧|掉)*"
)
_RULE_ZH: Final = r"(?:的?(?:这|那)一?(?:条|点|个))?(?:的?(?:规则|要求|限制|约定|规矩|规定|禁令))?"
_PAST_ZH: Final = r"(?:之前|以前|刚才|先前|前面|上次|早先|原来|原先)"
_SAID_ZH: Final = rf"(?:我?{_PAST_ZH}我?|我)(?:说|讲|提|要求|规定|定)(?:过|好)?的"
_NAMED_ZH: Final = tuple(
    Lazy(pattern)
    for pattern in (
        rf"(?:.*[,，]\s*)?(?:关于)?{_SAID_ZH}(?:关于)?(?P<what>[^,，]+?){_RULE_ZH}{_VOID_ZH}",
        r"(?:.*[,，]\s*)?(?P<what>[^,，]+?)(?:的?(?:这|那)一?条(?:规则|要求|限制|约定|规矩|规定)?"
        rf"|的(?:规则|要求|限制|约定|规矩|规定|禁令)){_VOID_ZH}",
        r"(?:.*[,，]\s*)?(?:请|就|那|现在|可以)*(?:忘掉|忘了|忘记|忽略|无视|收回|取消|撤销|作废|别管"
        rf"|不用管)(?:掉|了)?{_SAID_ZH}(?:关于)?(?P<what>[^,，]+?){_RULE_ZH}(?:了|吧)?",
        r"(?:.*[,，]\s*)?(?:请|就|那|现在|可以)*(?:取消|撤销|废除|解除)(?:掉|了)?(?P<what>[^,，]+?)"
        r"的?(?:这|那)一?条(?:规则|要求|限制|约定|规矩|规定)?(?:了|吧)?",
    )
)
_SIGNS: Final = (
    *("said", "told", "wrote", "asked", "mention", "wanted", "demanded", "changed my mind"),
    *("作废", "取消", "撤销", "解除", "废除", "失效", "不算", "不作数", "管", "有效", "收回"),
    *("忘", "忽略", "无视"),
)


def _named(said: str) -> str:
    """What a sentence calls the rule that it says is void; "" if it says so of none."""
    said = said.strip()
    low = said.lower()
    if not any(sign in low for sign in _SIGNS):
        return ""
    for pattern in _NAMED if said.isascii() else (*_NAMED, *_NAMED_ZH):
        found = pattern.fullmatch(said)
        if found:
            return found["what"].strip()
    return ""


def names_void(said: str) -> bool:
    """Whether a sentence says of a rule that it is void, whichever that is: it is none itself.

    Args:
        said: a sentence.
    """
    if _named(said):
        return True
    return any(sign in said for sign in _LIFT_SIGNS) and _LIFTS.match(said) is not None


def _is_called(rule: str, name: str) -> bool:
    """Whether a rule is the one of that name: its own words, or some of what it is about."""
    own = canonical(simplified(rule))
    form = canonical(name)
    return (len(form) >= _WORDS and form in own) or holds(topic(rule), topic(name))


_WORDS: Final = 4
"""Characters of a name that stands in the rule as it is."""


def lifts_all(said: str) -> bool:
    """Whether a sentence takes back all rules."""
    return bool(_LIFTS_ALL.match(said.strip()))


def lifted(said: str, rules: Sequence[str]) -> list[int]:
    """Which rule a sentence like "forget the rule about npm" takes back.

    Args:
        said: a sentence of the user's that isn't a question.
        rules: that hold.

    Returns:
        Its place among them; none where more than one could be meant.
    """
    said = simplified(said)
    if name := _named(said):
        called = [place for place, rule in enumerate(rules) if _is_called(rule, name)]
        if len(called) == 1 and not TEMPORARY.search(said):
            return called
    if not any(sign in said for sign in _LIFT_SIGNS):
        return []
    found = _LIFTS.search(said)
    if not found or TEMPORARY.search(said) or _DENIED.search(said, 0, found.start()):
        return []
    wanted = _terms(" ".join(part for part in found.groupdict().values() if part))
    fits = [place for place, rule in enumerate(rules) if wanted and _holds(rule, wanted)]
    return fits if len(fits) == 1 else []


_SMALL: Final = words("not never no don't don t to")


def _terms(text: str) -> frozenset[str]:
    return frozenset(_split(text)) - _ONLY_GENERIC - {""}


def _split(text: str) -> Iterator[str]:
    for word in object_words(text):
        if word[0] >= "\u3400":
            yield VERB_FIRST.sub("", word)
        elif word not in VERBS and word not in _SMALL:
            yield word


def _holds(rule: str, wanted: frozenset[str]) -> bool:
    held = object_words(rule)
    return all(one in (rule if one[0] >= "\u3400" else held) for one in wanted)
