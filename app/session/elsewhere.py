"""Another process has a session open: it alone may write to it, anyone may fork it."""

from app.errors import HaimaError


class SessionOpenElsewhere(HaimaError):  # noqa: N818
    """The session is open in another process.

    Attributes:
        node: its id.
    """

    code = "open_elsewhere"

    def __init__(self, node: str) -> None:
        super().__init__("session.open_elsewhere", node=node[:4])
        self.node = node
