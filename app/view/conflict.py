"""Where two texts that contradict each other differ, word by word (STYLE 9, point 3)."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Stretch = tuple[int, int]
"""Start and end in code points."""

_LEAST_SHARED = 0.3
"""Below that share of common words a mark on all the rest would mark nothing."""

_MOST_PAIRS = 60_000
"""Pairs of words up to which they are matched one by one; a key must never wait for it."""

_WITHOUT_SPACES = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# A word with its dots (`1.20.3`, `pom.xml`), times and counts (`10:30`, `8,000`), `C++`; one
# character of a script without spaces; a sign. Hyphens and slashes part: of `java-17` the value is
# only `17`.
_TOKEN = re.compile(
    rf"[^\W{_WITHOUT_SPACES}]+(?:['’.][^\W{_WITHOUT_SPACES}]+|(?<=\d)[,:](?=\d)\d+)*[+#%]*"
    rf"|[{_WITHOUT_SPACES}]|\s+|."
)
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class Difference:
    """The stretches of each text that the other one doesn't have.

    Attributes:
        existing, incoming: in order, without spaces at their ends; where two texts share hardly
            anything only their figures, so that a mark still says something.
    """

    existing: tuple[Stretch, ...] = ()
    incoming: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        return any(character.isalnum() for character in self.text)


def difference(existing: str, incoming: str) -> Difference:
    """Compares two texts: by words, where a script has no spaces by characters."""
    old, new = list(_tokens(existing)), list(_tokens(incoming))
    odd_old, odd_new = _odd([token.text for token in old], [token.text for token in new])
    common = sum(token.is_word for at, token in enumerate(old) if at not in odd_old)
    words = sum(token.is_word for token in (*old, *new))
    if 2 * common < _LEAST_SHARED * words:
        odd_old, odd_new = _figures(old, new), _figures(new, old)
    return Difference(_stretches(existing, old, odd_old), _stretches(incoming, new, odd_new))


def _tokens(text: str) -> Iterator[_Token]:
    """Words; a mark upon a letter stays with it."""
    start = end = 0
    for found in _TOKEN.finditer(text.replace("\n", " ")):
        if found.start() and not _is_upon(text[found.start()]):
            yield _Token(text[start:end], start, end)
            start = end
        end = found.end()
    if end > start:
        yield _Token(text[start:end], start, end)


def _is_upon(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character).startswith("M")


def _odd(old: Sequence[str], new: Sequence[str]) -> tuple[set[int], set[int]]:
    """Places of the words that only one of the two has."""
    first, last_old, last_new = 0, len(old), len(new)
    while first < min(last_old, last_new) and old[first] == new[first]:
        first += 1
    while first < min(last_old, last_new) and old[last_old - 1] == new[last_new - 1]:
        last_old, last_new = last_old - 1, last_new - 1
    if (last_old - first) * (last_new - first) > _MOST_PAIRS:
        return set(range(first, last_old)), set(range(first, last_new))
    matcher = SequenceMatcher(None, old[first:last_old], new[first:last_new], autojunk=False)
    odd_old, odd_new = set[int](), set[int]()
    for kind, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if kind != "equal":
            odd_old.update(range(first + from_old, first + to_old))
            odd_new.update(range(first + from_new, first + to_new))
    return odd_old, odd_new


def _figures(tokens: Sequence[_Token], others: Sequence[_Token]) -> set[int]:
    known = {token.text for token in others}
    return {
        at
        for at, token in enumerate(tokens)
        if token.text not in known and any(character.isdigit() for character in token.text)
    }


def _stretches(text: str, tokens: Sequence[_Token], odd: set[int]) -> tuple[Stretch, ...]:
    """Neighbours become one stretch, also over the spaces between them."""
    found: list[Stretch] = []
    for at in sorted(odd):
        start, end = tokens[at].start, tokens[at].end
        if tokens[at].text.isspace():
            continue
        if found and not text[found[-1][1] : start].strip():
            start = found.pop()[0]
        found.append((start, end))
    return tuple(found)
