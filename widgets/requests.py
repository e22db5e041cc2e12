"""What screens and dialogs ask of the app; the app passes it on to whoever leads the session."""

from dataclasses import dataclass

from textual.message import Message


class Request(Message):
    """The base of all of them."""


class DraftChanged(Request):
    """What stands in the prompt changed."""


class EarlierWanted(Request):
    """The conversation should show the page of the past above what is shown."""


class NoRoom(Request):
    """A message is to be sent with a history that no longer fits."""


@dataclass
class ForkWanted(Request):
    """A session of its own should go on from a message; "": from where the conversation is."""

    message: str = ""
