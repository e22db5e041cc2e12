"""Sessions that other agents recorded: what each format holds comes in whole, the rest is counted.

The files stand in `tests/data/replay`; their shapes are those the programs write, the words ours.
"""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.history import History
from app.conversation.messages import Message
from app.errors import HaimaError
from app.replay.importers import is_ledger, packed, read_recording
from app.replay.recording import NoSuchRecording, Recording, RecordingError
from app.text import Words

DATA = Path(__file__).parents[1] / "data" / "replay"
WORDS = Words("en")


def read(name: str) -> Recording:
    recording = read_recording(DATA / name, WORDS)
    History.check(recording.messages)
    return recording


def told(recording: Recording) -> list[str]:
    """Each message in one line: role, calls, text."""
    return [line(message) for message in recording.messages]


def line(message: Message) -> str:
    calls = " ".join(f"{call.name}({call.id})" for call in message.calls)
    answers = f"{message.tool}({message.call_id})" if message.call_id else ""
    return " ".join(filter(None, (f"{message.role}:", calls, answers, message.text)))


def counts(recording: Recording) -> tuple[dict[str, int], dict[str, int]]:
    return (
        {one.what: one.count for one in recording.skipped},
        {one.what: one.count for one in recording.repaired},
    )


def test_chat_lines_are_read_and_put_right() -> None:
    chat = read("chat.jsonl")
    assert chat.format == "openai"
    assert told(chat) == [
        "system: You help with the library catalogue.",
        "user: Rename loan_days to lending_days in catalogue/loans.py.",
        "assistant: read_file(c1) execute_command(c2)",
        "tool: read_file(c1) # loans\n\nloan_days = 21\n",
        "tool: execute_command(c2) catalogue/loans.py:3:loan_days = 21",
        "assistant: edit_file(c1~2)",
        "tool: edit_file(c1~2) [no result was recorded]",
        "user: And the tests?",
        "assistant: They name \nlending_days now.",
    ]
    assert counts(chat) == (
        {"orphan": 1, "unknown": 1, "unreadable": 1},
        {"closed": 1, "renamed": 1},
    )
    assert chat.left_out == 3
    assert chat.title == "Rename loan_days to lending_days in catalogue/loans.py."
    assert chat.entries[1].at == "2026-05-04T09:00:00Z"
    assert [chat.entries[at].ok for at in (3, 6)] == [True, False]


def test_a_document_with_messages_is_read_whole() -> None:
    held = read("held.json")
    assert held.format == "openai"
    assert told(held) == [
        "user: What is in the picture?\n[image]",
        "assistant: look(call_1)",
        "tool: look(call_1) A shelf with seven atlases.",
        "assistant: Seven atlases.",
    ]
    assert counts(held) == ({}, {})


def test_a_list_of_messages_is_read(tmp_path: Path) -> None:
    messages = json.loads((DATA / "held.json").read_text(encoding="utf-8"))["messages"]
    path = tmp_path / "list.json"
    path.write_text(json.dumps(messages, indent=2), encoding="utf-8")
    assert told(read_recording(path, WORDS)) == told(read("held.json"))


def test_claude_codes_lines_are_one_message_where_they_were() -> None:
    claude = read("claude.jsonl")
    assert claude.format == "claude"
    assert (claude.title, claude.root) == ("Tide tables for the harbour", "/home/ana/tides")
    assert claude.model == "claude-opus-4-6"
    assert told(claude) == [
        "user: Add the tide table of Brest to /home/ana/tides/tables.py. Never touch tests/golden.",
        "assistant: Read(toolu_1) Bash(toolu_2) I read the tables first.",
        "tool: Read(toolu_1)      1\tBREST = None",
        "tool: Bash(toolu_2) 1 failed\n[image]",
        "user: While you are at it, sort them.",
        "assistant: Edit(toolu_3)",
        "tool: Edit(toolu_3) [no result was recorded]",
        "assistant: Brest is there, and all are sorted.",
    ]
    assert counts(claude) == (
        {"broken": 1, "meta": 3, "repeated": 1, "sidechain": 1, "unknown": 1},
        {"closed": 1},
    )
    assert [entry.ok for entry in claude.entries if entry.message.role == "tool"] == [
        True,
        False,
        False,
    ]
    assert claude.entries[0].at == "2026-06-02T10:00:02.000Z"


