"""What a file of the project says about one thing, and under which name things are compared."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.memory.evidence_versions import Span, Spans, family, java_family

PINNED = 6
"""Weight of one version in a build file: what the project really builds with."""

SET = 4
"""Weight of one version in a file for an environment: CI, image, version manager."""

FLOOR = 2
"""Weight of a range without an end: it says only what is too old."""

_MOST_SEARCHES = 1000
"""Values of one file that are looked for; a manifest with more is nobody's."""

_MOST_ROWS = 10_000
"""Lines of a file that are looked at one by one."""

_SHOWN = 200
"""Characters of a line that are shown."""

_ALIASES = {
    "jdk": "java",
    "openjdk": "java",
    "temurin": "java",
    "eclipsetemurin": "java",
    "amazoncorretto": "java",
    "corretto": "java",
    "zulu": "java",
    "javase": "java",
    "javaversion": "java",
    "python3": "python",
    "cpython": "python",
    "nodejs": "node",
    "golang": "go",
    "rustc": "rust",
    "postgresql": "postgres",
    "pg": "postgres",
    "mongodb": "mongo",
    "boot": "springboot",
    "springbootstarterparent": "springboot",
    "springbootdependencies": "springboot",
    "springbootgradleplugin": "springboot",
    "orgspringframeworkboot": "springboot",
    "orgjetbrainskotlinjvm": "kotlin",
    "kotlinstdlib": "kotlin",
    "kotlinmavenplugin": "kotlin",
    "junitjupiter": "junit",
    "junitjupiterapi": "junit",
    "junitjupiterengine": "junit",
    "vuejs": "vue",
    "reactjs": "react",
    "nextjs": "next",
    "expressjs": "express",
    "nuxtjs": "nuxt",
    "angularcore": "angular",
    "tsc": "typescript",
    "mavenwrapper": "maven",
    "ginwebframework": "gin",
    "rustedition": "edition",
}
_PLAIN = re.compile(r"[^a-z0-9+#\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing a file says.

    Attributes:
        subject: what about, as `subject_of` makes it; for ports `port` or `port:<service>`, for
            tools of which a project has one of a kind `tool:<kind>`.
        says: the value as it is shown: `21`, `^18.2.0`, `pnpm`, `8080`.
        file: relative to the root, with slashes.
        line: from 1.
        text: that line, without space at its ends.
        weight: how much it counts against other files that say otherwise.
        spans: what versions that allows.
        certain: it can contradict; one of a list to choose from (a matrix) can only support.
        level: a language level, which newer tools can build too.
        names: a tool's name, or the numbers of ports that come to the same.
    """

    subject: str
    says: str
    file: str
    line: int
    text: str
    weight: int = PINNED
    spans: Spans = ()
    certain: bool = True
    level: bool = False
    names: tuple[str, ...] = ()


def subject_of(name: str) -> str:
    """The name under which a thing is compared: `Spring Boot`, `spring-boot` are one."""
    key = _PLAIN.sub("", name.lower())
    return _ALIASES.get(key, key)


def subjects_of_package(name: str) -> tuple[str, ...]:
    """The subjects a package stands for: itself, and for scoped or pathed ones its last part."""
    whole = subject_of(name)
    last = subject_of(re.split(r"[/:]", name.rstrip("/"))[-1])
    return (whole,) if last in {whole, ""} else (whole, last)


def version_reading(
    subject: str,
    says: str,
    place: "Place",
    *,
    weight: int = PINNED,
    spans: Spans | None = None,
    level: bool = False,
    certain: bool = True,
) -> list[Reading]:
    """A reading of a version, or none where the value is no version.

    Args:
        subject: see `Reading`.
        says: the value.
        place: where it stands.
        weight: of one version; a range without an end counts as `FLOOR`.
        spans: what it allows, where that isn't the family it names.
        level: see `Reading`.
        certain: see `Reading`.
    """
    if spans is None:
        span = (java_family if subject == "java" else family)(says)
        spans = () if span is None else (span,)
    if not spans:
        return []
    open_ended = any(span.high is None for span in spans)
    if all(span == Span((0, 0, 0, 0)) for span in spans):
        return []
    return [
        Reading(
            subject=subject,
            says=says.strip()[:_SHOWN],
            file=place.file,
            line=place.line,
            text=place.text,
            weight=FLOOR if open_ended else weight,
            spans=spans,
            level=level,
            certain=certain,
        )
    ]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int
    text: str


class Lines:
    """A file's lines, to find where a value stands that a parser gave without its place."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.rows = text.split("\n")[:_MOST_ROWS]
        self._text = text
        self._searches = 0

    def at(self, line: int) -> Place:
        """The line by its number, from 1."""
        row = self.rows[line - 1] if 0 < line <= len(self.rows) else ""
        return Place(self.file, line, row.strip()[:_SHOWN])

    def having(self, *needles: str) -> Place:
        """The first line that holds all of these, else the first that holds the first one.

        Raises:
            ValueError: so often that this is no manifest that people write.
        """
        self._searches += 1
        if self._searches > _MOST_SEARCHES:
            raise ValueError("too long")
        text = self._text
        first = at = text.find(needles[0])
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            row = text[start : end if end >= 0 else len(text)]
            if all(needle in row for needle in needles):
                first = at
                break
            at = text.find(needles[0], end) if end >= 0 else -1
        return self.at(text.count("\n", 0, max(first, 0)) + 1)


def one_each(readings: Iterable[Reading]) -> list[Reading]:
    """Readings of one file; where it gives one subject several values, none of them is certain."""
    found = list(dict.fromkeys(readings))
    values: dict[tuple[str, str], set[tuple[Spans, tuple[str, ...]]]] = {}
    for one in found:
        values.setdefault((one.file, one.subject), set()).add((one.spans, one.names))
    return [
        replace(one, certain=False) if len(values[one.file, one.subject]) > 1 else one
        for one in found
    ]
