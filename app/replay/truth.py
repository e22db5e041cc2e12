"""What a recording itself shows of each of its steps; worked out once for all policies.

No policy is asked: rules, changed files and symbols are what the worklog makes of the session.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.conversation.messages import Message, ToolCall
from app.conversation.wire import to_wire
from app.conversation.work import Rule
from app.memory.worklog import Worklog
from app.replay.counting import Counter
from app.replay.recording import Recorded, Recording
from app.replay.references import Reference, forms_of, references


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
    changed: tuple[tuple[str, ...], ...] = ()
    edited: frozenset[str] = frozenset()
    for position, entry in enumerate(recording.entries):
        message = entry.message
        if message.role == "assistant":
            told = goal if asked else None
            yield Moment(position, next(needed), told, log.rules, changed, edited, full)
            log.next_step()
        asked = asked or message is goal
        full += counter.request(to_wire((message,)))
        if not _follow(entry, calls, log):
            continue
        changed = tuple(forms_of(one.name, root) or (one.name,) for one in log.changed)
        edited = frozenset(
            one.name
            for one in (*log.entities("symbol"), *log.entities("table"))
            if one.changed is not None
        )


def _follow(entry: Recorded, calls: Mapping[str, ToolCall], log: Worklog) -> bool:
    """A message was said; whether it touched anything."""
    message = entry.message
    if message.role == "user" and entry.spoken:
        work = log.of_user(message.id, message.text)
    elif message.role == "tool" and (call := calls.get(message.call_id or "")) is not None:
        work = log.of_result(call, message.text, ok=entry.ok)
    else:
        return False
    log.apply(work, at=message.id)
    return bool(work.touches)
