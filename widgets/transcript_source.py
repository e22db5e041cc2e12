"""The conversation's rows, drawn on demand: between `TranscriptRows` and the long list."""

from collections.abc import Callable, Hashable

from rich.segment import Segment
from textual.strip import Strip

from app.view.items import (
    AnswerItem,
    CardItem,
    ClearedItem,
    ClearMarkItem,
    EarlierItem,
    ErrorItem,
    ExpandedItem,
    FoldItem,
    GuardMarkItem,
    Item,
    MarkItem,
    MoreClearedItem,
    NoticeItem,
    PicturesMarkItem,
    QueuedItem,
    ReasoningItem,
    RetryItem,
    StoppedItem,
    SummarisingItem,
    SummaryFailedItem,
    SummaryMarkItem,
    UndoneItem,
    UserItem,
    WaitingItem,
)
from app.view.transcript_rows import TranscriptRows
from widgets.card_lines import (
    Stage,
    card_lines,
    card_row,
    card_seconds,
    fold_line,
    more_cleared_line,
    next_stage,
    opens_by_itself,
)
from widgets.ink import Ink
from widgets.item_lines import (
    clear_mark_lines,
    cleared_line,
    earlier_line,
    guard_mark_line,
    mark_line,
    next_reasoning_stage,
    notice_lines,
    pictures_mark_line,
    reasoning_lines,
    retry_lines,
    stopped_lines,
    summary_failed_lines,
    undone_lines,
    user_lines,
    waiting_line,
)
from widgets.line_selection import MARGIN
from widgets.list_source import Lines
from widgets.markdown_inline import Voice
from widgets.markdown_lines import MarkdownOptions, is_folded, markdown_lines
from widgets.spans import BLANK_LINE, Line, Span
from widgets.summary_lines import expanded_lines, summarising_line, summary_mark_lines

BLINK_SECONDS = 0.5
"""Half a period of the streaming caret."""

_ENDLESS = 10_000
"""A width at which nothing is cut."""

_MUTE = ClearedItem | MarkItem | SummarisingItem | WaitingItem
"""On these there is nothing to do."""

_DISCARDED = Voice("text3", strike=True)


