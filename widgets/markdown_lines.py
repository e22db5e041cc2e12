"""Markdown as lines: parsed by markdown-it-py, drawn by us (LIBRARIES, Markdown).

Prose is at most 100 cells wide, code and tables as wide as the pane (STYLE 3). HTML is text, an
image its words. Blank rows inside lists and quotations stand where the source has blank lines, so
a list cut in two looks like one.
"""

from dataclasses import dataclass, replace

from markdown_it.tree import SyntaxTreeNode

from app.view.blocks import markdown
from widgets.code_lines import code_lines
from widgets.ink import Ink
from widgets.markdown_inline import Voice, inline_spans
from widgets.markdown_table import table_lines
from widgets.spans import BLANK_LINE, Line, Span, split_spans, wrap_spans

PROSE = 100
"""Cells of a line of prose at most (STYLE 3)."""

FOLD_OVER = 200
"""Longer code is folded (TUI, recommended architecture)."""

FOLDED = 40
"""Lines of folded code that stay in view."""

MOST_CHARACTERS = 60_000
"""Longer prose without a blank line is shown as it is: parsing it could take seconds."""

PLAIN = Voice()
"""Plain words on the pane."""

_NARROWEST = 12
_PARSER = markdown()


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
    """How a piece of Markdown is drawn.

    Attributes:
        ordinal: the number of the first list item, where the list began before.
        whole: long code is not folded.
        live: more may come: of long code the end is shown, not the beginning.
        voice: colour and surface of plain words.
    """

    ordinal: int | None = None
    whole: bool = False
    live: bool = False
    voice: Voice = PLAIN


def markdown_lines(
    text: str, ink: Ink, width: int, options: MarkdownOptions | None = None
) -> list[Line]:
    """Draws Markdown; at least one line."""
    options = options or MarkdownOptions()
    writer = _Writer(text, ink, options)
    if len(text) > MOST_CHARACTERS and not text.startswith(("```", "~~~")):
        return writer.plain(text, min(width, PROSE), options.voice)
    tree = SyntaxTreeNode(_PARSER.parse(text))
    lines = writer.blocks(tree.children, width, min(width, PROSE), options.voice, top=True)
    return lines or [BLANK_LINE]


def is_folded(text: str, options: MarkdownOptions) -> bool:
    """Whether a block is code too long to be shown whole."""
    return not options.whole and text.startswith(("```", "~~~")) and text.count("\n") > FOLD_OVER


