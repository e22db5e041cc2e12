"""Files and symbols that a fact names: are they still there?

A file is missing only if nothing in the whole project ends in its path, ignored files included at
the place itself; a symbol only if the fact says in which file it stands and that file lacks it.
Names that may be patterns, products (`Vue.js`), outputs or other machines' files stay silent.
"""

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.memory.evidence_claims import LONGEST
from app.memory.evidence_files import EvidenceFiles, is_settled
from app.memory.evidence_words import clauses, hedged, locates, makes
from app.memory.name_paths import RUN, path_of, wide_paths, without_urls
from app.memory.name_tables import words
from app.project import Project, ProjectError

_SURE = words(
    "py pyi pyx jsx ts mts cts tsx go rs java kt kts scala clj c cc cpp cxx h hh hpp cs fs rb php "
    "swift dart lua ex exs erl zig vue svelte sh bash ps1 bat sql graphql proto md mdx rst adoc "
    "json toml ini yaml yml cfg conf properties xml gradle tf html css scss less j2 tmpl mk cmake"
)
"""Extensions of files that people write and commit; of others nobody knows whether they must be."""

_ALONE = _SURE - words("js ts md json html h c go")
"""The same for a name without a folder, which could be a product, a member or a kind of file."""

_BUILT = words("dist build out target node_modules coverage generated tmp temp logs cache")
"""Folders of what is made, not written."""

_RUN = re.compile(f"[{RUN}]+")
_PATTERN = re.compile(r"[*{}<>$%\[\]…]")
_PLACEHOLDER = re.compile(
    r"(?:^|[/_.-])(?:foo|bar|baz|xxx|your|my|example|sample|some|name|path|to|file|module|[a-z]+[_-]case|camelCase|PascalCase|yyyy\S*|nnn?)"
    r"(?=[/_.-]|$)",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"\b(?:director(?:y|ies)|folders?)\b|目录|文件夹", re.IGNORECASE)
_IDENTIFIER = r"([A-Za-z_]\w*)"
_PATH = rf"[`\"'「]?([{RUN}]*\.[A-Za-z0-9]{{1,10}})[`\"'」]?"
_WHOLE = rf"(?<![{RUN}]){_PATH}"
"""Looked for at the beginnings of runs only, as a shorter path is none; else time is quadratic."""

_NAMED = rf"[`\"'「]?{_IDENTIFIER}(?:\(\))?[`\"'」]?"
_KIND = (
    r"(?:(?:function|class|method|constant|variable|enum|struct|type|interface"
    r"|函数|类|方法|常量|变量|接口)\s*)?"
)
_SYMBOLS_FIRST = (
    re.compile(
        rf"(?<![\w.]){_NAMED}\s*{_KIND}(?:is |are )?(?:defined |declared |implemented |located )?"
        rf"(?:lives |stands |sits )?in\s+{_PATH}",
        re.ASCII,
    ),
    re.compile(
        rf"(?<![\w.]){_NAMED}\s*{_KIND}(?:定义|声明|实现|位于|写|放)?在\s*{_PATH}", re.ASCII
    ),
)
_PATHS_FIRST = (
    re.compile(rf"{_WHOLE}(?:::|#){_NAMED}", re.ASCII),
    re.compile(
        rf"{_WHOLE}\s*(?:中的|里的|的|里有|中有|定义了|声明了|实现了|包含)\s*{_KIND}{_NAMED}",
        re.ASCII,
    ),
    re.compile(
        rf"{_WHOLE}\s+(?:defines|declares|contains|has|implements)\s+(?:the |an? )?"
        rf"{_KIND}{_NAMED}",
        re.ASCII,
    ),
)
_MOST_FILES = 20_000
_LASTS = 30.0
"""Seconds."""

_NEVER = -1
"""A time at which no folder was changed."""


@dataclass(frozen=True, slots=True)
class Named:
    """A file or symbol that a fact names, and whether it is there.

    Attributes:
        file: relative to the root; for a file that is missing as the fact names it.
        symbol: "" for a file.
        there: whether it is.
        line: where the symbol stands first, from 1; else 0.
        text: that line.
        located: the fact is about where it stands, so that being there supports it.
    """

    file: str
    symbol: str
    there: bool
    line: int = 0
    text: str = ""
    located: bool = False


