"""Work that the user can give up while the task it is a part of goes on."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class GivenUp(Exception):  # noqa: N818 (it says what happened; nothing failed)
    """The user gave the work up."""


class GivingUp:
    """One piece of work at a time, which `give_up` ends."""

    def __init__(self) -> None:
        """Nothing is being done."""
        self._work: asyncio.Task[object] | None = None
        self._given_up = False

    async def do(self, work: Coroutine[object, object, T]) -> T:
        """Does it.

        Raises:
            GivenUp: `give_up` ended it.
            asyncio.CancelledError: the task itself was cancelled; the work is, too.
        """
        task = asyncio.create_task(work)
        self._work, self._given_up = task, False
        try:
            return await task
        except asyncio.CancelledError:
            around = asyncio.current_task()
            if self._given_up and not (around and around.cancelling()):
                raise GivenUp from None
            raise
        finally:
            self._work = None

    def give_up(self) -> bool:
        """Ends the work; False: nothing is being done."""
        if self._work is None:
            return False
        self._given_up = True
        return self._work.cancel()
