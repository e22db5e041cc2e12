"""Writes a conversation as Markdown, for people: what was said and done, in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path

from app.boundary import visible
from app.conversation.messages import Message
from app.errors import HaimaError
from app.storage import open_private
from app.text import Words

_MOST = 1000
"""Numbers that are tried for a free name; a folder with more exports of a day is a mistake."""


class ExportError(HaimaError):
    """The conversation can't be exported."""

    code = "export"


def export_markdown(
    messages: Iterable[Message],
    folder: Path,
    *,
    chain: str,
    today: date,
    words: Words,
    mask: Callable[[str], str],
) -> Path:
    """Writes `haima-<chain>-<date>.md`, or with `-2`, `-3`… where that is taken.

    Args:
        messages: the history; the system message and discarded text are left out.
        folder: where the file goes: the project.
        chain: the chain's id; its first 4 digits stand in the name.
        today: the local date.
        words: for the headings.
        mask: takes Haima's credentials out.

    Raises:
        ExportError: there is nothing to write yet, or it can't be written.
    """
    said = [m for m in messages if m.role != "system" and not m.discarded]
    if not said:
        raise ExportError("session.nothing_to_export")
    title = words("export.title", chain=chain[:4], date=today.isoformat())
    text = mask("\n\n".join([f"# {title}", *_sections(said, words)])) + "\n"
    stem = f"haima-{chain[:4]}-{today.isoformat()}"
    for number in range(1, _MOST):
        path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            _write_new(path, text.encode("utf-8", "backslashreplace"))
        except FileExistsError:
            continue
        except OSError as error:
            problem = error.strerror or str(error)
            raise ExportError("session.not_written", path=path, problem=problem) from error
        return path
    raise ExportError("session.not_written", path=folder, problem=words("export.no_name"))


def _write_new(path: Path, data: bytes) -> None:
    """Makes a file that wasn't there, 0600; a half-written one is taken away again."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _sections(messages: Iterable[Message], words: Words) -> Iterator[str]:
    """One section a message; the answers of one turn stand under one heading."""
    speaker = ""
    for message in messages:
        if message.role == "tool":
            yield f"{words('export.result')}\n\n{_fenced(visible(message.text))}"
            continue
        if message.role != speaker:
            speaker = message.role
            yield f"## {words('export.you' if speaker == 'user' else 'export.agent')}"
        if message.text.strip():
            yield visible(message.text).strip("\n")
        for call in message.calls:
            name = visible(call.name).replace("`", "'")
            yield f"{words('export.call', tool=name)}\n\n{_fenced(visible(call.arguments), 'json')}"


def _fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of backticks in the text."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
