"""What the user chose about a conflict is written, whoever asked them: a session, a command."""

from collections.abc import Collection
from dataclasses import replace

from app.memory.fact_journal import Choice
from app.memory.fact_outcomes import NotFound, Outcome
from app.memory.fact_store import FactStore
from app.memory.facts import Draft


async def write_chosen(
    store: FactStore, draft: Draft, *, replaced: Collection[str], kept: Collection[str]
) -> Outcome:
    """Writes a fact that contradicts others, as the user wants it.

    Only what they were shown counts: the store looks again, and a fact that contradicts it and came
    since is a conflict of its own. Facts that are gone meanwhile need no replacing.

    Args:
        store: where it goes.
        draft: the fact; whoever chose has read both sides, so by that it is confirmed.
        replaced: ids of facts in whose place it comes.
        kept: ids of those it stands beside.

    Returns:
        `Replaced`, `Stored`, `Duplicate`; `Conflict` with what they haven't decided; `Failed`.
    """
    confirmed = replace(draft, pending=False)
    pairs: list[tuple[str, Choice]] = [
        *((name, "replace") for name in replaced),
        *((name, "keep_both") for name in kept),
    ]
    for name, choice in pairs:
        failed = await store.record_choice(confirmed.content, name, choice)
        if failed is not None:
            return failed
    targets = list(dict.fromkeys(replaced))
    while targets:
        outcome = await store.replace(confirmed, *targets, keep=tuple(kept), by_choice=True)
        if not isinstance(outcome, NotFound):
            return outcome
        targets = [name for name in targets if name not in outcome.ids]
    return await store.keep_both(confirmed, by_choice=True)
