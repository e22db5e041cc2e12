"""The project's files for `@` in the prompt."""

import asyncio
from collections.abc import Callable
from time import monotonic

from app.project import Project
from widgets.completing import Candidate
from widgets.fuzzy import best

_MOST = 50
"""Most files offered at once."""

_FRESH = 5.0
"""Seconds a list of the project's files is used before the disk is read again."""


class ProjectFiles:
    """Read off the loop and kept for a few seconds."""

    def __init__(self, project: Project, clock: Callable[[], float] = monotonic) -> None:
        self._project = project
        self._clock = clock
        self._files: list[str] = []
        self._read_at: float | None = None

    async def fitting(self, query: str) -> tuple[Candidate, ...]:
        """The files that fit best."""
        found = await asyncio.to_thread(self._find, query)
        return tuple(Candidate(f"@{path}", label=path) for path in found)

    def _find(self, query: str) -> list[str]:
        now = self._clock()
        if self._read_at is None or now - self._read_at > _FRESH:
            self._files = list(self._project.files())
            self._read_at = now
        return best(query, self._files, _MOST)
