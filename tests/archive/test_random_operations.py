"""Random operations: the history is always what the ledgers come to."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.recorder import Recorder
from app.archive.rows import Row, read_rows
from app.archive.stepping import LiveNode
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import Message, TextPart
from app.conversation.offloaded import Offloaded
from app.conversation.standing import MessageState, Standing, Tier
from app.conversation.summary_mark import SummaryMark
from tests.archive.recording import NODE, agrees, left_at, looks, result, step, user
from tests.conversation.strategies import (
    FEW,
    Ids,
    any_message,
    conversations,
    made_turns,
    pick,
    said,
    user_parts,
)

STATES: list[MessageState | None] = [None, "live", "offloaded", "cleared", "cut"]
FILES: list[Offloaded | None] = [
    None,
    None,
    Offloaded(".haima/tool-outputs/7f3a9c01d2e4/001-read_file.txt", 40_000, 39_000, 7, "00ff"),
    Offloaded(".haima/tool-outputs/7f3a9c01d2e4/002-x.txt", 9, 9, 1, "11"),
]
TIERS = st.sampled_from(get_args(Tier))


MARK = SummaryMark(messages=3, tokens=20, tokens_before=900, tokens_after=300, model="m")

OPERATIONS = [
    *("append", "append", "close", "replace", "pin", "pause"),
    *("splice", "recovery", "child", "fork"),
    *("summary", "summary", "undo", "undo", "expand", "fork above"),
]
_operations = st.sampled_from(OPERATIONS)
_states = st.sampled_from(STATES)
_files = st.sampled_from(FILES)
_yes = st.booleans()
_words = said.map(lambda text: (TextPart(text),))


class Place:
    """The ledgers of a chain, in a folder; forks have their own.

    Attributes:
        lives: nodes as they were when another began from them.
        was: what the recorder looked like then.
        undone: nodes whose beginning was undone.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self._names = count(1)
        self.recorder = Recorder(History(), self.ledger(NODE), NODE)
        self.lives: dict[str, LiveNode] = {}
        self.was: dict[str, tuple[object, ...]] = {}
        self.undone: set[str] = set()

    async def begin(self, start: NodeStart, known: LiveNode | None = None) -> None:
        """Begins another node of this ledger, once there is one to begin it from."""
        if not self.paths:
            raise InvalidHistory("history.unknown_message", id="")
        live, was = self.recorder.live(), looks(self.recorder)
        await self.recorder.begin(start, self.name(), known=known)
        self.lives[live.node], self.was[live.node] = live, was

    async def step_back(self, live: LiveNode) -> None:
        """Undoes the beginning of the present node; all is as it was, or as before."""
        undone = self.recorder.node
        await self.recorder.step_back(live)
        assert looks(self.recorder) == self.was[live.node]
        assert self.recorder.way_back == self.lives[live.node].way_back
        self.lives[live.node] = live
        self.undone.add(undone)

    async def fork(self, kept: History, live: LiveNode) -> None:
        """Goes on in a ledger of its own with the beginning of a node, once there is one."""
        if not self.paths:
            raise InvalidHistory("history.unknown_message", id="")
        node = self.name()
        files = {key: file for key, file in live.files.items() if kept.get(key)}
        paused = live.stands.paused
        fork = Recorder(
            kept,
            self.ledger(node),
            node,
            standings=live.standings,
            files=files,
            paused=paused,
        )
        await fork.begin(
            NodeStart(
                chain=NODE,
                parent=live.node,
                relation="fork",
                layout=fork.layout(),
                paused=paused,
            )
        )
        self.recorder = fork

    def ledger(self, name: str) -> Ledger:
        """A new one."""
        return self._stack.enter_context(Ledger.open(self.folder / f"{name}.jsonl"))

    def name(self) -> str:
        """A new node's id."""
        return f"{next(self._names):012x}"

    @property
    def paths(self) -> list[Path]:
        """The ledgers."""
        return sorted(self.folder.glob("*.jsonl"))

    def looks(self) -> object:
        """What a refused operation must leave as it is."""
        recorder = self.recorder
        sizes = [path.stat().st_size for path in self.paths]
        return looks(recorder), recorder.way_back, sizes


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_a_rebuilt_history_equals_the_live_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    asyncio.run(random_operations(tmp_path_factory.mktemp("ledgers"), data))


async def random_operations(folder: Path, data: st.DataObject) -> None:
    ids = Ids()
    with ExitStack() as stack:
        place = Place(folder, stack)
        for message in data.draw(conversations(ids)):
            await place.recorder.append(message)
        for _ in range(data.draw(st.integers(0, 8))):
            before = place.looks()
            try:
                await operate(place, data, ids)
            except InvalidHistory:
                assert place.looks() == before
            agrees(place.recorder, *place.paths)


