"""A whole session leaves as Markdown, records or chat messages: complete, in order, as a stream."""

import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, timedelta, timezone
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive.lineage import system_message, whole_past
from app.conversation.messages import (
    ImagePart,
    MemoryPart,
    Message,
    Reasoning,
    TextPart,
    ToolCall,
)
from app.conversation.outcome import ToolOutcome
from app.conversation.past import Past, PastFailure, PastMark, PastMessage
from app.conversation.standing import PLAIN, Standing
from app.conversation.summary_mark import SummaryMark
from app.session.export import export_markdown
from app.session.exports.chat import chat_lines
from app.session.exports.markdown import markdown_sections
from app.session.exports.masking import for_export
from app.session.exports.records import record_lines
from app.text import Language, Words
from tests.archive.chains import Chains, answer, result, system, user

Format = Literal["md", "json", "openai"]
FORMATS: tuple[Format, ...] = get_args(Format)

AT = "2026-07-12T06:03:09.120Z"
HONG_KONG = timezone(timedelta(hours=8))
LOST = Words("en")("ledger.result_lost")


def said(message: Message, at: str = AT, **more: Any) -> PastMessage:
    return PastMessage(message, more.pop("standing", PLAIN), more.pop("outcome", None), at, "n1")


def hide(text: str) -> str:
    return text.replace("secret", "‹key›")


def exported(
    past: Iterable[Past],
    format: Format,
    *,
    mask: Callable[[str], str] = hide,
    language: Language = "en",
    asked: Message | None = None,
) -> Iterator[str]:
    words = Words(language)
    match format:
        case "md":
            return markdown_sections(past, words=words, mask=mask, zone=HONG_KONG)
        case "json":
            return record_lines(past, mask=mask)
        case "openai":
            return chat_lines(past, asked, words=words, mask=mask)


def text_of(past: Iterable[Past], format: Format, **more: Any) -> str:
    return ("\n\n" if format == "md" else "").join(exported(past, format, **more))


def lines_of(past: Iterable[Past], format: Format, **more: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text_of(past, format, **more).splitlines()]


STEP: tuple[Past, ...] = (
    said(user("u1", "Do it")),
    said(Message("h", "assistant", (TextPart("hal"),), discarded=True)),
    said(answer("a1", "I look.", "c1", "c2")),
    said(result("r1", "c1", "one"), outcome=ToolOutcome(True, 0.5, 3)),
    said(result("r2", "c2", "two")),
    PastFailure("model", "no answer\nat all", AT, "n1"),
    PastMark("summary", "n2", "n1", AT, count=5),
    said(user("u2", "And now?"), at=""),
    PastMark("fork", "n3", "n2", AT, turn=2),
    said(answer("a2", "Done.")),
)


def test_markdown_has_a_heading_a_turn_and_a_line_where_a_node_begins() -> None:
    assert text_of(STEP, "md") == (
        "## Turn 1, 2026-07-12 14:03\n\n### You\n\nDo it\n\n"
        "### Haima\n\nI look.\n\n"
        'Called `read_file`:\n\n```json\n{"path":"a"}\n```\n\n'
        'Called `read_file`:\n\n```json\n{"path":"a"}\n```\n\n'
        "Result of `read_file`:\n\n```\none\n```\n\n"
        "Result of `read_file`:\n\n```\ntwo\n```\n\n"
        "> Failed: no answer\n> at all\n\n"
        "> Here the 5 messages above were replaced by a summary in the model's context, "
        "2026-07-12 14:03\n\n"
        "## Turn 2\n\n### You\n\nAnd now?\n\n"
        "> Here session n3 was forked from n2, 2026-07-12 14:03\n\n"
        "### Haima\n\nDone."
    )


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "> Here 42 of the messages above were replaced by a summary of 1.2k tokens in the "
                "model's context, which went from 95.0k to 21.0k tokens, 2026-07-12 14:03",
                "> Here 42 of the messages above left the model's context without a summary; it "
                "went from 95.0k to 21.0k tokens, 2026-07-12 14:03",
                "> Here 42 of the messages above came back into the model's context in place of "
                "their summary, 2026-07-12 14:03",
            ],
        ),
        (
            "zh",
            [
                "> 从这里起，模型的上下文中以 1.2k tokens 的摘要代替上面的 42 条消息，"
                "上下文从 95.0k 降到 21.0k tokens，2026-07-12 14:03",
                "> 从这里起，上面有 42 条消息移出了模型的上下文，未做摘要，"
                "上下文从 95.0k 降到 21.0k tokens，2026-07-12 14:03",
                "> 从这里起，上面有 42 条消息回到模型的上下文，代替它们的摘要，2026-07-12 14:03",
            ],
        ),
    ],
)
def test_a_marked_line_with_figures(language: Language, expected: list[str]) -> None:
    mark = SummaryMark(messages=42, tokens=1_204, tokens_before=95_000, tokens_after=21_000)
    past: list[Past] = [
        PastMark("summary", "n2", "n1", AT, 42, None, mark),
        PastMark("summary", "n2", "n1", AT, 42, None, replace(mark, how="cut")),
        PastMark("expand", "n2", "n1", AT, 42),
    ]
    assert text_of(past, "md", language=language).strip().split("\n\n") == expected
    first, _, last = lines_of(past, "json")
    assert (first["type"], first["kind"], first["summary"]) == ("mark", "summary", mark.to_data())
    assert "summary" not in last
    assert lines_of([*past, said(user("u1"))], "openai") == lines_of([said(user("u1"))], "openai")


