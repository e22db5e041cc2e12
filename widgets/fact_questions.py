"""What the memory browser asks before it asks for a change: a text, or whether it is meant."""

from collections.abc import Callable, Sequence

from app.text import Key
from app.view.facts_record import FactItem
from widgets.dialogs.desk import Ask
from widgets.dialogs.fact_text import FactDialog, delete_question
from widgets.fact_requests import AddFact, DeleteFacts, RewriteFact
from widgets.look import Look


async def new_fact(look: Look, ask: Ask) -> AddFact | None:
    """Something to remember; None: the user left it."""
    written = await ask(FactDialog(look, "facts.add_title", chooses=True))
    return None if written is None else AddFact(written.text, written.scope)


async def rewritten(look: Look, ask: Ask, item: FactItem, *, edits: bool) -> RewriteFact | None:
    """Another text for a fact; None: the user left it, or left it as it was.

    Args:
        look: words and glyphs.
        ask: shows the dialog.
        item: the fact.
        edits: the same fact in other words; else another one that takes its place.
    """
    title: Key = "facts.edit_title" if edits else "facts.replace_title"
    dialog = FactDialog(look, title, item.content, scope=item.scope, chooses=False)
    written = await ask(dialog)
    if written is None or written.text == item.content.strip():
        return None
    return RewriteFact(item.id, written.text, edits)


async def gone(
    look: Look,
    ask: Ask,
    items: Sequence[FactItem],
    when: tuple[Callable[[], float], float | None],
    *,
    everywhere: bool,
) -> DeleteFacts | None:
    """Facts that are to go; None: they stay.

    Args:
        look: words and glyphs.
        ask: shows the dialog.
        items: at least one.
        when: seconds that only go forward; when something was last typed, None: never.
        everywhere: for good.
    """
    clock, typed_at = when
    dialog = delete_question(look, items, everywhere=everywhere, clock=clock, typed_at=typed_at)
    if await ask(dialog) is not True:
        return None
    return DeleteFacts(tuple(item.id for item in items), everywhere)
