"""The names of a session that is resumed: the newest of its past at once, older ones meanwhile.

Until all of the older ones are read and joined the index is as if there were none.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import closing

from app.conversation.messages import Message
from app.conversation.past import Cursor, PastMessage, PastPage
from app.memory.name_index import NameIndex
from app.session.summarising import ChainPast

_log = logging.getLogger(__name__)

AT_ONCE = 1_000
"""Entries of the past whose names the first request waits for: about 0.3 s."""

_PAGE = 500
"""Entries that are read and added together: about 0.2 s in other threads."""

MOST = 10_000
"""Entries in all: after some thousand steps a name is under every floor (`name_score`)."""


class PastNames:
    """Takes the names of one chain's past up, once."""

    def __init__(
        self,
        index: NameIndex,
        past: ChainPast,
        *,
        node: Callable[[], str],
        take_up: Callable[[tuple[Message, ...]], Awaitable[None]],
    ) -> None:
        """Takes nothing up yet.

        Args:
            index: gets the names.
            past: what was said.
            node: whose past; "": it has none yet.
            take_up: adds messages of the past, and what is in the history.
        """
        self._index = index
        self._past = past
        self._node = node
        self._take_up = take_up
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def take_up(self) -> None:
        """Takes them up where nothing is known yet; before each request, and each look at them."""
        async with self._lock:
            if len(self._index):
                return
            node = self._node()
            page = await self._past.page(node, None, AT_ONCE) if node else PastPage(())
            await self._take_up(_messages(page))
            if page.earlier is not None and self._task is None:
                self._task = asyncio.create_task(self._older(node, page.earlier))

    def stop(self) -> None:
        """What isn't taken up yet stays out."""
        if self._task is not None:
            self._task.cancel()

    async def _older(self, node: str, before: Cursor | None) -> None:
        try:
            pages: list[tuple[Message, ...]] = []
            while before is not None and (len(pages) + 1) * _PAGE + AT_ONCE <= MOST:
                page = await self._past.page(node, before, _PAGE)
                pages.append(_messages(page))
                before = page.earlier
            earlier = self._index.before()
            while pages:
                await asyncio.to_thread(_add, earlier, pages.pop())
            with closing(self._index.beginning_with(earlier)) as pieces:
                for _ in pieces:
                    await asyncio.sleep(0)  # requests and keys wait for no more than a piece
        except Exception:
            _log.exception("older names can't be taken up")


def _messages(page: PastPage) -> tuple[Message, ...]:
    return tuple(item.message for item in page.items if isinstance(item, PastMessage))


def _add(index: NameIndex, messages: tuple[Message, ...]) -> None:
    for message in messages:
        index.add(message)
