"""What a JavaScript project's files say: package.json, .nvmrc, .node-version, locks."""

import json
import re
from collections.abc import Iterator, Mapping

from app.memory.evidence_python import tool
from app.memory.evidence_readings import (
    SET,
    Lines,
    Reading,
    one_each,
    subject_of,
    subjects_of_package,
    version_reading,
)
from app.memory.evidence_tree import Tree
from app.memory.evidence_versions import allowed

LOCKS = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "yarn.lock": "yarn",
    "pnpm-lock.yaml": "pnpm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
"""Files only one of the package managers writes."""

KIND = "js packages"
"""The kind of tools of which a project has one."""

_PORT = re.compile(r"(?<![\w-])(?:--port|-p|PORT)[ =]+(\d{2,5})(?!\d)")
_MANAGER = re.compile(r"(npm|pnpm|yarn|bun)@(\d[^\s+]*)")


def node_readings(files: Mapping[str, str]) -> list[Reading]:
    """Everything these files say, by their names."""
    found: list[Reading] = []
    for file, text in files.items():
        name = file.rpartition("/")[2]
        if name == "package.json":
            found += _package(file, text)
        elif name in LOCKS:
            found.append(tool(KIND, LOCKS[name], file, line=0))
        elif name in {".nvmrc", ".node-version"}:
            lines = Lines(file, text)
            said = [row.partition("#")[0].strip() for row in lines.rows]
            for number, row in enumerate(said, start=1):
                if row:
                    place = lines.at(number)
                    found += version_reading("node", row.removeprefix("node-"), place, weight=SET)
    return found


def _package(file: str, text: str) -> Iterator[Reading]:
    root = Tree(json.loads(text))
    lines = Lines(file, text)
    for table in (root["engines"], root["volta"]):
        for name, item in table.items:
            yield from _version(name, item.text, lines)
    for key in ("dependencies", "devDependencies"):
        for name, item in root[key].items:
            yield from _version(name, item.text, lines)
    if (match := _MANAGER.match(root["packageManager"].text)) is not None:
        place = lines.having('"packageManager"')
        yield tool(KIND, match[1], file, text, place.line)
        yield from version_reading(subject_of(match[1]), match[2], place)
    yield from one_each(_ports(root, file, lines))


def _ports(root: Tree, file: str, lines: Lines) -> Iterator[Reading]:
    """The ports that the scripts for development and for running give."""
    for name, item in root["scripts"].items:
        if name in {"dev", "start", "serve"} and (match := _PORT.search(item.text)) is not None:
            place = lines.having(f'"{name}"', match[1])
            yield Reading(
                *("port", match[1], file, place.line, place.text), weight=SET, names=(match[1],)
            )


def _version(name: str, spec: str, lines: Lines) -> Iterator[Reading]:
    spans = allowed(spec)
    if not spans:
        return
    place = lines.having(f'"{name}"', f'"{spec}"')
    for subject in subjects_of_package(name):
        yield from version_reading(subject, spec, place, spans=spans)
