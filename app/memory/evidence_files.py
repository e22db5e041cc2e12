"""Which files of a project are evidence, read safely and remembered while they stay the same.

Every file goes through the project's fence: a link that leads out, a pipe or a folder under a
known name is no evidence. A file over the limit isn't read; bytes that are no UTF-8 are replaced.
Parsers run on one family of files at a time (a pom needs its parent, a script its properties); a
parser that fails on one family leaves the others.
"""

import os
import posixpath
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from xml.parsers.expat import ExpatError

from app.memory.evidence_ci import gitlab_readings, server_readings, workflow_readings
from app.memory.evidence_gradle import gradle_readings, included
from app.memory.evidence_images import compose_readings, dockerfile_readings
from app.memory.evidence_maven import maven_readings, modules, wrapper_readings
from app.memory.evidence_native import cargo_readings, go_readings, manager_readings
from app.memory.evidence_node import LOCKS as NODE_LOCKS
from app.memory.evidence_node import node_readings
from app.memory.evidence_python import LOCKS as PYTHON_LOCKS
from app.memory.evidence_python import python_readings
from app.memory.evidence_readings import Reading
from app.memory.name_tables import words
from app.project import Project, ProjectError

Stamp = tuple[int, int, int, int]
"""When and how a file last changed: modification and status times in ns, size, inode."""

Parser = Callable[[Mapping[str, str]], list[Reading]]

MOST_BYTES = 512 * 1024
"""Of a file; no manifest that people write is larger. Locks are known by their names alone."""

_TICK = 50_000_000
"""ns; more than file systems need to tell two changes apart."""

_MOST_FOLDERS = 60
_MOST_MODULES = 200
_MOST_NAMES = 2000
"""Names in a folder; one with more isn't searched for manifests."""

_ASIDE = words(
    "example examples sample samples demo demos doc docs test tests testing fixture fixtures "
    "testdata vendor third_party node_modules template templates build dist target out bin "
    "archive legacy old backup venv env site-packages benchmarks"
)
"""Folders whose manifests say nothing about the project itself."""

_NAME_ONLY = frozenset({*NODE_LOCKS, *PYTHON_LOCKS})

_Rule = tuple[re.Pattern[str], Parser]
_FAMILIES: tuple[_Rule, ...] = (
    (
        re.compile(
            r"pyproject\.toml|[\w.-]*requirements[\w.-]*\.txt|\.python-version|"
            + "|".join(map(re.escape, PYTHON_LOCKS))
        ),
        python_readings,
    ),
    (
        re.compile(r"package\.json|\.nvmrc|\.node-version|" + "|".join(map(re.escape, NODE_LOCKS))),
        node_readings,
    ),
    (re.compile(r"pom\.xml"), maven_readings),
    (
        re.compile(r"build\.gradle(?:\.kts)?|gradle\.properties|libs\.versions\.toml"),
        gradle_readings,
    ),
    (re.compile(r"(?:maven|gradle)-wrapper\.properties"), wrapper_readings),
    (re.compile(r"go\.mod"), go_readings),
    (re.compile(r"Cargo\.toml|rust-toolchain(?:\.toml)?"), cargo_readings),
    (re.compile(r"\.tool-versions|\.sdkmanrc|\.java-version"), manager_readings),
    (re.compile(r"Dockerfile|Containerfile"), dockerfile_readings),
    (re.compile(r"(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml"), compose_readings),
    (re.compile(r"\.gitlab-ci\.yml"), gitlab_readings),
    (re.compile(r"application\.(?:properties|ya?ml)"), server_readings),
)
_WORKFLOWS = ".github/workflows"
_FIXED = (
    "gradle/libs.versions.toml",
    "gradle/wrapper/gradle-wrapper.properties",
    ".mvn/wrapper/maven-wrapper.properties",
    "src/main/resources/application.properties",
    "src/main/resources/application.yml",
    "src/main/resources/application.yaml",
)
_FAILURES = (ValueError, TypeError, LookupError, RecursionError, OSError, ExpatError)
"""What parsers of foreign text raise; tomllib's and json's errors are ValueErrors."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    """One family's readings, and the files they came from."""

    stamps: tuple[tuple[str, Stamp], ...]
    readings: tuple[Reading, ...]


