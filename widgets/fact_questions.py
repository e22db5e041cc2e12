"""What the memory browser asks before it asks for a change: a text, or whether it is meant."""

from app.text import Key
from app.view.facts_record import FactItem
from widgets.dialogs.desk import Ask
from widgets.dialogs.fact_text import FactDialog
from widgets.fact_requests import AddFact, RewriteFact
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
