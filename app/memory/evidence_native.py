"""What go.mod, Cargo.toml, rust-toolchain, .tool-versions and their like say."""

import re
import tomllib
from collections.abc import Iterator, Mapping

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
from app.memory.evidence_versions import Span, allowed, family

_REQUIRE = re.compile(r"(?:require\s+)?([\w.~-]+(?:/[\w.~-]+)+)\s+(v\d[\w.+-]*)\s*")
_REPLACE = re.compile(r"(?:replace\s+)?([\w./~-]+)(?:\s+v\S+)?\s+=>")
_GO = re.compile(r"go\s+(\d[\w.]*)")
_TOOLCHAIN = re.compile(r"toolchain\s+go(\d[\w.]*)")
_MAJOR = re.compile(r"/v\d+$")
_VENDOR = re.compile(r"^[a-z][a-z_]*-(?=\d)")
_SDKMAN = re.compile(r"\s*([a-z]+)\s*=\s*(\d\S*)")


def go_readings(files: Mapping[str, str]) -> list[Reading]:
    """Everything these go.mod files say."""
    return [one for file, text in files.items() for one in _go_mod(file, text)]


def cargo_readings(files: Mapping[str, str]) -> list[Reading]:
    """Everything these files say; what members inherit stands in the workspace's own file."""
    found: list[Reading] = []
    for file, text in files.items():
        if file.endswith("Cargo.toml"):
            found += _cargo(file, text)
        else:
            found += _rust_toolchain(file, text)
    return found


def manager_readings(files: Mapping[str, str]) -> list[Reading]:
    """What version managers are told: .tool-versions, .sdkmanrc, .java-version."""
    found: list[Reading] = []
    for file, text in files.items():
        lines = Lines(file, text)
        readings: list[Reading] = []
        for number, row in enumerate(lines.rows, start=1):
            place = lines.at(number)
            words = row.partition("#")[0].split()
            if file.endswith(".java-version"):
                words = ["java", *words] if words else []
            elif file.endswith(".sdkmanrc"):
                match = _SDKMAN.match(row)
                words = [match[1], match[2]] if match is not None else []
            for said in words[1:]:
                version = _VENDOR.sub("", said)
                readings += version_reading(subject_of(words[0]), version, place, weight=SET)
        found += one_each(readings)
    return found


def _go_mod(file: str, text: str) -> Iterator[Reading]:
    lines = Lines(file, text)
    rows = [row.partition("//")[0].strip() for row in lines.rows]
    replaced = {match[1] for row in rows if (match := _REPLACE.match(row)) is not None}
    for number, row in enumerate(rows, start=1):
        place = lines.at(number)
        if (match := _GO.fullmatch(row)) is not None:
            # The oldest Go that may build it.
            span = family(match[1])
            spans = (Span(span.low),) if span is not None else ()
            yield from version_reading("go", match[1], place, spans=spans)
        elif (match := _TOOLCHAIN.fullmatch(row)) is not None:
            span = family(match[1])
            spans = (Span(span.low),) if span is not None else ()
            yield from version_reading("go", match[1], place, spans=spans)
        elif (match := _REQUIRE.fullmatch(row)) is not None and match[1] not in replaced:
            for subject in subjects_of_package(_MAJOR.sub("", match[1])):
                yield from version_reading(subject, match[2], place)


def _cargo(file: str, text: str) -> Iterator[Reading]:
    root = Tree(tomllib.loads(text))
    lines = Lines(file, text)
    workspace = root["workspace"]
    for package in (root["package"], workspace["package"]):
        if said := package["rust-version"].text:
            place = lines.having("rust-version", said)
            yield from version_reading("rust", said, place, spans=allowed(f">={said}") or ())
        if said := package["edition"].text:
            yield from version_reading("edition", said, lines.having("edition", said))
    tables = [root["dependencies"], root["dev-dependencies"], workspace["dependencies"]]
    for table in tables:
        for name, item in table.items:
            spec = item.text or item["version"].text
            if spec:
                real = item["package"].text or name
                spans = allowed(spec, bare="caret") or ()
                yield from version_reading(
                    subject_of(real), spec, lines.having(name, spec), spans=spans
                )


def _rust_toolchain(file: str, text: str) -> list[Reading]:
    said = text.strip()
    if "=" in text:
        said = Tree(tomllib.loads(text))["toolchain"]["channel"].text
    return version_reading("rust", said, Lines(file, text).having(said), weight=SET)
