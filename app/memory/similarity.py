"""Whether two facts are one, or say different things of one subject.

RECALL 2 and 3: typed values, negation, antonyms, "X instead of Y" and one slot with the same
subject are stated as a conflict; closeness alone is only a question. No rule over words finds
contradictions in the open; these do not try.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from app.memory.canonical import canonical, is_duplicate, is_same_form, without_numbers
from app.memory.claim_numbers import numbered_apart
from app.memory.claim_slots import attributes_differ, kinds_differ, values_differ
from app.memory.claim_tables import ANTONYMS
from app.memory.claims import LONGEST, Claim, read, without_remarks
from app.memory.slots import Cut, Words, jieba_words
from app.memory.stem import stem

ConflictKind: TypeAlias = Literal["values", "negation", "antonym", "instead", "slot"]
"""Why two facts cannot both hold; to be decided by the user."""

QuestionKind: TypeAlias = Literal["same", "near"]
"""Only a question: are they the same, does one replace the other."""

COMPARED = 20
"""Candidates that are compared, the best retrieved ones (RECALL 2: a pair costs a millisecond)."""

_ALIKE = 0.75
"""Part of the content two texts share, from which a negation of one denies the other."""
_SAME = 0.8
"""Part of the content from which two texts may be the same (RECALL 3)."""
_NEAR = 0.6
"""Dice of character pairs from which one may replace the other (RECALL 2)."""
_VERY_NEAR = 0.9
"""The same, whatever they begin with; the 0.8 of FACTS 1.11 asks in vain half as often again."""

_OPPOSITES = frozenset(
    pair
    for first, second in ANTONYMS
    for pair in ((stem(first), stem(second)), (stem(second), stem(first)))
)


@dataclass(frozen=True)
class Similar:
    """A candidate that is like the new text."""

    place: int
    """Of the candidate among those given."""
    kind: Literal["duplicate"] | ConflictKind | QuestionKind

    @property
    def is_conflict(self) -> bool:
        """Whether nothing may be written before the user chose."""
        return self.kind not in ("duplicate", "same", "near")

    @property
    def is_question(self) -> bool:
        """Whether it is only worth asking."""
        return self.kind in ("same", "near")


def conflict_of(a: str, b: str, cut: Cut = jieba_words) -> ConflictKind | None:
    """Why two facts cannot both hold; None if they can, as far as the rules see, or are one.

    Symmetric. The first Chinese text reads the dictionary (a second): not on the loop, unless
    after `await jieba_words.loaded()`.

    Args:
        a: a fact of the same scope and project as b.
        b: the other one.
        cut: makes words of a run of Chinese.
    """
    if is_duplicate(a, b):
        return None
    one, other = read(a[:LONGEST], cut), read(b[:LONGEST], cut)
    if _is_dropped(one, other) or _is_dropped(other, one):
        return "instead"
    if one.negated == other.negated:
        if numbered_apart(one, other):
            return None
        if _values_differ(a, b, cut):
            return "values"
        if _is_antonym(one, other):
            return "antonym"
        if not one.negated and (kinds_differ(one, other) or attributes_differ(one, other)):
            return "slot"
        return None
    return "negation" if _is_denied(one, other) else None


def question_of(a: str, b: str, cut: Cut = jieba_words) -> QuestionKind | None:
    """Whether it is worth asking if two facts are the same, or if one replaces the other.

    Symmetric; None where they are a duplicate or a conflict, which ask for themselves.
    """
    if is_duplicate(a, b) or conflict_of(a, b, cut):
        return None
    one, other = read(a[:LONGEST], cut), read(b[:LONGEST], cut)
    if _is_same(one, other):
        return "same"
    if numbered_apart(one, other):
        return None
    close = dice(canonical(a[:LONGEST]), canonical(b[:LONGEST]))
    begin_alike = bool(one.content and other.content and one.content[0] == other.content[0])
    return "near" if close >= (_NEAR if begin_alike else _VERY_NEAR) else None


async def find_similar(
    new: str, candidates: Sequence[str], words: Words = jieba_words
) -> tuple[Similar, ...]:
    """The candidates that a new fact repeats, contradicts or may replace, in their order.

    Works in a thread, as does the reading of the dictionary.

    Args:
        new: the fact to be written.
        candidates: facts of the same scope and project, the most alike first; the first 20 are
            compared for conflicts, all of them for duplicates.
        words: makes words of Chinese.
    """
    return await asyncio.to_thread(compare, new, candidates, words)


def compare(
    new: str, candidates: Sequence[str], cut: Cut = jieba_words, *, questions: bool = True
) -> tuple[Similar, ...]:
    """As `find_similar`, at once: for a worker's thread; on wish without what only asks."""
    found: list[Similar] = []
    form = canonical(new)
    for place, text in enumerate(candidates):
        if is_same_form(form, canonical(text)) or (not form and is_duplicate(new, text)):
            found.append(Similar(place, "duplicate"))
        elif place < COMPARED:
            kind: ConflictKind | QuestionKind | None = conflict_of(new, text, cut)
            if kind is None and questions:
                kind = question_of(new, text, cut)
            if kind:
                found.append(Similar(place, kind))
    return tuple(found)


