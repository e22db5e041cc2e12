"""The memories as the model's tools reach them: who asked, in which words, and what may be done."""

from collections.abc import Callable, Iterator

from app.conversation.history import History
from app.conversation.messages import Message, is_injected
from app.memory.asked import asking_words, asks_to_remember
from app.memory.borne_out import borne_out
from app.memory.fact_outcomes import Outcome
from app.memory.facts import FactScope, Provenance
from app.memory.memories import Known
from app.memory.recall_block import Marks
from app.ports import Clock
from app.session.remembering import Remembering
from app.tools.save_memory import FoundMemories, FoundMemory

_QUOTE = 300
"""Characters of the user's words that are kept as a fact's source."""

_LOOKED_THROUGH = 50_000
"""Characters of the user's words that are looked through for what a fact says: 20 to 60 ms."""

_FOUND = 10
"""Memories that a search gives, as many as a prompt gets at most (DESIGN 4, "Recall")."""


class RememberingTools:
    """A `MemoryAccess` of one chain."""

    def __init__(
        self,
        remembering: Remembering,
        *,
        history: Callable[[], History],
        node: Callable[[], str],
        clock: Clock,
    ) -> None:
        """Reads nothing yet.

        Args:
            remembering: the session's memory.
            history: of the chain, as it is now.
            node: the session's id: where facts come from.
            clock: the present.
        """
        self._remembering = remembering
        self._history = history
        self._node = node
        self._clock = clock

    async def save(
        self, fact: str, *, scope: FactScope | None, replace_id: str, keep_both: bool
    ) -> Outcome:
        """Saves a fact; its source are the user's words of this turn (`MemoryAccess.save`)."""
        said = self._said()
        provenance = self._provenance(said)
        if not replace_id and not keep_both:
            # What the model remembers unasked, or other than it was asked to, is marked: only the
            # user verifies (DESIGN 1, 4).
            asked = said is not None and asks_to_remember(said.text)
            return await self._remembering.save(
                fact,
                scope=scope,
                provenance=provenance,
                pending=not asked or not borne_out(fact, self._words_of_the_user()),
            )
        memories = self._remembering.memories
        await memories.refresh()
        target = memories.find(replace_id).id if replace_id else ""
        return await self._remembering.save_by_choice(
            fact, scope=scope, provenance=provenance, replace_id=target, keep_both=keep_both
        )

    async def search(self, query: str) -> FoundMemories:
        """Searches what is visible in this project (`MemoryAccess.search`)."""
        found = await self._remembering.search(query, _FOUND)
        known = await self._remembering.memories.known(found.facts)
        return FoundMemories(
            tuple(FoundMemory(one.fact, _marks(one)) for one in known),
            found.more,
            self._clock.now().astimezone(),
        )

    def _said(self) -> Message | None:
        """What the user said in this turn: the newest that asks to remember, else the newest."""
        newest: Message | None = None
        for message in reversed(self._history().messages):
            if message.role == "assistant" and not message.calls and not message.discarded:
                break  # the end of the turn before
            if not _is_said(message):
                continue
            if asks_to_remember(message.text):
                return message
            newest = newest or message
        return newest

    def _words_of_the_user(self) -> Iterator[str]:
        """What the user said, the newest first, as far back as is looked at."""
        room = _LOOKED_THROUGH
        for message in reversed(self._history().messages):
            if room > 0 and _is_said(message):
                yield message.text[:room]
                room -= len(message.text)

    def _provenance(self, said: Message | None) -> Provenance:
        return Provenance(
            "model",
            node=self._node(),
            message=said.id if said else "",
            quote=asking_words(said.text, _QUOTE) if said else "",
        )


def _is_said(message: Message) -> bool:
    """Whether the user said it, in words."""
    return message.role == "user" and not is_injected(message) and bool(message.text.strip())


def _marks(known: Known) -> Marks:
    return Marks(
        stale=known.freshness.stale,
        conflicting=bool(known.waiting),
        contradicted=known.evidence.place if known.evidence.kind == "contradicts" else "",
    )
