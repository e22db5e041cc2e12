"""Where a line may be broken: between any two Chinese characters, at the spaces of other scripts.

No line begins with a closing mark (`，`) or ends with an opening one (`（`); Latin words stay whole
unless they are wider than the line. Widths are cells, as `rich.cells` counts them. Rich's and
Textual's own wrapping takes a Chinese run for one word and leaves a quarter of each line empty
(TUI (g)).
"""

import re
from collections.abc import Iterator

from rich.cells import cell_len, split_graphemes

_CJK = (
    "\u2e80-\u2fdf\u2ff0-\u2fff\u3003-\u3007\u3012\u3013\u3020-\u302f\u3030-\u303a\u303c-\u303f"
    "\u3041-\u3096\u309f\u30a1-\u30fa\u30ff\u3100-\u312f\u31a0-\u31ef\u3200-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff02-\uff07\uff0a\uff0b\uff0d\uff0f-\uff19\uff1c-\uff1e\uff20-\uff3a\uff3c"
    "\uff3e-\uff5a\uff5c\uff66-\uff9d\uffe0-\uffe2\uffe6\U0001f200-\U0001f2ff\U00020000-\U0003ffff"
)
"""Breakable on both sides: ideographs, kana, bopomofo, full-width letters. Hangul has spaces."""

WIDE_CLOSERS = (
    "、。〉》」』】〕〗〙〛〞〟，．：；！？）］｝｠｡｣､･％～〜ー々〻ヽヾゝゞ・゛゜"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ"
)
"""Never at the start of a line."""

WIDE_OPENERS = "〈《「『【〔〖〘〚〝（［｛｟｢￥＄"
"""Never at the end of a line."""

_NARROW_CLOSERS = r",;:!?)\]}%’”…—·‥‰°℃"
_CLOSERS = frozenset(WIDE_CLOSERS + ",;:!?)]}%’”…—·‥‰°℃.")
_NARROW_OPENERS = r"(\[{‘“"
_MARKS = "\u0300-\u036f\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef\u200d"
_SPACE = r"[^\S\u00a0\u202f\u2007]"

_OPEN = f"[{WIDE_OPENERS}{_NARROW_OPENERS}]"
# A full stop closes a Chinese sentence, but not where a name such as `.gitignore` begins.
_CLOSE = rf"(?:[{WIDE_CLOSERS}{_NARROW_CLOSERS}{_MARKS}]|\.(?![A-Za-z0-9_]))"
_WORD = rf"(?:(?!{_SPACE})[^{_CJK}{WIDE_CLOSERS}{WIDE_OPENERS}])"
# Groups aren't possessive: until Python 3.11.5 such a one keeps what its last, failed turn took.
_ATOM = re.compile(
    rf"(?:(?:[{WIDE_OPENERS}]++{_SPACE}*+|[{_NARROW_OPENERS}]++)*"
    rf"(?:[{_CJK}][{_MARKS}]*+|{_WORD}*(?!{_OPEN}){_WORD}){_CLOSE}*"
    rf"|{_OPEN}++(?:{_SPACE}++{_OPEN}++)*{_CLOSE}*|{_CLOSE}+)"
    rf"(?:{_SPACE}++[{WIDE_CLOSERS}]++)*"
)
_SPACES = re.compile(f"{_SPACE}++")
_BREAKABLE = re.compile(f"[{_CJK}{WIDE_CLOSERS}{WIDE_OPENERS}]")
_PLAIN = re.compile(r"[\S\u00a0\u202f\u2007]++")

Span = tuple[int, int]


def breakable(character: str) -> bool:
    """Whether a character is of a script without spaces: a line may end on either side of it."""
    return bool(character) and _BREAKABLE.match(character) is not None


def atoms(text: str) -> Iterator[tuple[int, int, int]]:
    """What stays together: start, end without and end with the spaces that follow.

    Spaces at the very beginning are an atom of their own, all space.
    """
    match_atom = (_ATOM if _BREAKABLE.search(text) else _PLAIN).match
    match_spaces = _SPACES.match
    position, length = 0, len(text)
    if spaces := match_spaces(text):
        position = spaces.end()
        yield 0, 0, position
    while position < length:
        atom = match_atom(text, position)
        end = atom.end() if atom else position + 1
        spaces = match_spaces(text, end)
        after = spaces.end() if spaces else end
        yield position, end, after
        position = after


def wrap(text: str, width: int) -> list[Span]:
    """Breaks one paragraph into lines.

    Args:
        text: without newlines.
        width: cells of a line, at least 1.

    Returns:
        Start and end of each line; only spaces at the breaks stand in none. A character wider than
        the line stands alone on one.
    """
    if cell_len(text) <= width:
        return [(0, len(text))]
    width = max(1, width)
    lines: list[Span] = []
    start = end = used = 0
    for first, last, after in atoms(text):
        cells = cell_len(text[first:last])
        if used + cells <= width:
            end = last
        else:
            if end == start:
                start, used = first, 0
            elif cells <= width or used * 2 > width:
                lines.append((start, end))
                start, used = first, 0
            if cells > width:
                *whole, (start, end) = _fold(text, start, first, last, width, keep=True)
                lines.extend(whole)
                used = cell_len(text[start:end]) + after - last
                continue
            end = last
        used += cells + after - last
    lines.append((start, end))
    return lines


def _fold(text: str, line: int, start: int, end: int, width: int, *, keep: bool) -> list[Span]:
    """Breaks what is wider than a line between characters, behind what the line already holds.

    With `keep` a closing mark takes the character before it along.
    """
    lines: list[Span] = []
    spans, _ = split_graphemes(text[start:end])
    used, previous, previous_cells = cell_len(text[line:start]), start, 0
    for first, _, cells in spans:
        here = start + first
        if used + cells > width and here > line:
            carried = keep and line < previous and previous_cells + cells <= width
            carried = carried and text[here] in _CLOSERS and text[previous] not in _CLOSERS
            cut = previous if carried else here
            lines.append((line, cut))
            line, used = cut, previous_cells if cut < here else 0
        used += cells
        previous, previous_cells = here, cells
    lines.append((line, end))
    return lines


def fold(text: str, width: int) -> list[Span]:
    """Breaks a line anywhere, every space kept."""
    if cell_len(text) <= width:
        return [(0, len(text))]
    return _fold(text, 0, 0, len(text), max(1, width), keep=False)


def fold_code(text: str, width: int) -> list[Span]:
    """Breaks a line of code, every space kept: behind a space rather than inside a word.

    `rm -rf target` cut after `t` would read as another command (approval). Where the last space
    lies in the first half of the line, or the cut falls beside a script without spaces, the line
    is cut at its edge: a line is never left half empty.
    """
    if cell_len(text) <= width:
        return [(0, len(text))]
    lines: list[Span] = []
    start = used = behind = behind_cells = 0
    for first, last, cells in split_graphemes(text)[0]:
        if used + cells > width and first > start:
            inside = not (breakable(text[first - 1]) or breakable(text[first]))
            if inside and behind < first and behind_cells * 2 > width:
                cut, used = behind, used - behind_cells
            else:
                cut, used = first, 0
            lines.append((start, cut))
            start, behind, behind_cells = cut, cut, 0
        used += cells
        if text[first] == " ":
            behind, behind_cells = last, used
    lines.append((start, len(text)))
    return lines
