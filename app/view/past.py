"""The past as items: what the archive gives of a chain, looking as it did when it happened.

Nothing here is kept: the items are made anew from the archive at every resume, and nothing that is
sent is ever made from them.
"""

from collections.abc import Callable, Iterable

from app.boundary import block, visible
from app.conversation.images import pictures, told
from app.conversation.messages import CorrectionPart, MemoryPart, Message, RestoredPart, ToolCall
from app.conversation.outcome import ToolOutcome
from app.conversation.past import Past, PastFailure, PastMark, PastMessage
from app.events import ToolFinished
from app.text import LANGUAGES, Words
from app.view.blocks import LiveText
from app.view.items import (
    NOTHING_KEPT,
    AnswerItem,
    CardItem,
    CardState,
    CardStatus,
    ClearedItem,
    ErrorItem,
    ExpandedItem,
    Item,
    MarkItem,
    ReasoningItem,
    StoppedItem,
    SummaryMarkItem,
    UserItem,
)
from app.view.subjects import call_subject

Namer = Callable[[str], str]
"""Gives a new id for an item of a kind that nothing else names (`ItemList.name`)."""


def past_items(
    past: Iterable[Past], name: Namer, tokens: Callable[[str], int] = lambda _: 0
) -> list[Item]:
    """The items of a stretch of the past, oldest first.

    A call without a result is one that was cut off when haima was ended. A result whose call isn't
    here is shown by itself.

    Args:
        past: a page of it.
        name: for items that no message names.
        tokens: estimates the tokens of a text; 0: they aren't said.
    """
    maker = _Maker(name, tokens)
    for entry in past:
        maker.take(entry)
    return maker.items


class _Maker:
    """Takes entries in, one after the other."""

    def __init__(self, name: Namer, tokens: Callable[[str], int]) -> None:
        self.items: list[Item] = []
        self._name = name
        self._tokens = tokens
        self._cards: dict[str, int] = {}
        self._labels: dict[str, str] = {}

    def take(self, entry: Past) -> None:
        """Puts an entry's items behind the others."""
        match entry:
            case PastFailure():
                self.items.append(ErrorItem(id=self._name("error"), text=visible(entry.text)))
            case PastMark():
                self.items.append(self._mark(entry))
            case PastMessage(message=Message(role="user") as message):
                self.items.append(self._said(entry))
            case PastMessage(message=Message(role="assistant") as message):
                self._answer(message)
            case PastMessage(message=Message(role="tool")):
                self._result(entry)

    def _said(self, entry: PastMessage) -> UserItem:
        """The user's words, and what they quote of what had left the context."""
        message = entry.message
        quoted = [part.ref for part in message.parts if isinstance(part, RestoredPart)]
        recalled = [part for part in message.parts if isinstance(part, MemoryPart)]
        return UserItem(
            id=message.id,
            text=visible(message.text),
            pinned=entry.standing.pinned,
            brought=tuple(self._labels.get(ref, visible(ref)) for ref in quoted),
            images=tuple(visible(told(part)) for part in pictures(message.parts)),
            recalled=sum(len(part.facts) for part in recalled),
            recalled_tokens=sum(self._tokens(block("memory", part.text)) for part in recalled),
            corrected=sum(isinstance(part, CorrectionPart) for part in message.parts),
        )

    def _mark(self, mark: PastMark) -> Item:
        if mark.kind == "clear":
            return ClearedItem(id=self._name("cleared"))
        if mark.kind == "fork":
            return MarkItem(id=self._name("mark"), parent=mark.parent, turn=mark.turn)
        told = mark.summary
        if mark.kind == "expand":
            return ExpandedItem(
                id=self._name("mark"), summary=told.summary if told else "", count=mark.count
            )
        return SummaryMarkItem(
            id=self._name("mark"),
            node=mark.node,
            parent=mark.parent,
            summary=told.summary if told else "",
            count=mark.count,
            tokens=told.tokens if told else 0,
            freed=max(0, told.tokens_before - told.tokens_after) if told else 0,
            cut=told is not None and told.how == "cut",
            kept=told.kept if told else NOTHING_KEPT,
        )

    def _answer(self, message: Message) -> None:
        """Reasoning, the answer block by block, the calls; a stop where it ended in one."""
        if message.reasoning is not None and message.reasoning.text.strip():
            self.items.append(
                ReasoningItem(
                    id=f"reasoning:{message.id}",
                    message=message.id,
                    text=visible(message.reasoning.text),
                    started=0.0,
                    seconds=0.0,
                    discarded=message.discarded,
                    timed=False,
                )
            )
        said, stopped = _without_stop(message.text)
        live = LiveText()
        blocks = [*live.append(visible(said)), *live.finish()]
        for number, piece in enumerate(blocks):
            self.items.append(
                AnswerItem(
                    id=f"answer:{message.id}:{number}",
                    message=message.id,
                    text=piece.text,
                    joined=piece.joined,
                    ordinal=piece.ordinal,
                    discarded=message.discarded,
                )
            )
        for call in message.calls:
            self._cards[call.id] = len(self.items)
            self.items.append(_card(call))
        if stopped:
            self.items.append(StoppedItem(id=f"stopped:{message.id}", resumable=False))

    def _result(self, entry: PastMessage) -> None:
        message = entry.message
        call_id = message.call_id or message.id
        index = self._cards.get(call_id)
        if index is None:
            index = len(self.items)
            self.items.append(_card(ToolCall(call_id, message.tool or "", "{}")))
        card = self.items[index]
        assert isinstance(card, CardItem)  # noqa: S101 - `_cards` names only those
        self.items[index] = _ended(card, entry)
        self._labels[message.id] = f"{card.tool} {card.subject}".rstrip()


def _card(call: ToolCall) -> CardItem:
    """A call as it stands without its result."""
    return CardItem(
        id=call.id,
        tool=visible(call.name),
        subject=visible(call_subject(call.name, call.arguments)),
        status="interrupted",
        started=0.0,
    )


def ending(call: ToolOutcome | ToolFinished) -> CardStatus:
    """How a call that is over ended; what the user stopped didn't fail."""
    if call.ok:
        return "ok"
    return "refused" if call.refused else "stopped" if call.stopped else "failed"


def _ended(card: CardItem, entry: PastMessage) -> CardItem:
    """A card with its result; how the call ended is not known of an old ledger's."""
    outcome, text = entry.outcome, entry.message.text
    status: CardStatus = "unknown"
    if outcome is not None:
        status = ending(outcome)
    states: dict[str, CardState] = {"offloaded": "offloaded", "cleared": "cleared"}
    return CardItem(
        id=card.id,
        tool=card.tool,
        subject=card.subject,
        status=status,
        started=0.0,
        seconds=outcome.seconds if outcome else 0.0,
        characters=outcome.characters if outcome else len(text),
        reason=" ".join(visible(outcome.reason).split("\n")) if outcome else "",
        added=outcome.added if outcome else 0,
        removed=outcome.removed if outcome else 0,
        body=visible(text.replace("\r\n", "\n")),
        state=states.get(entry.standing.state, "live"),
        message=entry.message.id,
        path=visible(entry.file.path) if entry.file else "",
        moved=entry.file.characters if entry.file else 0,
        pinned=entry.standing.pinned,
    )


def _without_stop(text: str) -> tuple[str, bool]:
    """An answer without the line that tells the model where the user stopped it."""
    for language in LANGUAGES:
        line = Words(language)("agent.stopped_text")
        if text.endswith(line):
            return text.removesuffix(line).rstrip(), True
    return text, False
