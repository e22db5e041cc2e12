"""What container files say: Dockerfile, compose files, and images wherever they are named."""

import re
from collections.abc import Iterator, Mapping, Sequence

from app.memory.evidence_readings import (
    SET,
    Lines,
    Place,
    Reading,
    one_each,
    subject_of,
    version_reading,
)
from app.memory.evidence_yaml import Setting, settings

_FROM = re.compile(r"FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*", re.IGNORECASE)
_ARG = re.compile(r"""(ARG|ENV)\s+(\w+)(?:=|\s+)["']?([^"'\s]+)["']?\s*""", re.IGNORECASE)
_EXPOSE = re.compile(r"EXPOSE\s+(.+)", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?:(:?-)([^{}]*))?\}|(\w+))")
_TAG = re.compile(r"v?(\d+(?:\.\d+){0,3}(?:u\d+)?)(?![\w])")
_INSIDE = re.compile(
    r"(eclipse-temurin|temurin|openjdk|jdk|jre|amazoncorretto|corretto|node|python)-?(\d+(?:\.\d+)*)"
)
_PUBLISHED = re.compile(r"(?:[\d.]+:|\[[^\]]*\]:)?(?:(\d{2,5}):)?(\d{2,5})(?:/(?:tcp|udp))?")


def image_readings(
    image: str, place: Place, known: Mapping[str, str] | None = None
) -> list[Reading]:
    """The versions an image's name tells: its own, and of `maven:3-eclipse-temurin-21` Java's."""
    whole = filled(image, known or {})
    if whole is None:
        return []
    name, _, tag = whole.partition("@")[0].rpartition("/")[2].partition(":")
    if not tag or not name:
        return []
    found: list[Reading] = []
    subject = subject_of(name)
    if (match := _TAG.match(tag)) is not None:
        found += version_reading(subject, match[1].partition("u")[0], place, weight=SET)
    for part, version in _INSIDE.findall(tag):
        inner = "java" if part == "jre" else subject_of(part)
        if inner != subject:
            found += version_reading(inner, version, place, weight=SET)
    return found


def filled(text: str, known: Mapping[str, str]) -> str | None:
    """A text with its variables filled in; None where one has no value that is known."""
    for _ in range(6):
        match = _VARIABLE.search(text)
        if match is None:
            return text
        value = known.get(match[1] or match[4]) or match[3]
        if not value or len(text) > 500:
            return None
        text = text[: match.start()] + value + text[match.end() :]
    return None


def dockerfile_readings(files: Mapping[str, str]) -> list[Reading]:
    """The images these Dockerfiles start from, and the ports they expose."""
    return [one for file, text in files.items() for one in one_each(_dockerfile(file, text))]


def _dockerfile(file: str, text: str) -> Iterator[Reading]:
    lines = Lines(file, text)
    known: dict[str, str] = {}
    stages: set[str] = set()
    ports: list[tuple[str, Place]] = []
    for number, raw in enumerate(lines.rows, start=1):
        row = raw.strip()
        place = lines.at(number)
        if (match := _ARG.fullmatch(row)) is not None:
            known[match[2]] = match[3]
        elif (match := _FROM.fullmatch(row)) is not None:
            if match[1] not in stages:
                yield from image_readings(match[1], place, known)
            stages.add(match[2] or "")
        elif (match := _EXPOSE.fullmatch(row)) is not None:
            whole = filled(match[1].partition("#")[0], known)
            for said in (whole or "").split():
                port = said.partition("/")[0]
                if re.fullmatch(r"\d{2,5}", port):
                    ports.append((port, place))
    yield from port_readings("port", [((port,), place) for port, place in ports])


def port_readings(
    subject: str, found: Sequence[tuple[tuple[str, ...], Place]]
) -> Iterator[Reading]:
    """Readings of ports; several that differ can only support (`one_each`)."""
    for names, place in found:
        yield Reading(
            subject=subject,
            says=":".join(names),
            file=place.file,
            line=place.line,
            text=place.text,
            weight=SET,
            names=names,
        )


def compose_readings(files: Mapping[str, str]) -> list[Reading]:
    """The services' images and ports."""
    return [one for file, text in files.items() for one in one_each(_compose(file, text))]


def _compose(file: str, text: str) -> Iterator[Reading]:
    lines = Lines(file, text)
    services: dict[str, list[Setting]] = {}
    for one in settings(text):
        if len(one.path) > 2 and one.path[0] == "services":
            services.setdefault(one.path[1], []).append(one)
    for name, listed in services.items():
        images = [one for one in listed if one.path[2:] == ("image",)]
        built = any(one.path[2] == "build" for one in listed)
        for one in images:
            yield from image_readings(one.value, lines.at(one.line))
        subjects = {f"port:{subject_of(name)}"}
        if built or not images:
            subjects.add("port")
        for one in images:
            said = filled(one.value, {}) or ""
            base = said.partition("@")[0].rpartition("/")[2].partition(":")[0]
            if base:
                subjects.add(f"port:{subject_of(base)}")
        ports = [(numbers, lines.at(line)) for numbers, line in _ports(listed)]
        for subject in sorted(subjects):
            yield from port_readings(subject, ports)


def _ports(listed: list[Setting]) -> Iterator[tuple[tuple[str, ...], int]]:
    """A service's ports, short or long: outside and inside come to the same."""
    long: dict[str, list[tuple[str, int]]] = {}
    for one in listed:
        if one.path[2] not in {"ports", "expose"}:
            continue
        value = filled(one.value, {})
        if value is None:
            continue
        if len(one.path) == 4 and (match := _PUBLISHED.fullmatch(value)) is not None:
            yield tuple(part for part in match.groups() if part), one.line
        elif len(one.path) == 5 and one.path[4] in {"target", "published"} and value.isdigit():
            long.setdefault(one.path[3], []).append((value, one.line))
    for parts in long.values():
        yield tuple(dict.fromkeys(value for value, _ in parts)), parts[0][1]
