"""A search in the file that is in view: hits as they come, and the way from one to the next."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app.view.file_search import FileSearch, pattern_for_text
from app.view.file_source import Source

Wrapped = Literal["", "top", "end"]


@dataclass(frozen=True, slots=True)
class Finding:
    """How far a search is.

    Attributes:
        query: what is looked for; "": nothing.
        at: which hit the cursor went to, from 1; 0: none.
        hits: how many there are so far.
        searched: bytes.
        size: of all.
        running: whether it goes on.
        complete: whether everything was searched.
        wrapped: where the way from hit to hit went on, if it came to an end.
    """

    query: str = ""
    at: int = 0
    hits: int = 0
    searched: int = 0
    size: int = 0
    running: bool = False
    complete: bool = False
    wrapped: Wrapped = ""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A hit that is wanted: the first from an offset on, or the last before it."""

    offset: int
    forward: bool


class Finder:
    """One search at a time.

    Args:
        source: what is searched.
        found: goes to the line of a hit.
        changed: something is to be said anew.

    Attributes:
        pattern: finds the hits in what is shown; None: nothing is looked for.
        hit: where the hit is that was gone to; None: none was.
    """

    def __init__(
        self,
        source: Source,
        *,
        found: Callable[[int], None],
        changed: Callable[[], None],
    ) -> None:
        self.pattern: re.Pattern[str] | None = None
        self.hit: int | None = None
        self._source = source
        self._found = found
        self._changed = changed
        self._search: FileSearch | None = None
        self._wish: _Wish | None = None
        self._running = False
        self._wrapped: Wrapped = ""
        self._ordinal = 0

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self._running

    @property
    def finding(self) -> Finding:
        """How far it is."""
        search = self._search
        if search is None:
            return Finding()
        return Finding(
            query=search.query,
            at=self._ordinal,
            hits=search.hits,
            searched=search.searched,
            size=self._source.size,
            running=self._running,
            complete=search.complete,
            wrapped=self._wrapped,
        )

    def begin(self, query: str, origin: int) -> bool:
        """Another query, from the line at `origin` on; True: `run` is to be started."""
        self.hit, self._ordinal, self._wrapped = None, 0, ""
        self._running = bool(query)
        self._search = FileSearch(self._source, query) if query else None
        self.pattern = pattern_for_text(query) if query else None
        self._wish = _Wish(origin, forward=True) if query else None
        self._changed()
        return self._running

    def again(self, origin: int) -> bool:
        """The same query in what is another file now; True: `run` is to be started."""
        return self._search is not None and self.begin(self._search.query, origin)

    def stop(self) -> None:
        """Searches no further; what was found stays."""
        self._running, self._wish = False, None
        self._changed()

    def wish(self, offset: int, *, forward: bool) -> bool:
        """The next hit from `offset` on, or the last before it, once it is known.

        Returns:
            Whether `run` is to be started.
        """
        if self._search is None:
            return False
        self._wish, self._wrapped = _Wish(offset, forward), ""
        return self._start()

    def forget(self) -> None:
        """The reader went elsewhere: no hit is gone to by itself any more."""
        self._wish = None

    def go_on(self) -> bool:
        """The source grew: what came is searched too; True: `run` is to be started."""
        return self._search is not None and not self._search.complete and self._start()

    def _start(self) -> bool:
        starts, self._running = not self._running, True
        return starts

    async def run(self) -> None:
        """Searches on to the end, or until another search began or it was stopped."""
        search = self._search
        if search is None:
            return
        more = True
        while self._running and search is self._search:
            wish = self._wish
            await self._grant(search)
            if more:
                more = await asyncio.to_thread(search.advance)
                self._changed()
            elif self._wish is None or self._wish is wish:
                break
        if search is self._search:
            self._running, self._wish = False, None
            self._changed()

    async def _grant(self, search: FileSearch) -> None:
        """Goes to the hit that is wished for, if it is known by now."""
        wish = self._wish
        if wish is None:
            return
        hit, wrapped = await asyncio.to_thread(_look_up, search, wish)
        if hit is None or self._wish is not wish or search is not self._search:
            return
        ordinal = await asyncio.to_thread(search.ordinal, hit)
        self.hit, self._wish, self._wrapped, self._ordinal = hit, None, wrapped, ordinal
        self._found(hit)
        self._changed()


def _look_up(search: FileSearch, wish: _Wish) -> tuple[int | None, Wrapped]:
    """The hit, as far as it can be known; and whether it is beyond an end of the file."""
    if wish.forward:
        hit = search.after(wish.offset)
        if hit is None and search.complete:
            return search.after(0), "top"
        return hit, ""
    if search.searched < wish.offset and not search.complete:
        return None, ""
    hit = search.before(wish.offset)
    if hit is None and search.complete:
        return search.before(search.source.size), "end"
    return hit, ""
