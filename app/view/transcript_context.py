"""What the conversation shows of results that left the context, and of those that came back."""

from dataclasses import replace

from app.boundary import one_line, visible
from app.events import (
    Cleared,
    Event,
    Expanded,
    Guarded,
    HistoryCleared,
    KeptBySummary,
    MemoryInjected,
    MessageFinished,
    Offloaded,
    OffloadFailed,
    Paused,
    PicturesLeft,
    RecoveryTold,
    Restored,
    Summarised,
    SummaryFailed,
    SummaryStarted,
    SummaryUndone,
    TurnStarted,
    WorkNoted,
)
from app.view.item_list import ItemList
from app.view.items import (
    CardItem,
    CardState,
    ClearMarkItem,
    GuardMarkItem,
    Item,
    PicturesMarkItem,
    UndoneItem,
    UserItem,
)


class ContextChanges:
    """Keeps cards, dividers and user messages as the events say.

    Args:
        items: the conversation's; what an event means for them by itself is done already.
    """

    def __init__(self, items: ItemList) -> None:
        self._items = items
        self._mark = ""
        self._cuts: list[str] = []
        self._parents: list[tuple[str, list[str]]] = []  # marks and cuts before a summary
        self._undone = ""
        self._fresh: set[str] = set()
        self._quoting: dict[str, Restored] = {}
        self._recalled: dict[str, MemoryInjected] = {}
        self._rules: dict[str, WorkNoted] = {}

    def apply(self, event: Event) -> None:
        """Takes in an event; those without meaning here are ignored."""
        match event:
            case Offloaded():
                self._offloaded(event)
            case OffloadFailed():
                reason = " ".join(visible(event.reason).split())
                self._card(event.call, message=event.message, cut=reason)
            case Cleared():
                self._cleared(event)
            case RecoveryTold():
                self._told_anew(event)
            case WorkNoted():
                self._noted(event)
            case PicturesLeft(count=count):
                name, freed = self._items.name("pictures"), _freed(event)
                self._items.settle(PicturesMarkItem(id=name, count=count, freed=freed))
            case Guarded():
                self._guarded(event)
            case Restored(how="undo"):
                self._take_back(event)
            case Restored():
                self._brought_back(event)
            case MemoryInjected():
                self._recall(event)
            case Paused(tier="clear", on=on):
                self._paused(on=on)
            case SummaryStarted():
                self._offer_undo(offered=False)
            case Summarised() | Expanded():
                self._another_node()
            case SummaryFailed():
                self._offer_undo(offered=True)
            case SummaryUndone():
                self._node_before()
            case MessageFinished():
                self._close_marks()
            case TurnStarted(message=message):
                self._settle_cards()
                if (quoted := self._quoting.pop(message, None)) is not None:
                    self._brought_back(quoted)
                if (recalled := self._recalled.pop(message, None)) is not None:
                    self._recall(recalled)
                if (noted := self._rules.pop(message, None)) is not None:
                    self._noted(noted)
            case HistoryCleared():
                self.forget()
            case _:
                pass

    def forget(self) -> None:
        """Another conversation is shown."""
        self._mark = self._undone = ""
        self._cuts.clear()
        self._parents.clear()
        self._fresh.clear()
        self._quoting.clear()
        self._recalled.clear()
        self._rules.clear()

    def pin(self, messages: frozenset[str], *, on: bool) -> None:
        """Some messages are pinned now, or no longer."""
        changed: dict[int, Item] = {}
        for index, item in enumerate(self._items):
            if isinstance(item, UserItem):
                name = item.id
            elif isinstance(item, CardItem):
                name = item.message
            else:
                continue
            if name in messages and item.pinned != on:
                changed[index] = replace(item, pinned=on)
        self._items.put_all(changed)

    def quote(self, messages: frozenset[str]) -> None:
        """These results, and no others, go along with the user's next message."""
        self._items.put_all(
            {
                index: replace(item, quoted=item.message in messages)
                for index, item in enumerate(self._items)
                if isinstance(item, CardItem) and item.quoted != (item.message in messages)
            }
        )

    def _offloaded(self, event: Offloaded) -> None:
        self._fresh.add(event.call)
        self._card(
            event.call,
            state="offloaded",
            message=event.message,
            path=visible(event.path),
            moved=event.characters,
            fresh=True,
        )

    def _card(self, call: str, **changes: object) -> None:
        index = self._items.where(call)
        if index is not None and isinstance(card := self._items[index], CardItem):
            self._items.put(index, replace(card, **changes))  # type: ignore[arg-type]

    def _cards(self, calls: tuple[str, ...]) -> dict[int, CardItem]:
        """The cards of calls that are shown, by their index."""
        found: dict[int, CardItem] = {}
        for call in calls:
            index = self._items.where(call)
            if index is not None and isinstance(card := self._items[index], CardItem):
                found[index] = card
        return found

    def _cleared(self, event: Cleared) -> None:
        names = dict(zip(event.calls, event.messages, strict=False))
        self._items.put_all(
            {
                index: replace(
                    card,
                    state="cleared",
                    message=names.get(card.id, card.message),
                    fresh=False,
                )
                for index, card in self._cards(event.calls).items()
            }
        )
        self._offer_undo(offered=False)
        self._mark = self._items.name("clear")
        self._items.settle(ClearMarkItem(id=self._mark, count=event.count, freed=_freed(event)))

    def _guarded(self, event: Guarded) -> None:
        self._offer_undo(offered=False)
        self._cuts.append(self._items.name("guard"))
        mark = GuardMarkItem(id=self._cuts[-1], count=event.count, freed=_freed(event))
        self._items.settle(mark)

    def _take_back(self, event: Restored) -> None:
        """Each result is as it was; the dividers say so, in their places.

        The figures stand on that of the clear; where only the guard cut, on its last.
        """
        self._items.put_all(
            {
                index: replace(card, state=_before(card))
                for index, card in self._cards(event.calls).items()
            }
        )
        if not self._mark and self._cuts:
            self._undone = self._cuts.pop()
            self._whole_again(self._undone, tokens=event.tokens)
            self._take_back_cuts()
            return
        self._take_back_cuts()
        index = self._items.where(self._mark)
        self._undone, self._mark = self._mark or self._items.name("undone"), ""
        item = UndoneItem(id=self._undone, count=len(event.messages), tokens=event.tokens)
        if index is None:
            self._items.settle(item)
        else:
            self._items.put(index, item)

    def _brought_back(self, event: Restored) -> None:
        index = self._items.where(event.message)
        if index is None:
            self._quoting[event.message] = event
            return
        if isinstance(item := self._items[index], UserItem):
            labels = tuple(" ".join(visible(label).split()) for label in event.labels)
            self._items.put(
                index, replace(item, brought=labels, brought_tokens=event.tokens, pinned=True)
            )

    def _recall(self, event: MemoryInjected) -> None:
        """The user's message says what went along; where it isn't shown yet, as soon as it is."""
        index = self._items.where(event.message)
        if index is None:
            self._recalled[event.message] = event
        elif isinstance(item := self._items[index], UserItem):
            given = replace(item, recalled=len(event.facts), recalled_tokens=event.tokens)
            self._items.put(index, replace(given, corrected=event.corrected))

    def _noted(self, event: WorkNoted) -> None:
        """The user's message says which rules it brought or ended; by hand a toast says it."""
        if not event.message or not (event.rules or event.revoked):
            return
        index = self._items.where(event.message)
        if index is None:
            self._rules[event.message] = event
        elif isinstance(item := self._items[index], UserItem):
            rules, revoked = map(one_line, event.rules), map(one_line, event.revoked)
            self._items.put(index, replace(item, rules=tuple(rules), revoked=tuple(revoked)))

    def _told_anew(self, event: RecoveryTold) -> None:
        """Under the clear that brought it about; a summary says it itself."""
        index = self._items.where(self._mark)
        if index is not None and isinstance(mark := self._items[index], ClearMarkItem):
            told = KeptBySummary(goal=event.goal, rules=event.rules, files=event.files)
            self._items.put(index, replace(mark, told=told))

    def _paused(self, *, on: bool) -> None:
        index = self._items.where(self._undone)
        if index is not None and isinstance(item := self._items[index], UndoneItem):
            self._items.put(index, replace(item, paused=on))

    def _take_back_cuts(self) -> None:
        for cut in self._cuts:
            self._whole_again(cut)
        self._cuts.clear()

    def _whole_again(self, cut: str, *, tokens: int = 0) -> None:
        index = self._items.where(cut)
        if index is not None and isinstance(mark := self._items[index], GuardMarkItem):
            self._items.put(index, UndoneItem(id=cut, count=mark.count, tokens=tokens, what="cuts"))

    def _another_node(self) -> None:
        """What was done before a summary can be taken back only after it."""
        self._offer_undo(offered=False)
        index = self._items.where(self._mark)
        if index is not None and not isinstance(self._items[index], ClearMarkItem):
            self._mark = ""  # the summary's divider stands in its place
        self._parents.append((self._mark, self._cuts))
        self._mark, self._cuts = "", []

    def _node_before(self) -> None:
        """A summary is undone, and with it what was cut since."""
        self._take_back_cuts()
        if self._parents:
            self._mark, self._cuts = self._parents.pop()
        self._offer_undo(offered=True)

    def _offer_undo(self, *, offered: bool) -> None:
        """Whether the last divider leads back; that of a summary behind it does instead."""
        found = (self._items.where(name) for name in (self._mark, *self._cuts))
        index = max((index for index in found if index is not None), default=None)
        if index is None:
            return
        if isinstance(mark := self._items[index], ClearMarkItem | GuardMarkItem):
            self._items.put(index, replace(mark, undoable=offered))

    def _close_marks(self) -> None:
        """An answer followed: nothing before it can be undone any more."""
        self._offer_undo(offered=False)
        self._mark = ""
        self._cuts.clear()
        self._parents.clear()

    def _settle_cards(self) -> None:
        """Another turn: what was moved to files in the one before is news no longer."""
        cards = self._cards(tuple(self._fresh))
        self._fresh.clear()
        self._items.put_all({index: replace(card, fresh=False) for index, card in cards.items()})


def _freed(event: Cleared | PicturesLeft | Guarded) -> int:
    return max(0, event.tokens_before - event.tokens_after)


def _before(card: CardItem) -> CardState:
    """How a card stood before its result was cleared."""
    return "offloaded" if card.path else "live"