def test_codex_rollouts_are_read_with_patches_and_shell_calls() -> None:
    codex = read("codex.jsonl")
    assert codex.format == "codex"
    assert (codex.root, codex.model, codex.window) == ("/srv/bees", "gpt-5.2-codex", 258_400)
    assert told(codex) == [
        "system: You are a coding agent in a terminal.\n\nCommands run in a sandbox.",
        "user: <environment_context>\n<cwd>/srv/bees</cwd>\n</environment_context>",
        "user: Count the hives in hives/list.csv and fix count_hives.",
        "assistant: exec_command(call_a) shell(call_b) I count them.",
        "tool: exec_command(call_a) Exit code: 0\nOutput:\n41 hives/list.csv\n",
        "tool: shell(call_b) def count_hives():\n    return 40\n",
        "assistant: shell(call_c)",
        "tool: shell(call_c) clean",
        "assistant: apply_patch(call_d)",
        "tool: apply_patch(call_d) Success. Updated the following files:\nM hives/count.py\n",
        "assistant: There are 41.",
    ]
    assert counts(codex) == ({"broken": 2, "meta": 1, "unknown": 1}, {})
    goal = codex.goal
    assert goal is not None
    assert goal.text.startswith("Count the hives")
    patch = json.loads(codex.messages[8].calls[0].arguments)["input"]
    assert "*** Update File: hives/count.py" in patch


def test_older_rollouts_have_their_items_bare() -> None:
    old = read("codex_old.jsonl")
    assert old.format == "codex"
    assert [line.partition(" ")[0] for line in told(old)] == [
        "user:",
        "assistant:",
        "tool:",
        "assistant:",
    ]
    assert counts(old) == ({}, {})


def test_trajectories_with_calls_are_read_without_their_demonstration() -> None:
    swe = read("sweagent.traj")
    assert swe.format == "sweagent"
    assert told(swe) == [
        "system: You work in a shell.",
        "user: Fix the kiln: it overheats. See kiln.py.",
        "assistant: str_replace_editor(toolu_k1) I open the file.",
        "tool: str_replace_editor(toolu_k1) LIMIT = 1400",
        "assistant: bash(toolu_k2)",
        "tool: bash(toolu_k2)",
        "assistant: The limit is 1260 now.",
    ]
    assert counts(swe) == ({"meta": 1}, {})


def test_an_action_in_the_text_is_a_call_and_the_observation_its_result() -> None:
    swe = read("sweagent_text.traj")
    assert told(swe)[2:6] == [
        "assistant: bash(call_1) I look at it.",
        "tool: bash(call_1) WATER = 60",
        "assistant: bash(call_2) Less water.",
        "tool: bash(call_2)",
    ]
    assert json.loads(swe.messages[2].calls[0].arguments) == {"command": "cat glaze/mix.py"}
    assert counts(swe) == ({}, {"closed": 1})


def test_a_trajectory_without_a_history_is_read_by_its_steps() -> None:
    swe = read("sweagent_steps.traj")
    assert told(swe) == [
        "system: You work in a shell.",
        "user: Preheat the oven.",
        "assistant: bash(call_1) What is there?",
        "tool: bash(call_1) oven.py",
        "assistant: bash(call_2)",
        "tool: bash(call_2) TEMPERATURE = 180",
    ]
    assert counts(swe) == ({"broken": 1}, {})


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("chat.jsonl", "openai"),
        ("held.json", "openai"),
        ("claude.jsonl", "claude"),
        ("codex.jsonl", "codex"),
        ("codex_old.jsonl", "codex"),
        ("sweagent.traj", "sweagent"),
    ],
)
def test_a_format_is_known_by_its_content_not_by_the_name(
    name: str, format_: str, tmp_path: Path
) -> None:
    path = tmp_path / "renamed.txt"
    path.write_bytes(b"\xef\xbb\xbf" + (DATA / name).read_bytes())
    assert read_recording(path, WORDS).format == format_
    assert not is_ledger(path)


