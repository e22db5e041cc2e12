"""What the main screen says of its session: the header, the commands the prompt offers."""

from app.events import (
    Expanded,
    Queued,
    Summarised,
    SummaryStarted,
    SummaryUndone,
    TurnFinished,
    TurnStarted,
    Unqueued,
)
from app.session.commands import completions
from app.session.session import Session
from app.text import Words
from widgets.completing import Candidate
from widgets.header import HeaderState

OFFLINE = frozenset({"unreachable", "timeout"})
"""Errors after which the header says that the model can't be reached (`llm/errors.py`)."""

TOO_LARGE = frozenset({"too_large", "context_overflow"})
"""Errors after which the user chooses what to do (`compaction/too_large.py`)."""

ANYTIME = frozenset({"help", "theme", "quit"})
"""Commands that need no session; the others wait until one is open."""

BUSY = (TurnStarted, TurnFinished, Queued, Unqueued, SummaryStarted)
"""Events after which something runs, or no longer."""

OTHER_NODE = (Summarised, SummaryUndone, Expanded)
"""Events after which the session goes on in another node."""

_TITLE = 80
"""Code points of a title, as the archive keeps it."""


def header_state(
    session: Session, words: Words, *, demo: bool, offline: bool, title: str
) -> HeaderState:
    """Project, branch, model, title and session.

    Args:
        session: open, or about to be.
        words: the language of the screen.
        demo: the demo answers.
        offline: the model can't be reached.
        title: the session's.
    """
    git = session.git
    return HeaderState(
        project=session.parts.project.name,
        branch=git.branch if git else "",
        changes=git.changes if git else 0,
        model=words("header.demo") if demo else session.model.name,
        demo=demo,
        offline=offline,
        memory_off=not session.remembering.enabled,
        title=title,
        session=session.node[:4],
    )


def command_candidates(word: str, words: Words) -> tuple[Candidate, ...]:
    """The commands that the first word of the prompt may become."""
    return tuple(
        Candidate(
            f"/{command.name}",
            label=f"/{command.name} {words(command.hint)}" if command.hint else "",
            note=words(command.help),
            runs=command.hint is None,
        )
        for command in completions(word)
    )


def first_line(text: str) -> str:
    """A title until sessions get better ones: the first line of the first prompt."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:_TITLE]
