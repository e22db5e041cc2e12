"""Sentences that end a rule in other words than it was told: "npm is fine after all", 不用…了.

They are read whole, so that no clause beside it can narrow what they say, and compared by what they
are about (`rules_topics`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.memory.rules_apart import TEMPORARY, TEMPORARY_ZH
from app.memory.rules_claims import narrows, renumbered, taken_back
from app.memory.rules_excepted import is_excepted
from app.memory.rules_freed import freed, is_freeing, needs_condition, unasked
from app.memory.rules_lazy import Lazy
from app.memory.rules_lifts import lifted, names_void
from app.memory.rules_simplified import simplified
from app.memory.rules_topics import Topic, is_any_tongue, is_same, is_switched, parts, topic

_LEAD: Final = (
    r"(?:(?:ok(?:ay)?|alright|actually|please|and|but|so|now|well|also|yes|no|by the way"
    r"|from now on"
    r"|i(?:'ve| have)? changed my mind(?: (?:about|on) [^,;]+)?)[,\s]+)*"
)
_AGAIN: Final = (
    r"(?:\s+(?:after all|again|now|any ?more|any longer|from now on|from here on(?: out)?))"
)
_LAST: Final = r"(?:,?\s+(?:please|thanks|thank you))?[\s.!]*"

_NEEDLESS: Final = Lazy(
    rf"{_LEAD}(?:you (?:can|may) (?:now )?)?stop (?P<stopped>[a-z]+ing\b[^,;]*?){_LAST}"
    r"|" + _LEAD + r"(?:there's |there is )?(?:no need to|(?:you|we)(?: no longer (?:need|have) to"
    r"| needn't|(?:'re| are) no longer required to| (?:don't|do not) (?:have|need) to))"
    rf" (?P<done>[a-z][^,;]*?){_LAST}"
)
"""Nothing that is a rule itself, unless it says to stop what no rule asks for."""

_NEEDLESS_THING: Final = Lazy(
    rf"{_LEAD}(?P<thing>[^,;]+?) (?:is|are)(?: no longer (?:needed|required|necessary|mandatory)"
    r"|(?:n't| not) (?:needed|required|necessary|mandatory) (?:any ?more|any longer))"
    rf"{_AGAIN}?{_LAST}"
)
_NEEDLESS_ZH: Final = Lazy(
    r"(?:(?:好的?|行|嗯|那|算了|对了|我改主意了)[,，\s]\s*)?(?P<lasts>以后|今后|从现在起|现在)?"
    r"(?P<before>[^,，]*?)(?:都|就|也)?(?:不用|不必|不需要|无需|无须|不再需要|不再要求|不要求|别再"
    r"|不要再|不再)(?P<again>再)?(?P<after>[^,，]*?)(?P<done>了|啦)?[吧。！!\s]*"
)
_LASTING_ZH: Final = ("以后", "今后", "从现在起")
_NEVER_RULES_ZH: Final = Lazy(
    r"^[^,，。；]*(?:不必|不需要|无需|无须|不用(?:再|每次))[^,，。；]*[了啦][吧。！!\s]*$"
)

_MAY: Final = Lazy(
    rf"{_LEAD}(?P<thing>[^,;]+?) (?:is|are)(?: (?:fine|ok|okay|alright|all right|allowed|permitted)"
    rf"{_AGAIN}+| (?:now|again) (?:fine|ok|okay|allowed|permitted))(?: to use)?{_LAST}"
    rf"|{_LEAD}(?:it's|it is|that's) (?:fine|ok|okay|alright|all right) (?:now )?(?:if you"
    rf"|for you to) (?P<done>[a-z][^,;]*?){_AGAIN}*{_LAST}"
    rf"|{_LEAD}(?:you|we) (?:can|may) (?P<bare>[a-z]+)"
    rf" (?:again|from now on|any ?time)(?: now)?{_LAST}"
    rf"|{_LEAD}(?:you (?:can|may)|feel free to|go ahead and) (?P<free>[a-z][^,;]*?){_AGAIN}+{_LAST}"
)
_MAY_ZH: Final = Lazy(
    r"(?P<mind>我改主意了[,，]\s*)?(?:现在|以后)?(?P<before>[^,，]*?)(?:现在|还是|又|也)*"
    r"(?:可以|允许|能)(?P<after>[^,，]*?)(?P<done>了|啦|的)?[吧。！!\s]*"
)
_ANY_TONGUE: Final = Lazy(
    rf"{_LEAD}(?P<thing>[^,;]+?) (?:can|may) (?:now )?be (?:written )?in any language"
    rf"{_AGAIN}*{_LAST}"
    r"|(?:现在|以后)?(?P<zh>[^,，]+?)(?:用|写)?(?:什么|任何|哪种|啥)语言(?:来?写)?都(?:可以|行|成"
    r"|没关系)了?"
)
_POINTS: Final = Lazy(
    r"\b(?:this|that|these|those|(?<!from )here|his|her|their)\b|[这那此]|(?<![脚版样文])本|只|仅"
)
"""It is about one thing only."""


_LIMITS: Final = Lazy(
    r"\bonly (?:ever )?(?:touch|edit|change|modify|alter|update)\b"
    r"|只[能许准可]?以?(?:修改|改|动|碰)"
)
"""A rule that says what alone may be changed still does so where that needn't be changed."""


