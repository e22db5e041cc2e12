"""Sentences that lift one half of a rule: "you may use npm for the docs again, not for the app".

The rule stays, as the other half holds; the sentence stands beside it, word for word, as what is
allowed now would else be lost. It must say that it lasts ("again", 了), be about what a rule that
holds is about, and either name a place besides, or one of several things the rule names.
"""

from collections.abc import Sequence
from typing import Final

from app.memory.rules_apart import TEMPORARY, TEMPORARY_ZH
from app.memory.rules_lazy import Lazy
from app.memory.rules_simplified import simplified
from app.memory.rules_topics import Topic, is_same, topic

_HAN: Final = Lazy("[\u3400-\u9fff]")

_LASTS: Final = r"(?:again|after all|now|from now on|any ?more|any longer)"

_MAY: Final = Lazy(
    rf"^(?=.*\b{_LASTS}\b)(?:(?:ok(?:ay)?|and|but|so|now|actually|please|well)[,\s]+)*"
    r"(?:(?:you|we) (?:can|may)\b|(?:feel free|go ahead)\b"
    r"|[^,;]{1,60}? (?:is|are) (?:now |again )?(?:fine|ok(?:ay)?|allowed|permitted|welcome"
    r"|acceptable)\b|[^,;]{1,60}? (?:can|may) (?:now |again )?be\b)"
)
_NEEDLESS: Final = Lazy(
    r"^[^,;]{1,60}? (?:no longer (?:needs?|has|have) to\b"
    rf"|(?:needn't|(?:doesn't|don't) (?:need|have) to)\b(?=.*\b{_LASTS}\b))"
)
_MAY_ZH: Final = Lazy(r"(?<!不)(?:可以|允许)(?!吗)(?=再|重新|[^，。；]*了)")
_NEEDLESS_ZH: Final = Lazy(r"(?:不用|不必|不需要|无需)(?=再|[^，。；]*了)")

_WELL: Final = Lazy(r"\b(?:is|are) (?:now )?(?:fine|ok(?:ay)?)\b")
_AGAIN: Final = Lazy(r"\b(?:again|after all|from now on|any ?more|any longer)\b")
"""Said of a thing, "it is fine now" may just tell that it was mended."""

_REST: Final = Lazy(r"[,，；;]|\s[—–-]+\s|\s(?:but|just not|only (?=in\b|for\b))")
"""Behind what is allowed: what isn't."""
_STILL: Final = Lazy(
    r"\b(?:but|just) (?:still )?(?:not|never)\b|\bstill (?:not|isn't|aren't|needs?|ha(?:s|ve) to)\b"
    r"|, only (?:in|for|on)\b|\bnot (?:for|in|on|under)\b"
    r"|(?:还是|仍然?|依然|依旧|照样)(?:不|别|要|得|必须|禁)|[，,]\s*但[^，。；]*(?:不|别|禁)"
)
_PLACE: Final = Lazy(
    r"\s(?:in|for|on|under|inside|within|outside) (?!now\b|good\b|me\b|you\b|all\b)[^,;]+$"
    r"|[^，。；里中下]{1,10}(?:里面?|中(?!文)|下面?|目录)(?=可|允|不|都|也|，)"
)
"""Where it is allowed: without that, it is just what the rule is about."""
_SEVERAL: Final = Lazy(r"\s(?:and|or)\s|,|[、和或与及]")
_WORN: Final = Lazy(
    rf"\bno longer\b|\b{_LASTS}\b|重新|再|现在|已经"
    r"|\b(?:is|are) (?:fine|ok(?:ay)?|allowed|permitted|welcome|acceptable)\b"
)
"""What only says that it is allowed now."""


def is_excepted(said: str, rules: Sequence[str]) -> bool:
    """Whether a sentence lifts a rule in part.

    Args:
        said: a sentence of the user's that isn't a question.
        rules: that hold.
    """
    plain = simplified(said).replace("’", "'").strip()
    han = _HAN.search(plain) is not None
    allowed = (_MAY_ZH if han else _MAY).search(plain)
    found = allowed or (_NEEDLESS_ZH if han else _NEEDLESS).search(plain)
    if not found:
        return False
    rest = _REST.search(plain, found.end())
    half = plain[: rest.start()] if rest else plain
    lasting = _WORN.sub(" ", half)
    if TEMPORARY.search(lasting) or TEMPORARY_ZH.search(half):
        return False
    about = topic(lasting)
    place = _PLACE.search(lasting)
    bare = topic(lasting[: place.start()] + " " + lasting[place.end() :]) if place else None
    told = _STILL.search(plain) is not None
    if _WELL.search(half) and not (told or _AGAIN.search(half)):
        return False
    return any(
        _halves(about, bare, topic(rule), told=told, forbids=allowed is not None)
        and (about.things > topic(rule).things or _SEVERAL.search(rule) is not None)
        for rule in rules
    )


def _halves(about: Topic, bare: Topic | None, held: Topic, *, told: bool, forbids: bool) -> bool:
    """Whether what is allowed is a part of what a rule forbids, or what is let off of a demand.

    Args:
        about: what the sentence is about.
        bare: the same without the place it names, if it names one.
        held: what the rule is about.
        told: the sentence says what still holds.
        forbids: it allows what a rule forbids; else it lets off of what one demands.
    """
    if held.forbids is not forbids or not held.things or (held.when and held.when != about.when):
        return False
    if about.verbs and held.verbs and not about.verbs & held.verbs:
        return False
    if held.things < about.things:
        return told or (bare is not None and is_same(bare, held))
    return bool(about.things) and about.things < held.things
