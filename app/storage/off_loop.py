"""Work that blocks, done in a thread and never left half way."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def to_the_end(work: Callable[[], T]) -> T:
    """Runs `work` in a thread; a cancel waits until it is over, then goes on.

    So nothing is written after the turn has ended, and a file is never replaced behind the back of
    the one who stopped it.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
