"""What the core asks, and the answers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.events.base import Risk, Severity
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
