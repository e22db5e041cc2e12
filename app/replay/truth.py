"""What a recording itself shows of each of its steps; worked out once for all policies.

No policy is asked: rules, changed files and symbols are what the worklog makes of the session.

A changed file counts as named where its path from the root stands in the request, or as the agent
spelt it where it changed it: the tail of two components or more that its call holds, or else the
call word for word. `cd src && mv a.ts lib/` spells neither path and says both, so no other
spelling is asked for as long as it is sent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from app.conversation.messages import Message, ToolCall
from app.conversation.wire import to_wire
from app.conversation.work import CHANGING, Rule
from app.memory.worklog import Worklog
from app.replay.counting import Counter
from app.replay.recording import Recorded, Recording
from app.replay.references import Reference, forms_of, least, references


@dataclass(frozen=True, slots=True)
class Moment:
    """What there was before one of the agent's messages.

    Attributes:
        position: of the message in the recording.
        needed: what its calls need that stood before.
        goal: what the user asked for first; None: nothing yet.
        rules: the user's rules that hold.
        changed: the files changed so far, each with the texts by which it counts as named.
        edited: functions, classes and tables changed so far.
        full: tokens of all that was said.
    """

    position: int
    needed: tuple[Reference, ...]
    goal: Message | None
    rules: tuple[Rule, ...]
    changed: tuple[tuple[str, ...], ...]
    edited: frozenset[str]
    full: int


def moments(recording: Recording, counter: Counter) -> tuple[Moment, ...]:
    """The moments of a recording, in order; about a second for a megabyte.

    Args:
        recording: it.
        counter: counts what was said.
    """
    return tuple(_moments(recording, counter))


def _moments(recording: Recording, counter: Counter) -> Iterator[Moment]:
    needed = iter(references(recording.messages, recording.root))
    log, goal, root = Worklog(recording.root), recording.goal, recording.root
    calls = {call.id: call for message in recording.messages for call in message.calls}
    full, asked = 0, False
    said: dict[str, dict[str, None]] = {}
    changed: tuple[tuple[str, ...], ...] = ()
    edited: frozenset[str] = frozenset()

    @cache
    def named_by(name: str, _spellings: int) -> tuple[str, ...]:
        return least((*(forms_of(name, root) or (name,)), *said.get(name, ())))

    for position, entry in enumerate(recording.entries):
        message = entry.message
        if message.role == "assistant":
            told = goal if asked else None
            yield Moment(position, next(needed), told, log.rules, changed, edited, full)
            log.next_step()
        asked = asked or message is goal
        full += counter.request(to_wire((message,)))
        if not _follow(entry, calls, log, said):
            continue
        changed = tuple(named_by(one.name, len(said.get(one.name, ()))) for one in log.changed)
        edited = frozenset(
            one.name
            for one in (*log.entities("symbol"), *log.entities("table"))
            if one.changed is not None
        )


def _follow(
    entry: Recorded,
    calls: Mapping[str, ToolCall],
    log: Worklog,
    said: dict[str, dict[str, None]],
) -> bool:
    """A message was said; whether it touched anything.

    Args:
        entry: the message.
        calls: all of the recording, by id.
        log: follows it.
        said: gets, for each file that it changed, how the call spells it.
    """
    message = entry.message
    if message.role == "user" and entry.spoken:
        work = log.of_user(message.id, message.text)
    elif message.role == "tool" and (call := calls.get(message.call_id or "")) is not None:
        work = log.of_result(call, message.text, ok=entry.ok)
        for touch in work.touches:
            if touch.kind == "file" and touch.ok and touch.action in CHANGING:
                said.setdefault(touch.name, {})[_spelt(touch.name, call.arguments)] = None
    else:
        return False
    log.apply(work, at=message.id, result=message.role == "tool")
    return bool(work.touches)


def _spelt(name: str, arguments: str) -> str:
    """How a call spells a file: the longest tail of its path in there, or else all of the call."""
    parts = name.split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts) - 1))
    return next((tail for tail in tails if tail in arguments), arguments)