async def operate(place: Place, data: st.DataObject, ids: Ids) -> None:
    """One random operation, that may be refused."""
    recorder = place.recorder
    history = recorder.history
    known = [message.id for message in history]
    some = [*known, "none"]
    # Mostly between steps, where a range may begin and end.
    between = [place for place, m in enumerate(history) if m.role == "user"]
    edges = ([*between, len(history)], range(len(history) + 1))
    start, end = sorted([pick(data.draw, edges[data.draw(_yes)]) for _ in range(2)])
    match data.draw(_operations):
        case "append":
            calls = [call.id for call in recorder.unanswered]
            message = data.draw(any_message(known, calls[::-1], ids()))
            file = data.draw(_files) if message.role == "tool" else None
            await recorder.append(message, file=file)
        case "close":
            await recorder.close_step("closed", ids)
        case "replace":
            target, state = pick(data.draw, some), data.draw(_states)
            old = history.get(target)
            parts = data.draw(user_parts if old and old.role == "user" else _words)
            file = data.draw(_files)
            await recorder.replace(target, parts, state=state, file=file)
        case "pin":
            chosen = [pick(data.draw, some) for _ in range(data.draw(FEW[3]))]
            await recorder.pin(chosen, pinned=data.draw(_yes))
        case "pause":
            await recorder.pause(data.draw(TIERS), on=data.draw(_yes))
        case "splice":
            await recorder.splice(start, end, data.draw(made_turns)(ids))
        case "child":
            own = data.draw(made_turns)(ids)
            new = [LayoutEntry(m.id, Standing(pinned=data.draw(_yes))) for m in own]
            layout = recorder.layout()
            first = pick(data.draw, [0, min(1, start), start])
            begun = NodeStart(
                chain=NODE,
                parent=recorder.node,
                relation="summary",
                layout=(*layout[:first], *new, *layout[end:]),
                messages=tuple(own),
                recovery=pick(data.draw, [None, RecoverySlot(pick(data.draw, some), "x")]),
                paused=recorder.paused,
            )
            await place.begin(begun)
        case "fork":
            kept = History(history[:end])  # refused where it breaks a rule
            await place.fork(kept, recorder.live())
        case "summary":
            await summarise(place, end, ids)
        case "undo":
            await undo(place, data)
        case "expand":
            await expand(place, data, start, end)
        case "fork above":
            live = pick(data.draw, [*place.lives.values(), recorder.live()])
            upto = data.draw(st.integers(0, len(live.history)))
            await place.fork(History(live.history[:upto]), live)
        case _:
            slot = RecoverySlot(pick(data.draw, some), "known")
            await recorder.set_recovery(pick(data.draw, [slot, None]))


async def summarise(place: Place, end: int, ids: Ids) -> None:
    """A summary as it is made: the system message, the summary, an acknowledgement, the tail."""
    recorder = place.recorder
    layout = recorder.layout()
    head = layout[: len(recorder.history) > 0 and recorder.history[0].role == "system"]
    summary = user(ids(), "what was done so far")
    heard = Message(ids(), "assistant", (TextPart("Understood."),))
    start = NodeStart(
        chain=NODE,
        parent=recorder.node,
        relation="summary",
        layout=(*head, LayoutEntry(summary.id), LayoutEntry(heard.id), *layout[end:]),
        messages=(summary, heard),
        recovery=RecoverySlot(summary.id, "known", first=True),
        summary=replace(MARK, summary=summary.id),
    )
    await place.begin(start)


async def undo(place: Place, data: st.DataObject) -> None:
    """A step back to where it can be, by what was kept or what the rows tell; or elsewhere."""
    recorder = place.recorder
    back = recorder.way_back
    live = place.lives.get(back or "", recorder.live())
    if back is not None and data.draw(_yes):
        rows = [row for path in place.paths for row in read_rows(path)]
        live = replace(left_at(rows, back), way_back=live.way_back)
    elif place.lives and data.draw(st.integers(0, 3)) == 0:
        live = pick(data.draw, list(place.lives.values()))
    await place.step_back(live)


async def expand(place: Place, data: st.DataObject, start: int, end: int) -> None:
    """What left with a node is back, in place of some of what stands there now."""
    recorder = place.recorder
    known = pick(data.draw, [*place.lives.values(), recorder.live()])
    here = {one.id for one in recorder.history}
    back = [
        replace(entry, standing=replace(entry.standing, pinned=data.draw(_yes)))
        for entry in known.layout
        if entry.id not in here
    ]
    layout = recorder.layout()
    begun = NodeStart(
        chain=NODE,
        parent=recorder.node,
        relation="expand",
        layout=(*layout[:start], *back, *layout[end:]),
    )
    await place.begin(begun, known)


class Slow:
    """A projection that takes as many rounds of the loop for each row as it was told."""

    def __init__(self, rounds: Iterator[int]) -> None:
        self._rounds = rounds
        self.rows: list[Row] = []

    async def commit(self, ledger: str, row: Row, size: int) -> None:
        """Takes a while."""
        for _ in range(next(self._rounds)):
            await asyncio.sleep(0)
        self.rows.append(row)


@settings(max_examples=60, deadline=None)
@given(
    order=st.permutations(range(4)),
    rounds=st.lists(st.integers(0, 5), min_size=4, max_size=4),
    delays=st.lists(st.integers(0, 12), min_size=4, max_size=4),
)
def test_parallel_results_stand_in_the_order_of_the_calls(
    tmp_path_factory: pytest.TempPathFactory,
    order: list[int],
    rounds: list[int],
    delays: list[int],
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "a.jsonl"
    asyncio.run(parallel_results(path, order, rounds, delays))


async def parallel_results(
    path: Path, order: list[int], rounds: list[int], delays: list[int]
) -> None:
    with Ledger.open(path) as ledger:
        slow = Slow(iter([0, 0, *rounds, 0]))
        recorder = Recorder(History(), ledger, NODE, projection=slow)
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c0", "c1", "c2", "c3"))

        async def one(number: int) -> Message:
            for _ in range(delays[number]):
                await asyncio.sleep(0)
            return await recorder.append(result(f"t{number}", f"c{number}"))

        await asyncio.gather(*(one(number) for number in order))
        await recorder.append(Message("a2", "assistant", (TextPart("all read"),)))
        ids = [message.id for message in recorder.history]
        assert ids == ["u1", "a1", "t0", "t1", "t2", "t3", "a2"]
        assert [row.seq for row in slow.rows] == list(range(1, 8))
        agrees(recorder, path)
