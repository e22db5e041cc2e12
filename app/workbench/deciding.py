"""The inbox: conflicts that wait, put to the user one after the other."""

import asyncio
from collections.abc import Callable, Sequence

from app.errors import HaimaError
from app.memory.fact_outcomes import Failed, Outcome
from app.memory.inbox import Pending
from app.memory.memories import Memories
from app.session.fact_said import fact_said
from app.session.remembering import Remembering
from app.session.session import Session
from app.workbench.app import Workbench
from app.workbench.asking import Asking, Row
from widgets.unbegun import unbegun

Came = Callable[[Outcome], None]
"""Hears what came of a decision."""

_LOOK_SECONDS = 1.0
"""So often an open conflict is looked up: another window may have decided it."""


class Deciding:
    """Walks through the inbox of the session that is open; one walk at a time.

    Args:
        app: shows toasts.
        asking: shows the conflicts, with their place in the row.
        session: the one that is open.
    """

    def __init__(
        self, app: Workbench, asking: Asking, session: Callable[[], Session | None]
    ) -> None:
        self._app = app
        self._asking = asking
        self._session = session
        self._one_at_a_time = asyncio.Lock()

    @property
    def busy(self) -> bool:
        """Whether it asks, or is about to."""
        return self._one_at_a_time.locked()

    def begin(self, first: str = "", came: Came | None = None) -> None:
        """Shows what waits, behind the screen; without an open session nothing can.

        Args:
            first: id of the one that comes first; then the others in their order.
            came: hears what came of the one that is decided first.
        """
        session = self._session()
        if session is not None and not self.busy:
            walk = unbegun(self._told, session.remembering, first, came)
            self._app.run_worker(walk, group="deciding", exit_on_error=False)

    async def _told(self, remembering: Remembering, first: str, came: Came | None) -> None:
        async with self._one_at_a_time:
            try:
                await self.walk(remembering, first, came)
            except HaimaError as error:
                self._app.toast("conflict.inbox", error.sentence(self._app.words), "danger")

    async def walk(
        self, remembering: Remembering, first: str = "", came: Came | None = None
    ) -> None:
        """Puts all that waits to the user; what they leave undecided stays where it is.

        Raises:
            StorageError: the inbox or the memory can't be read.
        """
        memories = remembering.memories
        await memories.refresh()
        waiting = _in_order(await memories.inbox.waiting(memories.key), first)
        if not waiting:
            self._app.toast("conflict.inbox", self._app.words("conflict.none_waits"))
            return
        decided = gone = 0
        for place, pending in enumerate(waiting):
            if not await _waits(memories, pending):
                gone += 1
                continue
            self._asking.row = Row(pending.draft.content, place, len(waiting) - place - 1)
            try:
                outcome = await self._ask(remembering, pending)
            finally:
                self._asking.row = None
            if isinstance(outcome, Failed):
                said = fact_said(outcome, self._app.words)
                self._app.toast("conflict.inbox", said.sentence, said.severity)
                return
            if came is not None and outcome is not None and not decided:
                came(outcome)
            decided += outcome is not None
            gone += outcome is None and not await _waits(memories, pending)
        self._tell(decided, gone, len(waiting) - decided - gone)

    async def _ask(self, remembering: Remembering, pending: Pending) -> Outcome | None:
        """Asks for one, until it is answered here or decided elsewhere."""
        watch = asyncio.create_task(self._watch(remembering.memories, pending))
        try:
            return await remembering.decide(pending)
        finally:
            watch.cancel()

    async def _watch(self, memories: Memories, pending: Pending) -> None:
        """Takes the question off once it waits no more; what can't be read is left alone."""
        gone = False
        while not (gone and self._asking.leave_row()):
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                gone = not await _waits(memories, pending)
            except HaimaError:
                gone = False

    def _tell(self, decided: int, gone: int, left: int) -> None:
        """Once at the end: a toast for each would pile up behind the next question."""
        words = self._app.words
        if left:
            said = words("conflict.some_left", decided=decided, n=left)
        else:
            said = words("conflict.all_decided", n=decided + gone)
        self._app.toast("conflict.inbox", said, "info" if left else "ok")


async def _waits(memories: Memories, pending: Pending) -> bool:
    """Whether it is still undecided, whoever might have decided it."""
    await memories.refresh()
    return any(one.id == pending.id for one in await memories.inbox.waiting(memories.key))


def _in_order(waiting: Sequence[Pending], first: str) -> list[Pending]:
    return sorted(waiting, key=lambda pending: pending.id != first)
