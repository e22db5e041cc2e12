"""Work on the open session: one thing at a time, what comes meanwhile waits or is dropped."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from app.errors import HaimaError
from app.text import Words
from app.workbench.app import Workbench
from app.workbench.behind import behind


class Desk:
    """Runs work and keeps what is said."""

    def __init__(self) -> None:
        self.words = Words("en")
        self.tasks: list[asyncio.Task[None]] = []
        self.said: list[str] = []

    def run_worker(self, work: Callable[[], Coroutine[Any, Any, None]], **_: object) -> None:
        self.tasks.append(asyncio.create_task(work()))

    def toast(self, title: str, text: str, severity: str) -> None:
        self.said.append(f"{severity} {title} {text}")


class Node:
    def __init__(self, node: str) -> None:
        self.node = node


@pytest.mark.parametrize(("waits", "done"), [(True, [1, 2]), (False, [1])])
async def test_what_comes_meanwhile(waits: bool, done: list[int]) -> None:
    desk, seen, release = Desk(), list[int](), asyncio.Event()
    run = behind(cast("Workbench", desk), lambda: Node("n"), "group", waits=waits)

    async def work(number: int) -> None:
        await release.wait()
        seen.append(number)

    for number in (1, 2):
        run(lambda _, number=number: work(number))  # type: ignore[misc]
        await asyncio.sleep(0)
    release.set()
    await asyncio.gather(*desk.tasks)
    assert seen == done


async def test_what_fails_is_said_and_the_next_still_runs() -> None:
    desk, seen = Desk(), list[str]()
    run = behind(cast("Workbench", desk), lambda: Node("n"), "group")

    async def fail(_: Node) -> None:
        raise HaimaError("held.no_original")

    async def see(session: Node) -> None:
        seen.append(session.node)

    run(fail)
    run(see)
    await asyncio.gather(*desk.tasks)
    assert desk.said == ["warn chat.command_failed There is no original of it"]
    assert seen == ["n"]


@pytest.mark.parametrize("session", [None, Node("")])
async def test_without_an_open_session_nothing_runs(session: Node | None) -> None:
    desk = Desk()
    behind(cast("Workbench", desk), lambda: session, "group")(lambda _: asyncio.sleep(0))
    assert desk.tasks == []
