"""Cuts a streamed answer into finished blocks, so that only the last one is ever drawn again.

A block is one top-level Markdown block; a long list is cut between its items. What is finished
follows from CommonMark's own rule: of complete lines, every top-level block but the last is closed
for good. So the same text gives the same blocks however it was cut into pieces on its way.
"""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

LIST_LINES = 30
"""A list is cut at the first item after so many lines: what a frame may draw again at 30 Hz."""

_BLANK = re.compile(r"(?:[ \t]*\n)*")
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})


_GOES_ON = {
    "paragraph_close": re.compile(r"[^-#>*+`~<=_:|\d]"),
    "table_close": re.compile(r"\|"),
    "blockquote_close": re.compile(">"),
}
"""Lines that only go on the block which is open."""


def markdown() -> MarkdownIt:
    """The dialect answers are read in: CommonMark, tables, strikethrough.

    Reference definitions stay text: the block they define a link for may be finished already, and
    a definition that vanishes would lose its address.
    """
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return parser.disable("reference")


_BLOCKS = markdown()
_BLOCKS.core.ruler.disable(["inline"])


@dataclass(frozen=True, slots=True)
class Block:
    """One block's source, without the blank lines after it.

    Attributes:
        text: Markdown.
        joined: no blank line stood between it and the block before, both of one list.
        ordinal: the number of its first list item, when the list began in an earlier block.
    """

    text: str
    joined: bool = False
    ordinal: int | None = None


@dataclass(slots=True)
class _Cut:
    """Where a block begins: its line, and how it hangs on the one before."""

    line: int
    joined: bool = False
    ordinal: int | None = None


class LiveText:
    """One answer as it streams.

    Attributes:
        tail: the last block so far, the only one that can still change.
    """

    def __init__(self) -> None:
        self.tail = Block("")
        self._text = ""
        self._fence: re.Pattern[str] | None = None
        self._open = ""
        self._after_blank = False

    def append(self, text: str) -> list[Block]:
        """Takes in a piece; gives the blocks it finished, oldest first."""
        seen = self._text.rfind("\n") + 1
        self._text += text
        if not self.tail.text:
            self._text = _without_leading_blank_lines(self._text)
            seen = 0
        finished: list[Block] = []
        if "\n" in text:
            end = self._text.rfind("\n") + 1
            if self._may_begin_a_block(seen, end):
                finished = self._split(end)
        self.tail = Block(self._text, self.tail.joined, self.tail.ordinal)
        return finished

    def finish(self) -> list[Block]:
        """The answer is over; gives the rest of its blocks."""
        if not self._text.strip():
            return []
        finished = self._split(len(self._text))
        last = Block(self._text.rstrip(), self.tail.joined, self.tail.ordinal)
        self._text, self.tail = "", Block("")
        return [*finished, last]

    def _may_begin_a_block(self, start: int, end: int) -> bool:
        """Whether it is worth parsing now that these lines came; a long block would cost much.

        What is missed is found with the next line, so it only comes later.
        """
        if self._fence is not None:
            return self._fence.search(self._text, start, end) is not None
        may = False
        goes_on = _GOES_ON.get(self._open)
        for line in self._text[start:end].split("\n")[:-1]:
            bare = line.strip()
            if bare:
                may = may or self._after_blank or not (goes_on and goes_on.match(bare))
            self._after_blank = not bare
        return may

    def _split(self, end: int) -> list[Block]:
        """Cuts off what is finished of the first `end` characters; `tail` describes what stays."""
        tokens = _BLOCKS.parse(self._text[:end])
        lines = _line_starts(self._text, end)
        cuts = _cuts(tokens, self._text, lines, self.tail.ordinal)
        finished: list[Block] = []
        head = _Cut(0, self.tail.joined, self.tail.ordinal)
        for cut in cuts:
            text = self._text[lines[head.line] : lines[cut.line]].rstrip()
            finished.append(Block(text, head.joined, head.ordinal))
            head = cut
        last = next((token for token in reversed(tokens) if token.level == 0), None)
        self._open = last.type if last else ""
        self._fence = _open_fence(last, self._text[:end])
        self._text = self._text[lines[head.line] :]
        self.tail = Block(self._text, head.joined, head.ordinal)
        return finished


def _without_leading_blank_lines(text: str) -> str:
    blank = _BLANK.match(text)
    return text[blank.end() :] if blank else text


def _line_starts(text: str, end: int) -> list[int]:
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text[:end]))
    return starts


def _cuts(tokens: list[Token], text: str, lines: list[int], ordinal: int | None) -> list[_Cut]:
    """Where each block but the first begins, in order."""
    cuts: list[_Cut] = []
    for index, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        start = token.map[0]
        if cuts or start:
            cuts.append(_Cut(start))
        if token.type in _LISTS:
            first = ordinal if not cuts else None
            cuts.extend(_list_cuts(tokens, index, text, lines, first))
    return cuts


def _list_cuts(
    tokens: list[Token], index: int, text: str, lines: list[int], ordinal: int | None
) -> list[_Cut]:
    """Where a long list is cut."""
    opening = tokens[index]
    ordered = opening.type == "ordered_list_open"
    number = ordinal if ordinal is not None else int(opening.attrs.get("start", 1))
    assert opening.map is not None  # noqa: S101 - every block that opens has one
    piece = opening.map[0]
    cuts: list[_Cut] = []
    for token in tokens[index + 1 :]:
        if token.level == 0:
            break
        if token.level != 1 or token.type != "list_item_open" or token.map is None:
            continue
        line = token.map[0]
        code_alone = text.startswith(("    ", "\t"), lines[line])
        if line - piece >= LIST_LINES and not code_alone:
            before = text[lines[line - 1] : lines[line]]
            cuts.append(_Cut(line, bool(before.strip()), number if ordered else None))
            piece = line
        number += 1
    return cuts


def _open_fence(last: Token | None, text: str) -> re.Pattern[str] | None:
    """What would close the fence the text ends in, if it ends in one."""
    if last is None or last.type != "fence" or last.map is None:
        return None
    marker = re.escape(last.markup[0])
    closing = re.compile(rf"^ {{0,3}}{marker}{{{len(last.markup)},}}[ \t]*$", re.MULTILINE)
    body = text.split("\n", last.map[0] + 1)[-1]
    return None if closing.search(body) else closing
