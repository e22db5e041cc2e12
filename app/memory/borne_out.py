"""Whether a fact says what the user said, and no more (FIELD A7.1; DESIGN 1.4).

A model that was asked to remember one thing can save another: an invented one, or one that a file
or a tool told it to. Such a fact is kept and marked; what the user's own words bear out isn't.
Compared as words: figures must be theirs, nearly all other words too, and a "never" as well.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from app.memory.segment import query_terms, segment

_PART: Final = (2, 3)
"""Of a fact's words so many must be the user's: a paraphrase has one or two of its own."""

_OWN: Final = frozenset(
    query_terms("user users prefer prefers like likes want wants use uses used using project")
)
"""Words by which a model says that it is the user's: they say nothing, and needn't be theirs."""

_NO: Final = re.compile(
    r"\b(?:not|never|no|none|without|cannot|avoid|stop|forbid(?:den)?|\w+n't)\b"
    r"|不|(?<![特分区级类差个识辨性])别(?!名)|勿|没有|禁止|无需|避免"
)
_CLAUSE: Final = re.compile(r"(?:[,;:!?]|\.(?!\w))\s*|[，。；：！？、\n]+|\bbut\b|但是?|而是")
_PAIR: Final = re.compile(r"[^\W\d_a-z]{2}")


def borne_out(fact: str, said: Iterable[str]) -> bool:
    """Whether the user's words bear a fact out.

    Args:
        fact: what is to be remembered.
        said: the user's own messages, without quoted or recalled blocks; one of them must do it,
            for out of the words of several almost anything can be said.
    """
    plain = _plain(fact)
    return any(_bears(_plain(text), plain) for text in said)


def _bears(text: str, fact: str) -> bool:
    wanted, there = _terms(fact), frozenset(segment(text))
    if any(any(map(str.isdigit, term)) for term in wanted - there):
        return False
    telling = wanted - _OWN
    if not telling or _PART[1] * len(telling & there) < _PART[0] * len(telling):
        return False
    clauses = [(len(telling.intersection(segment(one))), one) for one in _CLAUSE.split(text) if one]
    nearest = max((shared for shared, _ in clauses), default=0)
    return any(_denies(one) == _denies(fact) for shared, one in clauses if shared == nearest)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'").casefold()


def _terms(text: str) -> frozenset[str]:
    """Its different terms; of scripts without spaces the pairs, where there is one."""
    terms = query_terms(text)
    paired = {character for term in terms if _PAIR.fullmatch(term) for character in term}
    return frozenset(term for term in terms if term not in paired)


def _denies(clause: str) -> bool:
    return _NO.search(clause) is not None
