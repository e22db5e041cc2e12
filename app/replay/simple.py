"""Policies that others use, each in a few lines of our own: what Haima is held against.

REPLAY, "Managers", tells comparable ones; FACTS the three of the articles. Each keeps whole units:
a step with all its results, or a message of the user, so that no request is invalid.
"""

from collections.abc import Sequence

from app.conversation.messages import Message, TextPart, ToolCall, WireMessage
from app.conversation.wire import to_wire
from app.ports import ModelRequest, Reply
from app.replay.happened import Happened, HappenedKind
from app.replay.policy import Conditions, PolicyName
from app.replay.recording import Recorded
from app.replay.stub_model import StubModel

Unit = tuple[Message, ...]
"""What stays or goes as a whole."""

_TURNS = 10
"""Turns of the user that `keep-10-turns-at-70` keeps (FACTS, the second article)."""

_HEAD = 4
"""Units at the beginning that `head-tail-at-85` keeps; the rest of its room is the newest."""


class KeepAll:
    """`none`: everything is sent, as long as it may get."""

    def __init__(self, conditions: Conditions) -> None:
        """Begins with nothing."""
        self._conditions = conditions
        self._kept: list[Message] = []
        self._happened: list[Happened] = []
        self._model = StubModel(
            conditions.summaries, conditions.words, conditions.counter, conditions.booked
        )

    @property
    def summary_tokens(self) -> int:
        """See `Policy`."""
        return self._model.asked

    async def add(self, entry: Recorded, call: ToolCall | None = None) -> None:
        """See `Policy`."""
        del call
        self._kept.append(entry.message)

    async def request(self) -> tuple[WireMessage, ...]:
        """See `Policy`."""
        return to_wire(self._kept)

    def answered(self, tokens: int) -> None:
        """See `Policy`."""

    def happened(self) -> tuple[Happened, ...]:
        """See `Policy`."""
        done, self._happened = tuple(self._happened), []
        return done

    def tokens(self, messages: Sequence[Message]) -> int:
        """Tokens of messages as they would go out."""
        return self._conditions.counter.request(to_wire(messages))

    def share(self, hundredths: int) -> int:
        """So many hundredths of the window, in tokens."""
        return hundredths * self._conditions.window // 100

    def system(self) -> list[Message]:
        """The system message, if there is one."""
        return [one for one in self._kept[:1] if one.role == "system"]

    def newest(self, units: Sequence[Unit], room: int) -> int:
        """Where the newest units begin that fit, whole; the very newest always stays."""
        at = len(units)
        while at:
            size = self.tokens(units[at - 1])
            if at < len(units) and size > room:
                break
            room -= size
            at -= 1
        return at

    async def summarised(self, old: Sequence[Message], keep: Sequence[Message]) -> None:
        """A summary in the place of old messages."""
        before, request = self.tokens(self._kept), ModelRequest(to_wire(old))
        text = ""
        async for chunk in self._model.stream(request):
            if isinstance(chunk, Reply):
                text = chunk.text
        number = len(self._happened) + self._model.calls
        summary = Message(f"summary{number}", "user", (TextPart(text),))
        self._kept = [*self.system(), summary, *keep]
        self._did("summarized", len(old), before)

    def dropped(self, old: Sequence[Message], keep: Sequence[Message]) -> None:
        """Old messages leave, and nothing stands for them."""
        before = self.tokens(self._kept)
        self._kept = [*self.system(), *keep]
        self._did("dropped", len(old), before)

    def _did(self, kind: HappenedKind, count: int, before: int) -> None:
        self._happened.append(Happened(kind, count, before, self.tokens(self._kept)))


class Truncate(KeepAll):
    """`truncate`: the newest whole units within 80% of the window are sent; nothing is changed."""

    async def request(self) -> tuple[WireMessage, ...]:
        """See `Policy`."""
        system, units = self.system(), units_of(self._kept)
        at = self.newest(units, self.share(80) - self.tokens(system))
        sent = [*system, *(one for unit in units[at:] for one in unit)]
        left = len(self._kept) - len(sent)
        if left:
            self._happened.append(Happened("dropped", left))
        return to_wire(sent)


class Summarise80(KeepAll):
    """`summarise-80`: from 80% of the window on a summary, and the newest 20%."""

    async def request(self) -> tuple[WireMessage, ...]:
        """See `Policy`."""
        if self.tokens(self._kept) >= self.share(80):
            units = units_of(self._kept)
            at = self.newest(units, self.share(20))
            await _summarise_before(self, units, at)
        return to_wire(self._kept)


class Keep10Turns(KeepAll):
    """`keep-10-turns-at-70`: over 70% of the window the newest ten turns, a summary before them."""

    async def request(self) -> tuple[WireMessage, ...]:
        """See `Policy`."""
        if self.tokens(self._kept) > self.share(70):
            units = units_of(self._kept)
            turns = [at for at, unit in enumerate(units) if unit[0].role == "user"]
            if len(turns) > _TURNS:
                await _summarise_before(self, units, turns[-_TURNS])
        return to_wire(self._kept)


class HeadTail(KeepAll):
    """`head-tail-at-85`: from 85% on the first units and the newest within 60% are kept."""

    async def request(self) -> tuple[WireMessage, ...]:
        """See `Policy`."""
        if self.tokens(self._kept) >= self.share(85):
            units = units_of(self._kept)
            head = units[:_HEAD]
            room = self.share(60) - sum(self.tokens(unit) for unit in head)
            at = max(self.newest(units, room), min(_HEAD, len(units)))
            gone = units[_HEAD:at]
            if gone:
                keep = [one for unit in (*head, *units[at:]) for one in unit]
                self.dropped([one for unit in gone for one in unit], keep)
        return to_wire(self._kept)


SIMPLE: dict[PolicyName, type[KeepAll]] = {
    "summarise-80": Summarise80,
    "keep-10-turns-at-70": Keep10Turns,
    "head-tail-at-85": HeadTail,
    "truncate": Truncate,
    "none": KeepAll,
}


def units_of(messages: Sequence[Message]) -> list[Unit]:
    """The messages in units, the system message apart."""
    units: list[list[Message]] = []
    for message in messages:
        if message.role == "tool" and units:
            units[-1].append(message)
        elif message.role != "system":
            units.append([message])
    return [tuple(unit) for unit in units]


async def _summarise_before(policy: KeepAll, units: Sequence[Unit], at: int) -> None:
    old = [one for unit in units[:at] for one in unit]
    if len(old) > 1 or (old and not old[0].id.startswith("summary")):
        await policy.summarised(old, [one for unit in units[at:] for one in unit])
