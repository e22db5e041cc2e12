"""Old pictures leave the context: text in their place, with the reference of what stood there.

A deliberate, small break of the prefix, at two places and nowhere else:

- when a turn begins, in the messages of earlier turns (FACTS 1.15): the break is at the oldest
  picture, so no more is lost of the cache than the turn it was shown in and what followed;
- when the pictures of the present turn outgrow their share of a request's bytes (FIELD 69): then
  the oldest go until half of the share is free, so that this isn't due again at every step.

What was taken out stays as it was in the archive, where it stands once.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from app.archive.recorder import Recorder
from app.archive.unbroken import unbroken
from app.compaction.pointer import history_call
from app.conversation.history import History
from app.conversation.images import sent_bytes, told
from app.conversation.messages import ImagePart, Message, Part, TextPart
from app.conversation.standing import PLAIN, Standing
from app.events import PicturesLeft
from app.ports import Publish
from app.text import Words

Edit = tuple[str, tuple[Part, ...]]
"""A message's id, and the parts that it gets."""


@dataclass(frozen=True, slots=True)
class _Picture:
    """One picture in the history: its message, and which of its parts it is."""

    message: Message
    place: int

    @property
    def part(self) -> ImagePart:
        part = self.message.parts[self.place]
        assert isinstance(part, ImagePart)  # noqa: S101 - `_pictures` finds only those
        return part


def plan_images(
    history: History,
    standings: Mapping[str, Standing],
    *,
    words: Words,
    room: int,
    among: Iterable[Message] | None = None,
) -> tuple[Edit, ...]:
    """What becomes of pictures before the next request; a second run then plans nothing.

    Pinned messages keep theirs at a new turn, but not beyond the room: that request would fail.

    Args:
        history: as it would be sent.
        standings: how its messages stand.
        words: the language of the text that stands for them.
        room: bytes that pictures may have together (`Sight.room`).
        among: the messages that hold pictures, in order; None: all are looked through.

    Returns:
        In the order of the history.
    """
    found = [
        _Picture(message, place)
        for message in (history.messages if among is None else among)
        if not message.discarded
        for place, part in enumerate(message.parts)
        if isinstance(part, ImagePart)
    ]
    if not found:
        return ()
    turn = _turn_start(history)
    out = [
        picture
        for picture in found
        if history.index(picture.message.id) < turn
        and not standings.get(picture.message.id, PLAIN).pinned
    ]
    out += _too_many([picture for picture in found if picture not in out], room)
    edits: dict[str, list[Part]] = {}
    for picture in found:
        if picture in out:
            message = picture.message
            parts = edits.setdefault(message.id, list(message.parts))
            parts[picture.place] = _text(picture, words)
    return tuple((id, tuple(parts)) for id, parts in edits.items())


def _turn_start(history: History) -> int:
    """Where the present turn begins: at the user's newest message, and those right before it."""
    start = len(history)
    for place in range(len(history) - 1, -1, -1):
        message = history[place]
        if message.discarded:
            continue
        if message.role == "user":
            start = place
        elif start < len(history):
            break
    return 0 if start == len(history) else start


def _too_many(kept: list[_Picture], room: int) -> list[_Picture]:
    """The oldest of the pictures that stay, where they are too many together."""
    total = sum(sent_bytes(picture.part) for picture in kept)
    if total <= room:
        return []
    newest = kept[-1].message
    out = []
    for picture in kept:
        # The newest message's are what is looked at now: only those that don't fit go.
        if total <= (room if picture.message is newest else room // 2):
            break
        total -= sent_bytes(picture.part)
        out.append(picture)
    return out


def _text(picture: _Picture, words: Words) -> TextPart:
    """What stands for a picture: what it was, and how to see it again."""
    part, message = picture.part, picture.message
    reference = history_call(message.id)
    if part.name:
        call = f"read_file(path={json.dumps(part.name, ensure_ascii=False)})"
        text = words("tool_result.old_image", image=told(part), call=call, ref=reference)
    else:
        text = words("tool_result.old_image_unnamed", image=told(part), ref=reference)
    return TextPart(f"\n{text}" if picture.place else text)


class OldPictures:
    """Plans for one history, looking only at what is new in it since the last time."""

    def __init__(
        self,
        words: Words,
        room: Callable[[], int],
        *,
        tokens: Callable[[], int],
        publish: Publish,
    ) -> None:
        """Has looked at nothing yet.

        Args:
            words: the language of results.
            room: bytes for pictures in a request, as the model takes them now.
            tokens: of the next request, as things are.
            publish: gets `pictures_left`.
        """
        self._words = words
        self._room = room
        self._tokens = tokens
        self._publish = publish
        self._seen: tuple[History | None, int, int] = (None, 0, 0)
        self._holding: list[str] = []

    def plan(self, history: History, standings: Mapping[str, Standing]) -> tuple[Edit, ...]:
        """`plan_images`, where there are pictures; else it costs nothing."""
        known, edits, count = self._seen
        if known is not history or edits != history.edits or count > len(history):
            count, self._holding = 0, []
        for place in range(count, len(history)):
            if any(isinstance(part, ImagePart) for part in history[place].parts):
                self._holding.append(history[place].id)
        self._seen = (history, history.edits, len(history))
        if not self._holding:
            return ()
        among = [history[history.index(id)] for id in self._holding]
        return plan_images(history, standings, words=self._words, room=self._room(), among=among)

    async def leave(self, recorder: Recorder) -> None:
        """Puts what is planned into the history, before a request is measured; no stop cuts it.

        Raises:
            StorageError: it can't be written down; what was changed is valid.
        """
        if edits := self.plan(recorder.history, recorder.standings):
            await unbroken(self._replace(recorder, edits))

    async def _replace(self, recorder: Recorder, edits: tuple[Edit, ...]) -> None:
        """Replaces them, and tells which; also where the disk gives out half way."""
        before, history = self._tokens(), recorder.history
        done: list[str] = []
        count = 0
        try:
            for id, parts in edits:
                shown = history[history.index(id)].parts
                await recorder.replace(id, parts)
                done.append(id)
                count += _pictures_of(shown) - _pictures_of(parts)
        finally:
            if done:
                self._publish(
                    PicturesLeft(
                        messages=tuple(done),
                        count=count,
                        tokens_before=before,
                        tokens_after=self._tokens(),
                    )
                )


def _pictures_of(parts: Iterable[Part]) -> int:
    return sum(isinstance(part, ImagePart) for part in parts)