def test_markdown_in_chinese_and_after_clear() -> None:
    past: list[Past] = [PastMark("clear", "n2", "n1", AT), said(user("u1", "你好"))]
    text = text_of(past, "md", language="zh")
    assert text.startswith("> 由 /clear 开始，之前是会话 n1，2026-07-12 14:03\n")
    assert "## 第 1 轮，2026-07-12 14:03\n\n### 你\n\n你好" in text


def test_markdown_moves_no_terminal_and_says_where_a_picture_was() -> None:
    picture = Message("u1", "user", (TextPart("\x1b[31mred"), ImagePart("data:,secret")))
    call = Message("a1", "assistant", calls=(ToolCall("c1", "sh`\x07", "\x1b]0;x\x07"),))
    text = text_of([said(picture, at="\x1b[0m"), said(call)], "md")
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b[31mred\n\n[image 4 B]" in text
    assert "data:" not in text


def test_a_record_holds_all_that_is_kept_of_a_message() -> None:
    message = Message(
        "a1",
        "assistant",
        (TextPart("the secret"),),
        (ToolCall("c1", "read_file", '{"path": "secret"}'),),
        reasoning=Reasoning("secret thoughts"),
    )
    standing = Standing("cleared", pinned=True)
    (record,) = lines_of([said(message, standing=standing)], "json")
    assert record == {
        "type": "message",
        "id": "a1",
        "role": "assistant",
        "node": "n1",
        "at": AT,
        "text": "the ‹key›",
        "calls": [{"id": "c1", "name": "read_file", "arguments": '{"path": "‹key›"}'}],
        "reasoning": "‹key› thoughts",
        "state": "cleared",
        "pinned": True,
        "in_context": True,
    }


def test_records_tell_results_parts_discarded_text_marks_and_failures() -> None:
    memory = Message("m", "user", (TextPart("a"), MemoryPart("b", ("f1",))))
    records = lines_of([*STEP, said(memory)], "json")
    assert [record.get("id", record["type"]) for record in records] == [
        *("u1", "h", "a1", "r1", "r2", "failure", "mark", "u2", "mark", "a2", "m")
    ]
    assert records[1]["discarded"] is True
    assert (records[3]["call_id"], records[3]["tool"]) == ("c1", "read_file")
    assert records[3]["outcome"] == {"ok": True, "seconds": 0.5, "characters": 3}
    assert "outcome" not in records[4]
    assert records[5] == {
        **{"type": "failure", "code": "model", "text": "no answer\nat all"},
        **{"node": "n1", "at": AT},
    }
    assert records[6] == {
        **{"type": "mark", "kind": "summary", "node": "n2", "parent": "n1"},
        **{"at": AT, "count": 5},
    }
    assert records[8]["turn"] == 2
    assert records[10]["parts"][1] == {"kind": "memory", "text": "b", "facts": ["f1"]}
    assert "parts" not in records[0]


def test_chat_lines_are_wire_messages_the_system_first() -> None:
    lines = lines_of(STEP, "openai", asked=system(text="You keep the secret"))
    assert [line["role"] for line in lines] == [
        *("system", "user", "assistant", "tool", "tool", "user", "assistant")
    ]
    assert lines[0]["content"] == "You keep the ‹key›"
    assert [call["id"] for call in lines[2]["tool_calls"]] == ["c1", "c2"]
    assert lines[3]["tool_call_id"] == "c1"
    assert 'trust="untrusted-data"' in lines[3]["content"]
    assert "hal" not in [line["content"] for line in lines]


def test_successive_user_messages_leave_as_one() -> None:
    lines = lines_of([said(user("u1", "one")), STEP[6], said(user("u2", "two"))], "openai")
    assert lines == [{"role": "user", "content": "one\n\ntwo"}]


def test_every_call_has_its_result_and_every_result_its_call() -> None:
    past = [
        said(user("u0")),
        said(result("r0", "c0", "orphan")),
        said(user("u1")),
        said(answer("a1", "", "c1", "c2", "c3")),
        said(result("r3", "c3", "three")),
        said(result("r1", "c1", "one")),
        said(result("r4", "c1", "again")),
        said(result("r5", "c9", "stray")),
        said(answer("a2")),
        said(result("r6", "c6", "late")),
        said(answer("a3", "", "c7")),
    ]
    lines = lines_of(past, "openai")
    assert [line["role"] for line in lines] == [
        *("user", "assistant", "tool", "tool", "tool", "assistant", "assistant", "tool")
    ]
    assert [line.get("tool_call_id") for line in lines[2:5]] == ["c1", "c2", "c3"]
    assert "one" in lines[2]["content"]
    assert LOST in lines[3]["content"]
    assert LOST in lines[7]["content"]


@pytest.mark.parametrize("format", FORMATS)
def test_raw_text_is_as_it_was_kept(format: Format) -> None:
    past = [said(user("u1", "my secret"))]
    assert "secret" not in text_of(past, format)
    assert "my secret" in text_of(past, format, mask=str)


def test_a_credential_that_json_would_escape_is_masked_too() -> None:
    def mask(text: str) -> str:
        return text.replace('k"e\\y', "‹key›")

    past = [said(user("u1", 'it is k"e\\y'))]
    for format in FORMATS:
        text = text_of(past, format, mask=mask)
        assert "e\\\\y" not in text
        assert "key" in text


def test_secrets_in_a_call_leave_its_arguments_json_and_its_fence_closed() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIabc"
    arguments = json.dumps({"content": key, "path": "k.pem", "password": "hunter2hunter2"})
    call = Message("a1", "assistant", calls=(ToolCall("c1", "write_file", arguments),))
    past = [said(user("u1")), said(call), said(result("r1", "c1", key)), said(answer("a2"))]
    for format in FORMATS:
        text = text_of(past, format, mask=for_export(str))
        assert "MIIabc" not in text
        assert "hunter2" not in text
    sent = lines_of(past, "openai", mask=for_export(str))[1]["tool_calls"][0]["function"]
    assert json.loads(sent["arguments"]) == {
        **{"content": "‹secret›", "path": "k.pem", "password": "‹secret›"}
    }
    assert text_of(past, "md", mask=for_export(str)).count("```") == 4


@pytest.mark.parametrize(
    "secret", ['abcdefgh"jkl', "abc\\defghi'jkl", "one, two; threefour", 'ab"},{cdefg']
)
def test_a_secret_with_quotes_in_a_field_of_its_own_is_masked_whole(secret: str) -> None:
    arguments = json.dumps({"deep": [{"password": secret}], "api_key": "$API_KEY", "n": 1})
    call = Message("a1", "assistant", calls=(ToolCall("c1", "write_file", arguments),))
    past = [said(user("u1")), said(call), said(result("r1", "c1", "done"))]
    (sent,) = lines_of(past, "openai", mask=for_export(str))[1]["tool_calls"]
    left = {"deep": [{"password": "‹secret›"}], "api_key": "$API_KEY", "n": 1}
    assert json.loads(sent["function"]["arguments"]) == left
    assert json.dumps(left, ensure_ascii=False) in text_of(past, "md", mask=for_export(str))


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_said_is_nothing(format: Format) -> None:
    assert text_of([], format, asked=system()) == ""


def test_what_utf8_cannot_hold_is_ascii_in_lines() -> None:
    past = [said(user("u1", "half \ud83d \u2028 海马"))]
    for format in ("json", "openai"):
        assert text_of(past, format).isascii()
    assert lines_of(past, "json")[0]["text"] == "half \ud83d \u2028 海马"


@given(st.lists(st.sampled_from(["user", "assistant", "tool", "mark"]), max_size=12), st.data())
def test_any_past_becomes_valid_chat_messages(kinds: list[str], data: st.DataObject) -> None:
    calls = st.lists(st.sampled_from(["c1", "c2", "c3"]), max_size=3, unique=True)
    past: list[Past] = []
    for number, kind in enumerate(kinds):
        if kind == "user":
            past.append(said(user(f"m{number}")))
        elif kind == "assistant":
            past.append(said(answer(f"m{number}", "", *data.draw(calls))))
        elif kind == "tool":
            past.append(said(result(f"m{number}", data.draw(st.sampled_from(["c1", "c2", "c3"])))))
        else:
            past.append(PastMark("summary", "n", "m", AT))
    open_calls: list[str] = []
    before = ""
    for line in lines_of(past, "openai"):
        if line["role"] == "tool":
            assert line["tool_call_id"] == open_calls.pop(0)
        else:
            assert open_calls == []
            assert (line["role"], before) != ("user", "user")
            open_calls = [call["id"] for call in line.get("tool_calls", [])]
        before = line["role"]
    assert open_calls == []


def long_past(counted: list[int], turns: int) -> Iterator[Past]:
    for turn in range(turns):
        for message in (user(f"u{turn}"), answer(f"a{turn}", "", f"c{turn}")):
            counted[0] += 1
            yield said(message)
        counted[0] += 1
        yield said(result(f"r{turn}", f"c{turn}"))


@pytest.mark.parametrize("format", FORMATS)
def test_no_format_reads_far_ahead(format: Format) -> None:
    counted = [0]
    pieces = exported(long_past(counted, 100), format)
    for taken, _ in enumerate(pieces, start=1):
        assert counted[0] <= taken + 3


@pytest.mark.parametrize("format", FORMATS)
def test_a_big_session_passes_through_a_little_memory(format: Format) -> None:
    chains = Chains()
    chains.node("n0", made=[system()])
    with_summaries = {20: "n1", 40: "n2", 60: "n3"}
    node = "n0"
    for turn in range(80):
        if child := with_summaries.get(turn):
            chains.node(child, parent=node, relation="summary", made=[user(f"sum{turn}")])
            node = child
        chains.say(node, user(f"u{turn}"), answer(f"a{turn}", "x" * 50_000))
    written = 0
    tracemalloc.start()
    try:
        asked = system_message(chains.connection, node)
        for piece in exported(whole_past(chains.connection, node), format, asked=asked):
            written += len(piece)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert written > 80 * 50_000
    assert peak < 1_000_000


def test_export_in_a_session_has_all_turns_over_all_summaries(tmp_path: Path) -> None:
    chains = Chains()
    chains.node("n0", made=[system()])
    node = "n0"
    for turn in range(500):
        if turn in {150, 300, 450}:
            chains.node(f"n{turn}", parent=node, relation="summary", made=[user(f"sum{turn}")])
            node = f"n{turn}"
        chains.say(node, user(f"u{turn}"), answer(f"a{turn}"))
    path = export_markdown(
        whole_past(chains.connection, node),
        tmp_path,
        chain="7f3a00112233",
        today=date(2026, 11, 29),
        words=Words("en"),
        mask=hide,
        zone=UTC,
    )
    lines = path.read_text().splitlines()
    spoken = [line for line in lines if line.startswith(("asked u", "said a"))]
    assert spoken == [line for t in range(500) for line in (f"asked u{t}", f"said a{t}")]
    assert sum(line.startswith("> Here the ") for line in lines) == 3
    assert [line for line in lines if line.startswith("## ")][-1].startswith("## Turn 500, ")
    assert path.name == "haima-7f3a-2026-11-29.md"