class TranscriptSource:
    """Draws the rows.

    Args:
        rows: what to draw.
        ink: with what.
        clock: the store's.

    Attributes:
        ink: the same; who changes it restarts the list.
        motion: spinner and caret move.
        root: address of the project's folder, for links; "": there are none.
    """

    def __init__(self, rows: TranscriptRows, ink: Ink, clock: Callable[[], float]) -> None:
        self.ink = ink
        self.motion = True
        self.root = ""
        self._rows = rows
        self._clock = clock
        self._stages: dict[str, Stage] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def item(self, index: int) -> Item:
        """What a row shows."""
        return self._rows[index].item

    def key(self, index: int) -> Hashable:
        """A row's kind, id, revision and how it is opened.

        The kind too: a message keeps its id when it leaves the queue.
        """
        row = self._rows[index]
        item = row.item
        return type(item), item.id, item.revision, row.gap, self._stages.get(item.id)

    def estimate(self, start: int, stop: int, width: int) -> list[int]:
        """By the length of the text."""
        room = max(1, width - MARGIN)
        return [row.lines + row.characters // room for row in self._rows.between(start, stop)]

    def selectable(self, index: int) -> bool:
        """All rows but the waiting line and dividers where nothing can be undone."""
        item = self._rows[index].item
        match item:
            case ClearMarkItem() | GuardMarkItem():
                return item.undoable
            case UndoneItem():
                return item.paused
            case ExpandedItem():
                return item.undoable or item.paused
            case _:
                return not isinstance(item, _MUTE)

    def text(self, index: int) -> str:
        """What a row says, as it was written."""
        item = self._rows[index].item
        match item:
            case AnswerItem() | UserItem() | QueuedItem() | NoticeItem() | ErrorItem():
                return item.text.strip("\n")
            case SummaryFailedItem():
                return item.reason
            case ReasoningItem():
                return item.text.strip()
            case CardItem() if item.diff:
                return "\n".join(f"{line.sign}{line.text}" for line in item.diff)
            case CardItem():
                return item.body or item.reason or item.subject
            case _:
                lines = self._lines(item, _ENDLESS, current=False)
                return "\n".join(line.text for line in lines).strip()

    def activate(self, index: int) -> bool:
        """Enter: opens or closes a row.

        Returns:
            Whether it looks different now; the list has to be told, unless rows came or went.
        """
        item = self._rows[index].item
        stage = self._stage(item)
        match item:
            case FoldItem() | MoreClearedItem():
                self._rows.toggle(index)
                return False
            case CardItem():
                new = next_stage(item, stage)
                self._rows.keep(item.id)
            case ReasoningItem():
                new = next_reasoning_stage(item, stage)
            case AnswerItem() if stage is Stage.ALL or is_folded(item.text, MarkdownOptions()):
                new = Stage.CLOSED if stage is Stage.ALL else Stage.ALL
            case _:
                return False
        self._stages[item.id] = new
        return new is not stage

    def opens(self, index: int) -> bool:
        """Whether `activate` does something here."""
        item = self._rows[index].item
        match item:
            case CardItem():
                return bool(item.diff or item.body)
            case AnswerItem():
                is_open = self._stage(item) is Stage.ALL
                return is_open or is_folded(item.text, MarkdownOptions())
            case _:
                return isinstance(item, FoldItem | MoreClearedItem | ReasoningItem)

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws a row: the blank rows above it, then its lines two cells in."""
        row = self._rows[index]
        item = row.item
        blank = self.ink.style("text")
        lines = [BLANK_LINE] * row.gap
        drawn = self._lines(item, width - MARGIN, current=current) or [BLANK_LINE]
        for number, line in enumerate(drawn):
            lines.append(line.after(self._margin(marked=current and number == 0)))
        strips = tuple(line.strip(width, blank) for line in lines)
        return Lines(strips, self._live(item, row.gap, len(strips)))

    def render_live(self, index: int, strip: Strip, *, current: bool) -> Strip:
        """A spinner's, a timer's or the caret's line right now."""
        item = self._rows[index].item
        now, width = self._clock(), strip.cell_length
        match item:
            case CardItem():
                seconds = card_seconds(item, now)
                line = card_row(item, self.ink, width - MARGIN, seconds, focused=current)
            case WaitingItem() | ReasoningItem() | SummarisingItem():
                line = self._lines(item, width - MARGIN, current=current)[0]
            case _:
                return self._with_caret(strip, now)
        return line.after(self._margin(marked=current)).strip(width, self.ink.style("text"))

    def _margin(self, *, marked: bool) -> Span:
        """The cells left of every line; the cursor's mark is in the first of them."""
        if marked:
            return self.ink.span(self.ink.glyphs.cursor + " " * (MARGIN - 1), "accent")
        return self.ink.span(" " * MARGIN, "text")

    def _with_caret(self, strip: Strip, now: float) -> Strip:
        """The caret one cell behind the last word, where there is room."""
        hidden = self.motion and int(now / BLINK_SECONDS) % 2
        text = strip.text.rstrip()
        at = max(MARGIN, strip.cell_length - (len(strip.text) - len(text)) + (1 if text else 0))
        if hidden or at >= strip.cell_length:
            return strip
        *_, last = strip
        surface = self.ink.style("text", "surface")
        on_code = last.style is not None and last.style.bgcolor == surface.bgcolor
        caret = Segment(self.ink.glyphs.caret, surface if on_code else self.ink.style("text"))
        before, after = strip.crop(0, at), strip.crop(at + 1)
        return Strip([*before, caret, *after], strip.cell_length)

    def _stage(self, item: Item) -> Stage:
        """How far an item is opened."""
        by_itself = isinstance(item, CardItem) and opens_by_itself(item)
        return self._stages.get(item.id, Stage.SOME if by_itself else Stage.CLOSED)

    def _live(self, item: Item, first: int, count: int) -> tuple[int, ...]:
        """Which lines move."""
        match item:
            case CardItem(status="running") | ReasoningItem(seconds=None):
                return (first,)
            case WaitingItem() | SummarisingItem():
                return (first,)
            case AnswerItem(live=True):
                return (count - 1,)
            case _:
                return ()

    def _lines(self, item: Item, width: int, *, current: bool) -> list[Line]:
        ink = self.ink
        match item:
            case AnswerItem():
                return self._answer(item, width)
            case CardItem():
                stage = self._stage(item)
                return card_lines(item, ink, width, stage, focused=current, root=self.root)
            case FoldItem():
                return [fold_line(item, ink, width, focused=current)]
            case MoreClearedItem():
                return [more_cleared_line(item, ink, width, focused=current)]
            case ClearMarkItem():
                return clear_mark_lines(item, ink, width, focused=current)
            case GuardMarkItem():
                return [guard_mark_line(item, ink, width, focused=current)]
            case PicturesMarkItem():
                return [pictures_mark_line(item, ink, width)]
            case SummarisingItem():
                return [summarising_line(item, ink, width, self._clock())]
            case SummaryMarkItem():
                return summary_mark_lines(item, ink, width, focused=current)
            case ExpandedItem():
                return expanded_lines(item, ink, width, focused=current)
            case SummaryFailedItem():
                return summary_failed_lines(item, ink, width)
            case UndoneItem():
                return undone_lines(item, ink, width, focused=current)
            case UserItem() | QueuedItem():
                return user_lines(item, ink, width)
            case ReasoningItem():
                return reasoning_lines(item, ink, width, self._stage(item), self._clock())
            case NoticeItem() | ErrorItem():
                return notice_lines(item, ink, width)
            case RetryItem():
                return retry_lines(item, ink, width)
            case StoppedItem():
                return stopped_lines(item, ink, width)
            case ClearedItem():
                return [cleared_line(item, ink, width)]
            case MarkItem():
                return [mark_line(item, ink, width)]
            case EarlierItem():
                return [earlier_line(item, ink, width, focused=current)]
            case WaitingItem():
                return [waiting_line(item, ink, self._clock())]
            case _:
                raise TypeError(item)

    def _answer(self, item: AnswerItem, width: int) -> list[Line]:
        options = MarkdownOptions(
            ordinal=item.ordinal,
            whole=self._stage(item) is Stage.ALL,
            live=item.live,
            voice=_DISCARDED if item.discarded else Voice(),
        )
        return markdown_lines(item.text, self.ink, width, options)
