"""Keys for what left the context, wherever the cursor is on it: view, bring back, open, pin.

And for the memory's facts in the same panel: leave out, verify, pin, open what speaks about them.
"""

from abc import abstractmethod

from textual import on

from app.view.held import Marked
from app.view.recalled import RecalledFact
from widgets.gauge import Previewed
from widgets.held_panel import HeldPanel
from widgets.look import Look
from widgets.requests import (
    BringResultBack,
    LeaveFactOut,
    OpenMemory,
    OpenResult,
    PinFact,
    PinWanted,
    RecalledAgain,
    VerifyFact,
    ViewResult,
)
from widgets.work_requests import EditTold, OpenWork, UndoWork, WorkWanted
from widgets.work_screen import WorkScreen

_KEYS = {
    "view_item": "held",
    "bring_back_item": "held",
    "bring_back_card": "held",
    "open_item": "path",
    "open_card": "path",
    "open_largest": "path",
    "pin_item": "message",
    "pin_card": "message",
    "pin_largest": "message",
}
"""What must be so of the thing under the cursor for an action to work."""

_FACT_KEYS = frozenset({"leave_fact_out", "verify_fact", "pin_item", "view_item"})
"""What works on any fact that is still there."""

MEMORY_FOOTER = (
    *("held_item", "tab", "leave_fact_out", "verify_fact", "pin_item", "open_item"),
    *("all_memories", "panel_window", "panel_actions", "to_prompt_from_panel"),
)
"""In place of the panel's, over the memory's list."""

WORK_FOOTER = (
    *("held_item", "tab", "edit_told", "undo_rule", "open_work"),
    *("panel_window", "panel_actions", "to_prompt_from_panel"),
)
"""In place of the panel's, over what is known of the work."""

PANEL_FOOTER = (
    *("held_item", "tab", "bring_back_item", "open_item", "pin_item"),
    *("panel_window", "panel_actions", "to_prompt_from_panel"),
)

PREVIEW_FOOTER = ("next_window", "switch_window", "end_preview")

CONVERSATION_FOOTER = (
    *("help", "card", "expand", "undo_mark", "go_on"),
    *("bring_back_card", "open_card", "pin_card"),
    *("copy", "to_prompt"),
)


class ItemKeys(WorkScreen):
    """A screen with such things.

    Attributes:
        panel: the tabs.
    """

    panel: HeldPanel

    def on_screen_resume(self) -> None:
        """Back from another screen, where the memory may have been changed."""
        # Posted here: a message that the screen makes for a child to post stops at the screen.
        if self.panel.model.recalled.facts:
            self.post_message(RecalledAgain())
        if self.panel.model.active == "work":
            self.post_message(WorkWanted())

    @property
    @abstractmethod
    def marked(self) -> Marked | None:
        """What the cursor is on."""

    @property
    def fact(self) -> RecalledFact | None:
        """The memory's fact that the cursor is on, while the focus is there."""
        return self.panel.fact if self.panel.list.has_focus else None

    def panel_footer(self) -> tuple[str, ...]:
        """What works in the tab that is shown; while another window is looked at, on that."""
        if self.panel.previews:
            return PREVIEW_FOOTER
        footers = {"memory": MEMORY_FOOTER, "work": WORK_FOOTER}
        return footers.get(self.panel.model.active, PANEL_FOOTER)

    @property
    def in_work(self) -> bool:
        """Whether the focus is on what the agent is told of the work."""
        return self.panel.model.active == "work" and self.panel.list.has_focus

    def offers_item(self, name: str) -> bool | None:
        """Whether one of these actions works now; None: it is another one."""
        if name in PREVIEW_FOOTER:
            return self.panel.previews
        if name == "edit_told":
            work = self.panel.work
            return self.in_work and work.key[:1] in (("goal",), ("rule",)) and not work.ended
        if name == "undo_rule":
            return self.in_work and self.panel.takes_back
        if name == "held_item":
            return len(self.panel.list.source) > 0
        if name in ("open_work", "view_item") and self.in_work:
            return True
        if name == "open_work":
            return False
        if (fact := self.fact) is not None:
            if name == "open_item":
                return fact.now is not None and bool(fact.now.file)
            if name in _FACT_KEYS:
                return not fact.gone
        if name in ("leave_fact_out", "verify_fact"):
            return False
        needed = _KEYS.get(name)
        if needed is None:
            return None
        return self.marked is not None and bool(getattr(self.marked, needed))

    @on(HeldPanel.Moved)
    @on(Previewed)
    def _other_item(self, message: HeldPanel.Moved | Previewed) -> None:
        message.stop()
        self.refresh_footer()

    def action_view_item(self) -> None:
        """Enter: in the viewer; a fact among all of them; all of the work."""
        if self.in_work:
            self.post_message(OpenWork(self.panel.work.key))
        elif (fact := self.fact) is not None:
            self.post_message(OpenMemory(fact.id))
        elif (marked := self.marked) is not None and marked.held:
            self.post_message(ViewResult(marked.message, marked.label, marked.path))

    def action_bring_back_item(self) -> None:
        """b: into the next message; again: not after all."""
        if (marked := self.marked) is not None and marked.held:
            self.post_message(BringResultBack(marked.message))

    def action_open_item(self) -> None:
        """o: its file in the editor; of a fact the file that speaks for or against it."""
        if (fact := self.fact) is not None:
            if fact.now is not None and fact.now.file:
                self.post_message(OpenResult(fact.now.file, max(1, fact.now.line)))
        elif (marked := self.marked) is not None and marked.path:
            self.post_message(OpenResult(marked.path))

    def action_pin_item(self) -> None:
        """p: stays as it is from now on; again: no longer."""
        if (fact := self.fact) is not None:
            if not fact.gone:
                self.post_message(PinFact(fact.id, not fact.pinned))
        elif (marked := self.marked) is not None and marked.message:
            self.post_message(PinWanted(marked.message, not marked.pinned))

    def action_edit_told(self) -> None:
        """e: other words for the goal or the rule."""
        if self.offers_item("edit_told"):
            kind, *id = self.panel.work.key
            self.post_message(EditTold(id[0] if kind == "rule" else ""))

    def action_undo_work(self) -> None:
        """u: the last change, else the newest rule, is taken back; an ended rule holds again."""
        if self.in_work:
            self.post_message(UndoWork(self.panel.work.ended))

    def action_leave_fact_out(self) -> None:
        """x: not with the messages to come; again: as before."""
        if (fact := self.fact) is not None and not fact.gone:
            self.post_message(LeaveFactOut(fact.id, not fact.out))

    def action_verify_fact(self) -> None:
        """v: the user confirms it."""
        if (fact := self.fact) is not None and not fact.gone:
            self.post_message(VerifyFact(fact.id))


def dress_panel(panel: HeldPanel, look: Look) -> None:
    """A list isn't among the widgets that a screen dresses by itself."""
    panel.dress(look)
