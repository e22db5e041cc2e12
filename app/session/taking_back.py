"""Bringing results back: their originals, quoted in the user's next message (DESIGN 4).

What already went out stays as it is. Until the message is sent, what it will quote is listed and
can be dropped. All of it together has `pins` tokens; what doesn't fit is cut, with the call that
goes on.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from app.archive.originals import Original
from app.archive.recorder import Recorder
from app.boundary import safe_name, visible
from app.compaction.pointer import asked, history_call
from app.conversation.content import Content
from app.conversation.history import History
from app.conversation.messages import RestoredPart, ToolCall
from app.conversation.offloaded import Offloaded
from app.conversation.truncate import cut_end
from app.conversation.window import Thresholds
from app.errors import HaimaError
from app.events import Restored
from app.ports import Publish
from app.storage import StorageError
from app.text import Words
from app.tools.read_history import Originals

_log = logging.getLogger(__name__)

_CHARACTERS_OF_A_TOKEN = 8
"""More than any text has on average: what is read of a file for so many tokens."""

_LEAST = 200
"""Tokens: under these nothing is quoted any more."""


class NothingToBringBack(HaimaError):  # noqa: N818
    """There is no original of it, or no room for it in the next message."""

    code = "bring_back"


@dataclass(frozen=True, slots=True)
class Brought:
    """What the next message will quote.

    Attributes:
        id: of the result; of lines, their file and numbers.
        call: of the call it answers; "" for lines.
        label: what it is, for people: `read_file src/a.py`.
        part: what the model gets.
        tokens: that it takes, as estimated.
        cut: only its beginning fits.
    """

    id: str
    call: str
    label: str
    part: RestoredPart
    tokens: int
    cut: bool


class TakingBack:
    """What waits to be quoted in the next message of one chain."""

    def __init__(
        self,
        originals: Originals,
        *,
        root: Path,
        words: Words,
        history: Callable[[], History],
        marks: Callable[[], Thresholds],
        publish: Publish,
    ) -> None:
        """Nothing waits yet.

        Args:
            originals: the chain's messages as they first came.
            root: the project's folder, where files of results are.
            words: the language of results.
            history: the live one, for what was asked.
            marks: of the window as it is now.
            publish: gets `restored`.
        """
        self._root = root
        self._words = words
        self._history = history
        self._marks = marks
        self._originals = originals
        self._publish = publish
        self._waiting: tuple[Brought, ...] = ()
        self._quoted: tuple[tuple[str, tuple[Brought, ...]], ...] = ()

    @property
    def waiting(self) -> tuple[Brought, ...]:
        """What the next message will quote, in this order."""
        return self._waiting

    async def bring_back(self, ids: Iterable[str]) -> tuple[Brought, ...]:
        """Quotes results in the next message; those that wait already are left alone.

        Args:
            ids: of the results' messages.

        Returns:
            Those that were added.

        Raises:
            NothingToBringBack: of one there is no original, or no room is left; those before it
                are added.
            HaimaError: the archive can't be read.
        """
        added: list[Brought] = []
        for message_id in ids:
            if any(one.id == message_id for one in self._waiting):
                continue
            original = await self._originals.find(message_id)
            if original is None:
                raise NothingToBringBack("compaction.no_original", ref=message_id)
            brought = self._brought(original, *await asyncio.to_thread(self._text, original))
            self._waiting = (*self._waiting, brought)
            added.append(brought)
        return tuple(added)

    def bring_lines(self, title: str, first: int, last: int, text: str) -> Brought:
        """Quotes lines that were looked at in the next message, in place of the same ones.

        Args:
            title: what they are from: a path, a call.
            first: number of the first line, from 1.
            last: number of the last line.
            text: the lines.

        Raises:
            NothingToBringBack: no room is left; what waits stays.
        """
        span = str(first) if first == last else f"{first}–{last}"
        label = " ".join(visible(f"{title}:{span}").split())
        others = tuple(one for one in self._waiting if one.id != label)
        room, head = self._room(others), self._words("compaction.restored_lines", what=label)
        whole = f"{head}\n{text}"
        cut = self._originals.tokens(whole) > room
        if cut:
            whole = self._fitted(head, text, room, lambda end: self._rest(end, len(text), ""))
        tokens = self._originals.tokens(whole)
        brought = Brought(label, "", label, RestoredPart(label, whole), tokens, cut)
        self._waiting = (*others, brought)
        return brought

    def drop(self, message_id: str) -> bool:
        """The next message doesn't quote this after all; whether it would have."""
        before = len(self._waiting)
        self._waiting = tuple(one for one in self._waiting if one.id != message_id)
        return len(self._waiting) < before

    def parts(self) -> tuple[RestoredPart, ...]:
        """What the next message quotes."""
        return tuple(one.part for one in self._waiting)

    async def joined(
        self, message_id: str, parts: Sequence[RestoredPart], recorder: Recorder
    ) -> None:
        """A message with these parts is in the history: it is pinned; told by `tell`."""
        there = tuple(one for one in self._waiting if one.part in parts)
        self._waiting = tuple(one for one in self._waiting if one not in there)
        if there:
            self._quoted = (*self._quoted, (message_id, there))
            try:
                await recorder.pin((message_id,), True)
            except StorageError:  # the message is there; what follows it fails with its own words
                _log.exception("the message that quotes can't be pinned")

    def tell(self) -> None:
        """Publishes what was brought back since the last time."""
        quoted, self._quoted = self._quoted, ()
        for message_id, there in quoted:
            self._publish(
                Restored(
                    how="brought_back",
                    messages=tuple(one.id for one in there if one.call),
                    calls=tuple(one.call for one in there if one.call),
                    tokens=sum(one.tokens for one in there),
                    message=message_id,
                    labels=tuple(one.label for one in there),
                )
            )

    def _text(self, original: Original) -> tuple[str, int]:
        """The original content as far as it could be quoted, and its length."""
        most = self._marks().pins * _CHARACTERS_OF_A_TOKEN
        raw = original.raw if original.file is None else self._read(original.file) or original.raw
        text = original.message.text
        if raw is None:
            return text, len(text)
        content = Content.of(raw)
        # A kept content counts where the text is less than it: not for what a frame adds.
        if original.file is None and content.characters <= len(text):
            return text, len(text)
        return content.beginning(most), content.characters

    def _read(self, file: Offloaded) -> bytes | None:
        """What was moved to a file; None where it is gone, or another lies there now."""
        path = self._root / file.path
        try:
            if path.stat().st_size != file.bytes:
                return None
            raw = path.read_bytes()
        except OSError:
            return None
        return raw if sha256(raw).hexdigest() == file.sha256 else None

    def _brought(self, original: Original, text: str, size: int) -> Brought:
        message, room = original.message, self._room(self._waiting)
        about = asked(_call(self._history(), message.call_id))
        label = f"{safe_name(message.tool or message.role)} {about}".rstrip()
        when = original.at[:16].replace("T", " ")
        head = self._words("compaction.restored_head", what=label, at=when)
        whole = f"{head}\n{text}"
        cut = size > len(text) or self._originals.tokens(whole) > room
        if cut:
            whole = self._fitted(
                head,
                text,
                room,
                lambda end: self._rest(end, size, history_call(message.id, end)),
            )
        tokens = self._originals.tokens(whole)
        part = RestoredPart(message.id, whole)
        return Brought(message.id, message.call_id or "", label, part, tokens, cut)

    def _room(self, beside: Sequence[Brought]) -> int:
        """Tokens that are left for a quotation beside others.

        Raises:
            NothingToBringBack: next to none.
        """
        pins = self._marks().pins
        room = pins - sum(one.tokens for one in beside)
        if room < min(_LEAST, pins):
            raise NothingToBringBack("compaction.no_room_back", pins=f"{pins:,}")
        return room

    def _rest(self, end: int, size: int, call: str) -> str:
        """Says that only a beginning stands there, and which call goes on."""
        values = {"shown": f"{end:,}", "total": f"{size:,}"}
        if call:
            return self._words("compaction.restored_cut", **values, call=call)
        return self._words("compaction.restored_cut_lines", **values)

    def _fitted(self, head: str, text: str, room: int, rest: Callable[[int], str]) -> str:
        """The longest beginning of a text that fits with what is said of the rest."""
        limit = len(text)
        while True:
            shown = cut_end(text, limit)
            gap = "" if shown.endswith("\n") else "\n"
            whole = f"{head}\n{shown}{gap}{rest(len(shown))}"
            tokens = self._originals.tokens(whole)
            if tokens <= room or limit == 0:
                return whole
            limit = min(limit - 1, limit * room * 49 // (50 * tokens))


def _call(history: History, call_id: str | None) -> ToolCall | None:
    return next((one for message in history for one in message.calls if one.id == call_id), None)
