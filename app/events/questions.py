"""What the core asks, and the answers."""

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from app.events.base import Risk, Severity
from app.events.memory import FactScope, FactState
from app.events.tools import DiffLine


class Finding(BaseModel):
    """One risk of a call, as the approval shows it: `! Deletes files  rm -rf target/`."""

    model_config = ConfigDict(frozen=True)

    label: str
    text: str
    severity: Severity = "info"


class ApprovalQuestion(BaseModel):
    """May this call run?

    Attributes:
        id: the call's id.
        subject: exactly what will happen: the command, the path, the address.
        place: where: the project's folder.
        marked: stretches of `subject` that are dangerous, as (start, end) in code points.
        findings: risks, worst first.
        scope: what "always this session" would cover, in words; empty: not offered.
        diff: what a write would change.
        editable: whether the user may change `subject` before it runs.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    tool: str
    risk: Risk
    subject: str
    place: str
    marked: tuple[tuple[int, int], ...] = ()
    findings: tuple[Finding, ...] = ()
    scope: str = ""
    diff: tuple[DiffLine, ...] = ()
    editable: bool = False


class ApprovalAnswer(BaseModel):
    """The user's answer.

    Attributes:
        verdict: run once, always in this session, or refuse.
        reason: the user's own words when refusing; told to the model.
        edited: the command as the user changed it, else None.
    """

    model_config = ConfigDict(frozen=True)

    verdict: Literal["once", "always", "refuse"]
    reason: str = ""
    edited: str | None = None


AuthorName: TypeAlias = Literal["you", "model", "extraction", "import"]
"""Who wrote a fact, as `memory.facts` has it."""


class EvidenceLine(BaseModel):
    """What one place of the project says about a fact: `✓ pom.xml:12  says 21`.

    Attributes:
        kind: for it or against it.
        place: the file, relative to the root, with the line where there is one.
        says: the file's value; "" where a file or what the fact names in it is there, or gone.
        gone: what the fact names is no longer there.
    """

    model_config = ConfigDict(frozen=True)

    kind: Literal["supports", "contradicts"]
    place: str
    says: str = ""
    gone: bool = False


class ConflictSide(BaseModel):
    """One of the two facts that contradict each other.

    Attributes:
        id: the fact's; "" for the one that isn't stored.
        content: what it says; foreign text.
        scope: where it holds, or shall hold.
        written: when; None: now for the incoming one, unknown for the existing one.
        author: who wrote it.
        asked: false: the model did, and nobody had asked it to.
        verified: when the user last confirmed it; None: never.
        used: how many prompts it went into.
        session: the title of the session it was said in; "" unknown or without a title.
        node: that session's id; "" unknown.
        quote: the user's words, verbatim; "" none.
        state: as it is shown.
        evidence: what the project's files say, the verdict's places first.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    scope: FactScope = "project"
    written: datetime | None = None
    author: AuthorName = "you"
    asked: bool = True
    verified: datetime | None = None
    used: int = 0
    session: str = ""
    node: str = ""
    quote: str = ""
    state: FactState = "unverified"
    evidence: tuple[EvidenceLine, ...] = ()


class ConflictQuestion(BaseModel):
    """Which of two facts holds?

    Attributes:
        id: of the question.
        existing: the fact in the memory.
        incoming: the one to be saved.
        subject: what they disagree on, in the words of the facts; "" unknown.
        place: which conflict of the row this is, from 1.
        count: how many there are in the row.
        better: the side that evidence supports; "" where it supports neither, or both.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    existing: ConflictSide
    incoming: ConflictSide
    subject: str = ""
    place: int = 1
    count: int = 1
    better: Literal["existing", "incoming", ""] = ""


class ConflictAnswer(BaseModel):
    """The user's choice: put the new one in the old one's place, keep both, or leave all as is."""

    model_config = ConfigDict(frozen=True)

    verdict: Literal["replace", "keep_both", "keep_existing"]


Question: TypeAlias = ApprovalQuestion | ConflictQuestion
"""Whatever a `QuestionView` may be asked to show."""
