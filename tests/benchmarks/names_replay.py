"""A compactor made of the names alone (NAMES 4.3 to 4.7), for the replay harness.

Not the product's tiers: the smallest policy by which NAMES measured, so that its figures can be
held against ours before the tiers exist. The harness and the recorded sessions lie outside the
repository (`HAIMA_SHARED`, or `shared` beside it).
"""

import asyncio
import importlib
import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from app.conversation.messages import Message, Role, TextPart, ToolCall
from app.memory.name_index import NameIndex
from app.memory.name_lists import (
    NOTE_SCANNED,
    Standing,
    best_names,
    block_names,
    in_order,
    listed,
)
from app.memory.name_score import Ranking
from app.memory.names import KINDS, Name

Wire = dict[str, Any]

SHELL = re.compile(r"(?i)bash|shell|exec|terminal|command|run_")
BLOCK = "<recovery>"
POINTER = "[cleared, "


SHARED = Path(os.environ.get("HAIMA_SHARED", Path(__file__).parents[2].parent / "shared"))
"""Where the harness and the sessions lie, if they are there; read before a test's own HAIMA_…"""


def harness() -> tuple[ModuleType, ModuleType]:
    """The harness and the peers it knows."""
    folder = str(SHARED / "tools" / "replay")
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("harness"), importlib.import_module("peers")
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = writes


def sessions() -> list[Path]:
    """The recorded sessions."""
    folder = SHARED / "data" / "replay"
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [folder / entry["file"] for entry in index["sessions"]]


def root_of(messages: list[Wire]) -> str:
    """The deepest folder that holds 70 % of the absolute paths in arguments (NAMES 4.1)."""
    folders: Counter[str] = Counter()
    total = 0
    for message in messages:
        for call in message.get("tool_calls") or ():
            for path in re.findall(r'"(/[\w.@+/-]+)', call["function"]["arguments"]):
                total += 1
                folders.update(str(parent) for parent in Path(path).parents if str(parent) != "/")
    kept = [folder for folder, count in folders.items() if count >= 0.7 * total]
    return max(kept, key=len, default="")


def message_of(number: int, wire: Wire) -> Message:
    """A recorded message as ours."""
    content = wire.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(piece.get("text", "") for piece in content)
    role: Role = "system" if wire["role"] == "developer" else wire["role"]
    return Message(
        f"{number:012x}",
        role,
        (TextPart(content),) if content else (),
        calls=tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in wire.get("tool_calls") or ()
        ),
        call_id=wire.get("tool_call_id"),
        tool="tool" if role == "tool" else None,
    )


