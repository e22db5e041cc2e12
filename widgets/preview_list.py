"""What a compaction does with the messages: those that leave, that stay, what is carried over.

How it is taken back stands below the list, and never makes way for a row of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.text import Key, Words
from app.text.numbers import in_k
from app.view.compaction import Balance, Carried, Group, tokens_of
from widgets.listing import Listing
from widgets.look import Look
from widgets.rows import EMPTY, clip, line, spread, stack

_FIGURE = 7
"""Cells of a row's tokens at the right edge."""

_LEAST_K = 50
"""Tokens that round to a tenth of a k."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a part.

    Attributes:
        title: its words.
        count: messages in it; None: they aren't counted.
        tokens: in it.
    """

    title: Key
    count: int | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Note:
    """A line of words; "" for a blank one."""

    text: str = ""


Row = Heading | Group | Carried | Note


def preview_rows(balance: Balance, look: Look) -> tuple[Row, ...]:
    """The rows, in order."""
    words = look.words
    rows: list[Row] = [
        Heading("compaction_preview.leaving", _count(balance.leaving), tokens_of(balance.leaving)),
        *balance.leaving,
        Note(),
        Heading("compaction_preview.staying", _count(balance.staying), tokens_of(balance.staying)),
        *balance.staying,
        Note(),
        Heading("compaction_preview.carried", None, tokens_of(balance.carried)),
        *balance.carried,
    ]
    if balance.pins_left_out:
        said = words("compaction_preview.left_out", n=balance.pins_left_out)
        rows.append(Note(f" {look.glyphs.attention} {said}"))
    return tuple(rows)


def _count(groups: Sequence[Group]) -> int:
    return sum(group.count for group in groups)


class PreviewList(Listing):
    """The rows; the cursor stops at messages and at what is carried over."""

    DEFAULT_CSS = """
    PreviewList { height: auto; }
    """

    def __init__(self, look: Look, balance: Balance) -> None:
        super().__init__(look)
        self._balance = balance
        self._rows = preview_rows(balance, look)
        leaving = [at for at, row in enumerate(self._rows) if isinstance(row, Group)]
        self.set_reactive(Listing.at, leaving[0] if leaving else 0)

    def show(self, balance: Balance) -> None:
        """Shows other figures; the cursor stays on the messages it was on, or near."""
        if balance == self._balance:
            return
        before, at = self.messages, self.at
        self._balance = balance
        self._rows = preview_rows(balance, self.look)
        same = [index for index, row in enumerate(self._rows) if before and _ids(row) == before]
        self.rebuilt(min(same, key=lambda index: abs(index - at)) if same else at)

    def watch_look(self) -> None:
        """Other words."""
        self._rows = preview_rows(self._balance, self.look)
        super().watch_look()

    @property
    def messages(self) -> tuple[str, ...]:
        """Ids of the messages under the cursor."""
        return _ids(self._rows[self.at]) if self._rows else ()

    def count(self) -> int:
        """All rows."""
        return len(self._rows)

    def can_choose(self, index: int) -> bool:
        """Messages, and what is carried over."""
        return 0 <= index < len(self._rows) and isinstance(self._rows[index], Group | Carried)

    def move_by_key(self, key: str) -> None:
        """What an arrow or a page key does; the dialog sees keys before the list's own bindings."""
        match key:
            case "up" | "down":
                self.action_move(-1 if key == "up" else 1)
            case "pageup" | "pagedown":
                self.action_page(-1 if key == "pageup" else 1)
            case "home" | "end":
                self.action_edge(0 if key == "home" else -1)

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """One row."""
        match self._rows[index]:
            case Heading() as head:
                return self._heading(head, width)
            case Group() as group:
                return self._group(group, width, on=on)
            case Carried() as carried:
                return self._carried(carried, width, on=on)
            case Note(text=text):
                return line((text, "$text3")) if text else EMPTY

    def _heading(self, head: Heading, width: int) -> Content:
        words = self.look.words
        figure = line((_figure(head.tokens).rjust(_FIGURE), "$text2"))
        right = figure
        if head.count is not None:
            counted = words("compaction_preview.messages", n=head.count)
            right = line((counted, "$text"), (" ", "")) + figure
        return spread(width, line((words(head.title), "$text2")), right, self.look.glyphs.ellipsis)

    def _group(self, group: Group, width: int, *, on: bool) -> Content:
        glyphs, words = self.look.glyphs, self.look.words
        leaves = group in self._balance.leaving
        glyph = glyphs.pinned if group.pinned else glyphs.full if leaves else glyphs.empty
        dash = "-" if self.look.ascii else "–"
        one = group.first == group.last
        numbers = str(group.first) if one else f"{group.first}{dash}{group.last}"
        title = group.title or words("compaction_preview.group_bare")
        if group.kind == "summary":
            title = words("compaction_preview.group_summary")
        elif group.kind == "rest":
            title = words("compaction_preview.group_rest")
        marked = "$accent" if leaves or group.pinned else "$text2"
        return self._row(
            glyph, marked, f"{numbers:<{self._numbers}} ", title, group.tokens, width, on=on
        )

    @property
    def _numbers(self) -> int:
        """Cells for the numbers of messages."""
        groups = (*self._balance.leaving, *self._balance.staying)
        return 2 * len(str(max((group.last for group in groups), default=0))) + 1

    def _carried(self, carried: Carried, width: int, *, on: bool) -> Content:
        glyphs = self.look.glyphs
        glyph = glyphs.summary if carried.kind == "recovery" else glyphs.pinned
        if carried.kind == "references":
            glyph = glyphs.arrow[0] if self.look.ascii else glyphs.arrow
        title = self._title(carried)
        return self._row(glyph, "$accent", "", title, carried.tokens, width, on=on)

    def _title(self, carried: Carried) -> str:
        words = self.look.words
        match carried.kind:
            case "pin":
                return carried.title
            case "recovery":
                told = _recovery(self._balance, words)
                if not told:
                    return words("compaction_preview.recovery_bare")
                return words("compaction_preview.recovery", what=told)
            case "said":
                return words("compaction_preview.said", n=carried.count)
            case "request":
                return words("compaction_preview.request")
            case "references":
                return words("compaction_preview.references", n=carried.count)
            case _:
                return words("compaction_preview.around")

    def _row(
        self, glyph: str, tone: str, numbers: str, title: str, tokens: int, width: int, *, on: bool
    ) -> Content:
        lit = self.has_focus or self.lit
        cursor = self.look.glyphs.cursor if on else " "
        figure = _figure(tokens)
        room = width - 4 - len(numbers) - len(figure)
        return spread(
            width,
            line(
                (cursor, "$accent bold" if lit else "$text3"),
                (f"{glyph} ", tone),
                (numbers, "$text2"),
                (clip(title, room, self.look.glyphs.ellipsis), "$text"),
            ),
            line((figure, "$text2")),
            self.look.glyphs.ellipsis,
        )


