"""A fact as the memory browser shows it: plain records, without the memory behind them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from app.events.memory import FactScope, FactState

Source = Literal["you", "model", "extraction", "import"]
"""Who wrote it."""

SOURCES: Final[tuple[Source, ...]] = get_args(Source)

STATES: Final[tuple[FactState, ...]] = (
    "fresh",
    "stale",
    "unverified",
    "contradicted",
    "conflicting",
)
"""In the rail's order."""

Reason = Literal["value", "no_file", "no_symbol", "there"]

Doing = Literal[
    "written", "replaced", "changed", "verified", "deleted", "restored", "pinned", "used"
]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text in the inbox that contradicts the fact.

    Attributes:
        id: of what waits.
        content: its text; foreign.
        source: who said it.
        at: when.
        asked: false: the model did, and nobody had asked it to.
    """

    id: str
    content: str
    source: Source
    at: datetime
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Proof:
    """What one place in the project says about the fact.

    Attributes:
        supports: it says the same; else it contradicts.
        file: relative to the project.
        line: from 1; 0: it is about the file as a whole.
        text: that line.
        says: the file's value, or the name that is missing.
        reason: it states a value; the file, or a name, is gone; it is there.
    """

    supports: bool
    file: str
    line: int
    text: str = ""
    says: str = ""
    reason: Reason = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactItem:
    """A fact and what is known of it now.

    Attributes:
        id: its id.
        content: its text; foreign, one line or more.
        state: the one that is shown.
        scope: where it holds.
        source: who wrote it.
        asked: false: the model did, and nobody had asked it to.
        written: when; None: unknown.
        verified: when the user last confirmed it; None: never.
        pinned: it goes along with every prompt.
        node: id of the session it was said in; "": not known.
        message: id of the message.
        quote: the user's own words.
        external: foreign sources that stood in the context then.
        uses: how often it went into a prompt.
        used: when last; None: never.
        waits: what contradicts it and waits for the user.
        proofs: what the project's files say.
    """

    id: str
    content: str
    state: FactState
    scope: FactScope = "project"
    source: Source = "you"
    asked: bool = True
    written: datetime | None = None
    verified: datetime | None = None
    pinned: bool = False
    node: str = ""
    message: str = ""
    quote: str = ""
    external: tuple[str, ...] = ()
    uses: int = 0
    used: datetime | None = None
    waits: tuple[Waiting, ...] = ()
    proofs: tuple[Proof, ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """A line of a fact's history.

    Attributes:
        at: when.
        what: what happened.
        source: who did it.
        before, after: the text then, and what it became, for `replaced` and `changed`.
        count: how many turns used it, for `used`.
    """

    at: datetime
    what: Doing
    source: Source = "you"
    before: str | None = None
    after: str | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class FactDetail:
    """What is said of one fact beside the list.

    Attributes:
        item: the fact.
        session: the title of the session it was said in; "": not known.
        there: that session can be opened.
        history: newest first; None: not read yet.
    """

    item: FactItem
    session: str = ""
    there: bool = False
    history: tuple[Happened, ...] | None = None
