"""What a Python project's files say: pyproject.toml, requirements*.txt, .python-version, locks."""

import re
import tomllib
from collections.abc import Iterator, Mapping

from app.memory.evidence_readings import (
    PINNED,
    SET,
    Lines,
    Place,
    Reading,
    one_each,
    subject_of,
    version_reading,
)
from app.memory.evidence_tree import Tree
from app.memory.evidence_versions import allowed

LOCKS = {"poetry.lock": "poetry", "uv.lock": "uv", "pdm.lock": "pdm", "Pipfile": "pipenv"}
"""Files only one of the tools writes."""

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;#()@]*)\)?\s*")
_COMMENT = re.compile(r"\s(?:#|--hash)")


def python_readings(files: Mapping[str, str]) -> list[Reading]:
    """Everything these files say, by their names."""
    found: list[Reading] = []
    for file, text in files.items():
        name = file.rpartition("/")[2]
        if name == "pyproject.toml":
            found += _pyproject(file, text)
        elif name == ".python-version":
            found += _python_version(file, text)
        elif name.endswith(".txt"):
            found += _requirements(file, text)
        elif name in LOCKS:
            found.append(tool("python packages", LOCKS[name], file, line=0))
    return found


def tool(kind: str, name: str, file: str, text: str = "", line: int = 1) -> Reading:
    """A file that shows which one of a kind of tools is used; `line` 0: by being there."""
    place = Lines(file, text[:400]).at(line)
    return Reading(f"tool:{kind}", name, file, line, place.text, PINNED, names=(name,))


def _pyproject(file: str, text: str) -> Iterator[Reading]:
    root = Tree(tomllib.loads(text))
    lines = Lines(file, text)
    project, poetry = root["project"], root["tool"]["poetry"]
    if requires := project["requires-python"].text:
        place = lines.having("requires-python", requires)
        yield from version_reading("python", requires, place, spans=allowed(requires) or ())
    lists = [project["dependencies"], *project["optional-dependencies"].values]
    lists += root["dependency-groups"].values
    for listed in lists:
        for item in listed.values:
            yield from _requirement(item.text, lines)
    groups = [poetry["dependencies"], poetry["dev-dependencies"]]
    groups += [group["dependencies"] for group in poetry["group"].values]
    for group in groups:
        for name, item in group.items:
            spec = item.text or item["version"].text
            place = lines.having(name, spec) if spec else lines.having(name)
            if spec and not item["markers"].text:
                yield from version_reading(subject_of(name), spec, place, spans=allowed(spec) or ())
    for name in ("poetry", "uv", "pdm"):
        if root["tool"][name].items:
            yield tool("python packages", name, file, text, lines.having(f"[tool.{name}").line)


def _requirements(file: str, text: str) -> Iterator[Reading]:
    lines = Lines(file, text)
    for number, row in enumerate(lines.rows, start=1):
        if row.lstrip().startswith(("-", "#")) or "://" in row:
            continue
        # What goes on in the next line is only hashes.
        one = _COMMENT.split(row[:400].rstrip("\\"), maxsplit=1)[0]
        yield from _requirement(one, lines, lines.at(number))


def _requirement(text: str, lines: Lines, place: Place | None = None) -> list[Reading]:
    """One requirement; one that holds only under a condition says nothing for sure."""
    match = _REQUIREMENT.match(text[:400])
    if match is None or ";" in text or not match[2].strip():
        return []
    spec = match[2].strip()
    place = place or lines.having(match[1], spec)
    return version_reading(subject_of(match[1]), spec, place, spans=allowed(spec) or ())


def _python_version(file: str, text: str) -> list[Reading]:
    """The file of pyenv and uv: a version a line, the first is the one that runs."""
    lines = Lines(file, text)
    found: list[Reading] = []
    for number, row in enumerate(lines.rows, start=1):
        said = row.partition("#")[0].strip().removeprefix("cpython-").removeprefix("python-")
        if said:
            found += version_reading("python", said, lines.at(number), weight=SET)
    return one_each(found)
