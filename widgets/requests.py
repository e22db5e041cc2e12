"""What screens and dialogs ask of the app; the app passes it on to whoever leads the session."""

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message


class Request(Message):
    """The base of all of them."""


class OpenFile(Request):
    """The user wants to look at a file.

    Attributes:
        path: the file.
        line: where to begin, from 1; None: at the top.
    """

    def __init__(self, path: Path, line: int | None = None) -> None:
        super().__init__()
        self.path = path
        self.line = line


class OpenLog(Request):
    """The user wants to see what went wrong."""


class EditFile(Request):
    """The user wants to open a file in the editor.

    Attributes:
        path: the file.
        line: where to begin, from 1.
    """

    def __init__(self, path: Path, line: int) -> None:
        super().__init__()
        self.path = path
        self.line = line


class BringBack(Request):
    """The user wants these lines in the context again.

    Attributes:
        title: what they are from.
        path: the file they are from; None: a text in memory.
        first: number of the first line, from 1.
        last: number of the last line.
        text: the lines; foreign, as they stand in the file.
    """

    def __init__(self, title: str, path: Path | None, first: int, last: int, text: str) -> None:
        super().__init__()
        self.title = title
        self.path = path
        self.first = first
        self.last = last
        self.text = text


class ViewResult(Request):
    """The user wants to look at a result that left the context.

    Attributes:
        message: id of the message it was.
        title: what people call it.
        path: the file it is in, relative to the project; "": it is in the archive.
    """

    def __init__(self, message: str, title: str, path: str = "") -> None:
        super().__init__()
        self.message = message
        self.title = title
        self.path = path


class OpenResult(Request):
    """The user wants to open a file of the project in the editor: a result's, or a fact's evidence.

    Attributes:
        path: the file, relative to the project.
        line: where to begin, from 1.
    """

    def __init__(self, path: str, line: int = 1) -> None:
        super().__init__()
        self.path = path
        self.line = line


@dataclass
class BringResultBack(Request):
    """The user wants a result in the next message; where it goes along already: not after all."""

    message: str
    """Id of the message it was."""


class KeepNothingBack(Request):
    """The next message should not quote what was last brought back."""


@dataclass
class PinWanted(Request):
    """The user wants a message pinned, or no longer."""

    message: str
    on: bool


class UndoClearing(Request):
    """The user wants back what was cleared last."""


class ClearAgain(Request):
    """Results may be cleared by themselves again."""


class UndoSummary(Request):
    """The user wants the last summary taken back, or its expansion."""


class SummariesAgain(Request):
    """Summaries may be made by themselves again."""


@dataclass
class SummaryChosen(Request):
    """The user wants what a summary stands for, though something followed it."""

    summary: str
    """Id of the message that holds it; "": not known."""

    node: str
    """The node before it."""

    stands: bool
    """It is still in the context."""


@dataclass
class TooLarge(Request):
    """A turn ended because nothing brings its request under the window."""

    text: str
    """Why, and what is largest."""


@dataclass
class OpenMemory(Request):
    """The user wants to see all memories."""

    fact: str = ""
    """The id of the one to begin at; "": wherever."""


@dataclass
class LeaveFactOut(Request):
    """The user doesn't want a memory in the messages to come, or does again."""

    fact: str
    out: bool


@dataclass
class VerifyFact(Request):
    """The user confirms a memory."""

    fact: str


@dataclass
class PinFact(Request):
    """The user wants a memory with every message, or no longer."""

    fact: str
    on: bool


class RecalledAgain(Request):
    """The list of recalled memories should say what is known of them now."""


@dataclass
class ListRecalled(Request):
    """The user wants to see which memories went along with a message."""

    message: str


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
    node: str = ""
    """Whose end it goes on from, without a message; "": the open one's."""
