"""The one write path: what changes the history becomes a ledger row first, then it happens.

Each operation is checked, written down, done, in this order: one that is refused writes nothing,
one that can't be written changes nothing. Haima's own credentials are masked on the way in, in the
message and in its row alike.

What stands in the rows' `data`, by kind:

- `session`: `project`, `model`, `version`: a session was opened, or went on.
- `message`: `message` (`encoding.message_to_json`), perhaps `raw`: the result's bytes as they came.
- `replace`: `id`, `message`: the message with its new body.
- `splice`: `start`, `end`, `first`, `last` (ids of the outermost messages taken out), `messages`.
- `recovery`: `slot`: `message`, `text`, `first`; or null.
- `usage`: the figures of `ports.Usage`. `error`: `code`, `text`.
- `clear`: `node`: the one that begins, with an empty history.
"""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import assert_never

from app.archive.ledger import Ledger
from app.archive.placing import place, waits
from app.archive.rows import Kind, encode_bytes
from app.config import mask, mask_bytes
from app.conversation.encoding import message_to_json
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import (
    CorrectionPart,
    IdFactory,
    ImagePart,
    MemoryPart,
    Message,
    Part,
    RestoredPart,
    TextPart,
    ToolCall,
)
from app.ports import Usage


class Recorder:
    """Writes one agent's history, and what else is to be kept of it, into the ledger.

    Results of parallel calls may come in any order: each is written down at once and joins the
    history as soon as those of the calls before it have.

    Attributes:
        history: the history it keeps; `clear` begins another. To be read only.
        node: which session the rows belong to.
        conversation: which agent.
    """

    def __init__(
        self,
        history: History,
        ledger: Ledger,
        node: str,
        conversation: str = "main",
        *,
        credentials: Iterable[str] = (),
        waiting: Iterable[Message] = (),
    ) -> None:
        """Goes on with a history that is in the ledger already (`rebuild.rebuild`), or empty.

        Args:
            history: whose only changes come through here from now on.
            ledger: open; shared by the agents of a chain.
            node: which session.
            conversation: which agent.
            credentials: `Settings.credentials`.
            waiting: results that are in the ledger but not yet in the history.
        """
        self.history = history
        self.node = node
        self.conversation = conversation
        self._ledger = ledger
        self._credentials = tuple(credentials)
        self._waiting = {str(message.call_id): message for message in waiting}

    @property
    def unanswered(self) -> tuple[ToolCall, ...]:
        """The calls of the last step without a result, neither in the history nor waiting."""
        return tuple(call for call in self.history.open_calls if call.id not in self._waiting)

    def use_credentials(self, credentials: Iterable[str]) -> None:
        """From now on these are masked (after a change of model)."""
        self._credentials = tuple(credentials)

    def opened(self, *, project: str, model: str, version: str) -> None:
        """A session was opened, or goes on with another model.

        Raises:
            StorageError: it can't be written.
        """
        self._row("session", {"project": project, "model": model, "version": version})

    def append(self, message: Message, *, raw: bytes | None = None) -> Message:
        """Adds a message; a result whose turn hasn't come yet waits for those before it.

        Args:
            message: the message.
            raw: a result's bytes, where its text is not all of them.

        Returns:
            The message as it is kept, credentials masked.

        Raises:
            InvalidHistory: it doesn't fit; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        message = self._clean(message)
        self._check(message)
        data: dict[str, object] = {"message": message_to_json(message)}
        if raw is not None:
            data["raw"] = encode_bytes(mask_bytes(raw, self._credentials))
        self._row("message", data)
        place(self.history, self._waiting, message)
        return message

    def close_step(self, text: str, new_id: IdFactory) -> tuple[Message, ...]:
        """Answers every call that has no result, so that the history is valid again.

        Args:
            text: what happened to them, for the model.
            new_id: gives each result its id.

        Returns:
            The results that were added.

        Raises:
            StorageError: it can't be written; some calls may still be open.
        """
        return tuple(
            self.append(
                Message(new_id(), "tool", (TextPart(text),), call_id=call.id, tool=call.name)
            )
            for call in self.unanswered
        )

    def replace(self, message_id: str, parts: Iterable[Part]) -> Message:
        """Puts another body into a message.

        Returns:
            The message as it was.

        Raises:
            InvalidHistory: there is no such message, or it would be empty; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        clean = tuple(map(self._clean_part, parts))
        self.history.check_replace(message_id, clean)
        changed = replace(self.history[self.history.index(message_id)], parts=clean)
        self._row("replace", {"id": message_id, "message": message_to_json(changed)})
        return self.history.replace(message_id, clean)

    def splice(self, start: int, end: int, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Puts messages in the place of others.

        Returns:
            The messages taken out.

        Raises:
            InvalidHistory: the outcome would break a rule; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        clean = tuple(map(self._clean, messages))
        self.history.check_splice(start, end, clean)
        removed = self.history[start:end]
        self._row(
            "splice",
            {
                "start": start,
                "end": end,
                "first": removed[0].id if removed else None,
                "last": removed[-1].id if removed else None,
                "messages": [message_to_json(message) for message in clean],
            },
        )
        return self.history.splice(start, end, clean)

    def set_recovery(self, slot: RecoverySlot | None) -> RecoverySlot | None:
        """Fills or empties the recovery slot.

        Returns:
            What was in it.

        Raises:
            InvalidHistory: no message can carry it; nothing was written.
            StorageError: it can't be written; the history is as before.
        """
        if slot is not None:
            slot = replace(slot, text=self._clean_text(slot.text))
        self.history.check_recovery(slot)
        told = slot and {"message": slot.message_id, "text": slot.text, "first": slot.first}
        self._row("recovery", {"slot": told})
        return self.history.set_recovery(slot)

    def usage(self, usage: Usage) -> None:
        """Keeps what a call to the model cost.

        Raises:
            StorageError: it can't be written.
        """
        self._row("usage", asdict(usage))

    def error(self, code: str, text: str) -> None:
        """Keeps what failed for good.

        Raises:
            StorageError: it can't be written.
        """
        self._row("error", {"code": code, "text": self._clean_text(text)})

    def clear(self, new_node: str) -> History:
        """Begins a new node with an empty history; the old one stays in the ledger.

        Returns:
            The new history, which is `history` from now on.

        Raises:
            StorageError: it can't be written; the old history goes on.
        """
        self._row("clear", {"node": new_node})
        self.history, self.node, self._waiting = History(), new_node, {}
        return self.history

    async def sync(self) -> None:
        """Returns when all of it is on the disk (`Ledger.sync`).

        Raises:
            StorageError: the disk failed.
        """
        await self._ledger.sync()

    def _row(self, kind: Kind, data: dict[str, object]) -> None:
        self._ledger.append(kind, data, node=self.node, conversation=self.conversation)

    def _check(self, message: Message) -> None:
        """Raises where `append` would end in an invalid history, now or when its turn comes."""
        if message.id in {held.id for held in self._waiting.values()}:
            raise InvalidHistory("history.duplicate_message", id=message.id)
        if not waits(self.history, message):
            self.history.check_append(message)
            return
        if message.call_id in self._waiting:
            raise InvalidHistory("history.unexpected_result", id=message.id, call=message.call_id)
        if self.history.get(message.id) is not None:
            raise InvalidHistory("history.duplicate_message", id=message.id)
        call = ToolCall(str(message.call_id), str(message.tool), "")
        History.check((Message(f"{message.id}-asked", "assistant", calls=(call,)), message))

    def _clean(self, message: Message) -> Message:
        """The message as it may be kept."""
        reasoning = message.reasoning
        return replace(
            message,
            parts=tuple(map(self._clean_part, message.parts)),
            calls=tuple(
                replace(call, arguments=self._clean_text(call.arguments)) for call in message.calls
            ),
            reasoning=reasoning
            and replace(
                reasoning,
                text=self._clean_text(reasoning.text),
                details=self._clean_text(reasoning.details),
            ),
        )

    def _clean_part(self, part: Part) -> Part:
        match part:
            case ImagePart():
                return replace(part, url=self._clean_text(part.url))
            case TextPart() | MemoryPart() | CorrectionPart() | RestoredPart():
                return replace(part, text=self._clean_text(part.text))
            case _:
                assert_never(part)

    def _clean_text(self, text: str) -> str:
        """Masked; and the two halves of a surrogate pair joined, as they come back from JSON."""
        text = mask(text, self._credentials)
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return text