def pointer_names(body: str, ranking: Ranking, standing: Standing) -> tuple[Name, ...]:
    """What a cleared result's pointer lists (NAMES 4.5)."""
    room = min(300, max(60, len(body) // 2))
    names = best_names(body, ranking=ranking, standing=standing, characters=room, by_room=True)
    standing.add(listed(names))
    return in_order(names)


def newest_step(history: list[Wire]) -> int:
    """Where the newest assistant message stands."""
    return max((at for at, one in enumerate(history) if one["role"] == "assistant"), default=0)


class NamesOnly:
    """A manager for the harness."""

    name = "names"

    def __init__(self, tools: ModuleType, window: int, root: str, goal: str) -> None:
        self.tools, self.window, self.goal = tools, window, goal
        self.index = NameIndex(root)
        self.mark = (
            window - min(20_000, max(1_000, window // 4)) - min(13_000, max(1_000, window // 8))
        )
        self.clear_at = min(100_000, self.mark * 6 // 10)
        self.added = 0

    async def on_message(self, wire: Wire) -> None:
        """The user's and the agent's messages."""
        self.added += 1
        self.index.add(message_of(self.added, wire))

    async def on_tool_result(self, call: Wire, result: Wire) -> Wire | None:
        """Offloads (NAMES 4.3)."""
        await self.on_message(result)
        body = result["content"] or ""
        shell = SHELL.search(call["function"]["name"])
        if len(body) <= min(8_000 if shell else 32_000, self.window // 2):
            return None
        return {**result, "content": self.note(body, 2_000, 800)}

    def note(self, body: str, head: int, tail: int) -> str:
        """What stays of a body."""
        first, middle, last = body[:head], body[head : len(body) - tail], body[len(body) - tail :]
        names = best_names(
            middle,
            ranking=self.ranking(),
            standing=Standing((first, last)),
            characters=min(1_500, max(600, len(body) // 12)),
            limit=NOTE_SCANNED,
        )
        return f"{first}\n[{len(body)} characters; between: {listed(names)}]\n{last}"

    def ranking(self) -> Ranking:
        """The scores now."""
        return Ranking(self.index, self.goal)

    async def prepare(self, history: list[Wire]) -> list[Wire]:
        """Clear, summarise, guard."""
        count = self.tools.list_tokens
        total = count(history)
        summarise = total >= self.mark
        if total >= self.clear_at:
            history = self.clear(history, summarise)
        if count(history) >= self.mark:
            history = self.summary(history)
        if count(history) > 0.95 * self.window:
            history = self.guard(history)
        return history

    def clear(self, history: list[Wire], summarise: bool) -> list[Wire]:
        """Pointers in the place of older results, and the block at the end (NAMES 4.4 to 4.6)."""
        results = [at for at, one in enumerate(history) if one["role"] == "tool"]
        newest = max(
            (at for at, one in enumerate(history) if one["role"] == "assistant"), default=0
        )
        due = [
            at
            for at in results[:-3]
            if at < newest
            and len(history[at]["content"] or "") > 100
            and not history[at]["content"].startswith(POINTER)
        ]
        freed = sum(self.tools.ntok(history[at]["content"]) for at in due)
        if not due or (freed < self.clear_at // 10 and not summarise):
            return history
        going = set(due)
        kept = [one for at, one in enumerate(history) if at not in going and not self.block(one)]
        standing, ranking = Standing(map(self.tools.text_of, kept)), self.ranking()
        cleared = list(history)
        for at in reversed(due):
            body = history[at]["content"]
            names = pointer_names(body, ranking, standing)
            pointer = f"{POINTER}{len(body)} chars; it named: {listed(names)}]"
            if len(pointer) <= len(body) // 2 or len(pointer) <= len(body) - 60:
                cleared[at] = {**history[at], "content": pointer}
            else:
                standing.add(body)
        cleared = [one for one in cleared if not self.block(one)]
        return [*cleared, {"role": "user", "content": self.recovery(cleared, standing, ranking)}]

    def recovery(self, kept: list[Wire], standing: Standing, ranking: Ranking) -> str:
        """The block."""
        goal = self.goal if not any(self.goal in self.tools.text_of(one) for one in kept) else ""
        if goal:
            standing.add(goal)
        tokens = min(3_000, max(1_000, self.window // 50))
        names = block_names(
            ranking=ranking, standing=standing, tokens=tokens, estimate=self.tools.ntok
        )
        lines = [listed(name for name in names if name.kind == kind) for kind in KINDS]
        return "\n".join([BLOCK, goal, *lines])

    @staticmethod
    def block(wire: Wire) -> bool:
        """Whether a message is the block."""
        return wire["role"] == "user" and str(wire["content"]).startswith(BLOCK)

    def summary(self, history: list[Wire]) -> list[Wire]:
        """A summary without content, the block, the user's last words, the tail (NAMES 4.7)."""
        system = [one for one in history[:1] if one["role"] == "system"]
        body = [one for one in history[len(system) :] if not self.block(one)]
        rounds: list[list[Wire]] = []
        for one in body:
            if one["role"] == "tool" and rounds:
                rounds[-1].append(one)
            else:
                rounds.append([one])
        left, cut = self.mark // 4, len(rounds)
        while cut and (cut == len(rounds) or self.tools.list_tokens(rounds[cut - 1]) <= left):
            cut -= 1
            left -= self.tools.list_tokens(rounds[cut])
        users = [one[0] for one in rounds[:cut] if one[0]["role"] == "user"]
        kept: list[Wire] = []
        room = self.mark // 5
        theirs = [one for one in users if self.tools.WORST not in one["content"]]
        for one in reversed(theirs[-3:]):
            if (size := self.tools.msg_tokens(one)) <= room:
                kept.insert(0, one)
                room -= size
        tail = [one for group in rounds[cut:] for one in group]
        standing, ranking = (
            Standing(map(self.tools.text_of, [*system, *kept, *tail])),
            self.ranking(),
        )
        text = f"{self.tools.WORST}\n{self.recovery([*system, *kept, *tail], standing, ranking)}"
        return [*system, {"role": "user", "content": text}, *kept, *tail]

    def guard(self, history: list[Wire]) -> list[Wire]:
        """The newest step's biggest result is cut to what fits (NAMES 4.9)."""
        newest = max(
            (at for at, one in enumerate(history) if one["role"] == "assistant"), default=0
        )
        results = [at for at in range(newest, len(history)) if history[at]["role"] == "tool"]
        if not results:
            return history
        at = max(results, key=lambda at: len(history[at]["content"] or ""))
        body = history[at]["content"]
        over = self.tools.list_tokens(history) - int(0.93 * self.window)
        room = max(400, len(body) - over * 4 - 1_500)
        if room < len(body):
            short = self.note(body, room * 2 // 3, room // 4)
            history = [*history[:at], {**history[at], "content": short}, *history[at + 1 :]]
        return history


@dataclass(frozen=True)
class Played:
    """What the harness measured over sessions (REPLAY "Measures").

    Attributes:
        b: steps past the window that lacked a name they used, percent.
        c: the same, of names that agent or user had named.
        f: the same, of names unseen for 30 messages.
        tokens, cost: millions.
        over, invalid, errors: requests.
        missing: of paths, symbols, commands, percent.
        milliseconds, worst: of processor time a step.
    """

    b: float
    c: float
    f: float
    tokens: float
    cost: float
    over: int
    invalid: int
    errors: int
    missing: tuple[float, float, float]
    milliseconds: float
    worst: float


def play(paths: list[Path], window: int, peer: str | None = None) -> Played:
    """Plays sessions through our names, or through one of the harness's peers."""
    tools, peers = harness()
    total: Counter[str] = Counter()
    worst = 0.0
    for path in paths:
        session = tools.Session(str(path))
        summariser = tools.Summariser("worst")
        if peer is None:
            manager = NamesOnly(tools, window, root_of(session.msgs), session.anchor)
        else:
            manager = peers.FACTORIES[peer](window, summariser, str(path.parent))
        found = asyncio.run(tools.replay(session, manager, window, summariser))
        worst = max(worst, found["cpu_max"])
        total.update({key: value for key, value in found.items() if isinstance(value, int | float)})

    def share(part: str, whole: str) -> float:
        return 100 * total[part] / total[whole] if total[whole] else 0.0

    missing = [share(f"misspost_{kind}", f"npost_{kind}") for kind in ("path", "symbol", "command")]
    return Played(
        share("post_amn", "post_ref"),
        share("own_amn", "own_ref"),
        share("far_amn", "far_steps"),
        total["tokens"] / 1e6,
        total["cost"] / 1e6,
        int(total["over"]),
        int(total["invalid"]),
        int(total["errors"]),
        (missing[0], missing[1], missing[2]),
        1_000 * total["cpu"] / total["steps"],
        1_000 * worst,
    )
