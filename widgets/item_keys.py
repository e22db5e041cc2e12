"""Keys for what left the context, wherever the cursor is on it: view, bring back, open, pin."""

from abc import abstractmethod

from textual import on

from app.view.held import Marked
from widgets.held_panel import HeldPanel
from widgets.look import Look
from widgets.requests import BringResultBack, OpenResult, PinWanted, ViewResult
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

PANEL_FOOTER = (
    *("held_item", "tab", "bring_back_item", "open_item", "pin_item"),
    *("panel_window", "panel_actions", "to_prompt_from_panel"),
)

CONVERSATION_FOOTER = (
    *("help", "card", "expand", "bring_back_card", "open_card", "pin_card"),
    *("copy", "to_prompt"),
)


class ItemKeys(WorkScreen):
    """A screen with such things."""

    @property
    @abstractmethod
    def marked(self) -> Marked | None:
        """What the cursor is on."""

    def offers_item(self, name: str) -> bool | None:
        """Whether one of these actions works now; None: it is another one."""
        needed = _KEYS.get(name)
        if needed is None:
            return None
        return self.marked is not None and bool(getattr(self.marked, needed))

    @on(HeldPanel.Moved)
    def _other_item(self, message: HeldPanel.Moved) -> None:
        message.stop()
        self.refresh_footer()

    def action_view_item(self) -> None:
        """Enter: in the viewer."""
        if (marked := self.marked) is not None and marked.held:
            self.post_message(ViewResult(marked.message, marked.label, marked.path))

    def action_bring_back_item(self) -> None:
        """b: into the next message; again: not after all."""
        if (marked := self.marked) is not None and marked.held:
            self.post_message(BringResultBack(marked.message))

    def action_open_item(self) -> None:
        """o: its file in the editor."""
        if (marked := self.marked) is not None and marked.path:
            self.post_message(OpenResult(marked.path))

    def action_pin_item(self) -> None:
        """p: stays as it is from now on; again: no longer."""
        if (marked := self.marked) is not None and marked.message:
            self.post_message(PinWanted(marked.message, not marked.pinned))


def dress_panel(panel: HeldPanel, look: Look) -> None:
    """A list isn't among the widgets that a screen dresses by itself."""
    panel.list.look = look
