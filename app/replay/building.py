"""Builds a recording message by message, so that it always makes a valid history.

A step is held until something else follows it: its results may come in any order, and what the user
says meanwhile stands behind it. Calls that nobody answered get a note; results of no call are left
out; ids that come again are renamed. All of it is counted.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.boundary import one_line
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.secret_words import without_secrets
from app.conversation.truncate import clip
from app.replay.recording import (
    Counted,
    Format,
    Recorded,
    Recording,
    RecordingError,
    Repair,
    SkipReason,
    is_spoken,
)
from app.replay.root import guess_root
from app.text import Words

_TITLE = 80
"""Characters of a title."""

_SEARCHED = 4_000
"""Characters of a line that are searched for secrets: one that a title's end would cut, whole."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as a recording has it.

    Attributes:
        id: its id there; "" where it has none.
        name: the tool's.
        arguments: as text, or as the values they stand for.
    """

    id: str
    name: str
    arguments: object


@dataclass(slots=True)
class _Step:
    """An assistant's message whose results are still coming.

    Attributes:
        key: what its parts have in common in the recording; "" for nothing.
        names: our ids of its calls, by those of the recording; "": of calls that have none there.
    """

    key: str
    at: str
    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    results: dict[str, tuple[str, str, bool]] = field(default_factory=dict)

    @property
    def open(self) -> list[ToolCall]:
        """The calls without a result."""
        return [call for call in self.calls if call.id not in self.results]


class Builder:
    """Takes what an importer reads, in its order.

    Attributes:
        title, model, window, root: as in `Recording`, set as they are met.
    """

    def __init__(self, format_: Format, source: str, words: Words) -> None:
        """Begins empty.

        Args:
            format_: who wrote it.
            source: the file's name, or the session's id.
            words: the language of notes in the place of missing results.
        """
        self.title = self.model = self.root = ""
        self.window: int | None = None
        self._format: Format = format_
        self._source = source
        self._words = words
        self._entries: list[Recorded] = []
        self._held: list[tuple[str, str, bool]] = []
        self._step: _Step | None = None
        self._calls: set[str] = set()
        self._again: Counter[str] = Counter()
        self._skipped: Counter[SkipReason] = Counter()
        self._repaired: Counter[Repair] = Counter()

    @property
    def empty(self) -> bool:
        """Whether nothing was said yet."""
        return not self._entries and self._step is None and not self._held

    def skip(self, reason: SkipReason) -> None:
        """Something is left out."""
        self._skipped[reason] += 1

    def system(self, text: str, at: str = "") -> None:
        """What the agent was told by its program; later than at the beginning, it is said then."""
        if not text.strip():
            self.skip("empty")
        elif self.empty:
            self._add(Message("", "system", (TextPart(text),)), at)
        elif len(self._entries) == 1 and self._entries[0].message.role == "system":
            first = self._entries.pop()
            together = f"{first.message.text}\n\n{text}"
            self._add(Message("", "system", (TextPart(together),)), first.at)
        else:
            self._user(text, at, spoken=False)

    def user(self, text: str, at: str = "", *, spoken: bool | None = None) -> None:
        """What the user said.

        Args:
            text: it.
            at: when.
            spoken: a person said it; None: as its beginning tells.
        """
        if not text.strip():
            self.skip("empty")
        else:
            self._user(text, at, spoken=is_spoken(text) if spoken is None else spoken)

    def assistant(
        self, text: str, calls: Sequence[Asked] = (), at: str = "", *, key: str = ""
    ) -> None:
        """What the agent said and asked for.

        Args:
            text: said.
            calls: asked for.
            at: when.
            key: of the message this is a part of; parts with the same key are one message.
        """
        if not text.strip() and not calls:
            if not key:
                self.skip("empty")
            return
        step = self._step
        if step is None or not key or step.key != key:
            self._close()
            step = self._step = _Step(key, at)
        self._extend(step, text, calls)

    def part(self, text: str, calls: Sequence[Asked] = (), at: str = "") -> None:
        """The same where a recording doesn't tell which parts are one message.

        Calls join the step that is open as long as none of its calls is answered; so does a text
        behind calls, while one behind a text is a message of its own.
        """
        step = self._step
        joins = step is not None and not step.results and (bool(calls) or bool(step.calls))
        if step is not None and joins and (text.strip() or calls):
            self._extend(step, text, calls)
        else:
            self.assistant(text, calls, at)

    def result(self, call: str, text: str, at: str = "", *, ok: bool = True) -> None:
        """What a call gave.

        Args:
            call: the call's id in the recording; of several with it the first that is open. "":
                the first of all that are open.
            text: it.
            at: when.
            ok: the call did what was asked, as far as that is recorded.
        """
        step = self._step
        if step is None:
            self.skip("orphan")
            return
        # An id that no call has may be that of a call whose id wasn't recorded.
        names = step.names.get(call) or step.names.get("", [])
        waiting = [one.id for one in step.open if not call or one.id in names]
        if waiting:
            step.results[waiting[0]] = (text, at, ok)
        else:
            self.skip("repeated" if call and call in step.names else "orphan")

    @property
    def waiting(self) -> bool:
        """Whether a call has no result yet."""
        return self._step is not None and bool(self._step.open)

    def finish(self) -> Recording:
        """The recording.

        Raises:
            RecordingError: there is nothing in it that can be played: no step of an agent.
        """
        self._close()
        if not any(entry.message.role == "assistant" for entry in self._entries):
            raise RecordingError(
                "replay.nothing", source=self._source, n=sum(self._skipped.values())
            )
        messages = tuple(entry.message for entry in self._entries)
        recording = Recording(
            source=self._source,
            format=self._format,
            title=without_secrets(self.title),
            entries=tuple(self._entries),
            skipped=tuple(Counted(what, n) for what, n in sorted(self._skipped.items())),
            repaired=tuple(Counted(what, n) for what, n in sorted(self._repaired.items())),
            model=self.model,
            window=self.window,
            root=self.root or guess_root(messages),
        )
        return recording if self.title else _titled(recording)

    def _extend(self, step: _Step, text: str, calls: Sequence[Asked]) -> None:
        if text.strip():
            step.texts.append(text)
        for call in calls:
            wanted = call.id or f"call_{len(self._calls) + 1}"
            name = wanted
            while name in self._calls:
                self._again[wanted] += 1
                name = f"{wanted}~{self._again[wanted] + 1}"
            if call.id and name != wanted:
                self._repaired["renamed"] += 1
            self._calls.add(name)
            step.names.setdefault(call.id, []).append(name)
            step.calls.append(ToolCall(name, call.name or "unknown", _arguments(call.arguments)))

    def _user(self, text: str, at: str, *, spoken: bool) -> None:
        if self._step is not None and self._step.open:
            self._held.append((text, at, spoken))
            return
        self._close()
        self._add(Message("", "user", (TextPart(text),)), at, spoken=spoken)

    def _close(self) -> None:
        """The step is over, and what was said meanwhile follows it."""
        step, self._step = self._step, None
        if step is not None:
            text = "\n\n".join(step.texts)
            parts = (TextPart(text),) if text else ()
            self._add(Message("", "assistant", parts, calls=tuple(step.calls)), step.at)
            for call in step.calls:
                if call.id not in step.results:
                    self._repaired["closed"] += 1
                lost = (self._words("replay.no_result"), "", False)
                given, at, ok = step.results.get(call.id, lost)
                result = Message("", "tool", (TextPart(given),), call_id=call.id, tool=call.name)
                self._add(result, at, ok=ok)
        held, self._held = self._held, []
        for text, at, spoken in held:
            self._add(Message("", "user", (TextPart(text),)), at, spoken=spoken)

    def _add(self, message: Message, at: str, *, spoken: bool = False, ok: bool = True) -> None:
        # As tools read files: CRLF is a line end, not a control character to be shown.
        text = message.text.replace("\r\n", "\n")
        numbered = Message(
            f"{len(self._entries) + 1:012x}",
            message.role,
            (TextPart(text),) if message.parts else (),
            calls=message.calls,
            call_id=message.call_id,
            tool=message.tool,
        )
        self._entries.append(Recorded(numbered, at, spoken, ok))


def _titled(recording: Recording) -> Recording:
    """With the first line of what the user asked for first."""
    goal = recording.goal
    lines = () if goal is None else (one_line(line) for line in goal.text.splitlines())
    said = (line.lstrip("# ") for line in lines if not line.startswith("<"))
    title = without_secrets(next(filter(None, said), recording.source)[:_SEARCHED])
    return replace(recording, title=clip(title, _TITLE))


def _arguments(given: object) -> str:
    """Arguments as text: what was recorded, byte for byte, where it is a text."""
    if isinstance(given, str):
        return given if given.strip() else "{}"
    return json.dumps({} if given is None else given, ensure_ascii=False)
