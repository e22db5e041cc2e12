"""The demo's fix, driven by requests made by hand: it goes by what really came back."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from app.llm.demo import copy_demo_project
from app.text import LANGUAGES, Language, Words
from tests.llm.demo_talk import (
    EDITED,
    FIRST_RUN,
    FIX,
    LOOK,
    SECOND_RUN,
    SHOW,
    Talk,
    arguments,
    asked,
    sample,
    suggestion,
    until_edit,
)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_fix_fails_once_then_succeeds(language: Language) -> None:
    talk = Talk(language, spoken=suggestion(FIX, language))
    words = Words(language)
    edit = await until_edit(talk)
    assert asked(edit) == ["edit_file"]
    assert arguments(edit)["new"] == "    if pieces >= BULK_FROM:"
    edited = words("tool_result.edited", path="orders/pricing.py", line=17, added=1, removed=1)
    first_run = await talk.reply(edited)
    assert arguments(first_run) == {"command": "python3 -m unittest"}
    failed = FIRST_RUN.replace("exit code: 1", words("tool_result.exit_code", code=1))
    second = await talk.reply(failed)
    assert "`AssertionError: 154 != 155`" in second.text
    assert "// 100" in arguments(second)["new"]
    again = await talk.reply(edited)
    assert again.text != first_run.text
    passed = SECOND_RUN.replace("exit code: 0", words("tool_result.exit_code", code=0))
    end = await talk.reply(passed)
    assert end.calls == ()
    assert "Ran 5 tests in 0.002s" in end.text
    for mark in ("1. ", "2. ", "```python\n", "`orders/pricing.py`"):
        assert mark in end.text


async def test_its_edits_fit_the_sample_and_are_what_the_tests_say(tmp_path: Path) -> None:
    """The two edits, made on a real copy; the tests are run after each."""
    root = copy_demo_project(tmp_path)

    def tests() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "unittest"]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)

    def make(edit: dict[str, str]) -> None:
        path = root / edit["path"]
        text = path.read_text(encoding="utf-8")
        assert text.count(edit["old"]) == 1
        path.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")

    before = tests()
    assert "AssertionError: 0 != 150" in before.stderr
    talk = Talk(spoken=suggestion(FIX))
    make(arguments(await until_edit(talk)))
    first = await asyncio.to_thread(tests)
    assert first.returncode == 1
    await talk.reply(EDITED)
    second = await talk.reply(f"exit code: {first.returncode}\n{first.stderr}")
    assert "154 != 155" in second.text
    make(arguments(second))
    final = await asyncio.to_thread(tests)
    assert final.returncode == 0, final.stderr
    await talk.reply(EDITED)
    end = await talk.reply(f"exit code: 0\n{final.stderr}")
    assert "Ran 5 tests" in end.text


async def test_a_refused_edit_ends_the_story_and_shows_the_change() -> None:
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    end = await talk.reply(talk.words("permission.refused", tool="edit_file"))
    assert end.calls == ()
    assert "-    if pieces > BULK_FROM:\n+    if pieces >= BULK_FROM:" in end.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_refused_command_ends_it_and_the_reason_is_heard(language: Language) -> None:
    talk = Talk(language, spoken=suggestion(FIX, language))
    await until_edit(talk)
    await talk.reply(EDITED)
    why = talk.words("permission.refused_why", tool="execute_command", reason="not now")
    end = await talk.reply(why)
    assert end.calls == ()
    assert "not now" in end.text
    assert "`python3 -m unittest`" in end.text


async def test_after_a_refusal_the_task_can_be_sent_again() -> None:
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    await talk.reply(talk.words("permission.refused", tool="edit_file"))
    talk.say(suggestion(FIX))
    assert asked(await until_edit(talk)) == ["edit_file"]


async def test_an_allowance_that_is_too_small_ends_it() -> None:
    talk = Talk(spoken=suggestion(LOOK))
    first = await talk.reply()
    words = talk.words
    reason = words("permission.needs", tool="list_dir", needed="read", allowance="none")
    refusal = words("permission.allowance", tool="list_dir", reason=reason)
    end = await talk.reply(*[refusal] * len(first.calls))
    assert end.calls == ()
    assert "--allow" in end.text


async def test_a_changed_command_is_taken_for_what_it_did() -> None:
    changed = "[The user changed this command. What ran: python3 -m unittest -v]"
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    await talk.reply(EDITED)
    second = await talk.reply(FIRST_RUN.replace("\nF", f"\n{changed}\nF"))
    assert asked(second) == ["edit_file"]
    await talk.reply(EDITED)
    end = await talk.reply(SECOND_RUN.replace("\n.", f"\n{changed}\n."))
    assert "`python3 -m unittest -v`" in end.text


async def test_a_command_that_ran_no_tests_proves_nothing() -> None:
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    await talk.reply(EDITED)
    end = await talk.reply("exit code: 0\nhello")
    assert end.calls == ()
    assert "can't say that they pass" in end.text


@pytest.mark.parametrize(
    ("result", "telling"),
    [
        ("exit code: 127\nbash: line 1: python3: command not found", "python3: command not found"),
        ("exit code: none, stopped at the time limit of 120 seconds", "time limit"),
        ("The command could not be started: no bash", "no bash"),
        ("exit code: 1\nSyntaxError: invalid syntax", "SyntaxError: invalid syntax"),
    ],
)
async def test_what_the_script_does_not_know_is_said(result: str, telling: str) -> None:
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    await talk.reply(EDITED)
    end = await talk.reply(result)
    assert end.calls == ()
    assert telling in end.text


async def test_an_edit_that_failed_is_no_edit() -> None:
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    missing = talk.words("tool_result.edit_none", path="orders/pricing.py")
    end = await talk.reply(missing)
    assert end.calls == ()
    assert "old does not occur" in end.text


async def test_another_failure_after_both_edits_ends_it() -> None:
    talk = Talk(spoken=suggestion(FIX))
    await until_edit(talk)
    await talk.reply(EDITED)
    await talk.reply(FIRST_RUN)
    await talk.reply(EDITED)
    end = await talk.reply(FIRST_RUN)
    assert end.calls == ()


async def test_a_project_that_is_fixed_already_is_only_tested() -> None:
    fixed = sample("orders/pricing.py").replace("> BULK", ">= BULK").replace("round(", "int(")
    talk = Talk(spoken=suggestion(FIX))
    assert asked(await until_edit(talk, fixed)) == ["execute_command"]
    end = await talk.reply(SECOND_RUN)
    assert "nothing to fix" in end.text
    assert "Ran 5 tests" in end.text


async def test_a_project_that_is_half_fixed_gets_the_other_half() -> None:
    talk = Talk(spoken=suggestion(FIX))
    half = sample("orders/pricing.py").replace("> BULK", ">= BULK")
    assert asked(await until_edit(talk, half)) == ["execute_command"]
    assert asked(await talk.reply(FIRST_RUN)) == ["edit_file"]
    await talk.reply(EDITED)
    end = await talk.reply(SECOND_RUN)
    assert "1. " in end.text
    assert "2. " not in end.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_code_that_was_cleared_is_read_again(language: Language) -> None:
    """Its pointer says so, and a model that went by its memory would guess."""
    talk = Talk(language, spoken=suggestion(FIX, language))
    await until_edit(talk)
    await talk.reply(EDITED)
    talk.clear()
    again = await talk.reply(FIRST_RUN)
    assert asked(again) == ["read_file"]
    assert arguments(again) == {"path": "orders/pricing.py"}
    assert "`orders/pricing.py`" in again.text
    half = sample("orders/pricing.py").replace("> BULK", ">= BULK")
    second = await talk.reply(half)
    assert "// 100" in arguments(second)["new"]
    assert "`AssertionError: 154 != 155`" in second.text
    await talk.reply(EDITED)
    end = await talk.reply(SECOND_RUN)
    assert "Ran 5 tests" in end.text


async def test_code_that_was_cleared_before_the_first_edit_is_read_again() -> None:
    talk = Talk(spoken=suggestion(FIX))
    await talk.reply()
    await talk.reply("orders/", sample("AGENTS.md"))
    calls = talk.open_calls()
    for call in calls:
        talk.messages.append({"role": "tool", "tool_call_id": call, "content": "code"})
    talk.clear()
    assert arguments(await talk.reply()) == {"path": "orders/pricing.py"}
    assert arguments(await talk.reply(sample("orders/pricing.py")))["new"].endswith(">= BULK_FROM:")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_going_on_after_a_stop_repeats_only_what_was_cut(language: Language) -> None:
    talk = Talk(language, spoken=suggestion(FIX, language))
    await until_edit(talk)
    stopped = await talk.reply(EDITED)
    assert asked(stopped) == ["execute_command"]
    cut = talk.words("agent.interrupted_running")
    (call,) = talk.open_calls()
    talk.messages.append({"role": "tool", "tool_call_id": call, "content": cut})
    talk.say(talk.words("session.go_on"))
    again = await talk.reply()
    assert again.calls == stopped.calls
    assert asked(await talk.reply(FIRST_RUN)) == ["edit_file"]


async def test_going_on_after_a_cut_answer_tells_it_again() -> None:
    talk = Talk(spoken=suggestion(SHOW))
    whole = await talk.reply()
    talk.messages[-1]["content"] = f"# Half\n\n{talk.words('agent.stopped_text')}"
    talk.say(talk.words("session.go_on"))
    assert await talk.reply() == whole


async def test_going_on_before_the_first_word_begins_the_story() -> None:
    talk = Talk(spoken=suggestion(FIX))
    talk.say(talk.words("session.go_on"))
    assert asked(await talk.reply()) == ["list_dir", "read_file"]


async def test_going_on_with_nothing_open_is_like_anything_else() -> None:
    talk = Talk(spoken=suggestion(SHOW))
    await talk.reply()
    talk.say("Go on.")
    assert await talk.reply() == await Talk(spoken="Hello").reply()
    assert await Talk(spoken="Go on.").reply() == await Talk(spoken="Hello").reply()
