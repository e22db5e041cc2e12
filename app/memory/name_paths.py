"""Which runs of characters are paths, and how they are written.

NAMES 4.1: a path has a known extension, or two slashes at least. URLs are none. A line number
behind it (`app.py:42`), `./`, a diff's `a/` and `b/`, and the project's root before it go.
"""

import re

from app.memory.name_tables import ALSO_MEMBERS, EXTENSIONS, OBJECTS

LONGEST = 300
"""Characters; a longer run is no path anybody meant."""

LETTERS = "A-Za-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
"""Letters of words that stand apart by themselves. Not those of Chinese, Japanese and Korean: there
a name stands right beside the word before it, so the change of script ends it."""

RUN = f"{LETTERS}./@+~-"
"""What paths and identifiers are made of."""

_URL_END = re.compile(r"[\s\"'<>`)\]}，。；、）」》]")
_SCHEME = 12
"""Characters; no scheme is longer."""

_DIFF = re.compile(r"^diff --git a/(.*) b/", re.MULTILINE)
_CONTEXT = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,7})-\d+(?:-.*)?$")
"""Behind a path in what `grep -n -C` gives around a hit: `app.py-42-    return`."""

LINES = re.compile(r"\s+\(lines? [^()]{1,40}\)$")
"""Behind a path that some tools are given: `app.py (lines 10-20)`."""

_TRIVIAL = re.compile(r"[^A-Za-z\u00c0-\uffff]*")
_WIDE_RUN = re.compile(r"[\w./@+~-]{3,}")
_WIDE = re.compile(f"[^{RUN}]")
_WIDE_END = re.compile(r"\.([A-Za-z0-9]{1,10})(?![A-Za-z0-9_.])")
_NARROW_END = re.compile(f"[{RUN}]+$")
_NARROW_THEN_WIDE = re.compile(f"[{RUN}]+[^{RUN}]")


def without_urls(text: str) -> str:
    """The text with URLs taken out; of `file://` only the scheme goes. Linear."""
    at = text.find("://")
    if at < 0:
        return text
    pieces, taken = [], 0
    while at >= 0:
        start = at
        while start > max(taken, at - _SCHEME) and text[start - 1].isalnum():
            start -= 1
        pieces.append(text[taken:start])
        if text[start:at] == "file":
            taken = at + 3
        else:
            end = _URL_END.search(text, at)
            taken = end.start() if end is not None else len(text)
        at = text.find("://", taken)
    pieces.append(text[taken:])
    return " ".join(pieces)


def without_sides(text: str) -> str:
    """The text with the `a/` and `b/` of a diff's heads taken away."""
    if "diff --git a/" in text:
        text = _DIFF.sub(r"diff --git \1 ", text)
    if "--- a/" in text or "+++ b/" in text:
        text = text.replace("--- a/", "--- ").replace("+++ b/", "+++ ")
    return text


def path_of(run: str, root: str = "", *, given: bool = False) -> str | None:
    """The path that a run of characters is, as it is written in lists; None if it is none.

    Args:
        run: a whole run, perhaps with a full stop or a slash at its end.
        root: the project's folder, without a slash at its end; what lies in it is written relative.
        given: it was given as a path (an argument), so one slash is enough.
    """
    if len(run) > LONGEST:
        return None
    path = LINES.sub("", run) if given else run
    path = path.lstrip("-+").rstrip("./-+~@")
    if (line := _CONTEXT.search(path)) is not None and line[1].lower() in EXTENSIONS:
        path = path[: line.end(1)]
    while path.startswith(("./", ".../")):
        path = path.partition("/")[2]
    if len(path) < 3 or path.startswith(("www.", "//")):
        return None
    folder, _, name = path.rpartition("/")
    if not _has_extension(name, alone="/" not in path):
        slashes = path.lstrip("~/").count("/")
        if slashes < (1 if given else 2) or path.startswith(("s/", "/s/")):
            return None
    if _TRIVIAL.fullmatch(path) or "//" in folder:
        return None
    if root and path.startswith(f"{root}/"):
        path = path[len(root) + 1 :]
    return path


def wide_paths(text: str, root: str = "") -> list[str]:
    """Paths with Chinese, Japanese or Korean in their names (`docs/说明.md`), each occurrence.

    A name's end is its extension. Before it, a folder whose name begins in Latin letters has no
    wide ones behind them: `见docs/说明.md` and `改core和src/a.py` begin where the letters begin.
    """
    found = []
    lines = "\n".join(line for line in text.split("\n") if not line.isascii() and "." in line)
    for run in _WIDE_RUN.findall(lines):
        if len(run) > LONGEST or "." not in run or not _WIDE.search(run):
            continue
        start = 0
        for end in _WIDE_END.finditer(run):
            # `说明.md` is a name with an extension, `填在.env` is words before a name.
            words = end[1] == "env" and _WIDE.match(run, max(0, end.start() - 1)) is not None
            if end[1].lower() in EXTENSIONS and not words:
                path = _from_its_start(run[start : end.end()])
                if _WIDE.search(path) and (made := path_of(path, root)) is not None:
                    found.append(made)
            start = end.end()
    return found


def _from_its_start(run: str) -> str:
    """A wide path without the words that stand right before it."""
    kept: list[str] = []
    for number, part in enumerate(run.split("/")):
        # Words before a name, or a name, a word, a name: the last name is where the path begins.
        mixed = _NARROW_THEN_WIDE.match(part) if number else _WIDE.match(part)
        narrow = _NARROW_END.search(part) if mixed else None
        is_name = narrow is None or narrow[0].startswith(".")
        if not is_name and narrow is not None:
            kept = [narrow[0]]
        else:
            kept.append(part)
    return "/".join(kept)


def _has_extension(name: str, *, alone: bool) -> bool:
    stem, dot, extension = name.rpartition(".")
    if not dot or extension.lower() not in EXTENSIONS or not stem:
        return False
    if alone and extension in ALSO_MEMBERS:
        return stem.rpartition(".")[2].lower() not in OBJECTS
    return True
