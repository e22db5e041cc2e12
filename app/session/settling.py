"""A conflict is put to the user, pair by pair, and what they chose is done.

No lock is held meanwhile, so the memory may be another when the last answer comes: the store looks
again, and new conflicts are asked too. Choices are recorded only when all pairs have one: half an
answer authorises nothing.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.agent.announced import AnnouncedDecisions
from app.events import ConflictQuestion
from app.memory.chosen import write_chosen
from app.memory.evidence import SILENT
from app.memory.fact_outcomes import Clash, Conflict, Kept, Outcome
from app.memory.facts import Draft, Tokens, new_fields, new_id, read_fact
from app.memory.memories import Memories
from app.ports import Publish
from app.session.conflict_question import conflict_question
from app.session.parts import Parts

_ROUNDS: Final = 5
"""How often new conflicts are asked that came up while others were."""


@dataclass(slots=True)
class _Chosen:
    """What the user chose so far, by ids of facts."""

    replaced: dict[str, None]
    kept: dict[str, None]


class Settling:
    """Settles conflicts of a session's memory."""

    def __init__(
        self,
        parts: Callable[[], Parts],
        *,
        memories: Callable[[], Memories],
        tell: Publish,
        tokens: Tokens,
        title: Callable[[str], Awaitable[str]],
    ) -> None:
        """Asks nothing yet.

        Args:
            parts: what the session is made of now; its decisions are asked.
            memories: the facts.
            tell: gets the events.
            tokens: estimates the tokens of a text.
            title: of a session, by its id; "" where it has none or isn't known.
        """
        self._parts = parts
        self._memories = memories
        self._tell = tell
        self._tokens = tokens
        self._title = title

    async def settle(
        self,
        draft: Draft,
        conflict: Conflict,
        targets: Collection[str] = (),
        written: datetime | None = None,
    ) -> Outcome | None:
        """Asks, and does what was chosen.

        Args:
            draft: what shall be saved.
            conflict: what it contradicts.
            targets: facts whose place it takes by the user's own word.
            written: when the draft came up, of one that waited; None: now.

        Returns:
            What came of it; `Kept`: nothing was written, as the user wants it. `Conflict`: others
            came up each time. None: nobody answered.
        """
        decisions = AnnouncedDecisions(self._parts().decisions, self._tell)
        chosen = _Chosen(dict.fromkeys(targets), {})
        for _ in range(_ROUNDS):
            count = len(conflict.existing)
            for place, clash in enumerate(conflict.existing, start=1):
                asked = await self._question(draft, clash, written, place, count)
                answer = await decisions.resolve_conflict(asked)
                if answer is None:
                    return None
                if answer.verdict == "keep_existing":
                    return Kept(draft.content, clash.fact)
                side = chosen.replaced if answer.verdict == "replace" else chosen.kept
                side[clash.fact.id] = None
            outcome = await write_chosen(
                self._memories().store, draft, replaced=chosen.replaced, kept=chosen.kept
            )
            if not isinstance(outcome, Conflict):
                return outcome
            conflict = outcome
        return conflict

    async def _question(
        self, draft: Draft, clash: Clash, written: datetime | None, place: int, count: int
    ) -> ConflictQuestion:
        tokens = self._tokens
        fields = new_fields(draft, new_id(), self._parts().clock.now(), tokens)
        incoming = read_fact(fields, "", tokens)
        facts = [clash.fact, *([incoming] if incoming is not None else ())]
        existing, *others = await self._memories().known(facts)
        nodes = {existing.fact.provenance.node, draft.provenance.node} - {""}
        return await conflict_question(
            self._parts().new_id(),
            draft,
            existing,
            evidence=others[0].evidence if others else SILENT,
            titles={node: await self._title(node) for node in nodes},
            written=written,
            place=place,
            count=count,
        )
