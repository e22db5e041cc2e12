"""The broker: one question at a time, in order; a cancel takes its question off."""

import asyncio

import pytest

from app.events import (
    ApprovalAnswer,
    ApprovalQuestion,
    ConflictAnswer,
    ConflictQuestion,
    ConflictSide,
    Question,
)
from app.session.questions import Broker

YES = ApprovalAnswer(verdict="once")
NO = ApprovalAnswer(verdict="refuse", reason="not now")


def question(name: str) -> ApprovalQuestion:
    return ApprovalQuestion(
        id=name, tool="execute_command", risk="command", subject="ls", place="/p"
    )


def conflict(name: str) -> ConflictQuestion:
    old, new = ConflictSide(id="fact-1", content="Java 17"), ConflictSide(id="", content="Java 21")
    return ConflictQuestion(id=name, existing=old, incoming=new)


class Screen:
    """Records what would be on the screen."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.log: list[str] = []
        self.more = 0

    def show(self, question: Question) -> None:
        self.shown.append(question.id)
        self.log.append(f"+{question.id}")

    def hide(self, question_id: str) -> None:
        self.shown.remove(question_id)
        self.log.append(f"-{question_id}")

    def waiting(self, count: int) -> None:
        self.more = count


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_questions_come_one_by_one_in_order() -> None:
    screen = Screen()
    broker = Broker(screen)
    tasks = [asyncio.create_task(broker.approve(question(name))) for name in "abc"]
    await settle()
    assert screen.shown == ["a"]
    assert (broker.waiting, screen.more) == (2, 2)
    assert broker.answer("a", YES)
    await settle()
    assert screen.shown == ["b"]
    assert screen.more == 1
    assert broker.answer("b", NO)
    await settle()
    assert broker.answer("c", YES)
    assert await asyncio.gather(*tasks) == [YES, NO, YES]
    assert screen.log == ["+a", "-a", "+b", "-b", "+c", "-c"]
    assert (broker.waiting, screen.more, broker.current) == (0, 0, None)


async def test_a_cancel_takes_the_open_question_off_and_the_next_appears() -> None:
    screen = Screen()
    broker = Broker(screen)
    first = asyncio.create_task(broker.approve(question("a")))
    second = asyncio.create_task(broker.approve(question("b")))
    await settle()
    first.cancel()
    await settle()
    assert screen.shown == ["b"]
    assert not broker.answer("a", YES)
    broker.answer("b", YES)
    assert await second == YES
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_cancelled_waiter_never_shows() -> None:
    screen = Screen()
    broker = Broker(screen)
    first = asyncio.create_task(broker.approve(question("a")))
    second = asyncio.create_task(broker.approve(question("b")))
    await settle()
    second.cancel()
    await settle()
    assert screen.more == 0
    broker.answer("a", YES)
    await first
    await settle()
    assert screen.log == ["+a", "-a"]


async def test_only_the_first_answer_counts() -> None:
    broker = Broker(Screen())
    task = asyncio.create_task(broker.approve(question("a")))
    await settle()
    assert broker.answer("a", NO)
    assert not broker.answer("a", YES)
    assert await task == NO
    assert not broker.answer("a", YES)


async def test_an_answer_and_a_cancel_in_the_same_moment_leave_nothing_behind() -> None:
    screen = Screen()
    broker = Broker(screen)
    task = asyncio.create_task(broker.approve(question("a")))
    await settle()
    broker.answer("a", YES)
    task.cancel()
    await settle()
    assert screen.shown == []
    assert broker.current is None


async def test_a_view_that_comes_later_shows_the_open_question() -> None:
    broker = Broker()
    task = asyncio.create_task(broker.approve(question("a")))
    await settle()
    screen = Screen()
    broker.attach(screen)
    assert screen.shown == ["a"]
    broker.answer("a", YES)
    await task
    assert screen.shown == []


REPLACE = ConflictAnswer(verdict="replace")


async def test_both_kinds_of_questions_wait_in_one_row() -> None:
    screen = Screen()
    broker = Broker(screen)
    first = asyncio.create_task(broker.approve(question("a")))
    second = asyncio.create_task(broker.resolve_conflict(conflict("b")))
    third = asyncio.create_task(broker.approve(question("c")))
    await settle()
    assert (screen.shown, screen.more) == (["a"], 2)
    broker.answer("a", YES)
    await settle()
    assert screen.shown == ["b"]
    broker.answer("b", REPLACE)
    await settle()
    assert screen.shown == ["c"]
    broker.answer("c", NO)
    assert (await first, await second, await third) == (YES, REPLACE, NO)


async def test_an_answer_of_the_wrong_kind_counts_for_nothing() -> None:
    broker = Broker(Screen())
    first = asyncio.create_task(broker.approve(question("a")))
    await settle()
    assert not broker.answer("a", REPLACE)
    assert not broker.answer("a", None), "an approval can't be left undecided"
    assert broker.answer("a", NO)
    second = asyncio.create_task(broker.resolve_conflict(conflict("b")))
    await settle()
    assert not broker.answer("b", YES)
    assert broker.answer("b", None)
    assert (await first, await second) == (NO, None)


async def test_a_conflict_that_nobody_waits_for_any_more_goes_off() -> None:
    screen = Screen()
    broker = Broker(screen)
    task = asyncio.create_task(broker.resolve_conflict(conflict("b")))
    await settle()
    task.cancel()
    await settle()
    assert (screen.shown, broker.current, broker.answer("b", REPLACE)) == ([], None, False)
