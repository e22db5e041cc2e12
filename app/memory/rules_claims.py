"""What a rule demands of what, so that a later sentence that takes it back is known.

A wrong revocation is worse than none: verb and object must be the same, and nothing may narrow the
later sentence ("only here", 这次). Verbs are the same in both languages; objects are compared as
stems of words, runs of Chinese as they stand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.memory.canonical import canonical, is_same_form, without_numbers
from app.memory.name_tables import words
from app.memory.rules_apart import TEMPORARY, TEMPORARY_ZH
from app.memory.rules_forms import (
    CATEGORIES,
    CLAUSES,
    DROPPED,
    FILLERS,
    FORMS,
    IN_PROJECT,
    PARTICLES,
    TALK_EN,
    TALK_ZH,
    TONGUES,
    VERB_FIRST,
    VERBS,
    WORD,
    Sense,
)
from app.memory.rules_lazy import Lazy
from app.memory.stem import stem

ANY: Final = "any"
"""The verb of what is said of a thing as such: "npm is fine now"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One demand or permission.

    Attributes:
        sense: of what sort.
        verb: the class of verbs it belongs to; `ANY` for what is said of the thing as such.
        about: the words of its object.
    """

    sense: Sense
    verb: str
    about: frozenset[str]


_DENIED: Final = Lazy(r"\b(?:don't|do not|never|stop)\b|不要|别(?!管)|禁止")

_NARROWS: Final = Lazy(
    r"\b(?:if|when|unless|except|once|until|after|before|only|just|this (?:one"
    r"|time)|as long as|maybe|probably)\b"
    r"|如果|要是|等|只(?:能|有|要|在)|仅|这次|一次|的时候|之后|以后再|除非|除了|暂时|可能|先"
)
"""A permission with one of these holds somewhere or sometimes: the rule stays."""

_LIFTS: Final = Lazy(
    r"\b(?:forget|drop|lift|remove|ignore|cancel|scrap|revoke|delete"
    r"|disregard)\s+(?:about\s+)?(?:the|my|that|our|this)\s+"
    r"(?:(?P<before>[^,.;]{1,60}?)\s+)?(?:rule|restriction|constraint|ban"
    r"|requirement)s?\b(?:\s+(?:about|on|that|of|against|for|not to|regarding|to"
    r"|never to)\s+(?P<what>[^,.;]{1,80}))?"
    r"|\bthe\s+(?P<gone>[^,.;]{1,60}?)\s+(?:rule|restriction|constraint|ban"
    r"|requirement)\s+(?:is (?:lifted|gone|off|over|cancell?ed|void)"
    r"|no longer (?:applies|holds)|doesn't apply)"
    r"|(?:取消|解除|撤销|忘掉|忘了|作废|去掉|删掉|废除|不用管|别管)(?:掉"
    r"|了)?(?:之前|刚才|前面|上面|原来)?(?:的|说的)?(?:关于)?"
    r"(?P<zh>[^，。；]{1,40}?)(?:这条|这个|的)*(?:限制|规则|要求|约定|约束|禁令)"
    r"|(?:关于)?(?P<zhgone>[^，。；]{1,40}?)(?:这条|这个|的)*(?:限制|规则|要求"
    r"|约定|约束|禁令)(?:现在|已经|就)?(?:取消|解除|作废|撤销|不算|没了|失效)"
)

_AT_LAST: Final = Lazy(r"\s*\bnow\b[\s.!]*$")
"""Of a permission it says that it begins, not that it will end."""

_LIFT_SIGNS: Final = (
    *("rule", "restrict", "constraint", "ban", "requirement"),
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


def narrows(text: str) -> bool:
    """Whether a text says that something holds somewhere or sometimes only."""
    return _NARROWS.search(text) is not None


@lru_cache(512)
def statements(text: str) -> tuple[Statement, ...]:
    """What a sentence demands, forbids or allows, clause by clause."""
    plain = IN_PROJECT.sub(" ", text.replace("’", "'").replace("*", " "))
    return tuple(filter(None, map(_statement, CLAUSES.compiled.split(plain))))


def _statement(clause: str) -> Statement | None:
    clause = clause.strip()
    if not clause:
        return None
    if found := TALK_EN.search(clause) or TALK_ZH.search(clause):
        tongue = found[1].lower()
        denied = _DENIED.search(clause)
        return Statement(
            "must not" if denied else "must", "talk", frozenset({TONGUES.get(tongue, tongue)})
        )
    for sense, form in FORMS:
        found = form.fullmatch(clause)
        if not found:
            continue
        parts = found.groupdict()
        about = _about(DROPPED.sub("", parts["what"]))
        if not about:
            return None
        verb = parts.get("verb")
        kind = VERBS[verb.lower()] if verb else "change" if parts.get("kept") else ANY
        return Statement(sense, kind, about)
    return None


def _about(text: str) -> frozenset[str]:
    """The words of an object, without what says nothing."""
    found: set[str] = set()
    for word in WORD.compiled.findall(text):
        if word[0] >= "\u3400":
            found.add(PARTICLES.sub("", PARTICLES.sub("", word)))
        elif word.lower() not in FILLERS:
            found.add(stem(word.lower().rstrip("./-").removesuffix("'s")))
    return frozenset(found - {""})


def is_repeated(one: str, other: str) -> bool:
    """Whether two rules are one: the same words, or the same single demand."""
    if is_same_form(canonical(one), canonical(other)):
        return True
    first, second = statements(one), statements(other)
    return len(first) == len(second) == 1 and first == second and _is_bare(one) and _is_bare(other)


def _is_bare(text: str) -> bool:
    """Whether a rule has one clause only, so that its demand is all it says."""
    return (
        len([one for one in CLAUSES.compiled.split(text) if one.strip()]) == 1 and len(text) <= 80
    )


def taken_back(said: str, is_rule: bool, rules: Sequence[str]) -> list[int]:
    """Which rules a sentence contradicts.

    Args:
        said: a sentence of the user's that isn't a question.
        is_rule: it is a standing rule itself; else only a permission takes back.
        rules: that hold.

    Returns:
        Their places.
    """
    if is_rule:
        form, bare = canonical(said), without_numbers(said)
        other = [
            place
            for place, rule in enumerate(rules)
            if without_numbers(rule) == bare and canonical(rule) != form
        ]
        if other:
            return other
    elif _NARROWS.search(said):
        return []
    new = [one for one in statements(said) if is_rule or one.sense in ("may", "need not")]
    lasting = _AT_LAST.sub("", said)
    if not new or TEMPORARY.search(lasting) or TEMPORARY_ZH.search(said):
        return []
    return [place for place, rule in enumerate(rules) if _is_against(new, statements(rule))]


def _is_against(new: Sequence[Statement], held: Sequence[Statement]) -> bool:
    """Whether all that a rule demands is contradicted, or all but what is used instead."""
    against = [one for one in held if any(_contradicts(said, one) for said in new)]
    rest = [one for one in held if one not in against]
    return bool(against) and all(one.verb == "use" and one.sense == "must" for one in rest)


def _contradicts(new: Statement, old: Statement) -> bool:
    same_verb = new.verb == old.verb or ANY in (new.verb, old.verb)
    if same_verb and new.about == old.about:
        if old.sense == "must not":
            return new.sense in ("may", "must")
        return (
            old.sense == "must" and new.sense in ("need not", "must not") and new.verb == old.verb
        )
    if new.sense == old.sense == "must" and new.verb == old.verb:
        gone, come = old.about - new.about, new.about - old.about
        return any(
            len(gone & kind) == 1 == len(come & kind) and not (gone | come) - kind - _COUNTS
            for kind in CATEGORIES
        )
    return False


_COUNTS: Final = frozenset({"2", "3", "4", "8", "quot"})


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
    for word in _about(text):
        if word[0] >= "\u3400":
            yield VERB_FIRST.sub("", word)
        elif word not in VERBS and word not in _SMALL:
            yield word


def _holds(rule: str, wanted: frozenset[str]) -> bool:
    held = _about(rule)
    return all(one in (rule if one[0] >= "\u3400" else held) for one in wanted)
