"""What a rule demands of what, so that a later sentence that takes it back is known.

A wrong revocation is worse than none: verb and object must be the same, and nothing may narrow the
later sentence ("only here", 这次). Verbs are the same in both languages; objects are compared as
stems of words, runs of Chinese as they stand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.memory.canonical import canonical, is_same_form, without_numbers
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
    VERBS,
    WORD,
    Sense,
    compared,
)
from app.memory.rules_lazy import Lazy
from app.memory.rules_simplified import simplified

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

_AND: Final = Lazy(r"(?:(?<![,;])\s(?:and|or)\s|,\s+(?=[\w./ -]+,? (?:and|or) [\w./-]+$))([^,;]+)")
"""What may be one thing more that a rule is about."""

_AT_LAST: Final = Lazy(r"\s*\bnow\b[\s.!]*$")
"""Of a permission it says that it begins, not that it will end."""


def narrows(text: str) -> bool:
    """Whether a text says that something holds somewhere or sometimes only."""
    return _NARROWS.search(text) is not None


@lru_cache(512)
def statements(text: str) -> tuple[Statement, ...]:
    """What a sentence demands, forbids or allows, clause by clause."""
    plain = IN_PROJECT.sub(" ", simplified(text).replace("’", "'").replace("*", " "))
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
        about = object_words(DROPPED.sub("", parts["what"]))
        if not about:
            return None
        verb = parts.get("verb")
        kind = VERBS[verb.lower()] if verb else "change" if parts.get("kept") else ANY
        return Statement(sense, kind, about)
    return None


def object_words(text: str) -> frozenset[str]:
    """The words of an object, without what says nothing.

    Args:
        text: of a part of a sentence.
    """
    found: set[str] = set()
    for word in WORD.compiled.findall(text):
        if word[0] >= "\u3400":
            found.add(PARTICLES.sub("", PARTICLES.sub("", word)))
        elif word.lower() not in FILLERS:
            found.add(compared(word.lower()))
    return frozenset(found - {""})


def is_repeated(one: str, other: str) -> bool:
    """Whether two rules are one: the same words, or the same single demand."""
    if is_same_form(canonical(simplified(one)), canonical(simplified(other))):
        return True
    first, second = statements(one), statements(other)
    return len(first) == len(second) == 1 and first == second and _is_bare(one) and _is_bare(other)


def _is_bare(text: str) -> bool:
    """Whether a rule has one clause only, so that its demand is all it says."""
    return (
        len([one for one in CLAUSES.compiled.split(text) if one.strip()]) == 1 and len(text) <= 80
    )


_RESET: Final = Lazy(
    r"\s*\b(?:(?:is|are)(?: now)?|now|from now on|going forward|instead)\b"
    r"|(?<=\S)(?:改为|改成|调整?[为到成]|提高到|放宽[为到]|降[为到低]+|现在是|从现在起|以后|现在)"
)
"""What only says that a number is another one now."""


_FORBIDS: Final = Lazy(
    r"\b(?:never|not|no|cannot|without|avoid)\b|n['’]t\b|[不别勿]|禁止|严禁|杜绝|避免"
)
_BOUND: Final = Lazy(
    r"\b(?:than|over|above|below|under|beyond|exceed\w*|past|within|at (?:least|most)|up to|max\w*"
    r"|min\w*|limit\w*|before|after|until|earlier|later)\b"
    r"|超[过出]|[多少大小高低长短早晚]于|不[足到满]|以[上下内外]|之[前后]|至[多少]|最[多少大小长短高低]"
    r"|[上下]限"
)
"""What makes a number a bound, of which there is one, and not the name of a thing."""


def renumbered(said: str, rules: Sequence[str]) -> list[int]:
    """Which rules a new rule repeats but for its numbers: "80 columns", then "100 columns".

    What is forbidden of one thing says nothing of another: "don't edit 0012", then "… 0013".

    Args:
        said: a standing rule.
        rules: that hold.

    Returns:
        Their places.
    """
    said = _RESET.sub("", simplified(said))
    if _FORBIDS.search(said) and not _BOUND.search(said):
        return []
    form, bare = canonical(said), without_numbers(said)
    plain = [_RESET.sub("", simplified(rule)) for rule in rules]
    return [
        place
        for place, rule in enumerate(plain)
        if without_numbers(rule) == bare and canonical(rule) != form
    ]


def taken_back(said: str, is_rule: bool, rules: Sequence[str]) -> list[int]:
    """Which rules a sentence contradicts.

    Args:
        said: a sentence of the user's that isn't a question.
        is_rule: it is a standing rule itself; else only a permission takes back.
        rules: that hold.

    Returns:
        Their places.
    """
    said = simplified(said)
    if not is_rule and _NARROWS.search(said):
        return []
    new = [one for one in statements(said) if is_rule or one.sense in ("may", "need not")]
    lasting = _AT_LAST.sub("", said)
    if not new or TEMPORARY.search(lasting) or TEMPORARY_ZH.search(said):
        return []
    return [
        place
        for place, rule in enumerate(rules)
        if _is_against(new, statements(rule)) and not _is_wider(rule)
    ]


def _is_against(new: Sequence[Statement], held: Sequence[Statement]) -> bool:
    """Whether all that a rule demands is contradicted, or all but what is used instead of it."""
    against = [one for one in held if any(_contradicts(said, one) for said in new)]
    rest = [one for one in held if one not in against]
    if rest and any(one.verb not in ("use", ANY) for one in against):
        return False
    return bool(against) and all(one.verb == "use" and one.sense == "must" for one in rest)


def _is_wider(rule: str) -> bool:
    """Whether a rule is about one thing more than its statements say: "never touch src and lib"."""
    return any(_statement(found[1]) is None for found in _AND.finditer(rule))


def _contradicts(new: Statement, old: Statement) -> bool:
    same_verb = new.verb == old.verb or ANY in (new.verb, old.verb)
    if same_verb and new.about == old.about:
        if old.sense == "must not":
            return new.sense in ("may", "must")
        if old.sense == "may":
            return new.sense == "must not"
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
