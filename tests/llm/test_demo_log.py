"""The demo's log of a night, and the story about it, driven by requests made by hand."""

import json
import re

import pytest

from app.compaction.note import head_line
from app.conversation.offloaded import Offloaded
from app.llm.demo_log import LOG, night_log
from app.ports import Reply
from app.text import LANGUAGES, Language
from tests.llm.demo_talk import LOG as STORY
from tests.llm.demo_talk import TOOLS, Talk, arguments, asked, sample, suggestion

LINES = night_log().splitlines()
FILE = ".haima/tool-outputs/abc/001-read_file.txt"


def grep(pattern: str) -> str:
    hits = (f"{LOG}:{n}: {line}" for n, line in enumerate(LINES, 1) if pattern in line)
    return "\n".join(hits)


def note(talk: Talk) -> str:
    file = Offloaded(FILE, len(night_log()), len(night_log()), len(LINES), "0" * 64)
    return f"{head_line(talk.words, 'read_file', file)}\n{LINES[0]}\n[…]\n{LINES[-1]}"


def stretch(reply: Reply) -> str:
    (call,) = reply.calls
    values = json.loads(call.arguments)
    assert (call.name, values["path"]) == ("read_file", LOG)
    start = values["offset"]
    return "\n".join(LINES[start - 1 : start - 1 + values["limit"]])


async def until_compared(talk: Talk) -> tuple[Reply, list[str]]:
    """Up to the step that compares; its calls' results too."""
    assert arguments(await talk.reply()) == {"path": LOG}
    search = await talk.reply(note(talk))
    assert arguments(search) == {"pattern": "ERROR", "path": "logs"}
    near = await talk.reply(grep("ERROR"))
    far = await talk.reply(stretch(near))
    compare = await talk.reply(stretch(far))
    assert asked(compare) == ["read_file", "search_files", "read_file"]
    return compare, ["\n".join(LINES[:100]), grep("delivery"), sample("orders/stock.py")]


def test_the_log_is_long_the_same_each_time_and_its_stock_adds_up() -> None:
    text = night_log()
    assert text == night_log()
    assert 32_000 < len(text) < 64_000
    assert all(len(line) < 120 for line in LINES)
    counted = re.search(r"counted: (.*)", LINES[0])
    assert counted is not None
    stock = {name: int(n) for name, n in re.findall(r"(\w+) (\d+)", counted[1])}
    for line in LINES:
        if found := re.search(r"(\w+) expected=\d+ booked=(\d+)", line):
            stock[found[1]] += int(found[2])
        elif found := re.search(r"stock of (\w+) (\d+) -> (\d+)", line):
            assert stock[found[1]] == int(found[2])
            stock[found[1]] = int(found[3])
            assert stock[found[1]] >= 0
        elif found := re.search(r"OutOfStock\('(\w+)'\), (\d+) left", line):
            assert stock[found[1]] == int(found[2])
    assert LINES[-1].endswith(", ".join(f"{name} {n}" for name, n in stock.items()))


