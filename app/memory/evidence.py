"""Evidence: what the project's own files say about a fact (DESIGN 4, "Facts").

A file that disagrees is worth telling only if it surely does: **a false "contradicted" is worse
than none**. So a fact is contradicted only where the sentence is plainly about this project
(`evidence_words`), its version, tool, port or path can be told from it (`evidence_claims`,
`evidence_paths`), the files give one answer, and that answer excludes the fact's. Where files
disagree among themselves, a build file's one version outweighs what environments are set to
(a JDK in `.tool-versions` compiles for an older release too); otherwise it is silence. Support is
shown where a file says the very same.

Facts of other projects are not for these files: whoever asks leaves them out.
"""

import asyncio
import math
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.memory.evidence_claims import Claim, claims
from app.memory.evidence_files import EvidenceFiles, is_manifest
from app.memory.evidence_paths import Named, Survey, named
from app.memory.evidence_readings import PINNED, Reading, subject_of
from app.memory.evidence_words import is_plain
from app.memory.name_paths import RUN
from app.project import Project
from app.storage.off_loop import to_the_end

EvidenceKind = Literal["supports", "contradicts", "silent"]
Reason = Literal["value", "no_file", "no_symbol", "there"]

_REUSED = 30.0
"""Seconds for which a verdict can be used again."""

