"""One slot of one subject with two values: typed ones, of a known kind, or of a named attribute."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from app.memory.claim_tables import (
    ATTRIBUTES,
    CATEGORIES,
    CATEGORY_NAMES,
    DEGREES,
    IMPLIED,
    PERSONAL,
    PROVINCES,
    SYNONYMS,
)
from app.memory.claims import Claim, Token
from app.memory.stem import stem

_LONGEST_VALUE = 4
"""Words of a value; more is a sentence, and two sentences may both hold."""

_IMPLIED = {kind: frozenset(map(stem, names)) for kind, names in IMPLIED.items()}
_MEMBERS = {stem(word): kind for kind, members in CATEGORIES.items() for word in members}
_NAMES = {kind: frozenset(map(stem, names)) for kind, names in CATEGORY_NAMES.items()}
_ATTRIBUTES = frozenset(stem(SYNONYMS.get(word, word)) for word in ATTRIBUTES)
_PERSONAL = frozenset(map(stem, PERSONAL))


def values_differ(one: Claim, other: Claim) -> bool:
    """Whether both give one subject values of the same kinds, and other ones."""
    first, second = _by_kind(one), _by_kind(other)
    shared = first.keys() & second.keys()
    if first.keys() != second.keys():
        shared -= {"number"}  # a stray number beside a telephone number is none of its kind
    if not shared or all(first[kind] == second[kind] for kind in shared):
        return False
    if any(len(first[kind]) != len(second[kind]) for kind in shared):
        return False
    implied = frozenset[str]().union(*(_IMPLIED.get(kind, frozenset()) for kind in shared))
    return one.about - implied == other.about - implied


def kinds_differ(one: Claim, other: Claim) -> bool:
    """Whether both name one member of what a project has one of, and different ones."""
    first, second = _member(one), _member(other)
    for kind in first.keys() & second.keys():
        if len(first[kind]) != 1 or len(second[kind]) != 1 or first[kind] == second[kind]:
            continue
        if one.about - first[kind] - _NAMES[kind] == other.about - second[kind] - _NAMES[kind]:
            return True
    return False


def attributes_differ(one: Claim, other: Claim) -> bool:
    """Whether both give one attribute of one owner a value, with nothing in common."""
    first, second = _slot(one), _slot(other)
    if first is None or second is None:
        return False
    if first[0] != second[0]:
        return False
    return _apart(first[1], second[1]) and _apart(second[1], first[1])


@lru_cache(512)
def _by_kind(claim: Claim) -> dict[str, Counter[str]]:
    kinds: dict[str, Counter[str]] = {}
    for value in claim.values:
        kinds.setdefault(value.kind, Counter())[value.key] += 1
    return kinds


@lru_cache(512)
def _member(claim: Claim) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for word in claim.about:
        if kind := _MEMBERS.get(word):
            kinds.setdefault(kind, set()).add(word)
    return kinds


@lru_cache(512)
def _slot(claim: Claim) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """The subject with its attribute, and the words of the value."""
    if claim.dropped or any(token.text == "?" for token in claim.tokens):
        return None
    words = [token for token in claim.tokens if token.role in ("word", "value")]
    personal = _PERSONAL.intersection(claim.content)
    if any(token.text in DEGREES for token in words):
        return _degree(words)
    if len(personal) == 1:
        return _of_person(claim.tokens, next(iter(personal)))
    return _of_thing(claim.tokens)


def _degree(words: list[Token]) -> tuple[frozenset[str], tuple[str, ...]] | None:
    values = tuple(token.word for token in words if token.text in DEGREES)
    place = min(
        i for i, token in enumerate(words) if token.text in DEGREES or token.word == stem("degree")
    )
    owner = _words(words[:place]) - {"大学"}
    return (owner | {"degree"}, values) if owner and len(set(values)) == 1 else None


def _of_person(
    tokens: tuple[Token, ...], slot: str
) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """我搭档在厦门上班, 我搭档的名字叫…: the owner stands before the slot or the verb."""
    place = next(
        (i for i, token in enumerate(tokens) if token.role in ("is", "use") or token.word == slot),
        len(tokens),
    )
    owner = _words(tokens[:place])
    rest = [token for token in tokens[place:] if token.role == "word" and token.word != slot]
    value = [token.word for token in rest if token.word not in owner]
    if any(token.role == "value" for token in tokens[place:]):
        return None
    narrow = [word for word in value if word not in PROVINCES] or value
    return (owner | {slot}, tuple(narrow)) if narrow and len(narrow) <= 8 else None


def _of_thing(tokens: tuple[Token, ...]) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """The default branch is main; 注释用中文: subject, verb, value."""
    place = next((i for i, token in enumerate(tokens) if token.role in ("is", "use")), None)
    if place is None:
        return None
    subject = _words(tokens[:place])
    after = tokens[place:]
    end = next((i for i, token in enumerate(after) if token.role == "end"), len(after))
    if any(token.role in ("word", "value") for token in after[end:]):
        return None
    value = tuple(token.word for token in after[:end] if token.role in ("word", "value"))
    if not subject & _ATTRIBUTES or not 0 < len(value) <= _LONGEST_VALUE:
        return None
    first = next(token for token in after[:end] if token.role in ("word", "value"))
    if first.text.isascii() and first.text.endswith("ing"):
        return None  # is doing, no value
    return subject, value


def _words(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(token.word for token in tokens if token.role == "word")


def _apart(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether no word of one stands in the other: 厦门 is within 福建厦门.

    A single character is a piece of a name (周 of 周一帆): it counts only where nothing else does.
    """
    text = " ".join(other) if all(word.isascii() for word in other) else "".join(other)
    told = [word for word in one if len(word) > 1 or word.isascii()] or list(one)
    return not any(word in other or (not word.isascii() and word in text) for word in told)
