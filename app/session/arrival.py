"""What is told when a conversation is opened, and what became of it meanwhile."""

from collections.abc import Iterator

from app.archive.nodes import schema_mark
from app.events import Event, Notice, Paused, SessionForked
from app.session.chain import Chain
from app.text import Words


def fork_told(chain: Chain) -> Iterator[Event]:
    """A fork that was asked for says where it left its parent."""
    origin = chain.origin
    if origin.relation == "fork" and chain.begun:
        yield SessionForked(
            parent=origin.parent or "",
            message=origin.fork_at or "",
            turn=origin.fork_turn or 0,
        )


def changes_told(chain: Chain, words: Words) -> Iterator[Event]:
    """Other tools than it was begun with, and what of it can't be read any more."""
    origin = chain.origin
    if origin.tools and origin.tools != schema_mark(chain.agent.toolbox.schemas):
        yield _notice("tools_changed", words("session.tools_changed"))
    if origin.skipped:
        yield _notice("ledger", words("session.resumed_skipped", n=origin.skipped))
    if origin.lost:
        yield _notice("ledger", words("session.resumed_lost", n=origin.lost))


def pauses_told(chain: Chain) -> Iterator[Event]:
    """The tiers that don't work by themselves."""
    for tier in sorted(chain.paused):
        yield Paused(tier=tier, on=True)


def _notice(code: str, text: str) -> Notice:
    return Notice(code=code, text=text, severity="warn")