_TOKEN = re.compile(f"[{RUN}]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one place says about a fact.

    Attributes:
        kind: supports or contradicts.
        file: relative to the root, with slashes.
        line: from 1; 0 where it is about the file as a whole.
        text: that line, at most 200 characters.
        says: the file's value, `21`; a missing symbol's name; "" for a file.
        reason: `value`: it states one; `no_file`, `no_symbol`: what the fact names is gone;
            `there`: it is there.
    """

    kind: Literal["supports", "contradicts"]
    file: str
    line: int
    text: str
    says: str = ""
    reason: Reason = "value"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the files say, all in all.

    Attributes:
        kind: the verdict.
        findings: the places, those of the verdict first; there may be others beside them, also
            when the verdict is silence because they disagree.
    """

    kind: EvidenceKind
    findings: tuple[Finding, ...] = ()

    @property
    def file(self) -> str:
        """The first place's file; "" where files are silent."""
        return self.findings[0].file if self.findings else ""

    @property
    def line(self) -> int:
        """The first place's line, 0 where there is none."""
        return self.findings[0].line if self.findings else 0

    @property
    def text(self) -> str:
        """The first place's line of text."""
        return self.findings[0].text if self.findings else ""

    @property
    def place(self) -> str:
        """`pom.xml:12`, as recall's line and the screens write it."""
        return f"{self.file}:{self.line}" if self.line else self.file


SILENT = Evidence("silent")


class EvidenceChecker:
    """Checks facts against one project's files; what was parsed is kept while files stay."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files = EvidenceFiles(project)
        self._survey = Survey(project)
        self._lock = asyncio.Lock()
        self._readings: list[Reading] = []
        self._since = -math.inf
        self._verdicts: dict[str, Evidence] = {}

    async def check(self, contents: Sequence[str], *, reuse: bool = False) -> list[Evidence]:
        """Evidence for each of these facts, in order. Off the loop; never raises.

        Args:
            contents: the facts.
            reuse: whether what was found less than half a minute ago will do while the manifests
                say the same: for long lists that are shown again and again.
        """
        async with self._lock:
            return await to_the_end(lambda: self.check_now(contents, reuse=reuse))

    def check_now(self, contents: Iterable[str], *, reuse: bool = False) -> list[Evidence]:
        """The same, blocking; one call at a time."""
        readings = self._files.readings()
        now = time.monotonic()
        if readings != self._readings or now - self._since > _REUSED:
            self._readings, self._since, self._verdicts = readings, now, {}
        by_subject: dict[str, list[Reading]] = {}
        for one in readings:
            by_subject.setdefault(one.subject, []).append(one)
        self._survey.begin()
        own = frozenset({self._project.name.lower()})
        found: list[Evidence] = []
        for content in contents:
            known = self._verdicts.get(content) if reuse else None
            if known is None:
                names = named(content, self._files, self._survey)
                known = weigh(content, by_subject, names, own=own)
                self._verdicts[content] = known
            found.append(known)
        return found


def weigh(
    content: str,
    readings: dict[str, list[Reading]],
    names: Sequence[Named] = (),
    *,
    own: frozenset[str] = frozenset(),
) -> Evidence:
    """The verdict on a fact.

    Args:
        content: the fact.
        readings: what the files say, by subject.
        names: the files and symbols it names.
        own: names of the project, in lower case.
    """
    kinds: list[EvidenceKind] = []
    found: list[Finding] = []
    tokens = {token.strip("./") for token in _TOKEN.findall(content)}
    unsure = False
    for claim in claims(content):
        about = _about(claim, readings, tokens)
        kind, places = _judge(claim, about, own | _lowered(tokens))
        kinds.append(kind)
        found += places
        # A fact of two parts isn't supported while the files leave one of them open.
        unsure = unsure or (bool(about) and kind == "silent")
    stated = bool(kinds)
    for one in names:
        if not one.there:
            kinds.append("contradicts")
            reason: Reason = "no_symbol" if one.symbol else "no_file"
            found.append(Finding("contradicts", one.file, 0, "", one.symbol, reason))
        elif one.located and not stated:
            kinds.append("supports")
            found.append(Finding("supports", one.file, one.line, one.text, one.symbol, "there"))
    for verdict in ("contradicts", "supports"):
        if verdict in kinds and not (unsure and verdict == "supports"):
            found.sort(key=lambda one: one.kind != verdict)
            return Evidence("contradicts" if verdict == "contradicts" else "supports", tuple(found))
    return Evidence("silent", tuple(found)) if found else SILENT


def _lowered(tokens: Iterable[str]) -> frozenset[str]:
    """The names of manifests among a fact's words: they say where it is written."""
    return frozenset(token.lower() for token in tokens if is_manifest(token))


def _about(claim: Claim, readings: dict[str, list[Reading]], tokens: set[str]) -> list[Reading]:
    """The readings of a claim's subject, of the files or modules the fact names, if it does."""
    subjects = claim.subjects
    if claim.kind == "port":
        words = re.findall(r"[A-Za-z][\w-]*", claim.before, re.ASCII)
        subjects = (*(f"port:{subject_of(word)}" for word in reversed(words)), "port")
    about = next((readings[one] for one in subjects if one in readings), [])
    manifests = {token for token in tokens if is_manifest(token)}
    if manifests:
        return [
            one for one in about if any(f"/{one.file}".endswith(f"/{token}") for token in manifests)
        ]
    inside = [one for one in about if set(one.file.split("/")[:-1]) & tokens]
    return inside or about


def _judge(
    claim: Claim, readings: Sequence[Reading], own: frozenset[str]
) -> tuple[EvidenceKind, list[Finding]]:
    """What the readings of one claim come to."""
    for_it: list[Reading] = []
    against: list[Reading] = []
    open_files: set[str] = set()
    for one in readings:
        kind = _compare(claim, one)
        if kind == "supports":
            for_it.append(one)
        elif kind == "contradicts":
            against.append(one)
        if kind != "contradicts":
            open_files.add(one.file)
    # A file that says several things excludes a value only if all of them do.
    against = [one for one in against if one.file not in open_files]
    if against:
        own = own | _words_of(claim.name, against[0].subject)
    own = own | {part for one in against for part in one.file.lower().split("/")[:-1]}
    if claim.kind == "port":
        own |= {one.subject.partition(":")[2] for one in against}
    if against and not is_plain(claim.before, claim.after, own):
        against = []
    places = [_finding("contradicts", one) for one in _heaviest(against)]
    places += [_finding("supports", one) for one in _heaviest(for_it)]
    most_for = max((one.weight for one in for_it), default=0)
    most_against = max((one.weight for one in against), default=0)
    if most_for > most_against:
        return "supports", places
    if most_against > most_for and (not for_it or most_against >= PINNED - 1):
        return "contradicts", places
    return "silent", places


def _words_of(name: tuple[str, ...], subject: str) -> frozenset[str]:
    """The words of a name that make up the subject: `Spring Boot`."""
    for count in range(len(name), 0, -1):
        if subject_of("".join(name[-count:])) == subject:
            return frozenset(word.lower() for word in name[-count:])
    return frozenset()


def _compare(claim: Claim, reading: Reading) -> EvidenceKind:
    if claim.kind == "use":
        return "supports"
    if claim.kind in {"tool", "port"}:
        if claim.value in reading.names:
            return "supports"
        return "contradicts" if reading.certain else "silent"
    span = claim.span
    if span is None or not reading.spans:
        return "silent"
    if span.high is None:
        # The lowest version of several: the file must name the same lowest one to say the same.
        if any(one.high is None and one.low == span.low for one in reading.spans):
            return "supports"
    elif any(span.covers(one) or span.holds(one.low) for one in reading.spans):
        return "supports"
    if any(span.overlaps(one) for one in reading.spans) or not reading.certain:
        return "silent"
    newer = reading.spans[-1].high
    if claim.tool and reading.level and newer is not None and span.low >= newer:
        return "silent"
    return "contradicts"


def _heaviest(readings: Iterable[Reading]) -> list[Reading]:
    return sorted(dict.fromkeys(readings), key=lambda one: (-one.weight, one.file, one.line))


def _finding(kind: Literal["supports", "contradicts"], one: Reading) -> Finding:
    return Finding(kind, one.file, one.line, one.text, one.says)
