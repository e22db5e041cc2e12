"""What the memory browser asks of the app."""

from dataclasses import dataclass

from widgets.dialogs.fact_text import Scope
from widgets.requests import Request


class FactsWanted(Request):
    """Others may have changed the facts: they should be looked at again."""


@dataclass
class VerifyFacts(Request):
    """The user says that these still hold."""

    ids: tuple[str, ...]


@dataclass
class RewriteFact(Request):
    """The user puts another text in the place of a fact; `edits`: it stays the same fact."""

    id: str
    text: str
    edits: bool


@dataclass
class DeleteFacts(Request):
    """The user wants these gone; `everywhere`: for good, asked already."""

    ids: tuple[str, ...]
    everywhere: bool = False


@dataclass
class AddFact(Request):
    """The user wants something remembered."""

    text: str
    scope: Scope


class UndoFacts(Request):
    """The user wants the last change of the facts taken back."""


@dataclass
class PinFacts(Request):
    """The user wants these pinned, or no longer."""

    ids: tuple[str, ...]
    on: bool


@dataclass
class DecideInbox(Request):
    """The user wants to decide what waits."""

    id: str = ""
    """What comes first; "": what waits longest."""


@dataclass
class OpenSource(Request):
    """The user wants to see where a fact was said."""

    node: str
    message: str


@dataclass
class OpenProof(Request):
    """The user wants to see a file of the project that says something about a fact."""

    file: str
    """Relative to the project."""

    line: int