def test_the_cause_is_only_found_by_looking_for_it() -> None:
    """It stands neither in a note's head and tail nor around the errors."""
    (cause,) = (n for n, line in enumerate(LINES, 1) if "booked=0" in line)
    errors = [n for n, line in enumerate(LINES, 1) if "ERROR" in line]
    assert 100 < cause < errors[0] - 150
    assert sum(len(line) + 1 for line in LINES[:cause]) > 2_000
    assert all("'pot'" in LINES[n - 1] for n in errors)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_where_nothing_is_cleared_it_says_so(language: Language) -> None:
    talk = Talk(language, spoken=suggestion(STORY, language))
    _, results = await until_compared(talk)
    end = await talk.reply(*results)
    assert end.calls == ()
    (cause,) = (n for n, line in enumerate(LINES, 1) if "booked=0" in line)
    assert LINES[cause - 1] in end.text
    assert f" {cause} " in end.text
    assert f" {grep('ERROR').count('refused')} " in end.text
    assert "`orders/stock.py`" in end.text
    assert f"`{FILE}`" in end.text
    assert talk.words("demo.log_left_none") in end.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_was_cleared_is_quoted_by_its_pointer(language: Language) -> None:
    talk = Talk(language, spoken=suggestion(STORY, language))
    _, results = await until_compared(talk)
    for call, text in zip(talk.open_calls(), results, strict=True):
        talk.messages.append({"role": "tool", "tool_call_id": call, "content": text})
    cleared = talk.clear(keep=3)
    look_up = await talk.reply()
    assert asked(look_up) == ["read_history"]
    assert arguments(look_up) == {"ref": f"{2:012x}"}
    assert f" {cleared} " in look_up.text
    assert {"en": "Enter on that line", "zh": "按 Enter 就能撤销"}[language] in look_up.text
    head = talk.words("tool_result.history_tool", tool="search_files", when="2026-03-14 05:00")
    end = await talk.reply(f"{head}\n{grep('ERROR')}\n[end of the quotation]")
    assert end.calls == ()
    assert talk.words("demo.log_left_cleared", n=cleared) in end.text
    for key in ("F5", "`b`", "Enter", "32,000"):
        assert key in end.text


async def test_half_a_quotation_is_not_counted() -> None:
    talk = Talk(spoken=suggestion(STORY))
    _, results = await until_compared(talk)
    for call, text in zip(talk.open_calls(), results, strict=True):
        talk.messages.append({"role": "tool", "tool_call_id": call, "content": text})
    talk.clear(keep=3)
    await talk.reply()
    more = talk.words("tool_result.history_more", first=1, last=9, total=99, call="x")
    half = grep("ERROR").splitlines()[0]
    again = await talk.reply(f"{half}\n[{more}]")
    assert arguments(again) == {"pattern": "ERROR", "path": "logs"}
    end = await talk.reply(grep("ERROR"))
    assert f" {grep('ERROR').count('refused')} " in end.text


async def test_without_read_history_it_searches_again() -> None:
    talk = Talk(tools=tuple(t for t in TOOLS if t != "read_history"), spoken=suggestion(STORY))
    _, results = await until_compared(talk)
    for call, text in zip(talk.open_calls(), results, strict=True):
        talk.messages.append({"role": "tool", "tool_call_id": call, "content": text})
    talk.clear()
    assert arguments(await talk.reply()) == {"pattern": "ERROR", "path": "logs"}
    again = await talk.reply(grep("ERROR"))
    assert arguments(again) == {"pattern": "delivery", "path": "logs"}
    end = await talk.reply(grep("delivery"))
    assert "booked=0" in end.text


async def test_errors_that_were_cleared_before_they_were_used_are_looked_up() -> None:
    talk = Talk(spoken=suggestion(STORY))
    await talk.reply()
    await talk.reply(note(talk))
    (call,) = talk.open_calls()
    talk.messages.append({"role": "tool", "tool_call_id": call, "content": grep("ERROR")})
    talk.clear()
    assert asked(await talk.reply()) == ["read_history"]
    near = await talk.reply(grep("ERROR"))
    assert "ERROR" in stretch(near)


async def test_a_log_without_errors_is_no_story() -> None:
    talk = Talk(spoken=suggestion(STORY))
    await talk.reply()
    await talk.reply("all is well")
    end = await talk.reply(talk.words("tool_result.search_none"))
    assert end.calls == ()
    assert "No hits." in end.text


@pytest.mark.parametrize("text", ["not a pointer: [Cleared: x", "[Cleared: x\nbut in two lines]"])
async def test_what_merely_looks_like_a_pointer_is_a_result(text: str) -> None:
    talk = Talk(spoken=suggestion(STORY))
    _, results = await until_compared(talk)
    results[2] = text
    end = await talk.reply(*results)
    assert talk.words("demo.log_left_none") in end.text