@pytest.mark.parametrize("name", ["claude.jsonl", "codex.jsonl", "chat.jsonl"])
def test_broken_lines_cost_themselves_alone(name: str, tmp_path: Path) -> None:
    whole = read(name)
    noise = [b"\x00\xff\xfe not json", b"[1, 2]", b'"text"', b'{"a": ' + b"[" * 100_000, b"{}"]
    lines = (DATA / name).read_bytes().splitlines()
    mixed = [one for pair in zip(lines, noise * len(lines), strict=False) for one in pair]
    path = tmp_path / "noisy"
    path.write_bytes(b"\n".join(mixed))
    noisy = read_recording(path, WORDS)
    assert told(noisy) == told(whole)
    assert noisy.left_out == whole.left_out + len(lines)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is in no format that is known"),
        (b"just words\n", "is in no format that is known"),
        (b'{"type": ["object"], "role": [], "messages": [{"role": {}}]}\n', "is in no format"),
        (b'{"role": "user", "content": "hello"}\n', "no message of an agent; 0 lines"),
        (b'{"role": "user", "content": "hello"}\nnope\n', "no message of an agent; 1 lines"),
    ],
)
def test_a_file_with_nothing_to_play_is_refused(
    content: bytes, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=sentence) as raised:
        read_recording(path, WORDS)
    assert raised.value.code == "recording"
    assert isinstance(raised.value, HaimaError)


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NoSuchRecording) as raised:
        read_recording(tmp_path / "none.jsonl", WORDS)
    assert raised.value.code == "not_found"


def test_line_ends_of_windows_are_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "crlf.jsonl"
    rows = [
        {"role": "user", "content": "one\r\ntwo\rthree"},
        {"role": "assistant", "content": "yes"},
    ]
    path.write_bytes("\r\n".join(map(json.dumps, rows)).encode())
    assert read_recording(path, WORDS).messages[0].text == "one\ntwo\rthree"


def test_a_result_may_come_after_what_the_user_said_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "late.jsonl"
    call = {"id": "a", "type": "function", "function": {"name": "wait", "arguments": "{}"}}
    rows = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "user", "content": "Hurry."},
        {"role": "tool", "tool_call_id": "a", "content": "done"},
        {"role": "tool", "tool_call_id": "a", "content": "done again"},
        {"role": "system", "content": "It is Monday."},
        {"role": "assistant", "content": "Done."},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    late = read_recording(path, WORDS)
    assert told(late) == [
        "assistant: wait(a)",
        "tool: wait(a) done",
        "user: Hurry.",
        "user: It is Monday.",
        "assistant: Done.",
    ]
    assert counts(late) == ({"repeated": 1}, {})
    assert [entry.spoken for entry in late.entries[2:4]] == [True, False]


def rows(folder: Path, *values: object) -> Recording:
    """A file with a line for each of some values, read."""
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, values)), encoding="utf-8")
    recording = read_recording(path, WORDS)
    History.check(recording.messages)
    return recording


USER, DONE = {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}


def asking(*ids: str | None) -> dict[str, object]:
    calls = [{"id": one, "function": {"name": "look", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def giving(call: str | None, text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call, "content": text}


@pytest.mark.parametrize(
    ("ids", "answered", "results"),
    [
        (("x", "x"), ("x", "x"), ["tool: look(x) one", "tool: look(x~2) two"]),
        ((None, None), (None, None), ["tool: look(call_1) one", "tool: look(call_2) two"]),
        ((None, "b"), ("b", "lost"), ["tool: look(call_1) two", "tool: look(b) one"]),
    ],
)
def test_results_find_their_calls_where_ids_are_missing_or_the_same(
    ids: tuple[str | None, ...],
    answered: tuple[str | None, ...],
    results: list[str],
    tmp_path: Path,
) -> None:
    first, second = answered
    found = rows(tmp_path, USER, asking(*ids), giving(first, "one"), giving(second, "two"), DONE)
    assert told(found)[2:4] == results
    assert found.left_out == 0


def test_of_documents_in_lines_each_is_read_and_what_comes_again_once(tmp_path: Path) -> None:
    other = {"role": "user", "content": "And now?"}
    one, two = {"messages": [USER, DONE]}, {"messages": [other, DONE]}
    assert len(rows(tmp_path, one, two).messages) == 4
    log = [{"messages": [USER, DONE, other, DONE][:length]} for length in (1, 3, 4)]
    assert told(rows(tmp_path, *log)) == told(rows(tmp_path, USER, DONE, other, DONE))


def test_a_refusal_is_said_and_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "Never."}]},
    )
    assert told(found) == ["assistant: No.", "assistant: Never."]
    assert counts(found) == ({"unknown": 1}, {})


def said(kind: str, content: object, **more: object) -> dict[str, object]:
    """A line of Claude Code's."""
    return {"type": kind, "sessionId": "s", "message": {"role": kind, "content": content}, **more}