def dice(one: str, other: str) -> float:
    """How much of their pairs of characters two texts share, counted with repeats; 0 to 1."""
    first, second = Counter(pairwise(one)), Counter(pairwise(other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def _values_differ(a: str, b: str, cut: Cut) -> bool:
    """Whether they say other values of the same, also with a bracketed remark more on one side."""
    a, b = a[:LONGEST], b[:LONGEST]
    if _is_masked_equal(a, b) or values_differ(read(a, cut), read(b, cut)):
        return True
    one, other = without_remarks(a), without_remarks(b)
    if (one == a) == (other == b):
        return False
    return values_differ(read(one, cut), read(other, cut))


def _is_masked_equal(a: str, b: str) -> bool:
    """Whether only numbers differ (FACTS 1.11)."""
    one, other = without_numbers(a), without_numbers(b)
    return bool(one) and one == other


def _is_dropped(one: Claim, other: Claim) -> bool:
    """Whether one does away with what the other holds to.

    The other must say it of the same: say only that, share a further word, or use it.
    """
    if not one.dropped or other.negated:
        return False
    held = other.about | {token.word for token in other.tokens if token.role == "value"}
    if not one.dropped <= held:
        return False
    rest = other.about - one.dropped
    return not rest or bool(rest & one.about) or not one.dropped.isdisjoint(_used(other))


@lru_cache(512)
def _used(claim: Claim) -> frozenset[str]:
    """The words right after a verb of use: npm of "we use npm for scripts"."""
    used: set[str] = set()
    for verb, token in pairwise(token for token in claim.tokens if token.role != "filler"):
        if verb.role in ("use", "is"):
            used.add(token.word)
    return frozenset(used - {""})


def _is_denied(one: Claim, other: Claim) -> bool:
    """Whether both speak of the same, where one denies."""
    first, second = one.about, other.about
    shared = len(first & second)
    if not shared or (one.values and other.values and set(one.values) != set(other.values)):
        return False
    if shared >= _ALIKE * len(first | second):
        return True
    denying, other_one = (one, other) if one.negated else (other, one)
    if denying.about <= _used(other_one):
        return True  # never use npm; use npm to install
    return (
        shared >= 2 and shared == min(len(first), len(second)) and shared * 2 >= len(first | second)
    )


def _is_antonym(one: Claim, other: Claim) -> bool:
    """Whether they differ in one word, and it is turned round."""
    first, second = one.about - other.about, other.about - one.about
    if len(first) != 1 or len(second) != 1 or set(one.values) != set(other.values):
        return False
    return (next(iter(first)), next(iter(second))) in _OPPOSITES


def _is_same(one: Claim, other: Claim) -> bool:
    """Whether they say the same in about the same words, in the same order (RECALL 3)."""
    if one.negated != other.negated or Counter(one.values) != Counter(other.values):
        return False
    both = one.about | other.about
    if not both or len(one.about & other.about) < _SAME * len(both):
        return False
    shared = one.about & other.about
    return [word for word in dict.fromkeys(one.content) if word in shared] == [
        word for word in dict.fromkeys(other.content) if word in shared
    ]
