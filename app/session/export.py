"""`/export`: writes the whole past of a session as Markdown into the project, as a stream."""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date, tzinfo
from itertools import chain as joined
from pathlib import Path

from app.conversation.messages import Message
from app.conversation.past import Past, PastMessage
from app.conversation.standing import PLAIN
from app.errors import HaimaError
from app.session.exports.markdown import markdown_sections
from app.storage import open_private
from app.text import Words

_MOST = 1000
"""Numbers that are tried for a free name; a folder with more exports of a day is a mistake."""


class ExportError(HaimaError):
    """The conversation can't be exported."""

    code = "export"


def export_markdown(
    past: Iterable[Past | Message],
    folder: Path,
    *,
    chain: str,
    today: date,
    words: Words,
    mask: Callable[[str], str],
    zone: tzinfo | None = None,
) -> Path:
    """Writes `haima-<chain>-<date>.md`, or with `-2`, `-3`… where that is taken.

    Args:
        past: the whole past; where the archive can't be read, the messages of the live history.
        folder: where the file goes: the project.
        chain: the chain's id; its first 4 digits stand in the name.
        today: the local date.
        words: for the headings.
        mask: takes Haima's credentials out.
        zone: for times; None: the machine's.

    Raises:
        ExportError: there is nothing to write yet, or it can't be written.
    """
    items = (_past(item) if isinstance(item, Message) else item for item in past)
    title = words("export.title", chain=chain[:4], date=today.isoformat())
    sections = markdown_sections(items, words=words, mask=mask, zone=zone)
    first = next(sections, None)
    if first is None:
        raise ExportError("session.nothing_to_export")
    pieces = _document(title, joined((first,), sections))
    stem = f"haima-{chain[:4]}-{today.isoformat()}"
    for number in range(1, _MOST):
        path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            _write_new(path, pieces)
        except FileExistsError:
            continue
        except OSError as error:
            raise _not_written(path, error.strerror or str(error)) from error
        return path
    raise _not_written(folder, words("export.no_name"))


def _past(message: Message) -> PastMessage:
    return PastMessage(message, PLAIN, None, "", "")


def _document(title: str, sections: Iterable[str]) -> Iterator[bytes]:
    """The heading and the sections, blank lines between."""
    yield f"# {title}\n".encode()
    for section in sections:
        yield f"\n{section}\n".encode("utf-8", "backslashreplace")


def _not_written(path: Path, problem: str) -> ExportError:
    return ExportError("session.not_written", path=path, problem=problem)


def _write_new(path: Path, pieces: Iterator[bytes]) -> None:
    """Makes a file that wasn't there, 0600; a half-written one is taken away again."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(descriptor)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
