"""Sizes as people write and read them: `128k`, `1m`, `131,072`; of files, `2.1 KB`."""

import re

_WRITTEN = re.compile(r"(\d+(?:[,_]\d{3})*)(?:\.(\d+))?\s*([km]?)", re.ASCII | re.IGNORECASE)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
_LONGEST = 24
"""Characters; nobody writes a size longer, and digits without end cost time."""


def parse_size(text: str) -> int | None:
    """The number a text means; None where it is none, or no whole number.

    k is 1,000 and m 1,000,000, as in model names and price lists (STYLE 6).
    """
    found = _WRITTEN.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None:
        return None
    whole, fraction, unit = found[1].replace(",", "").replace("_", ""), found[2] or "", found[3]
    size, rest = divmod(int(whole + fraction) * _TIMES[unit.lower()], 10 ** len(fraction))
    return None if rest else size


def human_size(size: int) -> str:
    """A size in bytes for people: `512 B`, `2.1 KB`, `86 MB`."""
    if size < 1000:
        return f"{size} B"
    amount, unit = size / 1000, "KB"
    for larger in ("MB", "GB"):
        if amount >= 1000:
            amount, unit = amount / 1000, larger
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
