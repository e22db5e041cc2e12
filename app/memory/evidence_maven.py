"""What Maven's poms say, with their properties, parents and modules.

Read with expat, which is told to refuse a document type: without one there are no entities, so
nothing can blow up and nothing outside is fetched.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from app.memory.evidence_python import tool
from app.memory.evidence_readings import (
    SET,
    Lines,
    Reading,
    subject_of,
    subjects_of_package,
    version_reading,
)
from app.memory.evidence_versions import maven

_DEEPEST = 60
_PROPERTY = re.compile(r"\$\{([^${}]+)\}")
_DECLARED = re.compile(r"\A\s*<\?xml[^>]*\?>")
_COMPILER = "maven-compiler-plugin"


@dataclass(slots=True)
class Element:
    """An element: its name without a prefix, the line it begins at, text and children."""

    name: str
    line: int
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, *path: str) -> list["Element"]:
        """The elements down a path of names."""
        found = [self]
        for name in path:
            found = [child for one in found for child in one.children if child.name == name]
        return found

    def first(self, *path: str) -> "Element | None":
        """The first of these."""
        found = self.all(*path)
        return found[0] if found else None

    def said(self, *path: str) -> str:
        """The first one's text, else ""."""
        one = self.first(*path)
        return one.text.strip() if one is not None else ""


def parse(text: str) -> Element:
    """The root element.

    Raises:
        ValueError: a document type, or nested deeper than any pom.
        expat.ExpatError: no XML.
    """
    parser = expat.ParserCreate()
    top = Element("", 0)
    open_elements = [top]

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    def start(name: str, _: object) -> None:
        if len(open_elements) > _DEEPEST:
            raise ValueError("too deep")
        made = Element(name.rpartition(":")[2], parser.CurrentLineNumber)
        open_elements[-1].children.append(made)
        open_elements.append(made)

    def end(_: str) -> None:
        open_elements.pop()

    def characters(data: str) -> None:
        open_elements[-1].text += data

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.buffer_text = True
    # The text is decoded already: what its first line says of its encoding is no longer true.
    parser.Parse(
        re.sub(r"\A\s*<\?xml[^>]*\?>", lambda found: "\n" * found[0].count("\n"), text),
        True,
    )
    return top.children[0]


def modules(text: str) -> list[str]:
    """The folders a pom names as its modules, as written; none where it can't be read."""
    try:
        root = parse(text)
    except (ValueError, expat.ExpatError):
        return []
    return [one.text.strip() for one in root.all("modules", "module")]


def maven_readings(files: Mapping[str, str]) -> list[Reading]:
    """Everything these poms say; the parent of one is looked for among them."""
    poms: dict[str, Element] = {}
    for file, text in files.items():
        try:
            poms[file] = parse(text)
        except (ValueError, expat.ExpatError):
            continue
    found: list[Reading] = []
    for file, root in poms.items():
        found += _Pom(file, root, poms, files[file]).readings()
    return found


