"""What code knows of the work is told once where the history is rewritten (DESIGN 4, "Recovery").

After a summary it stands in the summary's message (`new_history`); after a clear at the newest
message, which the model hasn't seen yet. There is one slot: the older block goes in the same
rewrite, so nothing more of the prefix is lost. Work that was taken up from another conversation is
told there too, where the slot is free (`session.chain_work`).
"""

from collections.abc import Awaitable, Callable, Iterable

from app.compaction.known import BlockShares, Known, Told
from app.compaction.record import Record, changed_least
from app.compaction.room import Room
from app.compaction.sent_texts import sent_texts
from app.conversation.history import History, RecoverySlot
from app.conversation.meter import Meter
from app.conversation.shares import shares
from app.conversation.window import RULES, Rules, Thresholds, share
from app.conversation.work import Goal
from app.events import Event, Notice, RecoveryTold
from app.memory.name_lists import Standing
from app.text import Words

_RULES = 16
"""Of a window that tools and documents fill, rules have 1 of so many tokens all the same."""

_LEAST = 500
"""Tokens that it may always have: rules and todo of usual length."""


class Recovery:
    """Writes the recovery block of a conversation."""

    def __init__(
        self,
        *,
        known: Callable[[], Awaitable[Known]],
        meter: Meter,
        marks: Callable[[], Thresholds],
        tools: Callable[[], str],
        words: Words,
        rules: Rules = RULES,
    ) -> None:
        """Tells nothing yet.

        Args:
            known: what code knows of the work, as it is now.
            meter: measures the history.
            marks: of the window as it is now.
            tools: the tools on offer, as they go out.
            words: the language of what the model reads.
            rules: the numbers.
        """
        self.known = known
        self._meter = meter
        self._marks = marks
        self._tools = tools
        self._words = words
        self._rules = rules

    async def told(
        self,
        history: History,
        standing: Standing | None = None,
        free: int | None = None,
        known: Known | None = None,
    ) -> Told:
        """What would be told if the history were rewritten now, without a summary.

        Args:
            history: as it is.
            standing: the texts that will be sent, without the block; None: those of the history.
            free: tokens up to where the window is as good as full. The summary mark is no limit:
                what a summary's message told before stands here now.
            known: what is known, where that was just asked; None: it is asked.
        """
        known = await self.known() if known is None else known
        if standing is None:
            standing = Standing(sent_texts(history))
        budget = self._budget(history)
        goals = [goal for goal in (known.goal, known.first) if goal is not None]
        there = _standing_goals(goals, standing)
        most = budget.total
        if free is not None:
            # Goal and names of changed files are told whatever they push out: the guard cuts the
            # newest results for them.
            asked = (goal.text for goal in goals if goal.message not in there)
            least = _LEAST + min(budget.goal, sum(map(self._meter.text_tokens, asked)))
            least += min(budget.files, changed_least(known.changed, self._meter.text_tokens))
            most = min(most, max(free, least))
        room = Room(most, self._meter)
        record = Record(room, budget, known, self._words)
        record.add_rules()
        record.add_goal(there, budget.goal)
        record.add_changed()
        record.add_progress()
        record.add_nearest()
        record.add_names(standing, record.reserve_names())
        return record.told

    def slot(self, history: History, told: Told) -> RecoverySlot | None:
        """Where it is told: at the newest message that can carry it, after a clear."""
        if not told.text:
            return None
        for message in reversed(history.messages):
            if message.role in ("user", "tool") and not message.discarded:
                return RecoverySlot(message.id, told.text)
        return None

    def tokens(self, slot: RecoverySlot | None) -> int:
        """What a block costs."""
        return 0 if slot is None else self._meter.text_tokens(slot.text)

    def _budget(self, history: History) -> BlockShares:
        """The room of each section after a clear (DESIGN 4: "Numbers", "Recovery")."""
        marks, parts = self._marks(), self._meter.measure(history, self._tools()).parts
        room = shares(marks, parts.system + parts.tools, self._rules)
        return BlockShares(
            # However little room documents and tools leave: a rule is worth its few words.
            rules=max(room.user_words, marks.window // _RULES),
            goal=share(marks.window, self._rules.goal),
            files=marks.window // 10,
            progress=room.progress,
            entities=marks.entities,
        )


def recovery_events(told: Told, message: str, words: Words) -> tuple[Event, ...]:
    """Says that it is told; where rules have no room, that the user should choose among them.

    Args:
        told: what is.
        message: at which message.
        words: the language of the notice.
    """
    event = RecoveryTold(
        message=message,
        goal=bool(told.goals),
        rules=len(told.rules),
        rules_left=told.rules_left,
        files=told.files,
        entities=len(told.nearest),
        names=len(told.names),
        outside=tuple(sorted(told.outside)),
        tokens=told.tokens,
    )
    if not told.rules_left:
        return (event,)
    text = words("recovery.rules_left", n=told.rules_left)
    return event, Notice(code="rules_left", text=text, severity="warn")


def _standing_goals(goals: Iterable[Goal], standing: Standing) -> list[str]:
    """Ids of the messages whose words stand elsewhere in the request."""
    return [goal.message for goal in goals if goal.message and standing.holds(goal.text)]
