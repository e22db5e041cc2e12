"""The lists behind the tabs of the panel: what left the context, and what the memory gave (01b)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from app.conversation.window import RULES, thresholds
from app.view.recalled import NOTHING, Recalled, RecalledFact
from app.view.work_shown import NO_WORK_SHOWN, WorkShown

HeldTab = Literal["offloaded", "cleared"]
"""Results that were moved to files; results that pointers stand for."""

HELD_TABS: tuple[HeldTab, ...] = ("offloaded", "cleared")

TabName = HeldTab | Literal["work", "memory"]
"""What left the context, what is known of the work, the facts that went along with a message."""

TABS: tuple[TabName, ...] = (*HELD_TABS, "work", "memory")
"""In the order they are shown."""

KEPT = RULES.keep
"""Results that a clear always keeps."""

LEAST_ROWS = 4
"""So many rows of a list are worth more than what is said under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldItem:
    """A result that left the context. Its texts are safe to show (`boundary.visible`).

    Attributes:
        message: id of the message it was.
        tool: the tool that gave it.
        subject: what was asked, in one line.
        characters: its length.
        at: when it came, ISO 8601.
        path: the file it is in, relative to the project; "": it is in the archive alone.
        lines: of that file.
        pinned: neither clearing nor a summary touches the message.
        quoted: the user's next message will quote it.
    """

    message: str
    tool: str
    subject: str = ""
    characters: int = 0
    at: str = ""
    path: str = ""
    lines: int = 0
    pinned: bool = False
    quoted: bool = False

    @property
    def label(self) -> str:
        """What people call it: `list_dir src/main/java`."""
        return f"{self.tool} {self.subject}".rstrip()

    @property
    def key(self) -> str:
        """Names the row."""
        return self.message

    @property
    def marked(self) -> "Marked":
        """The same, for keys."""
        return Marked(self.message, self.label, self.path, held=True, pinned=self.pinned)

    @property
    def name(self) -> str:
        """Its file's name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Marked:
    """What the cursor is on, for the keys that take things out of the context and back.

    Attributes:
        message: the message's id.
        label: what people call it; of a result.
        path: the file it is in; "": none.
        held: it left the context, so it can be looked at and brought back.
        pinned: neither clearing nor a summary touches it.
    """

    message: str
    label: str = ""
    path: str = ""
    held: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Quoted:
    """A result that the user's next message will quote.

    Attributes:
        message: id of the message it was.
        label: what people call it.
        tokens: that it takes, as estimated.
        cut: only its beginning fits.
    """

    message: str
    label: str
    tokens: int
    cut: bool = False


TabRow = HeldItem | RecalledFact
"""What a row of a list shows."""


class HeldModel:
    """The lists, newest first, and which of them is shown.

    Attributes:
        listeners: called after each change.
        active: the list that is shown.
        work_begun: something is known of the work, whether or not it is shown yet.
        work_undoable: asks whether a change of the work that was made here can be taken back.
    """

    def __init__(self) -> None:
        self.listeners: list[Callable[[], None]] = []
        self.active: TabName = "offloaded"
        self._items: dict[HeldTab, tuple[HeldItem, ...]] = dict.fromkeys(HELD_TABS, ())
        self._recalled = NOTHING
        self._work = NO_WORK_SHOWN
        self.work_begun = False
        self.work_undoable: Callable[[], bool] = lambda: False
        self._quoted: frozenset[str] = frozenset()

    @property
    def rows(self) -> tuple[TabRow, ...]:
        """The list that is shown."""
        return self._rows(self.active)

    @property
    def items(self) -> tuple[HeldItem, ...]:
        """The list that is shown, where it is one of what left the context."""
        tab = self.active
        return () if tab == "memory" or tab == "work" else self._items[tab]  # noqa: PLR1714

    @property
    def recalled(self) -> Recalled:
        """What the memory gave to a message."""
        return self._recalled

    @property
    def work(self) -> WorkShown:
        """What the agent would be told of the work, as far as someone looked."""
        return self._work

    @property
    def counts(self) -> dict[TabName, int]:
        """How many there are in each; of the memory's facts those that went along."""
        held: dict[TabName, int] = {tab: len(items) for tab, items in self._items.items()}
        return held | {"work": 0, "memory": self._recalled.count}

    @property
    def is_empty(self) -> bool:
        """Whether no tab has anything to show."""
        return not self.work_begun and not self.has_rows

    @property
    def has_rows(self) -> bool:
        """Whether something left the context, or a memory came into it."""
        return any(map(self._rows, TABS))

    @property
    def work_takes_back(self) -> bool:
        """Whether `u` has something of the work to take back: a change made here, a new rule."""
        new = any(rule.id in self._work.new_rules for rule in self._work.rules)
        return new or self.work_undoable()

    def begin_work(self, *, begun: bool) -> None:
        """Something is known of the work by now, or nothing any more."""
        if begun != self.work_begun:
            self.work_begun = begun
            self._work = self._work if begun else NO_WORK_SHOWN
            self._tell()

    def show_work(self, work: WorkShown) -> None:
        """What the agent would be told of the work now."""
        if work != self._work:
            self._work = work
            self.work_begun = self.work_begun or not work.empty
            self._tell()

    def recall(self, recalled: Recalled) -> None:
        """What the memory gave to a message, or to another one."""
        if recalled != self._recalled:
            self._recalled = recalled
            self._tell()

    def show(self, lists: Mapping[HeldTab, Iterable[HeldItem]]) -> None:
        """Other lists; those that aren't given stay as they are."""
        before = dict(self._items)
        for tab, items in lists.items():
            self._items[tab] = self._marked(items)
        if self._items != before:
            self._tell()

    def quote(self, messages: Iterable[str]) -> None:
        """These, and no others, go along with the user's next message."""
        quoted = frozenset(messages)
        if quoted == self._quoted:
            return
        self._quoted = quoted
        self._items = {tab: self._marked(items) for tab, items in self._items.items()}
        self._tell()

    def choose(self, tab: TabName) -> None:
        """Shows a list."""
        if tab != self.active:
            self.active = tab
            self._tell()

    def step(self, by: int) -> None:
        """Shows the next list; after the last one comes the first."""
        self.choose(TABS[(TABS.index(self.active) + by) % len(TABS)])

    def choose_filled(self) -> None:
        """Shows a tab that isn't empty, where there is one; what left the context goes first."""
        if self.rows or (self.active == "work" and self.work_begun):
            return
        filled = (tab for tab in TABS if self._rows(tab))
        self.choose(next(filled, "work" if self.work_begun else self.active))

    def _rows(self, tab: TabName) -> tuple[TabRow, ...]:
        if tab == "work":
            return ()
        return self._recalled.facts if tab == "memory" else self._items[tab]

    def _marked(self, items: Iterable[HeldItem]) -> tuple[HeldItem, ...]:
        return tuple(
            item
            if item.quoted == (item.message in self._quoted)
            else replace(item, quoted=not item.quoted)
            for item in items
        )

    def _tell(self) -> None:
        for listener in tuple(self.listeners):
            listener()


@dataclass(frozen=True, slots=True)
class Room:
    """How the rows under the tabs are shared.

    Attributes:
        rows: of the list.
        items: how many items they show; a row that is left says how many more there are.
        under: rows below the list.
    """

    rows: int
    items: int
    under: int


def share_room(count: int, height: int, wanted: int, *, all: bool, each: int = 1) -> Room:
    """Shares out the rows under the tabs.

    Args:
        count: items of the list.
        height: rows there are.
        wanted: rows below the list, a blank one included, at least.
        all: the list is scrolled through, so none of its rows says what is missing.
        each: rows of an item.
    """
    whole = count * each
    if height - wanted < min(whole, LEAST_ROWS):
        wanted = 0
    rows = max(0, min(whole, height - wanted))
    hides = rows < whole and not all
    items = (rows - hides) // each if rows else 0
    if hides and rows:
        rows = items * each + 1
    return Room(rows, items, max(0, height - rows) if wanted else 0)


def usual_limits(window: int) -> tuple[int, int]:
    """Characters from which a result goes to a file, tokens from which results are cleared.

    Args:
        window: tokens.
    """
    marks = thresholds(window)
    return marks.offload, marks.clear