@dataclass(frozen=True, slots=True)
class Held:
    """A rule, as far as it holds.

    Attributes:
        parts: its demands that weren't taken back, word for word.
        told: how many it had.
    """

    parts: tuple[str, ...]
    told: int

    @property
    def whole(self) -> bool:
        """Whether none of its demands was taken back."""
        return len(self.parts) == self.told


def held(text: str) -> Held:
    """A rule of which all holds.

    Args:
        text: of the rule.
    """
    demands = parts(text)
    return Held(demands, len(demands))


def is_no_demand(said: str, ended: bool) -> bool:
    """Whether a sentence only says that something needn't be done, or may be: it is no rule.

    Args:
        said: a sentence that looks like a rule.
        ended: it took a rule back; "stop running them" is one only where it didn't.
    """
    said = simplified(said).strip()
    if _MAY.fullmatch(said) or _NEVER_RULES_ZH.match(said) or names_void(said):
        return True
    found = _NEEDLESS.fullmatch(said)
    if ended and is_freeing(said):
        return True
    if ended:
        return found is not None or _NEEDLESS_ZH.fullmatch(said) is not None
    return bool(found and found["done"])


def ends(said: str, is_rule: bool, rules: Sequence[str]) -> list[int]:
    """Which rules a sentence takes back.

    Args:
        said: a sentence of the user's that isn't a question.
        is_rule: it is a standing rule itself.
        rules: that hold, or parts of them.

    Returns:
        Their places.
    """
    if (asking := unasked(said, rules)) is not None:
        return asking
    places = (
        taken_back(said, is_rule, rules)
        or lifted(said, rules)
        or _by_topic(said, is_rule, rules)
        or freed(said, rules)
    )
    if is_rule or names_void(simplified(said).strip()):
        return places
    limited = _LIMITS.search(said) is not None
    return [
        place
        for place in places
        if (limited or not _LIMITS.search(rules[place])) and not needs_condition(said, rules[place])
    ]


def after(said: str, is_rule: bool, rules: Sequence[Held], texts: Sequence[str]) -> list[Held]:
    """The rules as they hold after a sentence: of one that says several things, a part may end.

    Args:
        said: a sentence of the user's that isn't a question.
        is_rule: it is a standing rule itself.
        rules: that hold, as far as they do.
        texts: of them, as they were told.
    """
    if is_rule and (places := renumbered(said, texts)):
        return [replace(one, parts=()) if at in places else one for at, one in enumerate(rules)]
    every = [(at, part) for at, rule in enumerate(rules) for part in rule.parts]
    gone = {every[place] for place in ends(said, is_rule, [part for _, part in every])}
    lost = [part for _, part in gone]
    return [
        replace(
            rule,
            parts=tuple(
                part
                for part in rule.parts
                if (at, part) not in gone and not (lost and is_excepted(part, lost))
            ),
        )
        for at, rule in enumerate(rules)
    ]


def _by_topic(said: str, is_rule: bool, rules: Sequence[str]) -> list[int]:
    said = simplified(said).strip()
    if not said.isascii() and TEMPORARY_ZH.search(said):
        return []
    if _POINTS.search(said):
        return []
    if found := _ANY_TONGUE.fullmatch(said):
        about = topic(found["thing"] or found["zh"])
        return [place for place, rule in enumerate(rules) if is_any_tongue(about, topic(rule))]
    if (needless := _needless(said)) is not None:
        return _places(needless, rules, forbid=False)
    if (allowed := _allowed(said)) is not None:
        return _places(allowed, rules, forbid=True)
    if not is_rule or narrows(said):
        return []
    about = topic(said)
    return [place for place, rule in enumerate(rules) if is_switched(about, topic(rule))]


def _places(about: Topic, rules: Sequence[str], *, forbid: bool) -> list[int]:
    topics = [topic(rule) for rule in rules]
    return [
        place
        for place, one in enumerate(topics)
        if one.forbids is forbid and is_same(about, one) and len(parts(rules[place])) == 1
    ]


def _needless(said: str) -> Topic | None:
    """What a sentence says needn't be done; None if it says so of nothing."""
    if found := _NEEDLESS.fullmatch(said) or _NEEDLESS_THING.fullmatch(said):
        parts = found.groupdict()
        what = parts.get("stopped") or parts.get("done") or parts.get("thing") or ""
        about = topic(what)
        if TEMPORARY.search(what):
            return None
        lasts = about.always or topic(said).always
        return replace(about, always=lasts)
    if said.isascii() or narrows(said.replace("先", "")):
        return None
    found = _NEEDLESS_ZH.fullmatch(said)
    if not found:
        return None
    if not (found["done"] or found["lasts"] in _LASTING_ZH or "再" in said):
        return None
    return topic(found["before"] + " " + found["after"])


def _allowed(said: str) -> Topic | None:
    """What a sentence says may be done again; None if it says so of nothing."""
    if found := _MAY.fullmatch(said):
        what = found["thing"] or found["done"] or found["bare"] or found["free"]
        return None if narrows(what) or TEMPORARY.search(what) else topic(what)
    if said.isascii() or narrows(said):
        return None
    found = _MAY_ZH.fullmatch(said)
    if not found or not (found["done"] or found["mind"]) or "不" in said:
        return None
    about = topic(found["before"] + " " + found["after"])
    return about if about.things else None