class _Writer:
    """Draws one piece."""

    def __init__(self, text: str, ink: Ink, options: MarkdownOptions) -> None:
        self._source = text.split("\n")
        self._ink = ink
        self._options = options
        self._ordinal = options.ordinal

    def blocks(
        self,
        nodes: list[SyntaxTreeNode],
        width: int,
        prose: int,
        voice: Voice,
        *,
        top: bool = False,
    ) -> list[Line]:
        """Blocks one under the other."""
        lines: list[Line] = []
        for node in nodes:
            if lines and (top or self._blank_before(node)):
                lines.append(BLANK_LINE)
            lines.extend(self._block(node, max(width, _NARROWEST), max(prose, _NARROWEST), voice))
        return lines

    def _blank_before(self, node: SyntaxTreeNode) -> bool:
        """Whether the source has a blank line above a block."""
        start = node.map[0] if node.map else 0
        return start > 0 and not self._source[start - 1].strip(" \t>")

    def _block(self, node: SyntaxTreeNode, width: int, prose: int, voice: Voice) -> list[Line]:
        match node.type:
            case "heading":
                voice = replace(voice, bold=True)
                if node.tag not in ("h1", "h2"):
                    voice = replace(voice, tone="text2")
                return self._paragraph(node, prose, voice)
            case "bullet_list" | "ordered_list":
                return self._list(node, width, prose, voice)
            case "blockquote":
                bar = self._ink.span(f"{self._ink.glyphs.quote} ", "line2", voice.on)
                quiet = voice if voice.tone == "text3" else replace(voice, tone="text2")
                inner = self.blocks(node.children, width - 2, prose - 2, quiet)
                return [line.after(bar) for line in inner or [BLANK_LINE]]
            case "fence" | "code_block":
                return self._code(node, width)
            case "table":
                return table_lines(node, self._ink, voice, width)
            case "hr":
                return [Line((self._ink.span(self._ink.glyphs.rule * prose, "line", voice.on),))]
            case "html_block":
                quiet = replace(voice, tone="text2")
                return self.plain(node.content.rstrip("\n"), prose, quiet)
            case _:
                return self._paragraph(node, prose, voice)

    def _paragraph(self, node: SyntaxTreeNode, prose: int, voice: Voice) -> list[Line]:
        children = [child for inline in node.children for child in inline.children]
        spans = inline_spans(children, self._ink, voice)
        return self._wrapped(spans, prose)

    def _wrapped(self, spans: list[Span], prose: int) -> list[Line]:
        return [Line(piece) for line in split_spans(spans) for piece in wrap_spans(line, prose)]

    def plain(self, text: str, prose: int, voice: Voice) -> list[Line]:
        """Text as it stands."""
        return self._wrapped(
            [self._ink.span(text.replace("\t", "    "), voice.tone, voice.on)], prose
        )

    def _list(self, node: SyntaxTreeNode, width: int, prose: int, voice: Voice) -> list[Line]:
        """Numbers are right-aligned in two cells, so that pieces of one list line up."""
        ordered = node.type == "ordered_list"
        number = int(node.attrs.get("start", 1)) if ordered else 0
        if self._ordinal is not None and ordered:
            number, self._ordinal = self._ordinal, None
        lines: list[Line] = []
        for item in node.children:
            marker = self._ink.span(
                f"{number:>2}. " if ordered else f" {self._ink.glyphs.dot} ", "text3", voice.on
            )
            marker = _task(item, self._ink, voice) or marker
            indent = len(marker[0])
            inner = self.blocks(item.children, width - indent, prose - indent, voice)
            rest = self._ink.span(" " * indent, "text3", voice.on)
            if lines and self._blank_before(item):
                lines.append(BLANK_LINE)
            for index, line in enumerate(inner or [BLANK_LINE]):
                blank = index and not line.spans and line.fill is None
                lines.append(line if blank else line.after(rest if index else marker))
            number += 1
        return lines

    def _code(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        """Code on its own surface, two cells in."""
        ink, fill = self._ink, self._ink.style("text", "surface")
        source = node.content.removesuffix("\n").expandtabs(4).split("\n")
        language = node.info.split()[0] if node.info.split() else ""
        hidden = 0 if self._options.whole or len(source) <= FOLD_OVER else len(source) - FOLDED
        live = self._options.live
        if hidden:
            source = source[-FOLDED:] if live else source[:FOLDED]
        coloured = code_lines("\n".join(source), language, ink.palette, "surface")
        pad = ("  ", fill)
        lines = [
            Line((pad, *piece), fill)
            for line in coloured
            for piece in wrap_spans(line, width - 4, code=True)
        ]
        if hidden and live:
            said = ink.words("transcript.lines_above", n=hidden)
            return [Line((pad, ink.span(said, "text3", "surface")), fill), *lines]
        if hidden:
            said = ink.words("transcript.more_lines", n=hidden)
            more = ink.span(f"{ink.ellipsis} {said}", "text3", "surface")
            key = ink.span(f"  {ink.words('transcript.enter_all')}", "text3", "surface")
            return [*lines, Line((pad, more, key), fill)]
        return lines


def _task(item: SyntaxTreeNode, ink: Ink, voice: Voice) -> Span | None:
    """The box of a task, taken out of its text; None: an ordinary item."""
    inline = item.children[0].children if item.children else []
    first = inline[0].children[0] if inline and inline[0].children else None
    if item.children and item.children[0].type != "paragraph":
        return None
    token = first.token if first is not None and first.type == "text" else None
    if token is None or token.content[:4].lower() not in ("[ ] ", "[x] "):
        return None
    done = token.content[1] != " "
    token.content = token.content[4:]
    if done:
        return ink.span(f" {ink.glyphs.ok} ", "ok", voice.on)
    return ink.span(f" {ink.glyphs.waiting} ", "text3", voice.on)
