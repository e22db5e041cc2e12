"""Ranks candidates against a few typed letters."""

from collections.abc import Iterable

_SEPARATORS = frozenset("/._- ")


WHOLE = 5_000
"""A score from here on: the query stands in the text in one piece."""


def score(query: str, text: str) -> int | None:
    """How well `query` fits `text`, higher is better; None: its letters don't occur in order.

    A stretch in one piece beats scattered letters, the start of a word beats its middle, the last
    part of a path beats its folders, and of two equal ones the shorter wins.
    """
    if not query:
        return -len(text)
    wanted, within = query.casefold(), text.casefold()
    piece = within.rfind(wanted)
    if piece >= 0:
        starts = piece == 0 or within[piece - 1] in _SEPARATORS
        in_name = piece >= within.rfind("/") + 1
        return 10_000 + 2_000 * starts + 1_000 * in_name - len(text)
    at, total = -1, 0
    for letter in wanted:
        found = within.find(letter, at + 1)
        if found < 0:
            return None
        total += 20 if found == at + 1 else 0
        total += 10 if found == 0 or within[found - 1] in _SEPARATORS else 0
        at = found
    return total - len(text)


def best(query: str, texts: Iterable[str], limit: int) -> list[str]:
    """The `limit` best fitting texts, best first; equal ones in alphabetical order."""
    ranked = [(-rank, text) for text in texts if (rank := score(query, text)) is not None]
    return [text for _, text in sorted(ranked)[:limit]]
