"""Words by which a fact that contradicts a new one may be found: it may share none of its own."""

from collections.abc import Mapping

from app.memory.claim_tables import ANTONYMS, CATEGORIES, CATEGORY_NAMES, SYNONYMS
from app.memory.claims import read
from app.memory.slots import Cut, jieba_words
from app.memory.stem import stem


def _related() -> Mapping[str, frozenset[str]]:
    """Each word as it is compared, to its synonyms, antonyms and what else its slot holds."""
    found: dict[str, set[str]] = {}
    for word, first in SYNONYMS.items():
        found.setdefault(stem(first), {first}).add(word)
    for pair in ANTONYMS:
        for word in pair:
            found.setdefault(stem(word), set()).update(pair)
    for kind, members in CATEGORIES.items():
        words = members | CATEGORY_NAMES[kind]
        words |= {word for word, first in SYNONYMS.items() if first in words}
        for word in (*members, kind):
            found.setdefault(stem(word), set()).update(words)
    return {word: frozenset(words) for word, words in found.items()}


_RELATED = _related()


def related_words(text: str, cut: Cut = jieba_words) -> tuple[str, ...]:
    """Words to search for beside those of a new fact, so that its conflicts are among the found.

    "We use MySQL" contradicts 数据库是 PostgreSQL, and no word of it stands there.

    Returns:
        Them in alphabetical order; none if the fact has no word we know.
    """
    claim = read(text, cut)
    found = frozenset[str]().union(
        *(_RELATED.get(word, frozenset()) for word in claim.about | claim.dropped)
    )
    return tuple(sorted(found))
