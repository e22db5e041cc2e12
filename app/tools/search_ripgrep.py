"""The search by ripgrep: its options, and its answers read."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.project.ignore import repository
from app.tools.hits import MOST_HITS, Found, Hit, Query
from app.tools.process import run_process

_OPTIONS = (
    "--json",
    "--no-config",
    "--no-messages",
    "--hidden",
    "--no-ignore-dot",
    "--no-ignore-global",
    "--crlf",
    "--engine=auto",
    "--sort=path",
    f"--max-count={MOST_HITS + 1}",
    "--glob=!.git",
    "--glob=!.haima",
)
"""Sorted, so that the first 200 hits are the same each time: bytes already sent stay the same."""

_LONGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of one answer, which holds a whole line of a file."""


def can_search(query: Query) -> bool:
    """Whether ripgrep sees the same files as we do.

    Outside a repository it would take rules from folders above the project as well. That can be
    switched off only together with those of the folders between the project and the target.
    """
    if repository(query.target) is not None or query.target == query.root:
        return True
    return not any((folder / ".gitignore").exists() for folder in query.root.parents)


async def search(query: Query, program: Path, environ: Mapping[str, str], limit: float) -> Found:
    """Searches; cancelling ends the program.

    Raises:
        OSError: it can't be started, or was killed by somebody else.
    """
    reader = _Reader(query)
    ended = await run_process(
        _command(query, program),
        folder=query.root,
        environ=environ,
        consume=reader.take,
        limit=limit,
    )
    reader.finish()
    if ended.code is not None and ended.code < 0:
        raise OSError(f"ripgrep was killed by signal {-ended.code}")
    if ended.code not in {0, 1, None} and reader.complaint and not reader.hits:
        return Found(problem=reader.complaint)
    return Found(tuple(reader.hits[:MOST_HITS]), reader.full, ended.timed_out)


def _command(query: Query, program: Path) -> list[str]:
    options = [str(program), *_OPTIONS]
    if repository(query.target) is None:
        options += ["--no-require-git", "--no-ignore-exclude"]
        if query.target == query.root:
            options.append("--no-ignore-parent")
    if query.whole_folder:
        options.append("--no-ignore-parent")
    if query.glob is not None and query.glob.names:
        options += [f"--type-add=wanted:{name}" for name in query.glob.names]
        options.append("--type=wanted")
    return [*options, "-e", query.pattern, "--", f"./{query.folder}"]


@dataclass(slots=True)
class _Reader:
    """Reads ripgrep's answers as they come.

    The hits of a file wait until its end: only then is it known whether the file is binary.
    """

    query: Query
    hits: list[Hit] = field(default_factory=list)
    full: bool = False
    complaint: str = ""
    _waiting: list[Hit] = field(default_factory=list)
    _rest: bytearray = field(default_factory=bytearray)

    def take(self, piece: bytes) -> bool:
        """Takes a piece of output; False when there are enough hits."""
        seen = len(self._rest)
        self._rest += piece
        end = self._rest.rfind(b"\n", seen)
        if end < 0:
            return len(self._rest) <= _LONGEST_ANSWER
        lines = bytes(self._rest[:end]).split(b"\n")
        del self._rest[: end + 1]
        for line in lines:
            self._answer(line)
            if self.full:
                return False
        return True

    def finish(self) -> None:
        """The program is over: what it said without a line end, and a file it was stopped in."""
        if self._rest:
            self._answer(bytes(self._rest))
        self._accept()

    def _answer(self, line: bytes) -> None:
        try:
            answer = json.loads(line)
            kind, data = answer["type"], answer["data"]
        except (ValueError, KeyError, TypeError):
            self.complaint += line.decode("utf-8", "replace").removeprefix("rg: ") + "\n"
            return
        if kind == "begin":
            self._waiting.clear()
        elif kind == "match":
            self._match(data)
        elif kind == "end":
            if data.get("binary_offset") is None:
                self._accept()
            self._waiting.clear()

    def _match(self, data: dict[str, Any]) -> None:
        path = _bytes(data["path"]).decode("utf-8", "surrogateescape").removeprefix("./")
        if not self.query.wants(path):
            return
        line = _bytes(data["lines"]).removesuffix(b"\n").removesuffix(b"\r")
        start = data["submatches"][0]["start"] if data["submatches"] else 0
        before = line[:start].decode("utf-8", "backslashreplace")
        text = line.decode("utf-8", "backslashreplace")
        self._waiting.append(Hit(path, data["line_number"], text, len(before)))

    def _accept(self) -> None:
        self.hits += self._waiting
        self._waiting.clear()
        self.full = len(self.hits) > MOST_HITS


def _bytes(value: dict[str, str]) -> bytes:
    """Text or, where it isn't UTF-8, bytes in base64."""
    if "text" in value:
        return value["text"].encode("utf-8")
    try:
        return base64.b64decode(value["bytes"])
    except (KeyError, binascii.Error):
        return b""
