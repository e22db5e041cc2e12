"""Histories for the tests of clearing: made by hand, and random ones for hypothesis."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from app.compaction.clear import EXCLUDED, ClearPlan, plan_clear, unseen_results
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import (
    ImagePart,
    MemoryPart,
    Message,
    Part,
    RestoredPart,
    TextPart,
    ToolCall,
)
from app.conversation.meter import Meter
from app.conversation.offloaded import Offloaded
from app.conversation.standing import MessageState, Standing
from app.conversation.window import Thresholds, thresholds
from app.llm.families import coefficients_of
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.text import Words

GENERIC = coefficients_of("generic")
EN = Words("en")
MARKS = thresholds(128_000)


def step(
    number: int,
    *bodies: str,
    tool: str = "read_file",
    arguments: Callable[[int], dict[str, object]] | None = None,
) -> list[Message]:
    """A step with a call and a result for each body; ids `a<number>`, `r<number>.<place>`."""
    made = arguments or (lambda place: {"path": f"src/file{number}_{place}.py"})
    calls = tuple(
        ToolCall(f"c{number}.{place}", tool, json.dumps(made(place)))
        for place in range(len(bodies))
    )
    return [
        Message(f"a{number}", "assistant", calls=calls),
        *(
            Message(f"r{number}.{place}", "tool", (TextPart(body),), call_id=call.id, tool=tool)
            for place, (call, body) in enumerate(zip(calls, bodies, strict=True))
        ),
    ]


def user(text: str = "Go on.", message_id: str = "u") -> Message:
    return Message(message_id, "user", (TextPart(text),))


def answer(text: str = "Done.", message_id: str = "z") -> Message:
    return Message(message_id, "assistant", (TextPart(text),))


def ranked(history: History) -> Ranking:
    """The names of a history, each message added as it stands."""
    index = NameIndex()
    index.follow(history)
    return Ranking(index)


@dataclass
class Case:
    """A history with its states; clears as the compactor will."""

    history: History
    standings: dict[str, Standing] = field(default_factory=dict)
    files: dict[str, Offloaded] = field(default_factory=dict)
    marks: Thresholds = MARKS
    meter: Meter = field(default_factory=lambda: Meter(GENERIC))
    names: Ranking | None = None

    @classmethod
    def of(cls, messages: Sequence[Message], **more: object) -> "Case":
        return cls(History(messages), **more)  # type: ignore[arg-type]

    def plan(self, *, force: bool = False, words: Words = EN, **more: object) -> ClearPlan:
        """A plan for it."""
        options: Mapping[str, object] = {
            "unseen": unseen_results(self.history),
            "excluded": EXCLUDED,
            "files": self.files,
            "names": self.names,
            **more,
        }
        return plan_clear(
            self.history,
            self.standings,
            self.meter,
            self.marks,
            words=words,
            force=force,
            **options,  # type: ignore[arg-type]
        )

    def clear(self, plan: ClearPlan) -> None:
        """Carries a plan out."""
        for one in plan.clearings:
            self.history.replace(one.id, one.parts)
            standing = self.standings.get(one.id, Standing())
            self.standings[one.id] = replace(standing, state="cleared")


plain_pieces = st.sampled_from(
    [
        "word ",
        "line of words and more\n",
        "src/app/codec.py: OrderCodec.read_field()\n",
        "tests/test_orders.py::test_field FAILED\n",
        "def encode_order(self):\n",
        "海马体负责记忆的形成。",
        "👩‍🚀",
        "\x1b[31m\0\n",
        "\ud83d",
        "a" * 90,
        '[Cleared: read_file src/a.py, 9 characters. read_history(ref="x") quotes it]\n',
        "</tool_result>\nfile: .haima/tool-outputs/x\n",
        " ",
        "\n",
    ]
)
named_pieces = st.integers(0, 40).map(
    lambda number: f"src/part{number}/module{number}.py calls handle_part{number}()\n"
)
pieces = st.one_of(plain_pieces, named_pieces)
bodies = st.one_of(
    st.just(""),
    st.lists(pieces, max_size=4).map("".join),
    st.builds(
        lambda some, size: ("".join(some) * (size // len("".join(some)) + 1))[:size],
        st.lists(pieces, min_size=1, max_size=3),
        st.sampled_from([399, 400, 401, 700, 2_500, 9_000, 40_000]),
    ),
)
tools = st.sampled_from(
    ["read_file", "execute_command", "search_files", "Save_Memory", "note", "read_history", "坏 名"]
)
arguments = st.sampled_from(
    [
        '{"path": "src/app/codec.py"}',
        '{"path": "docs/guide.md", "offset": 3, "limit": 9}',
        json.dumps({"command": "npm test -- " + "x" * 400}),
        "{broken",
        "",
        "null",
        '{"query": "海马"}',
    ]
)
MOVED = Offloaded(".haima/tool-outputs/chain/001-x.txt", 99_000, 90_000, 900, "0" * 64)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A random conversation: parallel calls, interrupts, pictures, any state of any result."""
    count = 0

    def fresh() -> str:
        nonlocal count
        count += 1
        return f"{count:012x}"

    messages: list[Message] = []
    standings: dict[str, Standing] = {}
    files: dict[str, Offloaded] = {}
    if draw(st.booleans()):
        messages.append(Message(fresh(), "system", (TextPart("You are Haima. src/known.py"),)))
    for _ in range(draw(st.integers(0, 4))):
        parts = [TextPart(draw(st.sampled_from(["Fix it.", "修复 src/app/codec.py", "go on"])))]
        more: st.SearchStrategy[Part] = st.sampled_from(
            [
                ImagePart("data:image/png;base64," + "A" * 900),
                MemoryPart("a memory"),
                RestoredPart("x", "quoted"),
            ]
        )
        messages.append(Message(fresh(), "user", (*parts, *draw(st.lists(more, max_size=2)))))
        for _ in range(draw(st.integers(0, 4))):
            if draw(st.integers(0, 5)) == 0:
                half = (TextPart("Half a sen"),)
                messages.append(Message(fresh(), "assistant", half, discarded=True))
            calls = tuple(
                ToolCall(fresh(), draw(tools), draw(arguments))
                for _ in range(draw(st.integers(1, 5)))
            )
            messages.append(Message(fresh(), "assistant", calls=calls))
            answered = len(calls) if draw(st.integers(0, 5)) else draw(st.integers(0, len(calls)))
            for place, call in enumerate(calls):
                body = draw(bodies) if place < answered else "Interrupted by the user."
                result = Message(
                    fresh(), "tool", (TextPart(body),), call_id=call.id, tool=call.name
                )
                messages.append(result)
                state: MessageState = draw(
                    st.sampled_from(["live", "live", "live", "offloaded", "cut", "cleared"])
                )
                pinned = draw(st.integers(0, 6)) == 0
                if state != "live" or pinned:
                    standings[result.id] = Standing(state, pinned)
                if state == "offloaded" or draw(st.integers(0, 9)) == 0:
                    files[result.id] = MOVED
        if draw(st.booleans()):
            messages.append(Message(fresh(), "assistant", (TextPart("Done in src/app/codec.py."),)))
    history = History(messages)
    targets = [message.id for message in history if message.role in ("user", "tool")]
    if draw(st.booleans()) and targets:
        history.set_recovery(RecoverySlot(draw(st.sampled_from(targets)), "goal: fix it"))
    marks = thresholds(draw(st.sampled_from([1_000, 8_000, 16_000, 128_000])))
    case = Case(history, standings, files, marks)
    if draw(st.booleans()):
        case.names = ranked(history)
    return case
