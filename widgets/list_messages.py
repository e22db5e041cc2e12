"""What a long list tells its screen."""

from textual.message import Message
from textual.widget import Widget


class ListMessage(Message, namespace="virtual_list"):
    """Common to the list's messages.

    Attributes:
        list: who sent it.
    """

    def __init__(self, sender: Widget) -> None:
        super().__init__()
        self.list = sender

    @property
    def control(self) -> Widget:
        """The list."""
        return self.list


class Activated(ListMessage, namespace="virtual_list"):
    """Enter, or a second click, on an item."""

    def __init__(self, sender: Widget, item: int) -> None:
        super().__init__(sender)
        self.item = item


class CopyRequested(ListMessage, namespace="virtual_list"):
    """The user wants an item's text on the clipboard."""

    def __init__(self, sender: Widget, text: str) -> None:
        super().__init__(sender)
        self.text = text


class NewBelow(ListMessage, namespace="virtual_list"):
    """How many items came below what is in view since the reader left the end; 0: none."""

    def __init__(self, sender: Widget, count: int) -> None:
        super().__init__(sender)
        self.count = count
