"""A session: queue, stop and go on, clear, models, what is told and kept."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.config import ModelSettings, Settings
from app.conversation.messages import CorrectionPart, random_id
from app.events import (
    ApprovalAnswer,
    Event,
    Failed,
    HistoryCleared,
    Notice,
    Queued,
    SessionStarted,
    TurnStarted,
    Unqueued,
)
from app.ports import ModelError, RequestedCall, TextDelta
from app.session.queue import SessionBusy
from tests.session.support import (
    ALWAYS,
    REFUSE,
    Answers,
    Recorded,
    ScriptedModel,
    call,
    make_session,
    says,
    sendable,
)

KEY = "sk-0123456789abcdef"


def user_words(made: Recorded) -> list[str]:
    return [message.text for message in made.session.history if message.role == "user"]


async def test_nothing_is_written_before_the_first_message(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel())
    await made.session.open()
    await made.session.close()
    written = [path.name for path in made.home.rglob("*") if path.is_file()]
    assert written == ["haima.db"]  # the archive, without a row


async def test_messages_typed_meanwhile_wait_and_are_sent_in_order(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([gate, *says("One")], says("Two"))
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("first")
    await model.reached.wait()
    made.session.send("second")
    made.session.send("third")
    assert [message.text for message in made.session.queued] == ["second", "third"]
    assert [type(event) for event in made.events[-2:]] == [Queued, Queued]
    assert user_words(made) == ["first"], "not before the turn is over"
    gate.set()
    await made.session.wait_idle()
    assert user_words(made) == ["first", "second", "third"]
    assert made.session.queued == ()
    assert len(model.requests) == 2, "sent together"
    order = [
        (event.type, getattr(event, "text", getattr(event, "id", "")))
        for event in made.of("turn_started", "unqueued")
    ]
    ids = [message.id for message in made.session.history if message.role == "user"]
    assert order == [
        ("turn_started", "first"),
        ("unqueued", ids[1]),
        ("turn_started", "second"),
        ("unqueued", ids[2]),
        ("turn_started", "third"),
    ]
    assert len(made.of("turn_finished")) == 2


async def test_the_newest_waiting_message_can_be_taken_back(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([gate, *says("One")], says("Two"))
    made = make_session(tmp_path, model)
    await made.session.open()
    assert made.session.take_back() is None
    made.session.send("first")
    await model.reached.wait()
    made.session.send("second")
    made.session.send("third")
    assert made.session.take_back() == "third"
    taken = made.events[-1]
    assert isinstance(taken, Unqueued)
    assert taken.taken_back
    gate.set()
    await made.session.wait_idle()
    assert user_words(made) == ["first", "second"]


async def test_after_a_stop_what_waits_stays_until_the_user_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel([TextDelta("Hm"), asyncio.Event()], says("Two"))
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("first")
    await model.reached.wait()
    made.session.send("second")
    made.session.stop()
    await made.session.wait_idle()
    assert user_words(made) == ["first"]
    assert [message.text for message in made.session.queued] == ["second"]
    assert made.session.can_go_on
    assert made.session.go_on()
    await made.session.wait_idle()
    assert user_words(made) == ["first", "second"]


async def test_after_an_error_what_waits_stays_and_the_next_message_takes_it_along(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()
    failing = ModelError("model_error.broken_stream", host="h")
    model = ScriptedModel([gate, failing], says("Two"))
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("first")
    await model.reached.wait()
    made.session.send("second")
    gate.set()
    await made.session.wait_idle()
    assert [message.text for message in made.session.queued] == ["second"]
    made.session.send("third")
    await made.session.wait_idle()
    assert user_words(made) == ["first", "second", "third"]
    sendable(made.session.history)


async def test_after_a_stopped_answer_go_on_says_so_to_the_model(tmp_path: Path) -> None:
    model = ScriptedModel([TextDelta("Half"), asyncio.Event()], says("Rest"))
    made = make_session(tmp_path, model)
    await made.session.open()
    assert not made.session.go_on(), "there is nothing to go on with"
    made.session.send("first")
    await model.reached.wait()
    assert not made.session.go_on()
    made.session.stop()
    await made.session.wait_idle()
    assert made.session.go_on()
    await made.session.wait_idle()
    assert user_words(made) == ["first", "Go on."]
    assert not made.session.can_go_on


async def test_blank_text_starts_nothing_and_line_ends_become_one_kind(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(says("Hello")))
    await made.session.open()
    made.session.send(" \n\t")
    assert not made.session.busy
    await made.session.run("one\r\ntwo\rthree")
    assert user_words(made) == ["one\ntwo\nthree"]


async def test_a_message_that_cannot_be_written_down_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.archive.ledger import Ledger
    from app.storage import StorageError

    made = make_session(tmp_path, ScriptedModel(says("Hello")))
    await made.session.open()
    good = Ledger.write

    def full(*_: object, **__: object) -> None:
        raise StorageError("storage.full", path=Path("x"))

    monkeypatch.setattr(Ledger, "write", full)
    made.session.send("precious")
    on_its_way = made.session.queued
    await made.session.wait_idle()
    assert (len(on_its_way), [held.text for held in made.session.queued]) == (0, ["precious"])
    assert [event.type for event in made.events[-2:]] == ["error", "queued"]
    monkeypatch.setattr(Ledger, "write", good)
    assert made.session.go_on()
    await made.session.wait_idle()
    assert user_words(made) == ["precious"]


async def test_a_disk_that_fills_up_in_a_step_ends_the_turn_and_is_mended_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.archive.ledger import Ledger
    from app.archive.rows import Row
    from app.storage import StorageError

    good = Ledger.write
    failing = False

    def full(self: Ledger, kind: str, data: object, **rest: str) -> Row:
        if failing:
            raise StorageError("storage.full", path=Path("x"))
        return good(self, kind, data, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Ledger, "write", full)
    model = ScriptedModel(says("", call("list_dir", path=".")), says("Well"))
    made = make_session(tmp_path, model)
    await made.session.open()

    def fail_from_the_first_call_on(event: Event) -> None:
        nonlocal failing
        failing = failing or event.type == "tool_started"

    made.session.publish.listeners.append(fail_from_the_first_call_on)
    outcome = await made.session.run("Hi")
    assert not outcome.ok
    assert made.of("error")
    failing = False
    made.session.publish.listeners.pop()
    assert (await made.session.run("Again")).ok
    results = [message.text for message in made.session.history if message.role == "tool"]
    assert len(results) == 1
    assert "No result" in results[0]
    sendable(made.session.history)


async def test_clear_begins_a_new_chain_and_forgets_what_was_always_allowed(
    tmp_path: Path,
) -> None:
    decisions = Answers(ALWAYS)
    model = ScriptedModel(
        *[
            answer
            for text in ("one", "two")
            for answer in (says("", call("write_file", path="a.txt", content=text)), says("Done"))
        ]
    )
    made = make_session(tmp_path, model, decisions=decisions, new_id=random_id)
    await made.session.open()
    await made.session.run("Write")
    old = made.session.chain
    old_rows = made.ledger
    await made.session.clear()
    assert made.session.chain != old
    assert made.session.chain == made.session.node
    assert len(made.session.history) == 0
    kinds = [type(event) for event in made.events[-2:]]
    assert kinds == [HistoryCleared, SessionStarted]
    assert made.events[-2].chain == old
    assert made.events[-1].chain == made.session.chain
    await made.session.run("Write again")
    assert len(decisions.asked) == 2
    rows = made.rows(old)
    assert [row["kind"] for row in rows] == [*(row["kind"] for row in old_rows), "clear"]
    assert rows[-1]["data"] == {"node": made.session.chain}


async def test_clear_while_the_agent_works_is_refused(tmp_path: Path) -> None:
    model = ScriptedModel([asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    with pytest.raises(SessionBusy):
        await made.session.clear()
    with pytest.raises(SessionBusy):
        await made.session.run("More")
    await made.session.close()


async def test_clear_of_an_empty_session_leaves_no_file(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(), new_id=random_id)
    await made.session.open()
    await made.session.clear()
    await made.session.close()
    assert [path.name for path in made.home.rglob("*") if path.is_file()] == ["haima.db"]


async def test_credentials_never_get_into_history_ledger_requests_or_files(
    tmp_path: Path,
) -> None:
    settings = Settings(model=ModelSettings(api_key=SecretStr(KEY)))
    model = ScriptedModel(
        says(
            f"The key is {KEY}",
            call("write_file", path="a.txt", content=f"key={KEY}"),
            call("read_file", path="secret.txt"),
            RequestedCall("read_file", f'{{"path": "{KEY}'),
        ),
        says("Done"),
    )
    made = make_session(tmp_path, model, settings=settings)
    (made.root / "secret.txt").write_text(f"leaked {KEY}\n")
    await made.session.open()
    await made.session.run(f"My key is {KEY}")
    await made.session.export()
    await made.session.close()
    for request in model.requests:
        assert KEY not in str(request.messages)
    for path in (*made.home.rglob("*"), *made.root.glob("haima-*.md")):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


async def test_a_refusal_is_told_with_the_users_words(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("write_file", path="a.txt", content="x")), says("Fine"))
    made = make_session(tmp_path, model, answer=REFUSE)
    await made.session.open()
    assert (await made.session.run("Hi")).ok
    assert made.types == [
        "session_started",
        "turn_started",
        "message_finished",
        "tool_started",
        "approval_requested",
        "approval_answered",
        "approval_refused",
        "tool_finished",
        "text",
        "message_finished",
        "turn_finished",
    ]
    assert "use another file" in str(model.requests[1].messages[-1]["content"])
    finished = made.of("tool_finished")[0].model_dump()
    assert (finished["ok"], finished["refused"]) == (False, True)


async def test_a_command_the_user_changed_runs_as_changed_and_the_model_is_told(
    tmp_path: Path,
) -> None:
    answer = ApprovalAnswer(verdict="once", edited="echo changed")
    model = ScriptedModel(says("", call("execute_command", command="echo asked")), says("Fine"))
    made = make_session(tmp_path, model, answer=answer)
    await made.session.open()
    await made.session.run("Hi")
    result = next(message.text for message in made.session.history if message.role == "tool")
    assert "[The user changed this command. What ran: echo changed]" in result
    assert "\nchanged" in result
    assert made.session.history[2].calls[0].arguments == '{"command": "echo asked"}'


async def test_a_preview_that_breaks_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tools.write_file import WriteFile

    async def broken(*_: object) -> object:
        raise PermissionError("no")

    monkeypatch.setattr(WriteFile, "preview", broken)
    model = ScriptedModel(says("", call("write_file", path="a", content="x")), says("Odd"))
    made = make_session(tmp_path, model)
    await made.session.open()
    assert (await made.session.run("Hi")).ok
    assert not made.of("tool_finished")[0].model_dump()["ok"]


async def test_the_system_message_is_the_same_bytes_all_session_long(tmp_path: Path) -> None:
    model = ScriptedModel(says("One"), says("Two"))
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    (made.root / "AGENTS.md").write_text("New rules")
    await made.session.run("More")
    first, second = (request.messages[0] for request in model.requests)
    assert first == second
    assert model.requests[0].tools == model.requests[1].tools


async def test_a_changed_branch_is_told_once_with_the_next_message(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    model = ScriptedModel(says("One"), says("Two"), says("Three"))
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    (root / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    await made.session.run("More")
    await made.session.run("And more")
    told = [
        [part.text for part in message.parts if isinstance(part, CorrectionPart)]
        for message in made.session.history
        if message.role == "user"
    ]
    assert [len(parts) for parts in told][1:] == [1, 0]
    assert "topic" in told[1][0]
    assert user_words(made) == ["Hi", "More", "And more"]


async def test_notices_of_settings_and_documents_are_told(tmp_path: Path) -> None:
    from app.config import ConfigError

    made = make_session(tmp_path, ScriptedModel(says("Hello")))
    made.session._notices = [ConfigError("config.unreadable", path="x", reason="y")]
    (made.root / "AGENTS.md").write_text("a line\n" * 5000)
    await made.session.open()
    await made.session.run("Hi")
    codes = [event.code for event in made.events if isinstance(event, Notice)]
    assert codes == ["config", "document_cut"]


async def test_the_language_of_the_session_is_the_models_too(tmp_path: Path) -> None:
    model = ScriptedModel(says("好"))
    made = make_session(tmp_path, model, language="zh")
    await made.session.open()
    await made.session.run("你好")
    assert "如何工作" in str(model.requests[0].messages[0]["content"])


async def test_run_can_be_cancelled_and_leaves_the_session_usable(tmp_path: Path) -> None:
    model = ScriptedModel([asyncio.Event()], says("Hello"))
    made = make_session(tmp_path, model)
    await made.session.open()
    task = asyncio.create_task(made.session.run("Hi"))
    await model.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not made.session.busy
    assert (await made.session.run("Again")).ok


async def test_closing_stops_the_turn(tmp_path: Path) -> None:
    model = ScriptedModel([TextDelta("Half"), asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    chain = made.session.chain
    await made.session.close()
    rows = (made.home / "history" / "raw" / f"{chain}.jsonl").read_text()
    assert "Half" in rows
    assert not list((made.home / "history" / "raw").glob("*.lock"))


async def test_two_sessions_in_one_project_have_ledgers_of_their_own(tmp_path: Path) -> None:
    first = make_session(tmp_path, ScriptedModel(says("One")), new_id=random_id)
    second = make_session(tmp_path, ScriptedModel(says("Two")), new_id=random_id)
    for made in (first, second):
        await made.session.open()
    await asyncio.gather(first.session.run("a"), second.session.run("b"))
    assert first.session.chain != second.session.chain
    assert user_words(first) == ["a"]
    assert user_words(second) == ["b"]


async def test_export_writes_markdown_and_never_over_a_file(tmp_path: Path) -> None:
    model = ScriptedModel(says("I look.", call("list_dir", path=".")), says("It holds `x`."))
    made = make_session(tmp_path, model)
    (made.root / "odd").write_text("```")
    await made.session.open()
    await made.session.run("What is here? postgres://me:hunter2@db")
    today = datetime(2026, 11, 29, tzinfo=UTC).date()
    first = await made.session.export()
    assert first.name == f"haima-{made.session.chain[:4]}-{today}.md"
    second = await made.session.export()
    assert second.name == f"haima-{made.session.chain[:4]}-{today}-2.md"
    text = first.read_text()
    for words in ("What is here?", "I look.", "list_dir", "It holds `x`."):
        assert words in text
    assert "You are Haima" not in text
    assert "postgres://me:‹secret›@db" in text


async def test_errors_are_sentences(tmp_path: Path) -> None:
    made = make_session(
        tmp_path, ScriptedModel([ModelError("model_error.broken_stream", host="h")])
    )
    await made.session.open()
    await made.session.run("Hi")
    failed = next(event for event in made.events if isinstance(event, Failed))
    assert "\n" not in failed.text
    started = [event for event in made.events if isinstance(event, TurnStarted)]
    assert len(started) == 1
