"""Work that a stop may not cut: it ends first, then the stop strikes."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def unbroken(work: Awaitable[T]) -> T:
    """Runs it to its end, whatever comes; gives what it gives, raises what it raises.

    A cancel of the caller that arrives meanwhile is held back: its next await that has to wait
    raises `CancelledError`. The task counts as many cancels as were asked for.

    Args:
        work: runs in a task of its own; only the end of the loop cancels that.
    """
    caller = asyncio.current_task()
    assert caller is not None  # noqa: S101 - a coroutine runs in a task
    task = asyncio.ensure_future(work)
    held = 0
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            caller.uncancel()
            held += 1
    for _ in range(held):
        caller.cancel()
    return task.result()
