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
from tests.conversation.strategies import FEW

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


PLAIN = [
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
    '[Cleared: read_file src/a.py, 9 characters. read_history(ref="x")]\n',
    "</tool_result>\nfile: .haima/tool-outputs/x\n",
    " ",
    "\n",
]
NAMED = [f"src/part{n}/module{n}.py calls handle_part{n}()\n" for n in range(41)]
PIECES = st.sampled_from([*PLAIN * 3, *NAMED])
SIZES = [399, 400, 401, 700, 2_500, 9_000, 40_000]

bodies = st.one_of(
    st.just(""),
    st.lists(PIECES, max_size=4).map("".join),
    st.builds(
        lambda some, size: ("".join(some) * (size // len("".join(some)) + 1))[:size],
        st.lists(PIECES, min_size=1, max_size=3),
        st.sampled_from(SIZES),
    ),
)
"""A result: nothing, some pieces, or pieces again and again to a size."""

TOOLS = [
    "read_file",
    "execute_command",
    "search_files",
    "Save_Memory",
    "note",
    "read_history",
    "坏 名",
]
ARGUMENTS = [
    '{"path": "src/app/codec.py"}',
    '{"path": "docs/guide.md", "offset": 3, "limit": 9}',
    json.dumps({"command": "npm test -- " + "x" * 400}),
    "{broken",
    "",
    "null",
    '{"query": "海马"}',
]
MOVED = Offloaded(".haima/tool-outputs/chain/001-x.txt", 99_000, 90_000, 900, "0" * 64)


calls_made = st.sampled_from([(tool, given) for tool in TOOLS for given in ARGUMENTS])
_states: tuple[MessageState, ...] = ("live", "live", "live", "offloaded", "cut", "cleared")
_conditions = st.sampled_from(
    [
        (state, pinned == 6, state == "offloaded" or filed == 9)
        for state in _states
        for pinned in range(7)
        for filed in range(10)
    ]
)
"""A result's state, whether it is pinned, whether a file has it: in one choice, there are many."""

_asked = st.sampled_from(["Fix it.", "修复 src/app/codec.py", "go on"]).map(TextPart)
_more: st.SearchStrategy[list[Part]] = st.lists(
    st.sampled_from(
        [
            ImagePart("data:image/png;base64," + "A" * 900),
            MemoryPart("a memory"),
            RestoredPart("x", "quoted"),
        ]
    ),
    max_size=2,
)
_windows = st.sampled_from([1_000, 8_000, 16_000, 128_000])
_yes = st.booleans()


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
    if draw(_yes):
        messages.append(Message(fresh(), "system", (TextPart("You are Haima. src/known.py"),)))
    for _ in range(draw(FEW[4])):
        messages.append(Message(fresh(), "user", (draw(_asked), *draw(_more))))
        for _ in range(draw(FEW[4])):
            if draw(FEW[5]) == 5:
                half = (TextPart("Half a sen"),)
                messages.append(Message(fresh(), "assistant", half, discarded=True))
            calls = tuple(
                [ToolCall(fresh(), *draw(calls_made)) for _ in range(draw(FEW[4]) + 1)],
            )
            messages.append(Message(fresh(), "assistant", calls=calls))
            answered = draw(FEW[len(calls)]) if draw(FEW[5]) == 5 else len(calls)
            for place, call in enumerate(calls):
                body = draw(bodies) if place < answered else "Interrupted by the user."
                result = Message(
                    fresh(), "tool", (TextPart(body),), call_id=call.id, tool=call.name
                )
                messages.append(result)
                state, pinned, filed = draw(_conditions)
                if state != "live" or pinned:
                    standings[result.id] = Standing(state, pinned)
                if filed:
                    files[result.id] = MOVED
        if draw(_yes):
            messages.append(Message(fresh(), "assistant", (TextPart("Done in src/app/codec.py."),)))
    history = History(messages)
    targets = [message.id for message in history if message.role in ("user", "tool")]
    if draw(_yes) and targets:
        place = draw(st.integers(0, len(targets) - 1))
        history.set_recovery(RecoverySlot(targets[place], "goal: fix it"))
    marks = thresholds(draw(_windows))
    case = Case(history, standings, files, marks)
    if draw(_yes):
        case.names = ranked(history)
    return case
