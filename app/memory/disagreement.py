"""What two facts disagree on, in their own words: `Java`, `default port`, `数据库`."""

import re
from collections.abc import Sequence

from app.memory.claims import LONGEST, Token, read
from app.memory.slots import Cut, jieba_words

_WORDS = 2
"""Words of a subject at most."""

_GAP = 2
"""Characters between two words of the text that still read as one name."""

_LONGEST_SUBJECT = 40

_PASSED = frozenset({"filler", "use", "is", "not"})


def disagreement(existing: str, incoming: str, cut: Cut = jieba_words) -> str:
    """The words that both share, nearest before the place where they part.

    Args:
        existing: a fact.
        incoming: one that contradicts it.
        cut: makes words of a run of Chinese.

    Returns:
        Them as they stand in `incoming`; "" where the two share none. Not on the loop, unless the
        dictionary is read (`jieba_words.loaded`).
    """
    text = incoming[:LONGEST]
    one, other = read(text, cut), read(existing[:LONGEST], cut)
    tokens = [token for token in one.tokens if token.role != "end"]
    theirs = {token.word for token in other.tokens if token.role in ("word", "value")}
    apart = next(
        (
            place
            for place, token in enumerate(tokens)
            if token.role in ("word", "value") and token.word not in theirs
        ),
        len(tokens),
    )
    before = _shared_before(tokens[:apart], other.about)
    after = _shared_after(tokens[apart + 1 :], other.about)
    return _as_written(text, before or after)


def _shared_before(tokens: Sequence[Token], shared: frozenset[str]) -> list[Token]:
    found: list[Token] = []
    for token in reversed(tokens):
        if token.role == "word" and token.word in shared and len(found) < _WORDS:
            found.insert(0, token)
        elif found or token.role not in _PASSED:
            break
    return found


def _shared_after(tokens: Sequence[Token], shared: frozenset[str]) -> list[Token]:
    return next(([token] for token in tokens if token.role == "word" and token.word in shared), [])


def _as_written(text: str, tokens: Sequence[Token]) -> str:
    """The words as the text has them, with what stands between them."""
    found = ""
    end = -1
    for token in tokens:
        match = re.compile(re.escape(token.text), re.IGNORECASE).search(text, max(end, 0))
        if match is None:
            continue
        between = text[end : match.start()]
        near = end >= 0 and len(between) <= _GAP and "\n" not in between
        found = f"{found}{between}{match[0]}" if near else match[0]
        end = match.end()
    return found if len(found) <= _LONGEST_SUBJECT else ""
