"""The search without ripgrep: our own walk and Python's `re`, with the same results.

Differences stay at the edges: files over 64 MB are left out, the two dialects of regular
expressions are not quite one, and a pattern that backtracks without end is not stopped inside a
line. So it is for machines that have no wheel of ripgrep.
"""

import codecs
import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from app.project import Project
from app.tools.hits import MOST_HITS, Found, Hit, Query
from app.tools.text_file import LARGEST


def search(query: Query, project: Project, stop: threading.Event, limit: float) -> Found:
    """Searches in this thread.

    Args:
        query: what for.
        project: for its ignore rules.
        stop: set it to end the search early.
        limit: seconds.
    """
    try:
        pattern = re.compile(query.pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return Found(problem=str(error))
    deadline = time.monotonic() + limit
    hits: list[Hit] = []
    for path in _files(query, project):
        if stop.is_set() or time.monotonic() > deadline:
            return Found(tuple(hits), timed_out=True)
        relative = project.relative(path)
        if not query.wants(relative):
            continue
        for hit in _search_file(path, relative, pattern):
            hits.append(hit)
            if len(hits) > MOST_HITS:
                return Found(tuple(hits[:MOST_HITS]), more=True)
    return Found(tuple(hits))


def _files(query: Query, project: Project) -> Iterator[Path]:
    if not query.target.is_dir():
        return iter((query.target,))
    return project.walk(query.target)


def _search_file(path: Path, relative: str, pattern: re.Pattern[str]) -> list[Hit]:
    """The hits of one file; none in a binary, unreadable or huge one, which is read whole."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            return []
        raw = path.read_bytes()
    except OSError:
        return []
    text = _text(raw)
    if text is None:
        return []
    hits: list[Hit] = []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, start=1):
        content = line.removesuffix("\r")
        match = pattern.search(content)
        if match is not None:
            before = _shown(content[: match.start()])
            hits.append(Hit(relative, number, _shown(content), len(before)))
            if len(hits) > MOST_HITS:
                break
    return hits


def _text(raw: bytes) -> str | None:
    """A file's text; None for a binary one. Like ripgrep it knows UTF-16 by its mark."""
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if raw.startswith(mark):
            return raw.decode("utf-16", "replace")
    if b"\0" in raw:
        return None
    return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def _shown(text: str) -> str:
    return os.fsencode(text).decode("utf-8", "backslashreplace")
