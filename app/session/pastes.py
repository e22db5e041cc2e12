"""Long pastes: files under `.haima/pastes/`, a mark in the prompt, head and tail in the message.

A paste goes to its file when it is pasted, and the mark in the prompt says so; until it is sent it
can be taken back whole. A mark may be sent in another chain than it was made in (a draft of
yesterday): that chain gets a file of its own, so that each lives as long as its session.
"""

import asyncio
from collections.abc import Callable

from app.boundary import decode, visible
from app.compaction.note import left_out, preview, read_call
from app.compaction.output_files import OutputFiles
from app.conversation.content import Content
from app.conversation.window import RULES, Rules
from app.errors import HaimaError
from app.paths import pastes
from app.project import Project
from app.storage import StorageError
from app.text import Words
from app.text.paste_marks import PasteMark, paste_mark, paste_marks

_TOOL = "paste"
"""What files of pastes are called after their number."""


class PasteGone(HaimaError):  # noqa: N818
    """The file that a mark names can't be read."""

    code = "paste_gone"


class Pastes:
    """The pastes of one project."""

    def __init__(
        self,
        project: Project,
        *,
        words: Callable[[], Words],
        mask: Callable[[str], str],
        rules: Rules = RULES,
    ) -> None:
        """Makes nothing yet.

        Args:
            project: where they are kept.
            words: the language of marks and messages.
            mask: takes Haima's own credentials out of what is written.
            rules: the numbers.
        """
        self._project = project
        self._words = words
        self._mask = mask
        self._rules = rules

    async def keep(self, text: str, chain: str) -> str | None:
        """Moves a paste to a file, on the disk before it returns.

        Args:
            text: what was pasted, line ends as LF.
            chain: the open one; "": none is, then it stays.

        Returns:
            The mark that stands for it; None: it isn't long, and stays whole.

        Raises:
            StorageError: it can't be written; it stays whole.
        """
        if len(text) <= self._rules.paste or not chain:
            return None
        raw = self._mask(visible(text)).encode("utf-8", "replace")
        path = await asyncio.to_thread(self._files(chain).write, _TOOL, raw)
        return paste_mark(self._words(), path, len(text))

    async def whole(self, path: str) -> str:
        """The text that a mark stands for.

        Raises:
            PasteGone: it can't be read.
        """
        return decode(await asyncio.to_thread(self._read, path))

    async def spelt_out(self, text: str, chain: str) -> tuple[str, tuple[PasteGone, ...]]:
        """A message's text with head and tail of each paste in the place of its mark.

        Args:
            text: as it stood in the prompt.
            chain: the one it is sent in.

        Returns:
            The text, and which pastes are gone: their marks stay.
        """
        marks = tuple(paste_marks(text))
        if not marks:
            return text, ()
        return await asyncio.to_thread(self._spelt_out, text, marks, chain)

    def _spelt_out(
        self, text: str, marks: tuple[PasteMark, ...], chain: str
    ) -> tuple[str, tuple[PasteGone, ...]]:
        pieces, gone, end = [], [], 0
        for mark in marks:
            pieces.append(text[end : mark.start])
            end = mark.end
            try:
                pieces.append(self._shown(mark, chain))
            except PasteGone as error:
                gone.append(error)
                pieces.append(text[mark.start : mark.end])
        return "".join([*pieces, text[end:]]), tuple(gone)

    def _shown(self, mark: PasteMark, chain: str) -> str:
        """What stands in the message for one paste."""
        raw = self._read(mark.path)
        content, path = Content.of(raw), mark.path
        if mark.chain != chain:
            try:
                path = self._files(chain).write(_TOOL, raw)
            except StorageError:  # the old one is there, and reads as well
                path = mark.path
        room = self._rules.note_head + self._rules.note_tail
        if content.characters <= room:
            return visible(content.text())
        words, shown = self._words(), preview(content, room, sampled=0, rules=self._rules)
        head = words(
            "paste.head",
            characters=f"{content.characters:,}",
            lines=f"{content.lines:,}",
            call=read_call(path),
        )
        left = left_out(words, "tool_result.cut", shown.cut)
        return f"{head}\n{shown.head}\n{left}\n{shown.tail}\n{words('paste.end')}"

    def _read(self, path: str) -> bytes:
        """The bytes of a paste.

        Raises:
            PasteGone: there is none, or something else lies there.
        """
        words = self._words()
        try:
            with self._project.open(self._project.resolve(path)) as file:
                return file.read(self._rules.result_bytes)
        except HaimaError as error:
            raise PasteGone("paste.gone", path=path, problem=error.sentence(words)) from error
        except OSError as error:
            problem = f"{error.strerror}."
            raise PasteGone("paste.gone", path=path, problem=problem) from error

    def _files(self, chain: str) -> OutputFiles:
        return OutputFiles(self._project.root, chain, pastes)
