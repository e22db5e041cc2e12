"""Whether a call may run: by its risk, what was allowed before, and the user's answer.

Reading never asks, nor what touches only what Haima keeps itself. Writing asks per folder, commands
per prefix, network per host (issue 2, "Approvals"). What the user allows "always" holds for this
session and is kept nowhere. Headless there is an allowance in place of questions; what it doesn't
cover is refused.
"""

import asyncio
from dataclasses import dataclass
from typing import Literal, get_args

from app.events import ApprovalAnswer, Risk
from app.ports import Decisions
from app.text import Key
from app.tools.base import ApprovalScope, ToolOutput
from app.tools.toolbox import PreparedCall

Allowance = Literal["none", "read", "write", "all"]
"""What `haima run --allow` lets happen (DESIGN 5); each includes those before it."""

ALLOWANCES: tuple[Allowance, ...] = get_args(Allowance)

_NEEDED: dict[Risk, Allowance] = {
    "read": "read",
    "write": "write",
    "command": "all",
    "network": "all",
}

Verdict = Literal["once", "always", "refuse"]


@dataclass(frozen=True, slots=True)
class Permission:
    """The outcome.

    Attributes:
        allowed: `prepared` may run.
        prepared: the call to run: with the user's change of the command, or with a result that is
            known already, where it could only fail and nobody was asked.
        reason: why not: the user's own words (perhaps none), or the allowance's sentence.
        verdict: the user's answer; None where nobody was asked.
    """

    allowed: bool
    prepared: PreparedCall
    reason: str = ""
    verdict: Verdict | None = None

    @property
    def refusal(self) -> ToolOutput:
        """The result of a call that was refused, as the model gets it and the card shows it."""
        words = self.prepared.words
        if self.verdict is None:
            text = words("permission.allowance", tool=self.prepared.tool, reason=self.reason)
            return ToolOutput(text, ok=False, reason=self.reason)
        key: Key = "permission.refused_why" if self.reason else "permission.refused"
        text = words(key, tool=self.prepared.tool, reason=self.reason)
        return ToolOutput(text, ok=False, reason=words("permission.refused_short"))


class Approvals:
    """Decides about calls, for one session and all its agents."""

    def __init__(self, decisions: Decisions, allowance: Allowance | None = None) -> None:
        """Makes the judge of a session.

        Args:
            decisions: who is asked.
            allowance: None asks; else nobody is asked, and this is what may run.
        """
        self._decisions = decisions
        self._allowance = allowance
        self._always: set[ApprovalScope] = set()
        self._asking = asyncio.Lock()

    async def allow(self, prepared: PreparedCall, call_id: str) -> Permission:
        """Whether a call may run. Cancelling takes the question off.

        A call that can only fail isn't asked about: it is let through with that result.
        """
        if self._allowance is not None:
            return self._by_allowance(prepared, self._allowance)
        if prepared.free or prepared.risk == "read":
            return Permission(True, prepared)
        preview = await prepared.preview()
        if isinstance(preview, ToolOutput):
            return Permission(True, prepared.with_result(preview))
        # One at a time: an "always" given to another agent meanwhile answers this one too.
        async with self._asking:
            if prepared.scope in self._always:
                return Permission(True, prepared)
            answer = await self._decisions.approve(prepared.question(call_id, preview))
            return self._by_answer(prepared, answer)

    def _by_allowance(self, prepared: PreparedCall, allowance: Allowance) -> Permission:
        needed = _NEEDED[prepared.risk]
        if prepared.free or ALLOWANCES.index(needed) <= ALLOWANCES.index(allowance):
            return Permission(True, prepared)
        reason = prepared.words(
            "permission.needs", tool=prepared.tool, needed=needed, allowance=allowance
        )
        return Permission(False, prepared, reason)

    def _by_answer(self, prepared: PreparedCall, answer: ApprovalAnswer) -> Permission:
        edited = answer.edited
        if answer.verdict == "refuse" or (edited is not None and not edited.strip()):
            return Permission(False, prepared, answer.reason.strip(), "refuse")
        changed = prepared if edited is None else prepared.with_subject(edited)
        # What was changed is remembered only where it is what the question offered.
        scope = changed.scope
        if answer.verdict == "always" and scope is not None and scope == prepared.scope:
            self._always.add(scope)
        return Permission(True, changed, verdict=answer.verdict)
