"""What Gradle's scripts say, as far as it is written down and not computed.

Scripts are programs: values are read where they stand as literals, or as a variable, property or
catalogue entry that is given exactly one literal. Everything else is silence.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping

from app.memory.evidence_python import tool
from app.memory.evidence_readings import (
    Lines,
    Reading,
    subject_of,
    subjects_of_package,
    version_reading,
)
from app.memory.evidence_tree import Tree
from app.memory.evidence_versions import java_family

_VALUE = r"""["']?(?:JavaVersion\.VERSION_|JvmTarget\.JVM_)?([\w.$\{\}]+)["']?"""
_LEVEL = re.compile(
    r"(?<![\w.])(?:java\.)?(?:sourceCompatibility|targetCompatibility|jvmTarget|options\.release)"
    rf"(?:\s*=\s*|\.set\(\s*|\s+|\s*\(\s*)(?:JavaVersion\.toVersion\()?{_VALUE}"
)
_TOOLCHAIN = re.compile(rf"(?:JavaLanguageVersion\.of|jvmToolchain)\(\s*{_VALUE}\s*\)")
_PLUGIN = re.compile(
    r"""(?<!\w)(id|kotlin)[\s(]+["']([\w.-]+)["']\)?\s+version\s*\(?\s*["']?([\w.${}-]+)["']?"""
)
_DEPENDENCY = re.compile(r"""["']([\w.-]+):([\w.-]+):([\w.${}+-]+)["']""")
_GIVEN = re.compile(
    r"""(?:\bdef|\bval|\bvar|\bext\.|\bset\(\s*["']|\bString)?\s*["']?([A-Za-z_]\w*)["']?\s*"""
    r"""(?:=|,)\s*["']?([\w.-]+)["']?\s*\)?\s*;?\s*$"""
)
_EXTRA = re.compile(r"""\b(\w+)\s+by\s+extra\(\s*["']?([\w.-]+)["']?\s*\)|extra\["(\w+)"\]\s*=""")
_PROPERTY = re.compile(r"^\s*([\w.]+)\s*[=:]\s*(\S+)\s*$", re.MULTILINE)
_BLOCK_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_LINE_COMMENT = re.compile(r"(?<!:)//.*")
_VARIABLE = re.compile(r"\$\{?(?:rootProject\.|project\.|ext\.)*(\w+)\}?")
_MEMBER = re.compile(r"(?:rootProject\.|project\.|ext\.)*([A-Za-z_]\w*)")
_LONGEST = 400
"""Characters of a line of a script that are read."""

_INCLUDED = re.compile(r"""["']:?([\w.:-]+)["']""")
_INCLUDE = re.compile(r"(?m)^\s*include\b([^\n]*(?:,\s*\n[^\n]*)*)")


def included(text: str) -> list[str]:
    """The folders a settings script includes."""
    found = [name for match in _INCLUDE.finditer(text) for name in _INCLUDED.findall(match[1])]
    return [name.replace(":", "/") for name in found]


def gradle_readings(files: Mapping[str, str]) -> list[Reading]:
    """Everything these scripts, gradle.properties and version catalogues say."""
    scripts = {
        file: _uncommented(text)
        for file, text in files.items()
        if file.endswith((".gradle", ".gradle.kts")) and "settings.gradle" not in file
    }
    known: dict[str, set[str]] = {}
    for text in scripts.values():
        for row in text.split("\n"):
            _learn(row[:_LONGEST], known)
    found: list[Reading] = []
    for file, text in files.items():
        if file.endswith("gradle.properties"):
            for name, value in _PROPERTY.findall(text):
                known.setdefault(name, set()).add(value)
        elif file.endswith(".toml"):
            found += _catalogue(file, text)
    for file, text in scripts.items():
        found.append(tool("java build", "gradle", file, files[file]))
        found += _script(file, text, known, files[file])
    return found


def _learn(row: str, known: dict[str, set[str]]) -> None:
    """Notes a variable that is given a literal."""
    for match in (_GIVEN.match(row.strip()), _EXTRA.search(row)):
        if match is not None and match[1] is not None:
            known.setdefault(match[1], set()).add(match[2])


def _script(
    file: str, text: str, known: Mapping[str, set[str]], original: str
) -> Iterator[Reading]:
    lines = Lines(file, original)
    for number, row in enumerate(text.split("\n"), start=1):
        row = row[:_LONGEST]  # noqa: PLW2901
        place = lines.at(number)
        for match in _LEVEL.finditer(row):
            if (said := _java(match[1], known)) is not None:
                yield from version_reading("java", said, place, level=True)
        for match in _TOOLCHAIN.finditer(row):
            if (said := _java(match[1], known)) is not None:
                yield from version_reading("java", said, place)
        for kind, name, version in _PLUGIN.findall(row):
            if (said := _filled(version, known)) is not None:
                subject = "kotlin" if kind == "kotlin" else subject_of(name)
                yield from version_reading(subject, said, place)
        for group, name, version in _DEPENDENCY.findall(row):
            if (said := _filled(version, known)) is None or said.endswith("+"):
                continue
            subjects = {*subjects_of_package(name)}
            if group == "org.springframework.boot":
                subjects.add("springboot")
            for subject in sorted(subjects):
                yield from version_reading(subject, said, place)


def _catalogue(file: str, text: str) -> Iterator[Reading]:
    """`gradle/libs.versions.toml`."""
    root = Tree(tomllib.loads(text))
    lines = Lines(file, text)
    versions = root["versions"]
    for table in (root["libraries"], root["plugins"]):
        for _, item in table.items:
            name = item["module"].text or item["id"].text or item["name"].text
            group, _, artifact = name.rpartition(":")
            reference = item["version"]["ref"].text
            said = versions[reference].text if reference else item["version"].text
            if not artifact or not said:
                continue
            place = lines.having(reference or artifact, said)
            subjects = {*subjects_of_package(artifact)}
            if group == "org.springframework.boot":
                subjects.add("springboot")
            for subject in sorted(subjects):
                yield from version_reading(subject, said, place)
    for name, item in versions.items:
        if subject_of(name) in {"java", "kotlin"} and item.text:
            yield from version_reading(subject_of(name), item.text, lines.having(name, item.text))


def _java(text: str, known: Mapping[str, set[str]]) -> str | None:
    """A Java version as a script writes it: `17`, `1_8`, `1.8`, a variable."""
    text = text.rstrip(".").replace("_", ".") if re.match(r"\d", text) else text
    said = text if java_family(text) is not None else _value(text, known)
    return said.replace("_", ".").removeprefix("1.") if said is not None else None


def _value(text: str, known: Mapping[str, set[str]]) -> str | None:
    """What a variable was given, if only one thing."""
    match = _VARIABLE.fullmatch(text) or _MEMBER.fullmatch(text)
    given = known.get(match[1], set()) if match is not None else set()
    return next(iter(given)) if len(given) == 1 else None


def _filled(text: str, known: Mapping[str, set[str]]) -> str | None:
    """A text with its variable filled in; None where that isn't known for sure."""
    return text if text[:1].isdigit() else _value(text, known)


def _uncommented(text: str) -> str:
    """The script without comments, line by line the same."""
    text = _BLOCK_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return _LINE_COMMENT.sub("", text)
