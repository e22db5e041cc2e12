"""What can be done in the compaction preview: buttons, menu entries, the row of keys (STYLE 14)."""

from collections.abc import Mapping
from typing import Literal

from textual.content import Content

from app.boundary import visible
from app.text import Key
from app.view.compaction import Phase, Preview
from widgets.cjk_wrap import wrap
from widgets.dialogs.buttons import Button
from widgets.dialogs.entry import Entry
from widgets.look import Look
from widgets.rows import line, stack

Place = Literal["buttons", "list", "text", "field", "menu"]
"""What has the focus."""

REGIONS = "regions"
"""The menu's entry that shows the other column where there is only one."""

_ACCEPT = Button("accept", "Enter", "compaction_preview.accept")
_EDIT = Button("edit", "e", "compaction_preview.edit")
_PIN = Button("pin", "p", "compaction_preview.pin")
_AGAIN = Button("again", "g", "compaction_preview.again")
_CUT = Button("cut", "x", "compaction_preview.cut")
_CANCEL = Button("cancel", "Esc", "compaction_preview.cancel")
_STOP = Button("stop", "Esc", "compaction_preview.stop")

_BUTTONS: Mapping[Phase, tuple[Button, ...]] = {
    "ready": (_ACCEPT, _EDIT, _PIN, _AGAIN, _CANCEL),
    "writing": (_STOP,),
    "failed": (_AGAIN, _CUT, _CANCEL),
    "stale": (_AGAIN, _CANCEL),
}


def buttons_for(preview: Preview, *, editing: bool = False) -> tuple[Button, ...]:
    """The buttons; the first one is the safe choice.

    Args:
        preview: what is shown.
        editing: a field has the focus.
    """
    return tuple(one for one in _BUTTONS[preview.phase] if not (editing and one is _EDIT))


def entries_for(
    preview: Preview, look: Look, *, editing: bool, compact: bool, lists: bool
) -> tuple[Entry, ...]:
    """The same for the menu, and the way to the other column where only one is shown.

    Args:
        preview: what is shown.
        look: words.
        editing: a field has the focus: letters are text.
        compact: there is one column.
        lists: it is the list.
    """
    words = look.words
    entries = [
        Entry(words(one.label), "" if editing else one.key, one.name)
        for one in buttons_for(preview, editing=editing)
    ]
    if compact:
        key: Key = "compaction_preview.menu_text" if lists else "compaction_preview.menu_list"
        entries.append(Entry(words(key), "" if editing else "Tab", REGIONS))
    return tuple(entries)


def next_place(place: Place, by: int, *, compact: bool) -> Place:
    """Where Tab leads: list, summary, buttons; where there is one column, list and buttons."""
    order: tuple[Place, ...] = ("list", "buttons") if compact else ("list", "text", "buttons")
    at = order.index(place) if place in order else len(order) - 1
    return order[(at + by) % len(order)]


def keys_line(place: Place, look: Look, *, compact: bool) -> Content:
    """What the keys do here; browsing in one column has no room for it."""
    if place == "field":
        keys = _editing(compact=compact)
    elif compact:
        keys = ()
    else:
        moves: Key = "compaction_preview.keys_move"
        keys = (
            ("Tab", "compaction_preview.keys_regions"),
            ("↑ ↓", "compaction_preview.keys_scroll" if place == "text" else moves),
            ("F9", "compaction_preview.keys_actions"),
        )
    shown = [
        line((look.keys(key), "$text"), (f" {look.words(word)}", "$text3")) for key, word in keys
    ]
    return Content("   ").join(shown)


def said_lines(said: str, width: int, look: Look, *, good: bool) -> Content:
    """A sentence in the place of the keys; `good`: that something was done."""
    glyphs = look.glyphs
    sign, tone = (glyphs.ok, "$ok bold") if good else (glyphs.attention, "$warn bold")
    text = visible(said)
    pieces = wrap(text, width - 2)
    rows = [
        line((f"{sign} " if not number else "  ", tone), (text[start:end].rstrip(), "$text"))
        for number, (start, end) in enumerate(pieces)
    ]
    return stack(rows)


def _editing(*, compact: bool) -> tuple[tuple[str, Key], ...]:
    following: Key = "compaction_preview.keys_next"
    leaving: Key = "compaction_preview.keys_leave"
    if compact:
        following, leaving = (
            "compaction_preview.keys_next_short",
            "compaction_preview.keys_leave_short",
        )
    return (
        ("Ctrl+J", "compaction_preview.keys_newline"),
        ("Tab", following),
        ("PgUp PgDn", "compaction_preview.keys_scroll"),
        ("F9", "compaction_preview.keys_actions"),
        ("Esc", leaving),
    )
