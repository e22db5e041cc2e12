"""What `/todo` understands, and what it makes of the list."""

import itertools
from pathlib import Path

import pytest

from app.archive.work import Unfinished
from app.conversation.work import Done, Progress
from app.session.todo_command import (
    BadTodo,
    TodoCommand,
    parse_todo,
    title_of,
    todo_text,
    with_todo,
    without_change,
)
from app.session.todo_run import run_todo
from app.text import Words
from tests.session.support import ScriptedModel, make_session

LIST = Progress(todo=("write tests", "run tests", "Dockerfile"), done=(Done("plan", "mvn -v"),))


@pytest.mark.parametrize(
    ("typed", "action", "text"),
    [
        ("", "show", ""),
        ("add  two   words", "add", "two words"),
        ("DONE 2", "done", "2"),
        ("ｄｏｎｅ 2", "done", "2"),
        ("drop Dockerfile", "drop", "Dockerfile"),
        ("take", "take", ""),
        ("leave ", "leave", ""),
    ],
)
def test_it_is_read(typed: str, action: str, text: str) -> None:
    assert parse_todo(typed) == TodoCommand(action, text)  # type: ignore[arg-type]


@pytest.mark.parametrize("typed", ["add", "done", "drop  ", "take it", "finish 1", "dnoe 1"])
def test_what_is_wrong_is_said(typed: str) -> None:
    with pytest.raises(BadTodo) as caught:
        parse_todo(typed)
    for language in ("en", "zh"):
        assert "{" not in caught.value.sentence(Words(language))


@pytest.mark.parametrize("typed", ["add deploy", "done 2", "drop 1"])
def test_a_change_is_taken_back_and_what_came_since_stays(typed: str) -> None:
    after, _ = with_todo(LIST, parse_todo(typed))
    assert without_change(after, LIST, after) == LIST
    since = Progress(("more", *after.todo), (*after.done, Done("look", "ls")))
    back = without_change(since, LIST, after)
    assert {*back.todo} == {*LIST.todo, "more"}
    assert {*back.done} == {*LIST.done, Done("look", "ls")}


def test_what_was_finished_since_is_not_open_again() -> None:
    after, _ = with_todo(LIST, TodoCommand("drop", "Dockerfile"))
    since = Progress(after.todo, (*after.done, Done("Dockerfile")))
    assert without_change(since, LIST, after) == since


def test_things_are_added_done_and_dropped() -> None:
    added, text = with_todo(LIST, TodoCommand("add", "deploy"))
    assert added.todo[-1] == text == "deploy"
    done, text = with_todo(added, TodoCommand("done", "2"))
    assert text == "run tests" and done.todo == ("write tests", "Dockerfile", "deploy")
    assert done.done == (Done("plan", "mvn -v"), Done("run tests"))
    dropped, _ = with_todo(done, TodoCommand("drop", "docker"))
    assert dropped.todo == ("write tests", "deploy") and dropped.done == done.done


@pytest.mark.parametrize("given", ["4", "0", "tests", "nothing like it", "9999"])
def test_one_thing_must_be_meant(given: str) -> None:
    with pytest.raises(BadTodo):
        with_todo(LIST, TodoCommand("done", given))


def test_a_thing_stands_once_on_the_list() -> None:
    with pytest.raises(BadTodo):
        with_todo(LIST, TodoCommand("add", "run tests"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_list_is_shown_with_its_numbers(language: str) -> None:
    words = Words("zh" if language == "zh" else "en")
    head, done, *todo = todo_text(LIST, words).splitlines()
    assert "1" in head and "4" in head
    assert done.startswith("  ✓ plan") and "mvn -v" in done
    assert todo == ["  1 write tests", "  2 run tests", "  3 Dockerfile"]
    assert todo_text(Progress(), words) == words("todo.nothing")


async def test_without_a_screen_and_before_any_message_it_works(tmp_path: Path) -> None:
    session, words = make_session(tmp_path, ScriptedModel()).session, Words("en")
    await session.open()

    async def typed(line: str) -> str:
        return await run_todo(session, parse_todo(line), words)

    assert await typed("") == words("todo.nothing")
    await typed("add write tests")
    assert await typed("add deploy") == "0 of 2 done\n  1 write tests\n  2 deploy"
    assert (await typed("done 1")).splitlines() == ["1 of 2 done", "  ✓ write tests", "  1 deploy"]
    assert await typed("take") == words("todo.no_unfinished")
    await session.close()
    ids = map(str, itertools.count(500))
    again = make_session(tmp_path, ScriptedModel(), new_id=lambda: next(ids)).session
    await again.open()
    found = await again.unfinished()
    assert found is not None and title_of(found).startswith("#")
    assert "1 deploy" in await run_todo(again, parse_todo("take"), words)
    assert await run_todo(again, parse_todo("take"), words) == words("todo.no_unfinished")
    await again.close()


def test_a_goal_that_is_a_title_holds_no_secret() -> None:
    goal = "Rotate ghp_abcdefghijklmnopqrstuvwxyz0123."
    work = Unfinished("c", "n", title="", goal=goal, todo=1, done=0, at="")
    assert title_of(work) == "Rotate ‹secret›."
