"""The one write path: what is in the history is in the ledger, and the other way round."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.archive.ledger import Ledger
from app.archive.rebuild import Rebuilt, rebuild
from app.archive.recorder import Recorder
from app.archive.rows import Row, decode_bytes, read_rows
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Reasoning,
    RestoredPart,
    TextPart,
    ToolCall,
)
from app.ports import Usage
from app.storage import StorageError
from app.text import Words
from tests.conversation.strategies import Ids, any_message, conversations, user_parts

NODE = "7f3a9c01d2e4"
KEY = "sk-0123456789abcdef"
EN = Words("en")


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "a.jsonl"


def user(message_id: str, text: str = "hello") -> Message:
    return Message(message_id, "user", (TextPart(text),))


def step(message_id: str, *calls: str) -> Message:
    return Message(
        message_id, "assistant", calls=tuple(ToolCall(c, "read_file", "{}") for c in calls)
    )


def result(message_id: str, call: str, text: str = "done") -> Message:
    return Message(message_id, "tool", (TextPart(text),), call_id=call, tool="read_file")


def rows(path: Path) -> list[Row]:
    return list(read_rows(path))


def rebuilt(path: Path, node: str = NODE) -> Rebuilt:
    return rebuild(read_rows(path), node, EN)


def same(history: History, other: History) -> bool:
    return history.messages == other.messages and history.recovery == other.recovery


def test_each_operation_is_a_row(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.opened(project="/p", model="m", version="0.1.0")
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1"))
        recorder.append(result("t1", "c1"), raw=b"\xff\x00raw")
        recorder.usage(Usage(prompt=10, cached=4, completion=2, cost=0.5))
        assert recorder.replace("t1", (TextPart("short"),)) == result("t1", "c1")
        assert recorder.set_recovery(RecoverySlot("t1", "what is known")) is None
        removed = recorder.splice(1, 3, (Message("a2", "assistant", (TextPart("summary"),)),))
        assert [message.id for message in removed] == ["a1", "t1"]
        recorder.error("model", "no answer")
        assert [message.id for message in recorder.history] == ["u1", "a2"]
    found = rows(path)
    assert [row.kind for row in found] == [
        "session",
        "message",
        "message",
        "message",
        "usage",
        "replace",
        "recovery",
        "splice",
        "error",
    ]
    assert found[0].data == {"project": "/p", "model": "m", "version": "0.1.0"}
    assert decode_bytes(found[3].data["raw"]) == b"\xff\x00raw"
    assert found[4].data["cost"] == 0.5
    assert found[8].data == {"code": "model", "text": "no answer"}
    assert {row.node for row in found} == {NODE}
    assert same(rebuilt(path).history, recorder.history)


def test_a_refused_operation_writes_nothing_and_changes_nothing(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1", "c2"))
        before = (path.read_bytes(), recorder.history.messages)
        refused: list[Callable[[], object]] = [
            lambda: recorder.append(user("u1")),
            lambda: recorder.append(user("u2")),
            lambda: recorder.append(result("t9", "c9")),
            lambda: recorder.append(result("u1", "c2")),
            lambda: recorder.append(Message("t2", "tool", (), call_id="c2")),
            lambda: recorder.replace("u1", ()),
            lambda: recorder.replace("none", (TextPart("x"),)),
            lambda: recorder.splice(0, 9, ()),
            lambda: recorder.splice(2, 2, (user("u3"),)),
            lambda: recorder.set_recovery(RecoverySlot("none", "x")),
        ]
        for operation in refused:
            with pytest.raises(InvalidHistory):
                operation()
        assert (path.read_bytes(), recorder.history.messages) == before


def test_what_cannot_be_written_does_not_happen(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        recorder.append(Message("a1", "assistant", (TextPart("hi"),)))
        history, before = recorder.history, recorder.history.messages
        operations: list[Callable[[], object]] = [
            lambda: recorder.append(user("u2")),
            lambda: recorder.replace("u1", (TextPart("x"),)),
            lambda: recorder.splice(0, 2, ()),
            lambda: recorder.set_recovery(RecoverySlot("u1", "x")),
            lambda: recorder.clear("second"),
        ]
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            for operation in operations:
                with pytest.raises(StorageError, match="the disk is full"):
                    operation()
        assert recorder.history is history
        assert (history.messages, history.recovery, recorder.node) == (before, None, NODE)
        recorder.append(user("u2"))
    assert same(rebuilt(path).history, history)


def test_results_come_in_any_order_and_stand_in_that_of_the_calls(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1", "c2", "c3"))
        recorder.append(result("t3", "c3"))
        recorder.append(result("t2", "c2"))
        assert [message.id for message in recorder.history] == ["u1", "a1"]
        assert [call.id for call in recorder.unanswered] == ["c1"]
        for wrong in (result("t4", "c3"), result("t3", "c1"), user("u2")):
            with pytest.raises(InvalidHistory):
                recorder.append(wrong)
        recorder.append(result("t1", "c1"))
        assert [m.id for m in recorder.history] == ["u1", "a1", "t1", "t2", "t3"]
        recorder.append(user("u2"))
    written = [row.data["message"] for row in rows(path)]
    assert [m["id"] for m in written if isinstance(m, dict)] == ["u1", "a1", "t3", "t2", "t1", "u2"]
    assert same(rebuilt(path).history, recorder.history)


def test_an_interrupted_step_keeps_what_was_finished(path: Path) -> None:
    ids = Ids()
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1", "c2", "c3"))
        recorder.append(result("t2", "c2", "finished"))
        closing = recorder.close_step("interrupted", ids)
        assert [message.call_id for message in closing] == ["c1", "c3"]
        texts = [message.text for message in recorder.history][2:]
        assert texts == ["interrupted", "finished", "interrupted"]
        assert recorder.close_step("interrupted", ids) == ()
        recorder.append(user("u2"))
    assert same(rebuilt(path).history, recorder.history)


def test_a_step_cut_by_a_crash_goes_on_with_what_was_finished(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1", "c2"))
        recorder.append(result("t2", "c2", "finished"))
    found = rebuilt(path)
    assert [message.id for message in found.waiting] == ["t2"]
    with Ledger.open(path) as ledger:
        again = Recorder(found.history, ledger, NODE, waiting=found.waiting)
        assert [call.id for call in again.unanswered] == ["c1"]
        again.close_step("interrupted", Ids())
        assert [message.text for message in again.history][2:] == ["interrupted", "finished"]
    assert same(rebuilt(path).history, again.history)


def test_clear_begins_an_empty_history_and_keeps_the_old(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        old = recorder.history
        new = recorder.clear("b00000000002")
        assert new is recorder.history
        assert len(new) == 0
        recorder.append(user("u1", "again"))
        assert same(rebuilt(path).history, old)
        assert same(rebuilt(path, "b00000000002").history, new)
    assert [(row.node, row.kind) for row in rows(path)][1:] == [
        (NODE, "clear"),
        ("b00000000002", "message"),
    ]
    assert rows(path)[1].data == {"node": "b00000000002"}


def test_agents_of_a_chain_share_a_ledger(path: Path) -> None:
    with Ledger.open(path) as ledger:
        main = Recorder(History(), ledger, NODE)
        task = Recorder(History(), ledger, NODE, "task-3")
        main.append(user("u1"))
        task.append(user("u1", "a task"))
        main.append(Message("a1", "assistant", (TextPart("hi"),)))
    assert same(rebuilt(path).history, main.history)
    assert same(rebuild(read_rows(path), NODE, EN, "task-3").history, task.history)


def test_credentials_get_neither_into_the_history_nor_into_the_file(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE, credentials=(KEY,))
        kept = recorder.append(
            Message(
                "u1",
                "user",
                (
                    TextPart(f"key {KEY}"),
                    ImagePart(f"https://host/?k={KEY}"),
                    MemoryPart(KEY),
                    CorrectionPart(KEY),
                    RestoredPart("r", KEY),
                ),
            )
        )
        assert kept.text == "key ‹key›"
        assert recorder.history[0] == kept
        call = ToolCall("c1", "execute_command", f'{{"command":"curl -H {KEY}"}}')
        recorder.append(
            Message("a1", "assistant", calls=(call,), reasoning=Reasoning(KEY, details=KEY))
        )
        recorder.append(result("t1", "c1", KEY), raw=b"\xff" + KEY.encode())
        recorder.replace("t1", (TextPart(KEY),))
        recorder.set_recovery(RecoverySlot("t1", f"uses {KEY}"))
        recorder.splice(1, 3, (Message("a2", "assistant", (TextPart(KEY),)),))
        recorder.error("model", f"wrong key {KEY}")
        recorder.use_credentials(("another-secret",))
        recorder.append(user("u2", "another-secret"))
        assert not any(KEY in repr(message) for message in recorder.history)
    assert KEY.encode() not in path.read_bytes()
    assert b"another-secret" not in path.read_bytes()
    assert decode_bytes(rows(path)[2].data["raw"]) == b"\xff" + "‹key›".encode()
    assert same(rebuilt(path).history, recorder.history)


def test_halves_of_a_surrogate_pair_are_kept_as_they_come_back(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1", "\ud83d" + "\ude00 and \ud83d alone"))
        assert recorder.history[0].text == "\U0001f600 and \ud83d alone"
    assert same(rebuilt(path).history, recorder.history)


async def test_sync_is_the_ledgers(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        await recorder.sync()


# What is lost of the file


def write_session(path: Path) -> History:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(Message("s", "system", (TextPart("you are"),)))
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1", "c2"))
        recorder.append(result("t1", "c1"))
        recorder.append(result("t2", "c2"))
        recorder.append(Message("a2", "assistant", (TextPart("answer"),)))
        recorder.append(user("u2"))
        recorder.replace("t1", (TextPart("pointer"),))
        recorder.set_recovery(RecoverySlot("u2", "known"))
        recorder.splice(1, 6, (user("u3", "summary"), Message("a3", "assistant", (TextPart("y"),))))
        recorder.append(Message("a4", "assistant", (TextPart("end"),)))
    return recorder.history


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        (0, "u3 a3 u2 a4"),
        (1, "s a1 t1 t2 a2 u2 a4"),  # the splice names u1, so its range is left as it was
        (2, "s u3 a3 u2 a4"),
        (3, "s u3 a3 u2 a4"),
        (4, "s u3 a3 u2 a4"),
        (5, "s u1 a1 t1 t2 u2 a4"),
        (6, "s u3 a3 a4"),
        (7, "s u3 a3 u2 a4"),
        (8, "s u3 a3 u2 a4"),
        (9, "s u1 a1 t1 t2 a2 u2 a4"),
        (10, "s u3 a3 u2"),
    ],
)
def test_one_lost_row_costs_little(path: Path, lost: int, left: str) -> None:
    write_session(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[lost] = b"\xff garbage\n"
    path.write_bytes(b"".join(lines))
    found = rebuilt(path)
    assert " ".join(message.id for message in found.history) == left
    assert not found.history.open_calls


def test_a_lost_result_is_said_to_the_model_and_the_rest_goes_on(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        recorder.append(step("a1", "c1", "c2"))
        recorder.append(result("t1", "c1"))
        recorder.append(result("t2", "c2"))
        recorder.append(user("u2"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    found = rebuilt(path)
    assert [call.id for call in found.lost] == ["c1"]
    assert [message.text for message in found.history] == [
        "hello",
        "",
        EN("ledger.result_lost"),
        "done",
        "hello",
    ]
    assert rebuilt(path).history.messages == found.history.messages


def test_rows_of_later_versions_and_broken_data_are_passed_over(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        recorder.append(user("u1"))
        ledger.append("cleared_by_magic", {}, node=NODE)
        for kind, data in (
            ("message", {}),
            ("message", {"message": {"id": "x", "role": "user", "parts": [{"kind": "smell"}]}}),
            ("splice", {"start": "a"}),
            ("splice", {"start": 0, "end": 0, "messages": None}),
            ("splice", {"first": "gone", "last": "gone", "messages": []}),
            ("recovery", {"slot": 7}),
        ):
            ledger.append(kind, data, node=NODE)
        recorder.append(user("u2"))
    found = rebuilt(path)
    assert [message.id for message in found.history] == ["u1", "u2"]
    assert len(found.skipped) == 6


# Random histories and operations


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_rebuilt_history_equals_the_live_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "a.jsonl"
    ids = Ids()
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        for message in data.draw(conversations(ids)):
            recorder.append(message)
        for _ in range(data.draw(st.integers(0, 8))):
            before = (recorder.history.messages, recorder.history.recovery, path_size(path))
            try:
                operate(recorder, data, ids)
            except InvalidHistory:
                after = (recorder.history.messages, recorder.history.recovery, path_size(path))
                assert after == before
            found = rebuilt(path)
            assert same(found.history, recorder.history)
            assert (found.skipped, found.lost) == ((), ())


def path_size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def operate(recorder: Recorder, data: st.DataObject, ids: Ids) -> None:
    """One random operation, that may be refused."""
    history = recorder.history
    known = [message.id for message in history]
    match data.draw(
        st.sampled_from(["append", "append", "close", "replace", "splice", "recovery"])
    ):
        case "append":
            calls = [call.id for call in recorder.unanswered]
            recorder.append(data.draw(any_message(known, calls[::-1], ids())))
        case "close":
            recorder.close_step("closed", ids)
        case "replace":
            recorder.replace(data.draw(st.sampled_from([*known, "none"])), data.draw(user_parts))
        case "splice":
            start = data.draw(st.integers(0, len(history)))
            end = data.draw(st.integers(start, len(history)))
            recorder.splice(start, end, data.draw(conversations(ids, max_turns=1)))
        case _:
            slot = RecoverySlot(data.draw(st.sampled_from([*known, "none"])), "known")
            recorder.set_recovery(data.draw(st.sampled_from([slot, None])))