@dataclass(slots=True)
class Survey:
    """Which files the project has, walked only when a fact needs it.

    What was found is used again while no folder changed, half a minute at most: folders without
    files and edited ignore rules are not among what is compared.

    Attributes:
        project: whose files.
    """

    project: Project
    _names: dict[str, list[str]] = field(default_factory=dict)
    _folders: dict[str, int | None] = field(default_factory=dict)
    _whole: bool = False
    _walked: float = -math.inf
    _compared: bool = False

    def begin(self) -> None:
        """A new round of checks: folders are compared again when a fact needs them."""
        self._compared = False

    def ending_in(self, path: str) -> list[str] | None:
        """The files whose paths end so; None where not all files could be looked at."""
        if not self._compared:
            if time.monotonic() - self._walked > _LASTS or any(
                self._changed(folder) != at for folder, at in self._folders.items()
            ):
                self._walk()
            self._compared = True
        found = self._known(path)
        if any(not (self.project.root / one).exists() for one in found):
            self._walk()
            found = self._known(path)
        return found if found or self._whole else None

    def _known(self, path: str) -> list[str]:
        lowered = path.lower()
        near = self._names.get(lowered.rpartition("/")[2], ())
        return [one for one in near if f"/{one.lower()}".endswith(f"/{lowered}")]

    def _walk(self) -> None:
        self._walked = time.monotonic()
        self._names = {}
        found = list(self.project.files(_MOST_FILES + 1))
        self._whole = len(found) <= _MOST_FILES
        folders = {""}
        for file in found:
            folder, _, name = file.rpartition("/")
            self._names.setdefault(name.lower(), []).append(file)
            while folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        self._folders = {}
        for folder in folders:
            at = self._changed(folder)
            # What changed just now can change again within the same tick of the clock.
            settled = at is not None and is_settled(at)
            self._folders[folder] = at if settled else _NEVER

    def _changed(self, folder: str) -> int | None:
        try:
            return (self.project.root / folder).stat().st_mtime_ns
        except OSError:
            return None


def named(fact: str, files: EvidenceFiles, survey: Survey) -> list[Named]:
    """The files and symbols of a fact of which it is known whether they are there."""
    if len(fact) > LONGEST or hedged(fact) or makes(fact):
        return []
    found: list[Named] = []
    for clause in clauses(fact):
        found += _symbols(clause, files, survey)
        about = {one.file for one in found}
        located = locates(clause)
        for path in dict.fromkeys(_paths(clause, str(survey.project.root))):
            one = _file(path, clause, survey, located=located)
            if one is not None and one.file not in about:
                found.append(one)
    return found


def _paths(clause: str, root: str) -> Iterator[str]:
    text = without_urls(clause)
    wide = wide_paths(text, root)
    yield from wide
    for match in _RUN.finditer(text):
        around = text[max(0, match.start() - 1) : match.start()] + text[match.end() :][:1]
        if _PATTERN.search(around) or re.search(r"\w:$", text[: match.start()], re.ASCII):
            continue
        if any(match[0] in one for one in wide):
            continue
        path = path_of(match[0], root, given=True)
        if path is not None and path[0] not in "/~@" and ".." not in path.split("/"):
            yield path


def _file(path: str, clause: str, survey: Survey, *, located: bool) -> Named | None:
    """Whether a file is there; None where that can't be said."""
    project = survey.project
    try:
        place = project.resolve(path)
        if place.exists():
            return Named(project.relative(place), "", there=True, located=located)
    except (ProjectError, OSError):
        return None
    folder, _, name = path.rpartition("/")
    stem, _, extension = name.rpartition(".")
    known = extension.lower() in (_SURE if folder else _ALONE)
    if not (known and stem) and not (_FOLDER.search(clause) and not stem and folder):
        return None
    if (path[0] == "." and not path.startswith(".github/")) or "@" in path:
        return None
    if _BUILT.intersection(folder.split("/")):
        return None
    if _PLACEHOLDER.search(path) or any("." in part[1:] for part in folder.split("/")):
        return None
    elsewhere = survey.ending_in(path)
    if elsewhere is None:
        return None
    if elsewhere:
        return Named(elsewhere[0], "", there=True, located=located)
    if not stem and not (project.root / path.split("/", maxsplit=1)[0]).is_dir():
        return None
    if project.is_ignored(place):
        return None
    return Named(path, "", there=False)


def _symbols(clause: str, files: EvidenceFiles, survey: Survey) -> Iterator[Named]:
    pairs = [(match[2], match[1]) for one in _SYMBOLS_FIRST for match in one.finditer(clause)]
    pairs += [(match[1], match[2]) for one in _PATHS_FIRST for match in one.finditer(clause)]
    for path, symbol in dict.fromkeys(pairs):
        if not _is_symbol(symbol, clause):
            continue
        found = _file(path.removeprefix("./"), clause, survey, located=True)
        if found is None or not found.there:
            continue
        text = files.text(found.file)
        if text is None:
            continue
        match = re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", text)
        if match is None:
            yield Named(found.file, symbol, there=False)
            continue
        line = text.count("\n", 0, match.start()) + 1
        row = text.split("\n")[line - 1].strip()[:200]
        yield Named(found.file, symbol, there=True, line=line, text=row, located=True)


def _is_symbol(name: str, clause: str) -> bool:
    """Whether a word is a name of code: quoted, called, with a hump or an underscore inside."""
    return (
        f"`{name}" in clause
        or f"{name}()" in clause
        or "_" in name.strip("_")
        or re.search(r"[a-z0-9][A-Z]", name) is not None
    )