class EvidenceFiles:
    """The project's manifests and what they say; blocking, for a thread, one call at a time."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._parsed: dict[str, _Parsed] = {}
        self._modules: dict[str, tuple[Stamp, tuple[str, ...]]] = {}

    def readings(self) -> list[Reading]:
        """Everything the files say now. Never raises; what can't be read says nothing."""
        families: dict[str, tuple[Parser, dict[str, Stamp]]] = {}
        for file, stamp in self._found():
            parser = _parser_of(file)
            if parser is not None:
                families.setdefault(parser.__name__, (parser, {}))[1][file] = stamp
        self._parsed = {key: one for key, one in self._parsed.items() if key in families}
        found: list[Reading] = []
        for key, (parser, files) in families.items():
            stamps = tuple(sorted(files.items()))
            known = self._parsed.get(key)
            if known is None or known.stamps != stamps:
                known = _Parsed(stamps, tuple(self._parse(parser, dict(stamps))))
                if all(is_settled(stamp[1]) for stamp in files.values()):
                    self._parsed[key] = known
            found += known.readings
        return found

    def text(self, file: str) -> str | None:
        """A file's text; None where it is none, too big, outside, or can't be read."""
        try:
            with self._project.open(self._project.resolve(file)) as stream:
                raw = stream.read(MOST_BYTES + 1)
        except (ProjectError, OSError):
            return None
        if len(raw) > MOST_BYTES:
            return None
        return raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def stamp(self, file: str) -> Stamp | None:
        """How a plain file last changed; None where there is none."""
        try:
            found = (self._project.root / file).stat()
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def _parse(self, parser: Parser, files: dict[str, Stamp]) -> Iterator[Reading]:
        texts: dict[str, str] = {}
        for file in files:
            text = "" if posixpath.basename(file) in _NAME_ONLY else self.text(file)
            if text is not None:
                texts[file] = text
        try:
            found = parser(texts)
        except _FAILURES:
            found = []
            # One bad file must not silence its neighbours, though what it would add is missing.
            for file, text in texts.items():
                try:
                    found += parser({file: text})
                except _FAILURES:
                    continue
        for one in found:
            aside = one.file.count("/") > 0 and not one.file.startswith((".", "gradle/", "src/"))
            yield replace(one, weight=one.weight - 1) if aside else one

    def _found(self) -> Iterator[tuple[str, Stamp]]:
        """The files that may be evidence, each once."""
        names, folders = self._listed("")
        found = set(names)
        for folder in folders:
            if not folder.startswith(".") and folder.lower() not in _ASIDE:
                found.update(f"{folder}/{name}" for name in self._listed(folder)[0])
        found.update(f"{_WORKFLOWS}/{name}" for name in self._listed(_WORKFLOWS)[0])
        found.update(_FIXED)
        found = {file for file in found if _parser_of(file) is not None}
        for file in self._declared(found):
            found.add(file)
        for file in sorted(found):
            stamp = self.stamp(file)
            if stamp is not None:
                yield file, stamp

    def _declared(self, found: set[str]) -> set[str]:
        """Modules further down: those of poms, and what a settings script includes."""
        declared: set[str] = set()
        waiting = [file for file in found if file.endswith("pom.xml")]
        waiting += ["settings.gradle", "settings.gradle.kts"]
        while waiting and len(declared) < _MOST_MODULES:
            file = waiting.pop()
            folder = posixpath.dirname(file)
            for name in self._modules_of(file):
                inner = posixpath.normpath(posixpath.join(folder, name))
                if inner.startswith(("..", "/")):
                    continue
                if file.endswith("pom.xml"):
                    pom = inner if inner.endswith(".xml") else f"{inner}/pom.xml"
                    if pom not in declared and pom not in found and pom.endswith("/pom.xml"):
                        declared.add(pom)
                        waiting.append(pom)
                else:
                    declared |= {f"{inner}/build.gradle", f"{inner}/build.gradle.kts"}
        return declared

    def _modules_of(self, file: str) -> tuple[str, ...]:
        stamp = self.stamp(file)
        if stamp is None:
            return ()
        known = self._modules.get(file)
        if known is None or known[0] != stamp:
            text = self.text(file)
            try:
                read = modules if file.endswith(".xml") else included
                named = tuple(read(text or ""))
            except _FAILURES:
                named = ()
            known = (stamp, named)
            if is_settled(stamp[1]):
                self._modules[file] = known
        return known[1]

    def _listed(self, folder: str) -> tuple[list[str], list[str]]:
        """The names of files and of real folders in a folder."""
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(self._project.root / folder) as entries:
                for number, entry in enumerate(entries):
                    if number >= _MOST_NAMES:
                        return [], []
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    else:
                        files.append(entry.name)
        except OSError:
            return [], []
        return files, sorted(folders)[:_MOST_FOLDERS]


@lru_cache(4_096)  # asked for every word of every fact
def _parser_of(file: str) -> Parser | None:
    folder, _, name = file.rpartition("/")
    if folder == _WORKFLOWS:
        return workflow_readings if name.endswith((".yml", ".yaml")) else None
    for pattern, parser in _FAMILIES:
        if pattern.fullmatch(name):
            return parser
    return None


def is_settled(changed: int) -> bool:
    """Whether a time of change (ns) is past, so that another change will have another time."""
    return abs(time.time_ns() - changed) > _TICK


def is_manifest(file: str) -> bool:
    """Whether a file of this name is read for evidence."""
    return _parser_of(Path(file).as_posix()) is not None
