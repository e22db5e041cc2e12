"""Work behind the screen on the open session, one thing at a time; what fails becomes a toast."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from app.errors import HaimaError
from app.workbench.app import Workbench
from widgets.unbegun import unbegun


class HasNode(Protocol):
    """A session."""

    @property
    def node(self) -> str:
        """The id of the node that is open; "" before the session is."""
        ...


_S = TypeVar("_S", bound=HasNode)

Run = Callable[[Callable[[_S], Awaitable[object]]], None]
"""Has some work done, unless no session is open."""


def behind(
    app: Workbench, session: Callable[[], _S | None], group: str, *, waits: bool = True
) -> Run[_S]:
    """What runs the work of one group.

    Args:
        app: runs it, shows the toasts.
        session: what is open.
        group: of the app's workers.
        waits: while something runs, what comes after it waits; else it is dropped.
    """
    one_at_a_time = asyncio.Lock()

    async def told(work: Callable[[], Awaitable[object]]) -> None:
        if one_at_a_time.locked() and not waits:
            return
        async with one_at_a_time:
            try:
                await work()
            except HaimaError as error:
                app.toast("chat.command_failed", error.sentence(app.words), "warn")

    def run(work: Callable[[_S], Awaitable[object]]) -> None:
        now = session()
        if now is not None and now.node:
            begun = unbegun(told, lambda: work(now))
            app.run_worker(begun, group=group, exit_on_error=False)

    return run
