"""Cuts a text into the terms that facts are found by, the same way for facts and for queries.

Measured best of what needs no model (RECALL 1): Chinese and other scripts without spaces as single
characters and pairs, words of other scripts by their stem, identifiers whole and in parts. No
dictionary: jieba finds less here, and takes 0.7 s to load.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final

from app.memory.name_tables import words
from app.memory.stem import stem

VERSION: Final = 1
"""To be raised when the same text gives other terms than before: the index is then made anew."""

_LONGEST: Final = 64
"""Characters of a term; what is longer (base64, hashes) is cut there."""

# Kana, CJK, Hangul; Thai, Lao, Tibetan, Myanmar, Khmer: written without spaces.
_SPACELESS: Final = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3040-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER: Final = rf"(?:(?![{_SPACELESS}])\w)"
# A run without spaces; a number with dots; a word, with what makes C++, C# and F# names of their
# own.
_TERM: Final = re.compile(
    rf"(?P<run>[{_SPACELESS}]+)"
    rf"|[vV]?(?P<number>\d+(?:\.\d+)+(?!{_LETTER}))"
    rf"|(?P<word>{_LETTER}+)(?P<sign>(?:\+\+|\#)(?!{_LETTER}))?"
)
_NO_LETTER: Final = re.compile(r"[\u0e2f\u0e46\u0e4f\u0e5a\u0e5b\u3006\u30a0\u30fb\u104a-\u104f]")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
_NUMBERED: Final = re.compile(r"([^\W\d_]{2,})(\d+)")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")

_ONE_WORD: Final = words(
    """
    actionscript coffeescript javascript typescript github gitlab bitbucket youtube linkedin
    powershell wordpress
    """
)
"""Names with a capital inside that aren't two words: JavaScript is no kind of Java."""

STOP_WORDS: Final = words(
    """
    a about above after again against all also am an and any are aren as at be because been before
    being below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each else ever few for from further get gets got had hadn has hasn have haven having he
    her here hers herself him himself his how i if in into is isn it its itself just let ll m me
    might more most must my myself no nor not now of off on once only or other our ours ourselves
    out over own please re s same shall she should shouldn so some such t than that the their theirs
    them themselves then there these they this those through to too under until up us ve very was
    wasn we were weren what when where which while who whom whose why will with won would wouldn you
    your yours yourself yourselves
    """
)
"""English words that say nothing about what is asked for. Chinese ones stay: a hand list of those
hurts (RECALL 1, "Capping")."""

_ASKS: Final = re.compile(
    "什么样|什么|怎么样|怎么办|怎么|怎样|哪一个|哪个|哪里|哪儿|哪些|哪位|多少|为什么|如何|请问|来着"
)
"""Chinese words that only ask, the counterpart of those. Facts don't have them, other questions do
(MRR of MemDaily, dev: .836 → .870; of MADial zh: .335 → .337)."""


def segment(text: str) -> list[str]:
    """The terms of a text in its order, repeated ones too; none for punctuation only.

    Full-width and half-width forms, upper and lower case and accents make no difference.
    `readOldFile` is `readoldfile, read, old, file`; `3.11` is `3.11, 3, 11`; `C++` is `c++, c`;
    `数据库` is `数, 据, 库, 数据, 据库`. A term has no spaces, quotes or control characters.
    """
    terms: list[str] = []
    for found in _TERM.finditer(unicodedata.normalize("NFKC", text)):
        if run := found["run"]:
            _take_run(run, terms)
        elif number := found["number"]:
            terms.append(number[:_LONGEST])
            terms += number.split(".")
        else:
            terms += _word_terms(found["word"], found["sign"] or "")
    return terms


def query_terms(text: str) -> list[str]:
    """The different terms of a query in its order, without words that say nothing or only ask.

    A query of nothing but Chinese words that ask keeps them.
    """
    normal = unicodedata.normalize("NFKC", text)
    terms = segment(_ASKS.sub(" ", normal)) or segment(normal)
    return [term for term in dict.fromkeys(terms) if term not in _STOP_TERMS]


def hit_words(query: str, text: str, most: int = 5) -> tuple[str, ...]:
    """The words of a query by which a text is found, as the query spells them, in its order.

    Of Chinese and its like the longest stretches whose pairs the text has, and single characters
    only where nothing longer is common.
    """
    there = frozenset(segment(text))
    normal = unicodedata.normalize("NFKC", query)
    found: dict[str, str] = {}
    single: dict[str, str] = {}
    asked = _ASKS.sub(" ", normal)
    for hit in _TERM.finditer(asked if segment(asked) else normal):
        if run := hit["run"]:
            found |= {stretch: stretch for stretch in _stretches(run, there)}
            single |= {one: one for one in run if one in there}
        elif not there.isdisjoint(query_terms(hit[0])):
            found.setdefault(hit[0].casefold(), hit[0])
    return tuple((found or single).values())[:most]


def _stretches(run: str, there: Collection[str]) -> Iterator[str]:
    """The longest pieces of a run all of whose pairs are terms."""
    start = 0
    for place in range(1, len(run) + 1):
        if place == len(run) or run[place - 1 : place + 1] not in there:
            if place - start > 1:
                yield run[start:place]
            start = place


def _take_run(run: str, terms: list[str]) -> None:
    run = _NO_LETTER.sub("", run)
    terms += run
    terms += (run[place : place + 2] for place in range(len(run) - 1))


@lru_cache(20_000)
def _word_terms(word: str, sign: str) -> tuple[str, ...]:
    folded = _folded(word)
    if folded in _ONE_WORD:
        return (stem(folded),)
    parts = [part for part in _HUMP.split(word) if part]
    if len(parts) == 1 and (numbered := _NUMBERED.fullmatch(parts[0])):
        parts = [numbered[1], numbered[2]]
    whole = [folded + sign] if sign else []
    if len(parts) > 1:
        whole.append(_folded(word.strip("_")))
    return (*whole, *(stem(_folded(part)) for part in parts))


def _folded(word: str) -> str:
    """In lower case, without accents, in no language's own way."""
    folded = word.casefold()
    if not folded.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
        folded = unicodedata.normalize("NFC", plain)
    return folded[:_LONGEST]


_STOP_TERMS: Final = frozenset(map(stem, STOP_WORDS))
