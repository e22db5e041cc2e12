"""The facts that went along with a message of the user, and those that didn't: the Memory tab.

The rows come from the event at once, or from the block in the message where the session was
resumed; what the memory itself knows of them now (`FactNow`) is put on top by whoever owns it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from app.boundary import one_line, visible
from app.events.memory import FactScope, FactState, LeftOut, MemoryInjected
from app.text import LANGUAGES, Words

Scope = FactScope
"""Where a fact holds."""

State = FactState
"""As it is shown; the first that holds."""

Left = LeftOut
"""Why a fact that was found isn't in the block."""

AuthorOf = Literal["you", "model", "extraction", "import"]
"""Who wrote a fact, as `memory.facts` has it."""


@dataclass(frozen=True, slots=True)
class FactNow:
    """What the memory knows of a fact now.

    Attributes:
        content: what it says, safe to show.
        scope: where it holds.
        state: as it is shown.
        pinned: it goes along with every message.
        author: who wrote it.
        written: when; None: unknown.
        verified: when the user last confirmed it; None: never.
        file: the one that speaks for or against it, relative to the project; "": none.
        line: in that file; 0: none.
    """

    content: str
    scope: Scope
    state: State
    pinned: bool = False
    author: AuthorOf = "you"
    written: datetime | None = None
    verified: datetime | None = None
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """`pom.xml:12`."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledFact:
    """A row: a fact of the block, or one that was found and left out of it.

    Attributes:
        id: the fact's.
        content: what it says on one line, safe to show.
        why: the words of the message it was found by, safe to show.
        left: why it isn't in the block; None: it is.
        out: the user leaves it out of the messages to come.
        pinned: it goes along with every message.
        scope: where it holds; None: not known.
        state: as it is shown; None: not known.
        now: what the memory knows of it; None: nothing yet, or it isn't there any more.
        gone: it isn't there any more.
    """

    id: str
    content: str
    why: tuple[str, ...] = ()
    left: Left | None = None
    out: bool = False
    pinned: bool = False
    scope: Scope | None = None
    state: State | None = None
    now: FactNow | None = None
    gone: bool = False

    @property
    def key(self) -> str:
        """Names the row."""
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What a message of the user was given.

    Attributes:
        message: its id; "": none was sent yet.
        facts: those of the block in its order, then those left out.
        tokens: of the block, as estimated.
        budget: of tokens for it.
        more: how many others have a word of the message, further away.
        unmatched: how many others have none; None: not known.
        latest: the message is the newest; else the user asked for that of an earlier one.
        off: the memory is switched off.
    """

    message: str = ""
    facts: tuple[RecalledFact, ...] = ()
    tokens: int = 0
    budget: int = 0
    more: int = 0
    unmatched: int | None = None
    latest: bool = True
    off: bool = False

    @property
    def count(self) -> int:
        """How many facts are in the block."""
        return sum(fact.left is None for fact in self.facts)

    @property
    def ids(self) -> tuple[str, ...]:
        """The facts' ids."""
        return tuple(fact.id for fact in self.facts)

    def dated(self, *, latest: bool) -> "Recalled":
        """The same, as the newest message's or an earlier one's."""
        return replace(self, latest=latest)


NOTHING = Recalled()


def of_event(event: MemoryInjected) -> Recalled:
    """What a message was given, as it is told when it is sent."""
    taken = (
        RecalledFact(
            id=fact.id,
            content=one_line(fact.content),
            why=tuple(one_line(word) for word in fact.why),
            pinned=fact.pinned,
            scope=fact.scope,
            state=fact.state,
        )
        for fact in event.facts
    )
    left = (
        RecalledFact(id=fact.id, content=one_line(fact.content), left=fact.why)
        for fact in event.left
    )
    return Recalled(
        message=event.message,
        facts=(*taken, *left),
        tokens=event.tokens,
        budget=event.budget,
        more=event.more,
        unmatched=event.unmatched,
    )


def of_block(message: str, ids: Sequence[str], text: str, *, tokens: int, budget: int) -> Recalled:
    """What a message was given, from the block it carries.

    Why each was found and what was left out isn't kept.

    Args:
        message: its id.
        ids: of the facts, in the order of the block's lines.
        text: the block.
        tokens: of it, as estimated.
        budget: of tokens for it.
    """
    lines = [line[2:] for line in text.split("\n") if line.startswith("- ")]
    lines += [""] * (len(ids) - len(lines))
    facts = tuple(
        RecalledFact(id=fact, content=one_line(_content(line)) or visible(fact))
        for fact, line in zip(ids, lines, strict=False)
    )
    return Recalled(message=message, facts=facts, tokens=tokens, budget=budget)


def refreshed(
    recalled: Recalled, facts: Mapping[str, FactNow], out: Collection[str] = ()
) -> Recalled:
    """The same with what the memory knows now.

    Args:
        recalled: what a message was given.
        facts: of those facts, the ones that are still there.
        out: ids of facts that the user leaves out of the messages to come.
    """
    return replace(
        recalled, facts=tuple(_now(one, facts.get(one.id), one.id in out) for one in recalled.facts)
    )


def _now(row: RecalledFact, now: FactNow | None, out: bool) -> RecalledFact:
    if now is None:
        return replace(row, now=None, gone=True, out=out)
    return replace(
        row,
        content=now.content,
        scope=now.scope,
        state=now.state,
        pinned=now.pinned,
        out=out,
        now=now,
        gone=False,
    )


def _content(line: str) -> str:
    """A line of the block without what is said behind the fact (`recall_block.fact_line`)."""
    marks = (
        f" · {Words(language)(key)}"
        for language in LANGUAGES
        for key in ("recall.project", "recall.global")
    )
    at = max((line.rfind(mark) for mark in marks), default=-1)
    return line[:at] if at > 0 else line
