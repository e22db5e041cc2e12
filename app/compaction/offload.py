"""Tier 1: results that are too big for the context go whole to files, and a note stays.

Whether one is too big is for whoever commits it to ask (`offload_limit`); `joint` asks the same of
a step's results together. What must stay in the context has no `Content` (a stretch of a file, what
was read of these files themselves): it is never moved, only made shorter.
"""

import asyncio
import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.compaction.note import Preview, names_room, not_kept, note, preview, preview_room
from app.compaction.output_files import OutputFiles
from app.compaction.pointer import history_call
from app.conversation.content import Content
from app.conversation.offloaded import Offloaded
from app.conversation.window import RULES, Rules, Thresholds
from app.errors import HaimaError
from app.memory.name_lists import Standing, best_names
from app.memory.name_score import Ranking
from app.memory.names import SCANNED
from app.text import Words

SHELL = "execute_command"
"""The tool whose results have a limit of their own."""

_BINARY = 20
"""Where more than one byte in so many is no text, names in it are chance (ours)."""


@dataclass(frozen=True, slots=True)
class Offload:
    """A content that is in a file now.

    Attributes:
        file: where, to be kept as state.
        text: the note that stands in its place, to be put into the tool's frame.
    """

    file: Offloaded
    text: str


@dataclass(frozen=True, slots=True)
class OffloadFailed:
    """A content that could not be written to a file; none is left.

    Attributes:
        reason: why, a sentence.
        text: the content, cut, which says so; to be put into the tool's frame.
    """

    reason: str
    text: str


def offload_limit(tool: str, marks: Thresholds) -> int:
    """Characters of a tool's bare content; one that is longer goes to a file."""
    return marks.offload_shell if tool == SHELL else marks.offload


class Offloader:
    """Moves contents of one chain to files. Everything but the names is done in threads."""

    def __init__(self, root: Path, chain: str, words: Words, rules: Rules = RULES) -> None:
        """Names the folder; nothing is made yet.

        Args:
            root: the project's folder, resolved (`Project.root`).
            chain: the chain's id.
            words: the language of results.
            rules: the numbers.

        Raises:
            ValueError: it is no chain's id (a fault of the program).
        """
        self._files = OutputFiles(root, chain)
        self._words = words
        self._rules = rules

    @property
    def folder(self) -> str:
        """Where the files stand, relative to the project's root."""
        return self._files.folder

    async def offload(
        self,
        tool: str,
        content: Content,
        *,
        limit: int,
        ranking: Ranking | None = None,
        ref: str = "",
    ) -> Offload | OffloadFailed | None:
        """Moves a content to a file, exactly its bytes, on the disk before it returns.

        A cancel waits for the write and leaves no file.

        Args:
            tool: the tool's name, perhaps invented by the model.
            content: what it gave.
            limit: characters of it that stay where it can't be written.
            ranking: scores names for the note, made after the result was added to its index;
                None: the note lists none.
            ref: the result's id, under which the archive has it where no file can; "": none has.

        Returns:
            None: it stays as it is, for no note is worth it.
        """
        expected = Offloaded(
            path=self._files.longest_path(tool),
            bytes=len(content.raw),
            characters=content.characters,
            lines=content.lines,
            sha256="",
        )
        room = preview_room(self._words, tool, expected, self._rules)
        if content.characters < self._rules.offload_smallest or room <= 0:
            return None
        if content.invalid * _BINARY > len(content.raw):
            ranking = None
        listed = 0 if ranking is None else names_room(content.characters, self._rules)
        listed = min(listed, room // 3)
        # The note is made while the file is written.
        writing = asyncio.ensure_future(asyncio.to_thread(self._write, tool, content))
        try:
            shown = await asyncio.to_thread(
                preview,
                content,
                room - listed,
                sampled=SCANNED if listed else 0,
                rules=self._rules,
            )
            names = () if ranking is None else _names(ranking, shown, listed)
            written = await asyncio.shield(writing)
        except BaseException:
            await self._take_back(writing)
            raise
        if isinstance(written, HaimaError):
            reason = written.sentence(self._words)
            rest = partial(history_call, ref) if ref else None
            text = await asyncio.to_thread(not_kept, self._words, content, limit, reason, rest)
            return OffloadFailed(reason, text)
        file = replace(expected, path=written.path, sha256=written.sha256)
        return Offload(file, note(self._words, tool, file, shown, names, self._rules))

    async def discard(self, file: Offloaded) -> None:
        """Takes a file away again that no row names."""
        await asyncio.to_thread(self._files.remove, file.path)

    def _write(self, tool: str, content: Content) -> "_Written | HaimaError":
        """Writes the file, and hashes it beside; neither holds the interpreter."""
        with ThreadPoolExecutor(1) as beside:
            hashed = beside.submit(hashlib.sha256, content.raw)
            try:
                path = self._files.write(tool, content.raw)
            except HaimaError as error:
                return error
            return _Written(path, hashed.result().hexdigest())

    async def _take_back(self, writing: "asyncio.Future[_Written | HaimaError]") -> None:
        """Waits for a write that nobody wants any more, and takes its file away."""
        await asyncio.wait({writing})
        written = None if writing.exception() else writing.result()
        if isinstance(written, _Written):
            await asyncio.to_thread(self._files.remove, written.path)


@dataclass(frozen=True, slots=True)
class _Written:
    path: str
    sha256: str


def _names(ranking: Ranking, shown: Preview, room: int) -> tuple[str, ...]:
    """The names of the middle, best first; on the loop, as the index lives there."""
    best = best_names(
        shown.middle,
        ranking=ranking,
        standing=Standing((shown.head, shown.tail)),
        characters=room,
        limit=SCANNED,
    )
    return tuple(name.text for name in best)