class _Pom:
    """One pom with what it inherits."""

    def __init__(self, file: str, root: Element, poms: Mapping[str, Element], text: str) -> None:
        self._file = file
        self._root = root
        self._lines = Lines(file, text)
        self._text = text
        self._own: dict[str, Element] = {}
        self._properties: dict[str, str] = {}
        self._unsure: set[str] = set()
        chain = [root]
        while len(chain) < 10 and (above := _parent(file, chain[-1], poms)) is not None:
            file, element = above
            if any(element is one for one in chain):
                break
            chain.append(element)
        for element in reversed(chain):
            for one in element.all("properties"):
                self._properties |= {child.name: child.text.strip() for child in one.children}
            for one in element.all("profiles", "profile", "properties"):
                self._unsure |= {child.name for child in one.children}
        for one in root.all("properties"):
            self._own |= {child.name: child for child in one.children}
        self._properties.setdefault("project.parent.version", root.said("parent", "version"))

    def readings(self) -> Iterator[Reading]:
        """What it says of Java, its parent, plugins and dependencies."""
        yield tool("java build", "maven", self._file, self._text)
        yield from self._java()
        parent = self._root.first("parent")
        if parent is not None and parent.said("groupId").startswith("org.springframework.boot"):
            yield from self._artifact(parent)
        places = (
            ("dependencies", "dependency"),
            ("dependencyManagement", "dependencies", "dependency"),
            ("build", "plugins", "plugin"),
            ("build", "pluginManagement", "plugins", "plugin"),
        )
        for path in places:
            for one in self._root.all(*path):
                yield from self._artifact(one)

    def _artifact(self, element: Element) -> Iterator[Reading]:
        version = element.first("version")
        name = element.said("artifactId")
        said = self._resolved(version.text) if version is not None else None
        if version is None or said is None or not name:
            return
        subjects = {*subjects_of_package(name)}
        if element.said("groupId") == "org.springframework.boot":
            subjects.add("springboot")
        for subject in sorted(subjects):
            place = self._lines.at(version.line)
            yield from version_reading(subject_of(subject), said, place, spans=maven(said) or ())

    def _java(self) -> Iterator[Reading]:
        """The Java it is compiled for: the first of the ways that Maven asks for it."""
        configurations = [
            one
            for path in (("build", "plugins"), ("build", "pluginManagement", "plugins"))
            for plugin in self._root.all(*path, "plugin")
            if plugin.said("artifactId") == _COMPILER
            for one in plugin.all("configuration")
        ]
        for names, of_property in (
            (("release",), "maven.compiler.release"),
            (("target", "source"), "maven.compiler.target"),
        ):
            given = [one for where in configurations for name in names for one in where.all(name)]
            if given or of_property in self._own:
                yield from self._compiled(given[0] if given else self._own[of_property])
                return
        for name in ("maven.compiler.source", "java.version", "jdk.version"):
            if name in self._own:
                yield from self._compiled(self._own[name])
                return

    def _compiled(self, element: Element) -> Iterator[Reading]:
        said = self._resolved(element.text)
        if said is None or element.name in self._unsure:
            return
        place = self._lines.at(element.line)
        written = _PROPERTY.fullmatch(element.text.strip())
        if written is not None and written[1] in self._own:
            place = self._lines.at(self._own[written[1]].line)
        yield from version_reading("java", said, place, level=True)

    def _resolved(self, text: str) -> str | None:
        """A value with its properties filled in; None where one isn't known for sure."""
        for _ in range(8):
            match = _PROPERTY.search(text)
            if match is None:
                return text.strip()
            value = self._properties.get(match[1])
            if value is None or match[1] in self._unsure or len(text) > 500:
                return None
            text = text[: match.start()] + value + text[match.end() :]
        return None


def _parent(file: str, root: Element, poms: Mapping[str, Element]) -> tuple[str, Element] | None:
    """The parent's file, where it lies in the project."""
    parent = root.first("parent")
    if parent is None:
        return None
    relative = parent.first("relativePath")
    where = "../pom.xml" if relative is None else relative.text.strip()
    if not where:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), where))
    for name in (path, f"{path}/pom.xml"):
        if name in poms and name != file:
            return name, poms[name]
    return None


WRAPPER = re.compile(r"^distributionUrl=.*?/(?:apache-)?(maven|gradle)-(\d[\d.]*)", re.MULTILINE)
"""The line of a wrapper's properties that names the tool's version."""


def wrapper_readings(files: Mapping[str, str]) -> list[Reading]:
    """The versions that `mvnw` and `gradlew` fetch."""
    found: list[Reading] = []
    for file, text in files.items():
        if (match := WRAPPER.search(text)) is not None:
            place = Lines(file, text).having("distributionUrl")
            found += version_reading(match[1], match[2].rstrip("."), place, weight=SET)
    return found
