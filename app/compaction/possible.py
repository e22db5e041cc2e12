"""What of the ways to a smaller history could be gone, whoever asks; changes nothing."""

from collections.abc import Sequence

from app.compaction.cut import BY_HAND
from app.compaction.means import Means
from app.compaction.new_history import NoSummary
from app.compaction.replacement import CantSummarise, make, propose, worth
from app.compaction.too_large import Choice
from app.errors import HaimaError


def can_summarise(means: Means) -> bool:
    """Whether something would leave if the user asked for a summary now."""
    try:
        propose(means, turns=BY_HAND)
    except CantSummarise:
        return False
    return True


async def open_ways(means: Means, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """Of what is offered where a request doesn't fit, all that can help with the history as it is.

    Args:
        means: of the conversation.
        choices: the best first.
    """
    shut: set[Choice] = set()
    if "compact" in choices and not await _is_worth_a_summary(means):
        shut.add("compact")
    if "cut" in choices and not await _can_cut(means):
        shut.add("cut")
    if "fork" in choices and not _has_earlier(means):
        shut.add("fork")
    return tuple(choice for choice in choices if choice not in shut)


def _has_earlier(means: Means) -> bool:
    """Whether a fork could leave something out: with the first message alone it can't."""
    return sum(message.role != "system" for message in means.recorder.history) > 1


async def _is_worth_a_summary(means: Means) -> bool:
    try:
        await worth(means, propose(means, turns=BY_HAND))
    except HaimaError:
        return False
    return True


async def _can_cut(means: Means) -> bool:
    """Whether `SummaryTier.cut` by hand would do something."""
    try:
        proposal = propose(means, turns=BY_HAND, full=True)
        await make(means, proposal, NoSummary(), by_hand=True)
    except HaimaError:
        return False
    return True
