"""What is told once a summary has begun its node."""

from app.compaction.recovery import recovery_events
from app.compaction.replacement import Made, Proposal
from app.events import Event, Summarised
from app.text import Words


def summary_events(
    proposal: Proposal, made: Made, *, node: str, parent: str, words: Words
) -> tuple[Event, ...]:
    """That messages gave way to a summary, and what the recovery block tells.

    Args:
        proposal: what was replaced.
        made: what it came to.
        node: the node that began.
        parent: the one that it left.
        words: the language of notices.
    """
    mark, told = made.mark, made.told
    summarised = Summarised(
        node=node,
        parent=parent,
        summary=mark.summary,
        messages=proposal.cut.replaced,
        tokens=mark.tokens,
        tokens_before=mark.tokens_before,
        tokens_after=mark.tokens_after,
        generation=mark.generation,
        how=mark.how,
        in_turn=mark.in_turn,
        seconds=mark.seconds,
        kept=made.kept,
    )
    return (summarised, *(recovery_events(told, mark.summary, words) if told.text else ()))
