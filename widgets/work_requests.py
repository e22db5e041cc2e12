"""What the Work tab and the Work view ask for."""

from dataclasses import dataclass

from widgets.requests import Request


class WorkWanted(Request):
    """It should show what is known of the work now."""


@dataclass
class OpenWork(Request):
    """The user wants to see all of it."""

    at: tuple[str, ...] = ()
    """Key of the row to begin at (`work_rows.key_of`)."""

    rule: str = ""
    """Or the words of the rule to begin at."""


@dataclass
class EditTold(Request):
    """The user wants other words for the goal or a rule."""

    rule: str = ""
    """The rule's id; "": the goal."""


class AddRule(Request):
    """The user wants another standing rule."""


@dataclass
class RevokeRule(Request):
    """A rule shall not hold any longer."""

    rule: str


@dataclass
class ForgetEntity(Request):
    """An entity shall not be told until it is touched again."""

    kind: str
    name: str


@dataclass
class DropTask(Request):
    """A piece of the work is neither to be done nor done."""

    text: str


@dataclass
class UndoWork(Request):
    """The user wants the last change made here taken back, else the newest rule."""

    ended: str = ""
    """Id of the rule the cursor is on that doesn't hold any longer: that one shall hold again."""


@dataclass
class OpenWorkFile(Request):
    """The user wants to look at a file of the project, or beside it."""

    name: str
