"""The conversation: a long list over the transcript store."""

from collections.abc import Set
from typing import ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.theme import Theme

from app.view.held import Marked
from app.view.items import (
    AnswerItem,
    CardItem,
    ClearMarkItem,
    EarlierItem,
    ErrorItem,
    ExpandedItem,
    GuardMarkItem,
    Item,
    StoppedItem,
    SummaryMarkItem,
    UndoneItem,
    UserItem,
)
from app.view.transcript import TranscriptStore
from app.view.transcript_rows import Splice
from widgets.actions import bindings_named
from widgets.ink import Ink
from widgets.list_messages import Activated
from widgets.look import Look
from widgets.palette import palette_of
from widgets.requests import (
    ClearAgain,
    EarlierWanted,
    ListRecalled,
    Request,
    SummariesAgain,
    SummaryChosen,
    UndoClearing,
    UndoSummary,
    ViewResult,
)
from widgets.spans import Line
from widgets.transcript_source import TranscriptSource
from widgets.virtual_list import VirtualList
from widgets.work_requests import OpenWork

QUIET_CHECK_SECONDS = 0.25
"""How often the store is asked whether the model has been silent for long."""


class TranscriptView(VirtualList):
    """The conversation pane.

    Enter opens a card, a burst, reasoning or long code, and closes it again; `c` asks for an item
    to be copied (`CopyRequested`).

    Args:
        store: what was said and done; the view follows it while it is mounted.
        look: words, glyphs, motion.
    """

    DEFAULT_CSS = """
    TranscriptView {
        background: $bg;
        padding: 1 2 0 0;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_named(
        "bring_back_card", "open_card", "pin_card"
    )

    look: reactive[Look] = reactive(Look, init=False)

    class Moved(Message):
        """The cursor stands on something else."""

    class CardActivated(Message):
        """Enter on a card: it opened or closed; one that waits may want its question shown."""

        def __init__(self, view: "TranscriptView", card: CardItem) -> None:
            super().__init__()
            self.view = view
            self.card = card

        @property
        def control(self) -> "TranscriptView":
            """The conversation."""
            return self.view

    class GoOnRequested(Message):
        """Enter on `stopped by you`: the turn should go on."""

        def __init__(self, view: "TranscriptView") -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> "TranscriptView":
            """The conversation."""
            return self.view

    def __init__(
        self,
        store: TranscriptStore,
        look: Look,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        self.store = store
        ink = Ink(palette_of(""), look.glyphs, look.words)
        self._transcript = TranscriptSource(store.rows, ink, store.clock)
        super().__init__(self._transcript, id=id, classes=classes)
        self.set_reactive(TranscriptView.look, look)
        self._dress(look)
        store.rows.listeners.append(self._on_splice)

    def on_mount(self) -> None:
        """Takes the app's colours and begins to watch the model's silence."""
        self._redress()
        self.set_interval(QUIET_CHECK_SECONDS, self.store.tick)

    def on_unmount(self) -> None:
        """Stops following the store."""
        self.store.rows.listeners.remove(self._on_splice)

    def watch_look(self, look: Look) -> None:
        """Another language, other glyphs: all is drawn anew."""
        self._dress(look)
        if self.is_mounted:
            self._redress()
            self.restart()

    def on_theme(self, theme: Theme) -> None:
        """Another theme: other colours."""
        self._redress()
        super().on_theme(theme)

    def on_virtual_list_activated(self, message: Activated) -> None:
        """Opens or closes what Enter meant."""
        message.stop()
        item = self._transcript.item(message.item)
        if isinstance(item, StoppedItem | ErrorItem) and item.resumable:
            self.post_message(self.GoOnRequested(self))
            return
        if (request := _request_of(item)) is not None:
            self.post_message(request)
            return
        self.hold()
        if self._transcript.activate(message.item):
            self.spliced(message.item, 1, 1)
            self.viewport.reveal(message.item)  # what was opened is what the reader wants to see
        self.settle_here()
        if isinstance(item, CardItem):
            self.post_message(self.CardActivated(self, item))

    @property
    def fork_point(self) -> str:
        """The message under the cursor that a fork could go on from; "" where there is none."""
        item = self._transcript.item(self.cursor) if self.cursor is not None else None
        match item:
            case UserItem():
                return item.id
            case AnswerItem(discarded=False, live=False):
                return item.message
            case _:
                return ""

    def offers(self, name: str) -> bool | None:
        """Whether what the item under the cursor decides works on it; None: another action."""
        if name in ("expand", "undo_mark", "go_on"):
            return self.enter == name
        return bool(self.fork_point) if name == "fork_here" else None

    @property
    def enter(self) -> str:
        """What Enter does on the item under the cursor: the name of an action; "": nothing."""
        if self.cursor is None:
            return ""
        item = self._transcript.item(self.cursor)
        if isinstance(item, StoppedItem | ErrorItem):
            return "go_on" if item.resumable else ""
        match _request_of(item):
            case UndoClearing() | UndoSummary():
                return "undo_mark"
            case ClearAgain() | SummariesAgain():
                return "go_on"
            case None:
                return "expand" if self._transcript.opens(self.cursor) else ""
            case _:
                return "expand"

    @property
    def marked(self) -> Marked | None:
        """What the cursor is on, as far as it can be taken out of the context, or back."""
        return _marked(self._transcript.item(self.cursor)) if self.cursor is not None else None

    def link_to(self, root: str) -> None:
        """Paths on cards become links into this folder; `root`: its address."""
        self._transcript.root = root

    def _show_cursor(self, *, reach_end: bool = False) -> None:
        super()._show_cursor(reach_end=reach_end)
        self.post_message(self.Moved())

    def go_to_message(self, ids: Set[str]) -> bool:
        """Goes to the first thing shown of a message or call; False: nothing of it is shown."""
        index = self._index_of(ids)
        if index is not None:
            self.go_to(index)
        return index is not None

    def shows(self, ids: Set[str]) -> bool:
        """Whether something of a message or call is shown."""
        return self._index_of(ids) is not None

    def _index_of(self, ids: Set[str]) -> int | None:
        for index in range(len(self._transcript)):
            item = self._transcript.item(index)
            named = {item.id, getattr(item, "message", ""), getattr(item, "summary", "")}
            if named & ids:
                return index
        return None

    def badge(self, count: int) -> Strip | None:
        """`3 new below`, over the end of the last line."""
        if not count:
            return None
        ink = self._transcript.ink
        said = f" {ink.words('transcript.new_below', n=count)} "
        line = Line((ink.span(said, "text2", "raised"),))
        return line.strip(line.cells, ink.style("text"))

    def _on_splice(self, splice: Splice) -> None:
        cursor = self._cursor.item
        self.spliced(splice.start, splice.removed, splice.added)
        if cursor == 0 and splice.start == 0 and 0 < splice.removed < splice.added:
            # The line for earlier messages gave way to them: on with what stands there now.
            above = range(splice.added - splice.removed, -1, -1)
            self._cursor.item = next(filter(self._transcript.selectable, above), None)
            self.viewport.current = self._cursor.item if self.has_focus else None

    def _dress(self, look: Look) -> None:
        self.motion = self._transcript.motion = look.motion

    def _redress(self) -> None:
        app: App[object] = self.app
        self._transcript.ink = Ink(palette_of(app.theme), self.look.glyphs, self.look.words)


def _marked(item: Item) -> Marked | None:
    match item:
        case CardItem(message=message) if message:
            label = f"{item.tool} {item.subject}".rstrip()
            held = item.state != "live"
            return Marked(message, label, item.path, held=held, pinned=item.pinned)
        case UserItem():
            return Marked(item.id, pinned=item.pinned)
        case _:
            return None


def _request_of(item: Item) -> Request | None:
    """What Enter asks for on something that doesn't open in its place."""
    match item:
        case EarlierItem():
            return EarlierWanted()
        case ClearMarkItem(undoable=True) | GuardMarkItem(undoable=True):
            return UndoClearing()
        case UndoneItem(paused=True, what="results" | "cuts"):
            return ClearAgain()
        case SummaryMarkItem(undoable=True) | ExpandedItem(undoable=True):
            return UndoSummary()
        case SummaryMarkItem():
            return SummaryChosen(item.summary, item.parent, stands=item.stands)
        case UndoneItem(paused=True) | ExpandedItem(paused=True):
            return SummariesAgain()
        case UserItem(rules=(rule, *_)):
            return OpenWork(rule=rule)
        case UserItem(recalled=recalled) if recalled:
            return ListRecalled(item.id)
        case CardItem(message=message) if message and item.state != "live":
            return ViewResult(message, f"{item.tool} {item.subject}".rstrip(), item.path)
        case _:
            return None
