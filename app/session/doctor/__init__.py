"""The doctor: what works, what doesn't, and what to do about it (mock 13)."""

from app.session.doctor.report import Finding, Group, GroupId, Report, State
from app.session.doctor.run import run_checks
from app.session.doctor.terminal import TerminalFacts

__all__ = ["Finding", "Group", "GroupId", "Report", "State", "TerminalFacts", "run_checks"]
