"""`haima run` does a real task in a real checkout, over HTTP, with nothing a provider refuses."""

import asyncio
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.endpoint import Call, Endpoint, Say, Tokens
from tests.scenarios.support import Place, Ran

TEST_COMMAND = f"{sys.executable} -B -m unittest -q"  # an edit in the same second, of equal size

TASK = (
    Say(
        "I look at the code first.",
        calls=(
            Call("read_file", {"path": "calc.py"}),
            Call("read_file", {"path": "test_calc.py"}),
            Call("search_files", {"pattern": "Adds"}),
        ),
        usage=Tokens(1800, 60),
    ),
    Say(calls=(Call("execute_command", {"command": TEST_COMMAND}),), usage=Tokens(2100, 20, 1800)),
    Say(
        "The sign is wrong.",
        calls=(
            Call(
                "edit_file",
                {"path": "calc.py", "old": "    return a - b", "new": "    return a + b"},
            ),
            Call(
                "edit_file",
                {"path": "README.md", "old": "Adds numbers.", "new": "Adds numbers, rightly."},
            ),
            Call("write_file", {"path": "docs/CHANGES.md", "content": "- `add` adds.\n"}),
        ),
        usage=Tokens(2500, 90, 2100),
    ),
    Say(calls=(Call("execute_command", {"command": TEST_COMMAND}),), usage=Tokens(2700, 20, 2500)),
    Say("Fixed: `calc.py:6` adds now, and the tests pass.", usage=Tokens(2900, 30, 2700)),
)


@dataclass(frozen=True, slots=True)
class Task:
    """The task, done once."""

    place: Place
    endpoint: Endpoint
    ran: Ran


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """Does it."""

    async def run() -> Task:
        place = Place(tmp_path_factory.mktemp("task"))
        async with Endpoint(TASK, prefix_check=True) as endpoint:
            ran = await place.run(endpoint, "--allow", "all", "--json", "Make the tests pass")
        return Task(place, endpoint, ran)

    return asyncio.run(run())


def test_a_task_over_three_files(task: Task) -> None:
    place, endpoint, ran = task.place, task.endpoint, task.ran
    assert endpoint.violations == []
    assert endpoint.left == 0
    assert ran.code == 0, ran.err
    assert "return a + b" in (place.root / "calc.py").read_text()
    assert "rightly" in (place.root / "README.md").read_text()
    assert (place.root / "docs" / "CHANGES.md").read_text() == "- `add` adds.\n"


def test_its_events_come_in_order_and_tell_the_whole_story(task: Task) -> None:
    place, ran = task.place, task.ran
    events = ran.events
    told = [event["type"] for event in events if event["type"] != "notice"]
    assert told[:2] == ["session_started", "turn_started"]
    assert events[-1]["type"] == "turn_finished"
    assert (events[-1]["ok"], events[-1]["steps"]) == (True, 5)
    assert len({(event["session"], event["chain"]) for event in events}) == 1
    assert all(event["at"].endswith("Z") and event["conversation"] == "main" for event in events)
    assert len(ran.of("usage")) == 5
    assert (
        ran.of("usage")[1] | {"prompt": 2100, "cached": 1800, "completion": 20}
        == ran.of("usage")[1]
    )
    started, finished = ran.of("tool_started"), ran.of("tool_finished")
    assert [event["tool"] for event in started] == [
        call.name for step in TASK for call in step.calls
    ]
    assert {event["id"] for event in started} == {event["id"] for event in finished}
    by_id = {event["id"]: event for event in finished}
    results = [by_id[event["id"]] for event in started]
    assert [event["ok"] for event in results] == [True, True, True, False, True, True, True, True]
    assert results[0]["characters"] == len((place.root / "calc.py").read_text())
    for event in events:
        assert {"subject", "body", "diff"}.isdisjoint(event), "fields for the screen stay inside"
    said = "".join(event["text"] for event in ran.of("text"))
    assert said.endswith("the tests pass.")
    assert ran.err == ""


def test_results_go_back_in_the_order_of_the_calls(task: Task) -> None:
    for body in task.endpoint.requests:
        asked: list[str] = []
        for message in body["messages"]:
            asked += [call["id"] for call in message.get("tool_calls", [])]
            if message["role"] == "tool":
                assert message["tool_call_id"] == asked.pop(0)
        assert asked == []
    first, *others = task.endpoint.requests
    assert [body["tools"] for body in others] == [first["tools"]] * len(others)
    assert first["messages"][0]["role"] == "system"


def test_the_ledger_holds_it_all_and_is_private(task: Task) -> None:
    place, ran = task.place, task.ran
    rows = place.rows()
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["node"] for row in rows} == {ran.events[0]["session"]}
    assert rows[0]["kind"] == "node"
    assert [message["role"] for message in rows[0]["data"]["messages"]] == ["system"]
    roles = [row["data"]["message"]["role"] for row in rows if row["kind"] == "message"]
    assert roles[0] == "user"
    assert roles.count("assistant") == 5
    assert roles.count("tool") == 8
    (ledger,) = place.ledgers
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    assert stat.S_IMODE(ledger.parent.stat().st_mode) == 0o700
    assert not list(ledger.parent.glob("*.lock"))


async def test_words_for_people_the_answer_on_stdout_the_rest_on_stderr(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint(TASK) as endpoint:
        ran = await place.run(endpoint, "--allow", "all", "Make the tests pass")
    assert ran.out == "Fixed: `calc.py:6` adds now, and the tests pass.\n"
    assert "The sign is wrong." in ran.err
    assert "✓  edit_file  calc.py" in ran.err
    assert "✗  execute_command" in ran.err


async def test_the_prompt_from_standard_input(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("Hello")]) as endpoint:
        ran = await place.run(endpoint, "-", stdin="one\ntwo 海马\n")
    assert ran.code == 0
    assert endpoint.requests[0]["messages"][1]["content"] == "one\ntwo 海马\n"


async def test_a_turn_a_line_with_commands_between(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("One"), Say("Two"), Say("Three")], prefix_check=True) as endpoint:
        lines = "first\n\nsecond\n/export\n/clear\n/nonsense\nthird\n/quit\nnever\n"
        ran = await place.run(endpoint, "--lines", "--json", stdin=lines)
    # The prefix check sees the one deliberate break, /clear.
    assert len(endpoint.violations) == 1
    assert [event["text"] for event in ran.of("turn_started")] == ["first", "second", "third"]
    assert len({event["chain"] for event in ran.of("turn_started")}) == 2
    assert ran.code == 1, "/nonsense is an error, and none of the model's business"
    assert "/nonsense" in ran.err
    assert len(list(place.root.glob("haima-*.md"))) == 1
    assert len(place.ledgers) == 2


async def test_environment_variables_are_enough(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("Hello")], api_key="sk-from-environment") as endpoint:
        environ = {
            "OPENAI_BASE_URL": endpoint.base_url,
            "OPENAI_API_KEY": "sk-from-environment",
            "HAIMA_MODEL": "scripted",
        }
        ran = await place.haima("run", "Hi", environ=environ)
    assert (ran.code, ran.out) == (0, "Hello\n")
    assert "sk-from-environment" not in place.ledgers[0].read_text()
