"""The offline demo: a scripted `ChatModel` that drives the real loop and the real tools.

It is no model and says so. It streams words and asks for calls; whatever happens then is real:
approvals, files, commands and their results, which it reads in the next request and goes on by. It
keeps no state of its own, so that stopping, `/clear` and starting over simply work.
"""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncGenerator, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from app.conversation.images import Sight
from app.conversation.messages import Reasoning
from app.llm.demo_log import LOG, night_log
from app.llm.demo_scene import Line
from app.llm.demo_story import SUGGESTIONS, reply_to
from app.ports import Clock, ModelChunk, ModelRequest, ReasoningDelta, Reply, RequestedCall
from app.ports import TextDelta as Text
from app.storage import private_folder, write_atomic
from app.text import Language

__all__ = ["PACE", "PROJECT", "SUGGESTIONS", "WINDOW", "DemoModel", "copy_demo_project"]

PACE = 0.02
"""Seconds a piece: about 50 pieces a second, as a quick model streams (PROVIDERS 3.5)."""

PROJECT = "order-service"
"""What the copy's folder is called, and so the project in the header."""

WINDOW = 32_000
"""Tokens: small, so that what happens to a full window happens within minutes."""

_PIECE = re.compile(r"\s*(?:[A-Za-z0-9]{1,8}|[^\sA-Za-z0-9]{1,2}|$)")
"""About what a model's token is: a short word with the blank before it, two Chinese characters."""


class DemoModel:
    """Plays the stories of `SUGGESTIONS`; to anything else it says what it is.

    Attributes:
        window: tokens it states; the gauge, the marks and what happens at them follow from it.
    """

    name = "demo"
    base_url = ""
    window = WINDOW
    sight = Sight(known=True)

    def __init__(self, language: Language, *, clock: Clock, pace: float = PACE) -> None:
        """Makes the demo's model.

        Args:
            language: what it speaks; a suggestion in the other language is answered in that one.
            clock: waits between pieces.
            pace: seconds a piece; 0: all at once.
        """
        self._language: Language = language
        self._clock = clock
        self._pace = pace

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Streams the next line of the story that the request's messages are in.

        It reports no usage: nothing was counted, and a figure would be made up.
        """
        line = reply_to(request, self._language)
        for piece in pieces(line.reasoning):
            await self._wait()
            yield ReasoningDelta(piece)
        said = list(pieces(line.text))
        shown = said[: request.max_tokens]
        for piece in shown:
            await self._wait()
            yield Text(piece)
        await self._wait()
        yield _reply(line) if shown == said else Reply("".join(shown), truncated=True)

    async def _wait(self) -> None:
        """One piece's time; even without pace the loop gets its turn, so that Esc works."""
        await (self._clock.sleep(self._pace) if self._pace > 0 else asyncio.sleep(0))


def _reply(line: Line) -> Reply:
    return Reply(
        text=line.text,
        calls=tuple(
            RequestedCall(call.name, json.dumps(call.arguments, ensure_ascii=False))
            for call in line.calls
        ),
        reasoning=Reasoning(line.reasoning) if line.reasoning else None,
    )


def pieces(text: str) -> Iterator[str]:
    """The text in pieces as a model would stream it."""
    place = 0
    while place < len(text):
        found = _PIECE.match(text, place)
        end = found.end() if found else place + 1
        yield text[place:end]
        place = end


def copy_demo_project(folder: Path) -> Path:
    """Puts a fresh copy of the sample project under `folder`; each call makes another.

    The log of a night is written beside it: too long to lie in the package.

    Returns:
        The copy's root, in which nothing has been done yet.

    Raises:
        StorageError: it can't be written.
    """
    root = private_folder(folder / secrets.token_hex(4) / PROJECT)
    _copy(resources.files("app.llm").joinpath("demo_project"), root)
    write_atomic(private_folder(root / Path(LOG).parent) / Path(LOG).name, night_log().encode())
    return root


def _copy(source: Traversable, target: Path) -> None:
    for entry in source.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                _copy(entry, private_folder(target / entry.name))
        elif not entry.name.endswith(".pyc"):
            write_atomic(target / entry.name, entry.read_bytes())
