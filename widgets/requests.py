"""What screens and dialogs ask of the app; the app passes it on to whoever leads the session."""

from textual.message import Message


class Request(Message):
    """The base of all of them."""
