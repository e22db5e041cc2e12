"""`read_history`: what was said before, as it first was, quoted within a token budget."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import Field

from app.archive.message_search import Hit
from app.archive.originals import Original
from app.boundary import safe_name
from app.conversation.content import Content
from app.conversation.images import pictures, told
from app.conversation.messages import Message, Role
from app.conversation.offloaded import Offloaded
from app.conversation.truncate import cut_end
from app.memory.work_query import work_question
from app.text import Key
from app.tools.base import RESULT_LIMIT, Arguments, Tool, ToolContext, ToolOutput
from app.tools.pictures import shown_again
from app.tools.work_access import WorkAccess

_CHARACTERS_OF_A_TOKEN = 4
"""At most about so many; where a text begins to be cut to a budget."""

_LONGEST_REF = 60


_SAID: dict[Role, Key] = {
    "user": "tool_result.history_by_user",
    "assistant": "tool_result.history_by_agent",
    "system": "tool_result.history_by_agent",
    "tool": "tool_result.history_by_agent",
}


class Originals(Protocol):
    """Gives messages of the open chain back, and says how much of one may be quoted."""

    async def search(self, query: str) -> Sequence[Hit]:
        """Messages that hold a text, in any case of letters; the newest first, a few.

        Raises:
            HaimaError: the archive can't be read.
        """
        ...

    async def find(self, ref: str) -> Original | None:
        """A message by its id, or that of the call it answers.

        Raises:
            HaimaError: the archive can't be read.
        """
        ...

    @property
    def budget(self) -> int:
        """Tokens that one quotation may have."""
        ...

    def tokens(self, text: str) -> int:
        """The tokens of a text."""
        ...


class ReadHistoryArguments(Arguments):
    """A reference, or a question; `offset` counts characters, inside long lines too."""

    ref: Annotated[str, Field(min_length=1)] | None = None
    query: Annotated[str, Field(min_length=1)] | None = None
    offset: Annotated[int, Field(ge=0)] | None = None


class ReadHistory(Tool[ReadHistoryArguments]):
    """Quotes a message that was cleared, offloaded or summarised away.

    What it gives stays in the context: it has no content that could be moved to a file, and
    clearing leaves its results alone. It reads only what this conversation held: nobody is asked.
    """

    name = "read_history"
    risk = "read"
    free = True
    arguments = ReadHistoryArguments

    def __init__(
        self, context: ToolContext, originals: Originals, work: WorkAccess | None = None
    ) -> None:
        """Quotes out of these, and says what is known of the work."""
        super().__init__(context)
        self._originals = originals
        self._work = work

    def subject(self, arguments: ReadHistoryArguments) -> str:
        """The reference, with where it goes on; or what is asked."""
        asked = arguments.ref or arguments.query or ""
        return f"{asked}:{arguments.offset}" if arguments.offset else asked

    async def run(self, arguments: ReadHistoryArguments) -> ToolOutput:
        """Looks it up; decoded off the loop."""
        ref = (arguments.ref or "").strip()
        query = (arguments.query or "").strip()
        if not ref and not query:
            return self.context.failed("tool_result.history_neither")
        # Some models put the question where the reference goes.
        if not ref or work_question(ref) is not None:
            return await self._answer(query or ref)
        original = await self._originals.find(ref)
        if original is None:
            return self.context.failed("tool_result.history_none", ref=ref[:_LONGEST_REF])
        content, gone = await asyncio.to_thread(self._content, original)
        quoted = _Quoted(self, self._originals, original.message.id, self._head(original), content)
        most = min(RESULT_LIMIT, self._originals.budget * _CHARACTERS_OF_A_TOKEN)
        output = await asyncio.to_thread(quoted.part, arguments.offset or 0, most, gone)
        shown = () if arguments.offset else shown_again(self.context, original.message)
        return replace(output, pictures=shown)

    async def _answer(self, query: str) -> ToolOutput:
        """What is known of the work, or the messages that hold what is looked for."""
        words = self.context.words
        asked = work_question(query)
        if asked is not None and self._work is not None:
            text = self._work.answer(asked)
        else:
            hits = await self._originals.search(query)
            if not hits:
                return self.context.failed(
                    "tool_result.history_no_hits", query=query[:_LONGEST_REF]
                )
            lines = [self._hit(hit) for hit in hits]
            text = "\n".join([words("tool_result.history_hits", n=len(hits)), *lines])
        return ToolOutput(self._fitting(self.context.shown(text)))

    def _fitting(self, text: str) -> str:
        """As many lines as the budget holds, and that there are more."""
        lines, rest = text.split("\n"), self.context.words("tool_result.history_rest")
        while self._originals.tokens(text) > self._originals.budget and len(lines) > 1:
            lines = lines[: max(1, len(lines) * 7 // 8)]
            text = "\n".join([*lines, rest])
        return text

    def _hit(self, hit: Hit) -> str:
        """A line of a search: where it stands, and what around it."""
        who = hit.tool or self.context.words(_SAID[hit.role])
        call = f'read_history(ref="{hit.id}")'
        return f"- {hit.at[:16].replace('T', ' ')} {who}: {hit.text} ({call})"

    def _content(self, original: Original) -> tuple[Content, bool]:
        """What is quoted, all of it, from wherever it was kept; whether its file is gone."""
        context, message = self.context, original.message
        text = context.content(_said(message).encode("utf-8", "backslashreplace"))
        if original.file is not None:
            raw = _read(context.project.root, original.file)
            if raw is not None:
                return context.content(raw), False
        if original.raw is not None:
            bare = context.content(original.raw)
            # Where nothing was left out the text has more: exit code, remarks.
            if bare.characters > text.characters:
                return bare, False
        return text, original.file is not None and message.tool is not None

    def _head(self, original: Original) -> str:
        """Marks what follows as a quotation: what it was, and when."""
        words, message = self.context.words, original.message
        when = original.at[:16].replace("T", " ")
        if message.role == "tool":
            return words("tool_result.history_tool", tool=safe_name(message.tool or ""), when=when)
        key: Key = "tool_result.history_user"
        if message.role != "user":
            key = "tool_result.history_agent"
        return words(key, when=when)


class _Quoted:
    """A message that is quoted, in pieces that fit."""

    def __init__(
        self, tool: ReadHistory, originals: Originals, ref: str, head: str, content: Content
    ) -> None:
        self._context = tool.context
        self._originals = originals
        self._ref = ref
        self._head = head
        self._content = content

    def part(self, offset: int, most: int, gone: bool = False) -> ToolOutput:
        """The text from `offset` on, as much as the budget and `most` characters hold."""
        context, words, total = self._context, self._context.words, self._content.characters
        if offset >= total and offset:
            return context.failed(
                "tool_result.history_past_end", ref=self._ref, total=f"{total:,}", n=total
            )
        kept = self._fitting(offset, most)
        end = offset + len(kept)
        notes = []
        if gone:
            notes.append(words("tool_result.history_gone"))
        if end < total:
            call = f'read_history(ref="{self._ref}", offset={end})'
            notes.append(
                words(
                    "tool_result.history_more",
                    first=f"{offset + 1:,}",
                    last=f"{end:,}",
                    total=f"{total:,}",
                    call=call,
                )
            )
        elif offset:
            notes.append(
                words("tool_result.history_last", first=f"{offset + 1:,}", last=f"{end:,}")
            )
        before = f"{self._head}\n"
        after = f"\n[{' · '.join([*notes, words('tool_result.history_close')])}]"
        return ToolOutput(
            f"{before}{context.shown(kept)}{after}",
            before=before,
            after=after,
            characters=len(kept),
            shorter=(lambda room: self.part(offset, room, gone)) if len(kept) > 1 else None,
        )

    def _fitting(self, offset: int, most: int) -> str:
        """The longest beginning that fits, whole lines where there are some."""
        budget = self._originals.budget
        text = self._content.beginning(offset + most + 1)[offset:]
        room = most
        kept = cut_end(text, room)
        while len(kept) > 1 and (tokens := self._tokens(kept)) > budget:
            room = max(1, min(len(kept) - 1, len(kept) * budget // tokens))
            kept = cut_end(text, room)
        return kept

    def _tokens(self, text: str) -> int:
        return self._originals.tokens(self._context.shown(text))


def _said(message: Message) -> str:
    """What a message says: its text, and the calls it made."""
    calls = [f"{call.name}({call.arguments})" for call in message.calls]
    shown = [f"[image {told(part)}]" for part in pictures(message.parts)]
    return "\n".join([message.text, *shown, *calls] if message.text else [*shown, *calls])


def _read(root: Path, file: Offloaded) -> bytes | None:
    """The bytes that were moved there; None where they are gone, or others lie there now."""
    path = root / file.path
    try:
        if not path.is_file() or path.stat().st_size != file.bytes:
            return None
        raw = path.read_bytes()
    except OSError:
        return None
    return raw if hashlib.sha256(raw).hexdigest() == file.sha256 else None
