"""The loop of a turn: what is asked, committed and told, and how it ends."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.conversation.history import History
from app.conversation.messages import Reasoning as KeptReasoning
from app.events import Failed, Notice, Retry, TurnFinished, UsageReported
from app.events import Text as TextEvent
from app.ports import ModelError, Reply, RequestedCall, Retrying, TextDelta, Usage
from tests.session.support import ScriptedModel, call, make_session, reasoning, says, sendable


def boom() -> ModelError:
    return ModelError("model_error.broken_stream", host="h")


def roles(history: History) -> list[str]:
    return [message.role for message in history if not message.discarded]


async def test_an_answer_is_streamed_committed_and_told(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(says("Hello there", usage=Usage(2400, 20, 7))))
    await made.session.open()
    outcome = await made.session.run("Hi")
    assert (outcome.ok, outcome.steps, outcome.code) == (True, 1, "")
    assert made.types == [
        "session_started",
        "turn_started",
        "text",
        "message_finished",
        "usage",
        "turn_finished",
    ]
    texts = [event for event in made.events if isinstance(event, TextEvent)]
    assert "".join(event.text for event in texts) == "Hello there"
    history = made.session.history
    assert roles(history) == ["system", "user", "assistant"]
    assert history[-1].text == "Hello there"
    assert {event.message for event in texts} == {history[-1].id}
    assert [row["kind"] for row in made.ledger] == ["node", "message", "message", "usage"]


async def test_every_event_is_stamped(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(says("Hello")))
    await made.session.open()
    await made.session.run("Hi")
    for event in made.events:
        assert event.at is not None
        assert event.at.tzinfo is not None
        assert (event.session, event.chain) == (made.session.node, made.session.chain)
        assert event.conversation == "main"


async def test_calls_run_and_their_results_go_back(tmp_path: Path) -> None:
    model = ScriptedModel(
        says("I look.", call("read_file", path="a.txt")),
        says("It says salt."),
    )
    made = make_session(tmp_path, model)
    (made.root / "a.txt").write_text("salt\n")
    await made.session.open()
    outcome = await made.session.run("What does a.txt say?")
    assert outcome.steps == 2
    second = model.requests[1].messages
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool"]
    assert "salt" in str(second[-1]["content"])
    assert second[:2] == model.requests[0].messages, "bytes already sent stay the same"
    finished = made.of("tool_finished")[0].model_dump()
    assert (finished["ok"], finished["tool"]) == (True, "read_file")


async def test_the_hook_runs_before_every_call(tmp_path: Path) -> None:
    seen: list[int] = []

    async def hook(history: History) -> None:
        seen.append(len(history))

    model = ScriptedModel(says("", call("list_dir", path=".")), says("Done"))
    made = make_session(tmp_path, model, before_call=hook)
    await made.session.open()
    await made.session.run("Hi")
    assert seen == [2, 4]


async def test_ids_of_calls_are_ours(tmp_path: Path) -> None:
    step = says("", call("list_dir", path="."), call("list_dir", path="x"))
    made = make_session(
        tmp_path, ScriptedModel(step, says("", call("list_dir", path=".")), says("ok"))
    )
    await made.session.open()
    await made.session.run("Hi")
    ids = [one.id for message in made.session.history for one in message.calls]
    assert len(set(ids)) == 3
    assert all(len(one) == 12 for one in ids)


@pytest.mark.parametrize("arguments", ['{"path": "a', '{"path": NaN}', "[1]", "null", "\ud83d"])
async def test_broken_arguments_become_a_result_and_never_poison_a_request(
    tmp_path: Path, arguments: str
) -> None:
    model = ScriptedModel(says("", RequestedCall("read_file", arguments)), says("Sorry"))
    made = make_session(tmp_path, model)
    await made.session.open()
    outcome = await made.session.run("Hi")
    assert outcome.ok
    asked = model.requests[1].messages[2]["tool_calls"]
    assert isinstance(asked, list)
    assert asked[0]["function"]["arguments"] == "{}"
    finished = made.of("tool_finished")[0].model_dump()
    assert not finished["ok"]
    assert finished["reason"]


async def test_an_unknown_tool_is_told_and_the_turn_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read.file", path="a"), call("", path="a")), says("Sorry"))
    made = make_session(tmp_path, model)
    await made.session.open()
    assert (await made.session.run("Hi")).ok
    results = [message for message in model.requests[1].messages if message["role"] == "tool"]
    assert len(results) == 2
    assert "read_file" in str(results[0]["content"])


async def test_a_retry_without_text_leaves_no_trace_in_the_history(tmp_path: Path) -> None:
    model = ScriptedModel([Retrying(2, "the server failed", 0.5), *says("Hello")])
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    retry = next(event for event in made.events if isinstance(event, Retry))
    assert (retry.attempt, retry.discarded, retry.message) == (2, 0, "")
    assert len(made.session.history) == 3


async def test_text_before_a_retry_is_discarded_and_kept(tmp_path: Path) -> None:
    model = ScriptedModel(
        [reasoning("hm"), TextDelta("Half a"), Retrying(2, "broke off", 0.5), *says("Whole")]
    )
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    retry = next(event for event in made.events if isinstance(event, Retry))
    history = made.session.history
    discarded = [message for message in history if message.discarded]
    assert [message.text for message in discarded] == ["Half a"]
    assert (retry.discarded, retry.message) == (6, discarded[0].id)
    assert [message["content"] for message in sendable(history)][-1] == "Whole"
    assert history[-1].id != discarded[0].id


async def test_an_error_of_the_model_ends_the_turn_and_keeps_the_users_words(
    tmp_path: Path,
) -> None:
    made = make_session(tmp_path, ScriptedModel([TextDelta("Half"), boom()], says("Hello")))
    await made.session.open()
    outcome = await made.session.run("Hi")
    assert (outcome.ok, outcome.code, outcome.cancelled) == (False, "model", False)
    failed = next(event for event in made.events if isinstance(event, Failed))
    assert failed.text
    assert "error" in [row["kind"] for row in made.ledger]
    assert roles(made.session.history) == ["system", "user"]
    assert [message.text for message in made.session.history if message.discarded] == ["Half"]
    assert made.session.go_on()
    assert made.events[-1].type == "turn_resumed"
    await made.session.wait_idle()
    assert roles(made.session.history) == ["system", "user", "assistant"]


@pytest.mark.parametrize("reply", [Reply(""), Reply("  \n"), Reply("", stopped="content_filter")])
async def test_an_empty_answer_is_a_failure(tmp_path: Path, reply: Reply) -> None:
    made = make_session(tmp_path, ScriptedModel([reply]))
    await made.session.open()
    outcome = await made.session.run("Hi")
    assert outcome.code == "empty_reply"
    failed = next(event for event in made.events if isinstance(event, Failed))
    assert reply.stopped in failed.text
    sendable(made.session.history)


async def test_a_stream_without_a_reply_is_a_failure(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel([TextDelta("Half")]))
    await made.session.open()
    assert (await made.session.run("Hi")).code == "empty_reply"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply("Cut", truncated=True), "truncated"),
        (Reply("Cut", stopped="content_filter"), "withheld"),
    ],
)
async def test_a_cut_answer_is_kept_and_said(tmp_path: Path, reply: Reply, code: str) -> None:
    made = make_session(tmp_path, ScriptedModel([TextDelta("Cut"), reply]))
    await made.session.open()
    assert (await made.session.run("Hi")).ok
    assert [event.code for event in made.events if isinstance(event, Notice)] == [code]
    assert made.session.history[-1].text == "Cut"


async def test_usage_is_reported_in_full(tmp_path: Path) -> None:
    usage = Usage(prompt=1000, cached=800, completion=50, reasoning=20, cost=0.01)
    made = make_session(tmp_path, ScriptedModel(says("Hello", usage=usage)))
    await made.session.open()
    await made.session.run("Hi")
    told = next(event for event in made.events if isinstance(event, UsageReported))
    assert (told.prompt, told.cached, told.completion, told.reasoning, told.cost) == (
        1000,
        800,
        50,
        20,
        0.01,
    )


async def test_repetition_is_remarked_and_then_ends_the_turn(tmp_path: Path) -> None:
    model = ScriptedModel(*[says("", call("list_dir", path=".")) for _ in range(9)])
    made = make_session(tmp_path, model)
    await made.session.open()
    outcome = await made.session.run("Hi")
    assert (outcome.ok, outcome.steps, outcome.code) == (False, 5, "repeats")
    results = [message.text for message in made.session.history if message.role == "tool"]
    assert ["[Haima:" in text for text in results] == [False, False, True, True, True]
    assert "list_dir" in next(event for event in made.events if isinstance(event, Failed)).text
    sendable(made.session.history)


async def test_repetition_of_a_broken_call_ends_the_turn_too(tmp_path: Path) -> None:
    model = ScriptedModel(*[says("", RequestedCall("read_file", '{"pa')) for _ in range(9)])
    made = make_session(tmp_path, model)
    await made.session.open()
    assert (await made.session.run("Hi")).steps == 5


async def test_a_call_that_finds_something_new_is_no_repetition(tmp_path: Path) -> None:
    steps: list[Sequence[object]] = []
    for number in range(6):
        steps.append(says("", call("read_file", path="a.txt")))
        steps.append(says("", call("write_file", path="a.txt", content=f"{number}\n")))
    made = make_session(tmp_path, ScriptedModel(*steps, says("Done")))  # type: ignore[arg-type]
    (made.root / "a.txt").write_text("start\n")
    await made.session.open()
    assert (await made.session.run("Hi")).ok


async def test_a_tool_that_breaks_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tools.list_dir import ListDir

    async def broken(*_: object) -> object:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr(ListDir, "run", broken)
    model = ScriptedModel(says("", call("list_dir", path=".")), says("Odd"))
    made = make_session(tmp_path, model)
    await made.session.open()
    assert (await made.session.run("Hi")).ok
    assert "by nought" in str(model.requests[1].messages[-1]["content"])


async def test_a_fault_of_the_loop_is_told_and_the_session_lives(tmp_path: Path) -> None:
    async def hook(_: History) -> None:
        if not made.of("error"):
            raise KeyError("lost")

    made = make_session(tmp_path, ScriptedModel(says("Hello")), before_call=hook)
    await made.session.open()
    outcome = await made.session.run("Hi")
    assert (outcome.ok, outcome.code) == (False, "fault")
    assert isinstance(made.events[-1], TurnFinished)
    assert (await made.session.run("Again")).ok


async def test_reasoning_is_shown_and_kept_as_the_dialect_decided(tmp_path: Path) -> None:
    kept = KeptReasoning("think", "reasoning_content", send=True)
    step = [reasoning("think"), Reply("Hello", reasoning=kept)]
    model = ScriptedModel(step, says("Again"))
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    await made.session.run("More")
    assert model.requests[1].messages[2]["reasoning_content"] == "think"


async def test_another_model_answers_from_the_next_step_on(tmp_path: Path) -> None:
    gate = asyncio.Event()
    first = ScriptedModel([gate, *says("", call("list_dir", path="."))])
    second = ScriptedModel(says("From the second"))
    second.name = "other"
    made = make_session(tmp_path, first)
    await made.session.open()
    made.session.send("Hi")
    await first.reached.wait()
    made.session.use_model(second)
    gate.set()
    await made.session.wait_idle()
    assert made.session.history[-1].text == "From the second"
    assert second.requests[0].messages[:2] == first.requests[0].messages