def test_what_was_typed_while_claude_code_worked_is_the_users(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    queued = {"type": "queued_command", "prompt": "Never push.", "commandMode": "prompt"}
    over = {"type": "queued_command", "prompt": "<task-notification>over</task-notification>"}
    found = rows(
        tmp_path,
        *[{"type": "summary", "summary": f"Session {number}"} for number in range(60)],
        said("user", "Look."),
        said("assistant", [call]),
        {"type": "attachment", "sessionId": "s", "attachment": queued, "timestamp": "2026-01-01"},
        {"type": "attachment", "sessionId": "s", "attachment": {"type": "task_reminder"}},
        said("user", [{"type": "tool_result", "tool_use_id": "t", "content": "a"}]),
        {"type": "attachment", "sessionId": "s", "attachment": over},
        said("assistant", [{"type": "text", "text": "One file."}]),
    )
    assert told(found)[2:4] == ["tool: Bash(t) a", "user: Never push."]
    assert [(one.at, one.spoken) for one in found.entries[3:5]] == [
        ("2026-01-01", True),
        ("", False),
    ]
    assert counts(found) == ({}, {})


def test_a_sub_agents_own_file_is_its_conversation(tmp_path: Path) -> None:
    side = {"isSidechain": True, "agentId": "a1"}
    found = rows(
        tmp_path,
        said("user", "Find the tests.", **side),
        said("assistant", "Here.", **side),
        said("assistant", "Another's.", isSidechain=True, agentId="a2"),
    )
    assert told(found) == ["user: Find the tests.", "assistant: Here."]
    assert counts(found) == ({"sidechain": 1}, {})


def test_older_rollouts_have_the_users_instructions_once_and_items_without_a_kind(
    tmp_path: Path,
) -> None:
    text = "<user_instructions>\nBe brief.\n</user_instructions>"
    meta = {"type": "session_meta", "payload": {"id": "1", "instructions": "Be brief."}}
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    item = {"type": "response_item", "payload": message}
    bare = {"role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": "Yes."}]}
    assert told(rows(tmp_path, meta, item, bare)) == [f"user: {text}", "assistant: Yes."]
    assert told(rows(tmp_path, {"id": "1", "instructions": None}, bare)) == ["assistant: Yes."]


@pytest.mark.parametrize("name", ["chat.jsonl", "sweagent.traj"])
@pytest.mark.parametrize("called", ["{}.gz", "{}", "{}.GZ"])
def test_a_packed_file_is_what_it_holds(name: str, called: str, tmp_path: Path) -> None:
    path = tmp_path / called.format(name)
    path.write_bytes(gzip.compress((DATA / name).read_bytes()))
    plain = read(name)
    unpacked = read_recording(path, WORDS)
    assert replace(unpacked, source=plain.source) == plain
    assert not is_ledger(path)


def test_parts_packed_one_after_the_other_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl.gz"
    lines = (DATA / "chat.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(map(gzip.compress, lines)))
    assert read_recording(path, WORDS).messages == read("chat.jsonl").messages


@pytest.mark.parametrize("kept", [4, 40, -4])
def test_a_packed_file_that_is_cut_off_says_so(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl.gz"
    path.write_bytes(gzip.compress((DATA / "chat.jsonl").read_bytes())[:kept])
    for look in (is_ledger, lambda one: read_recording(one, WORDS)):
        with pytest.raises(RecordingError) as caught:
            look(path)
        assert "chat.jsonl.gz can't be unpacked to its end" in caught.value.sentence(WORDS)


def test_a_packed_file_that_is_spoilt_says_so(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl.gz"
    path.write_bytes(packed_with_a_fault((DATA / "chat.jsonl").read_bytes()))
    with pytest.raises(RecordingError) as caught:
        read_recording(path, WORDS)
    assert caught.value.key == "replay.gzip_damaged"


def packed_with_a_fault(content: bytes) -> bytes:
    whole = bytearray(gzip.compress(content))
    whole[len(whole) // 2] ^= 0xFF
    return bytes(whole)


@pytest.mark.parametrize("content", [b" " * 200_000, b"[" + b"1,\n" * 70_000 + b"1]"])
def test_a_small_file_that_unpacks_to_much_is_refused(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "LARGEST", 100_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(RecordingError) as caught:
        read_recording(path, WORDS)
    assert caught.value.key == "replay.gzip_large"


def test_another_packing_says_how_to_unpack(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x04\x00")
    for look in (is_ledger, lambda one: read_recording(one, WORDS)):
        with pytest.raises(RecordingError) as caught:
            look(path)
        assert "`zstd -d`" in caught.value.sentence(WORDS)
