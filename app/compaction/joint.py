"""The results of one step together: none may be too big, but all of them can be (DESIGN 4, tier 1).

Asked when the step is complete, before the next request: the largest goes to a file first, until
the others fit; then what can't be moved is made shorter, the largest first.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.compaction.offload import Offload, Offloader, OffloadFailed
from app.conversation.content import Content
from app.conversation.window import RULES, Rules
from app.memory.name_score import Ranking


@dataclass(frozen=True, slots=True)
class StepResult:
    """A result of the step.

    Attributes:
        id: of its message.
        tool: the tool's name.
        size: characters of its content as it stands now.
        content: all of it, None where it stays or was moved already.
        shorter: its text with at most so many characters of its content; None: there is no such.
    """

    id: str
    tool: str
    size: int
    content: Content | None = None
    shorter: Callable[[int], str] | None = None


@dataclass(frozen=True, slots=True)
class Shortened:
    """A result that shows less.

    Attributes:
        text: its whole text, frame included.
    """

    text: str


def joint_limit(free: int, rules: Rules = RULES) -> int:
    """Characters that a step's results may have together.

    Args:
        free: tokens between the request as it is without them and the window's end.
        rules: the numbers.
    """
    most, times, share = rules.joint
    return min(most, times * max(0, free) // share)


async def fit(
    results: Sequence[StepResult],
    limit: int,
    offloader: Offloader,
    *,
    ranking: Ranking | None = None,
    rules: Rules = RULES,
) -> Mapping[str, Offload | OffloadFailed | Shortened]:
    """Brings a step's results under a limit, as far as that can be.

    Args:
        results: all of the step.
        limit: `joint_limit`.
        offloader: moves them.
        ranking: as for `Offloader.offload`.
        rules: the numbers.

    Returns:
        What became of those that were touched, by id, in the order of the results.
    """
    changes: dict[str, Offload | OffloadFailed | Shortened] = {}
    total = sum(result.size for result in results)
    largest = sorted(results, key=lambda result: -result.size)
    for result in largest:
        if total <= limit:
            break
        if result.content is None:
            continue
        room = _room(result, total - limit, rules)
        done = await offloader.offload(
            result.tool, result.content, limit=room, ranking=ranking, ref=result.id
        )
        if done is not None:
            changes[result.id] = done
            # What Haima says of a cut isn't content.
            now = len(done.text) if isinstance(done, Offload) else min(room, result.size)
            total += now - result.size
    for result in largest:
        if total <= limit:
            break
        room = _room(result, total - limit, rules)
        if result.shorter is None or room >= result.size:
            continue
        changes[result.id] = Shortened(await asyncio.to_thread(result.shorter, room))
        total += room - result.size
    return {result.id: changes[result.id] for result in results if result.id in changes}


def _room(result: StepResult, excess: int, rules: Rules) -> int:
    """Characters that a result may keep: as few as are too many, but not next to none."""
    return max(rules.offload_smallest, result.size - excess)
