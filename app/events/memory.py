"""What happens to the facts of long-term memory, and which of them go into a prompt."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.events.base import Event

FactScope = Literal["global", "project"]

FactState = Literal["conflicting", "contradicted", "stale", "unverified", "fresh"]

LeftOut = Literal["shown", "switched_off", "budget", "count"]


class InjectedFact(BaseModel):
    """A fact in the block behind a user's message.

    Attributes:
        why: the words of the prompt it was found by, as they stand there, in order; none for a
            pinned one that no word calls for.
        pinned: it stands there whatever was asked.
        tokens: of its line, as estimated.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    scope: FactScope
    state: FactState
    why: tuple[str, ...] = ()
    pinned: bool = False
    tokens: int = 0


class LeftFact(BaseModel):
    """A fact that was found or is pinned, and stands in no block of this message; and why.

    Attributes:
        why: an earlier message shows it, the user left it out, it went beyond the block's tokens,
            or nearer ones took the places.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    why: LeftOut


class MemoryInjected(Event):
    """Facts stand behind a user's message from now on, or none were found; what was put right.

    Attributes:
        message: its id.
        facts: the pinned ones, then the nearest first; none: there is no block.
        tokens: of the block, as estimated.
        budget: of tokens for it.
        left: facts that were found or are pinned and stand in no block of this message.
        more: how many other visible facts have a word of the prompt, further away than those.
        unmatched: how many visible facts have none.
        corrected: how many facts that earlier messages show are put right in this one.
    """

    type: Literal["memory_injected"] = "memory_injected"
    message: str
    facts: tuple[InjectedFact, ...] = ()
    tokens: int = 0
    budget: int = 0
    left: tuple[LeftFact, ...] = ()
    more: int = 0
    unmatched: int = 0
    corrected: int = 0


class FactSaved(Event):
    """A fact was stored."""

    type: Literal["fact_saved"] = "fact_saved"
    id: str
    content: str
    scope: FactScope


class FactDuplicate(Event):
    """It was there already; `id` and `content` are of the one that is there."""

    type: Literal["fact_duplicate"] = "fact_duplicate"
    id: str
    content: str
    scope: FactScope


class FactReplaced(Event):
    """A fact stands in the place of others, or has another text.

    Attributes:
        id: of the one that is there now.
        old: ids of those that are gone; an edited fact keeps its id.
    """

    type: Literal["fact_replaced"] = "fact_replaced"
    id: str
    content: str
    scope: FactScope
    old: tuple[str, ...] = ()


class FactConflict(Event):
    """A fact contradicts others and waits for the user; nothing was written.

    Attributes:
        incoming: its text.
        existing: ids of those it contradicts, oldest first.
    """

    type: Literal["fact_conflict"] = "fact_conflict"
    incoming: str
    existing: tuple[str, ...]


class FactVerified(Event):
    """The user confirmed these."""

    type: Literal["fact_verified"] = "fact_verified"
    ids: tuple[str, ...]


class FactDeleted(Event):
    """These are gone; `everywhere`: for good."""

    type: Literal["fact_deleted"] = "fact_deleted"
    ids: tuple[str, ...]
    everywhere: bool = False


class FactRestored(Event):
    """These stand in the memory again as they did before."""

    type: Literal["fact_restored"] = "fact_restored"
    ids: tuple[str, ...]