class PreviewColumn(Vertical):
    """The list, and below it the words about the way back, which a long one leaves in view.

    Attributes:
        list: the list.
    """

    DEFAULT_CSS = """
    PreviewColumn { width: 38; height: 100%; }
    PreviewColumn .preview-way { width: 100%; height: auto; margin: 1 0 0 0; color: $text3; }
    PreviewColumn.-bare { width: 100%; display: none; }
    PreviewColumn.-bare .preview-way { display: none; }
    """

    def __init__(self, look: Look, balance: Balance) -> None:
        super().__init__()
        self.list = PreviewList(look, balance)
        self._way = Static(markup=False, classes="preview-way")

    def compose(self) -> ComposeResult:
        """The list, the words."""
        yield self.list
        yield self._way

    def show(self, balance: Balance, look: Look, *, bare: bool) -> None:
        """Shows other figures; `bare`: the list alone, where it takes turns with the text."""
        self.set_class(bare, "-bare")
        self.list.show(balance)
        way = look.words("compaction_preview.whole", restore=look.glyphs.restore)
        self._way.update(stack(map(Content, way.split("\n"))))
        self._fit()

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Another height: the list has what is left."""
        self._fit()

    def _fit(self) -> None:
        """Gives the list what the words leave it."""
        rows = 0 if self.has_class("-bare") else 1 + self._way_rows
        self.list.styles.max_height = max(1, self.size.height - rows)

    @property
    def _way_rows(self) -> int:
        """Rows that the words take in this width."""
        width = max(1, self.size.width)
        return self._way.get_content_height(self.size, self.app.size, width)


def _figure(tokens: int) -> str:
    """`38.0k`, `0.3k`; what would be `0.0k` in full."""
    return in_k(tokens) if tokens >= _LEAST_K else str(tokens)


def _ids(row: Row) -> tuple[str, ...]:
    match row:
        case Group(messages=messages):
            return messages
        case Carried(kind="pin", message=message):
            return (message,)
        case _:
            return ()


def _recovery(balance: Balance, words: Words) -> str:
    """`goal, 2 rules, 9 files`."""
    kept = balance.kept
    told = [words("compaction_preview.recovery_goal")] if kept.goal else []
    told += [words("compaction_preview.recovery_rules", n=kept.rules)] if kept.rules else []
    told += [words("compaction_preview.recovery_files", n=kept.files)] if kept.files else []
    told += [words("compaction_preview.recovery_names", n=kept.entities)] if kept.entities else []
    return words("compaction_preview.comma").join(told)
