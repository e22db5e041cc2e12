"""What CI says: GitHub workflows, .gitlab-ci.yml; and a server's port in its own settings."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.memory.evidence_images import image_readings, port_readings
from app.memory.evidence_readings import SET, Lines, Reading, one_each, version_reading
from app.memory.evidence_yaml import Setting, settings

_SETUPS = {
    "java-version": "java",
    "python-version": "python",
    "node-version": "node",
    "go-version": "go",
    "ruby-version": "ruby",
    "php-version": "php",
    "dotnet-version": "dotnet",
    "gradle-version": "gradle",
    "maven-version": "maven",
}
"""Inputs of the setup actions."""

_EXPRESSION = re.compile(r"\$\{\{\s*(matrix|env)\.([\w-]+)\s*\}\}")
_PORT_PROPERTY = re.compile(r"^\s*server\.port\s*[=:]\s*(\S+)\s*$", re.MULTILINE)
_PORT_VALUE = re.compile(r"(?:\$\{\w+:)?(\d{2,5})\}?")


def workflow_readings(files: Mapping[str, str]) -> list[Reading]:
    """What GitHub's workflows set up; what several set differently is certain nowhere."""
    found = [one for file, text in files.items() for one in _workflow(file, text)]
    return _among_all(found)


def gitlab_readings(files: Mapping[str, str]) -> list[Reading]:
    """The images of GitLab's jobs."""
    found: list[Reading] = []
    for file, text in files.items():
        lines = Lines(file, text)
        listed = settings(text)
        known = {
            one.path[1]: one.value
            for one in listed
            if len(one.path) == 2 and one.path[0] == "variables"
        }
        for one in listed:
            last = [key for key in one.path if not key.startswith("-")]
            if last[-1:] == ["image"] or last[-2:] == ["image", "name"]:
                found += image_readings(one.value, lines.at(one.line), known)
    return _among_all(found)


def server_readings(files: Mapping[str, str]) -> list[Reading]:
    """`server.port` of Spring's application.properties and application.yml."""
    found: list[Reading] = []
    for file, text in files.items():
        lines = Lines(file, text)
        said: list[tuple[str, int]] = []
        if file.endswith(".properties"):
            for found_port in _PORT_PROPERTY.finditer(text):
                line = text.count("\n", 0, found_port.start(1)) + 1
                said.append((found_port[1], line))
        else:
            said = [
                (one.value, one.line)
                for one in settings(text)
                if ".".join(one.path) == "server.port"
            ]
        ports = [
            ((match[1],), lines.at(line))
            for value, line in said
            if (match := _PORT_VALUE.fullmatch(value)) is not None
        ]
        found += one_each(port_readings("port", ports))
    return found


def _workflow(file: str, text: str) -> Iterator[Reading]:
    lines = Lines(file, text)
    listed = settings(text)
    for one in listed:
        keys = [key for key in one.path if not key.startswith("-")]
        if not keys or keys[0] != "jobs":
            continue
        if keys[-1] in _SETUPS and "with" in keys:
            subject = _SETUPS[keys[-1]]
            for value, line in _resolved(one, listed):
                yield from version_reading(subject, value, lines.at(line), weight=SET)
        elif keys[-1:] == ["container"] or keys[-1:] == ["image"]:
            yield from image_readings(one.value, lines.at(one.line))


def _resolved(one: Setting, listed: list[Setting]) -> Iterator[tuple[str, int]]:
    """A value, or all that its expression can be."""
    match = _EXPRESSION.fullmatch(one.value)
    if match is None:
        if "$" not in one.value:
            yield one.value, one.line
        return
    kind, name = match.groups()
    for other in listed:
        keys = tuple(key for key in other.path if not key.startswith("-"))
        if kind == "matrix":
            inside = (*one.path[:2], "strategy", "matrix")
            if keys[:4] == inside and keys[-1] == name:
                yield other.value, other.line
        elif keys in {("env", name), (*one.path[:2], "env", name)}:
            yield other.value, other.line


def _among_all(found: list[Reading]) -> list[Reading]:
    """Readings of several files that are one source together."""
    counted: dict[str, set[object]] = {}
    for one in found:
        counted.setdefault(one.subject, set()).add(one.spans)
    return [
        one if len(counted[one.subject]) == 1 else replace(one, certain=False)
        for one in dict.fromkeys(found)
    ]
