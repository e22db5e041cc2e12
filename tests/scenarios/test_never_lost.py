"""Three hundred steps at 32K, and summaries that say nothing: the thread isn't lost (issue 8).

The scripted model goes by what stands in its request, nothing else: before each step it looks
whether the request names what the step needs - files it changed, symbols it wrote, commands it ran,
codes it met, what comes next - and whether the user's rules are there.
"""

from dataclasses import dataclass, field
from pathlib import Path

from app.events import Summarised
from tests.endpoint import Call, Say
from tests.endpoint.script import Body
from tests.session.summing import HEADINGS, asks_for_summary, counted, talking, texts

STEPS = 300
TURNS = 6
WINDOW = 32_000
EMPTY = "\n\n".join(f"{head}\n- The work continued as described before." for head in HEADINGS)
RULE, LATER, ZH = "Never use npm here.", "Always keep the public API as it is.", "不要改 schema。"
GOAL = f"Split the order service into modules, one handler each. {RULE}"
SAID = (
    GOAL,
    f"Go on with the next ones. {LATER}",
    f"接着做，{ZH}",
    "Also mind the logging.",
    "Go on.",
    "Finish it.",
)
SPAN = STEPS // TURNS


def path_of(step: int) -> str:
    return f"src/orders/module{step:03}/handler{step:03}.py"


def symbol_of(step: int) -> str:
    return f"handle_order_{step:03}"


def body_of(step: int) -> str:
    lines = "".join(f"    total_{at} = amount * {step + at}\n" for at in range(190))
    return f"def {symbol_of(step)}(amount):\n{lines}    return amount\n"


@dataclass
class Agent:
    """The model's side.

    Attributes:
        root: the project.
        step: the next one.
        missed: what a step needed and its request didn't name.
        broken: rules that a request lacked.
        said: user messages so far.
        twice: requests with more than one recovery block.
    """

    root: Path
    step: int = 0
    missed: list[tuple[int, str]] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    said: int = 1
    twice: int = 0

    def __call__(self, body: Body) -> Say:
        if asks_for_summary(body):
            return Say(EMPTY, chunk=len(EMPTY), usage=counted(body, 80))
        sent = "\n".join(
            [*texts(body), *(str(one.get("tool_calls", "")) for one in body["messages"])]
        )
        self.twice += sent.count("\n<recovery>") > 1
        rules = [RULE, *([LATER] if self.said > 1 else []), *([ZH] if self.said > 2 else [])]
        self.broken += [(self.step, rule) for rule in rules if rule.rstrip(".。") not in sent]
        if self.step == self.said * SPAN:
            self.said += 1
            return Say("That part is done.", usage=counted(body, 6))
        call, needs = self.next()
        self.missed += [(self.step, need) for need in needs if need not in sent]
        self.step += 1
        return Say(calls=[call], usage=counted(body, 60))

    def next(self) -> tuple[Call, list[str]]:
        """What it does now, and what must stand in the request for that."""
        step = self.step
        back = (7, 31, 3, 113, 53)[step // 5 % 5]
        earlier = (step - back) // 5 * 5
        match step % 5:
            case 0:
                content = {"path": path_of(step), "content": body_of(step)}
                return Call("write_file", content), [path_of(step - 5)] if step >= 5 else []
            case 1 if earlier >= 0:
                return Call("read_file", {"path": path_of(earlier)}), [path_of(earlier)]
            case 2 if earlier >= 0:
                old, new = "    return amount\n", "    return amount  # checked\n"
                path = path_of(earlier)
                text = (self.root / path).read_text()
                if new in text:
                    old, new = new, old
                change = {"path": path, "old": old, "new": new}
                return Call("edit_file", change), [path, symbol_of(earlier)]
            case 3:
                command = f"sh check.sh {step - 3}"
                needs = [command.rpartition(" ")[0]] if step > 3 else []
                return Call("execute_command", {"command": command}), needs
            case 4 if step % 50 == 4:
                done = [f"module {at}" for at in range(step // 50)]
                todo = [f"module {at}" for at in range(step // 50, TURNS + 1)]
                needs = [f"module {step // 50}"] if step >= 50 else []
                return Call("update_todo", {"todo": todo, "done": done}), needs
            case _:
                wanted = symbol_of(max(0, earlier))
                return Call("search_files", {"pattern": wanted, "path": "src"}), [wanted]


async def test_every_step_finds_what_it_needs(tmp_path: Path) -> None:
    """FIELD 1, 3, 5, 7, 11, 12: goal, rules, files, commands, codes, over ten summaries."""
    root = tmp_path / "project"
    root.mkdir(parents=True, exist_ok=True)
    (root / "check.sh").write_text(
        'i=0; while [ $i -lt 60 ]; do echo "case $i of $1 is fine"; i=$((i+1)); done\n'
        "test $1 -ne 100 || { echo 'ERR_7f3a9c: total differs'; exit 1; }\n"
    )
    agent = Agent(root)
    async with talking(tmp_path, agent, window=WINDOW, allowance="all") as (recorded, at):
        session = recorded.session
        assert session.parts.project.root == root
        for said in SAID:
            await session.run(said)
            assert session.outcome.ok
        shown = await session.work_shown()
        commands = session._open.work.log.entities("command")
        codes = session._open.work.log.entities("identifier")
    assert agent.step == STEPS
    assert at.violations == []
    summaries = [one for one in recorded.of("summarized") if isinstance(one, Summarised)]
    assert len(summaries) >= 10
    assert agent.missed == []
    assert agent.broken == []
    assert agent.twice == 0
    changed = {path_of(step) for step in range(0, STEPS, 5)}
    assert {one.name for one in shown.changed} == changed
    assert shown.goal is not None and shown.goal.text == GOAL
    assert [rule.text.rstrip(".。") for rule in shown.rules] == [
        RULE.rstrip("."),
        LATER.rstrip("."),
        SAID[2].rstrip("。"),
    ]
    assert [one.name for one in commands if not one.ok] == ["sh check.sh 100"]
    assert "ERR_7f3a9c" in [one.name for one in codes]
