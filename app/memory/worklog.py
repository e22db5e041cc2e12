"""The worklog of a chain: what its agents did to what, and what the user wants (DESIGN 4).

Kept by code at every result, before it enters the history, so that no summary can lose or invent
it. Pure: rows give it `Work`, it makes `Work` of messages and folds it up; files are only looked at
through what it is given. The same rows make the same worklog, live, loaded or replayed.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from app.conversation.by_hand import NOT_BY_HAND, ByHand
from app.conversation.messages import ToolCall
from app.conversation.work import (
    EntityKey,
    EntityKind,
    Goal,
    Progress,
    Rule,
    Stamp,
    Work,
)
from app.conversation.work_state import Elsewhere, Entity, LoadedWork, touched
from app.memory.rules_parts import bare, is_part
from app.memory.rules_said import said
from app.memory.small_talk import asks_nothing
from app.memory.work_identifiers import identifiers_in_words
from app.memory.work_paths import WorkPaths
from app.memory.work_progress import place_of, shows
from app.memory.work_touches import Ground, named_identifiers, no_stamp, touches_of

MOST = 5_000
"""Entities that are remembered beside changed files, which stay."""

_SLACK = 250
"""So many more before the oldest go, so that it rarely costs anything."""

_MOST_BELOW = 200
"""Known files that go with their folder when it is deleted or renamed."""


class Worklog:
    """The state of one chain's work.

    `of_user` and `of_result` only say what is new; it counts once it is applied, after the row that
    holds it was written. Each costs what the message is long, whatever is remembered.
    """

    def __init__(self, root: str, *, resolve: Callable[[str], str] | None = None) -> None:
        """Begins empty.

        Args:
            root: the project's folder.
            resolve: gives an absolute path without its symlinks; None: paths are only read.
        """
        self.paths = WorkPaths(root, resolve)
        self.step = 0
        self._begun = False
        self._entities: dict[EntityKey, Entity] = {}
        self._kept = 0
        self._rules: dict[str, Rule] = {}
        self._revoked: dict[str, None] = {}
        self._reworded: dict[str, None] = {}
        self._goal: Goal | None = None
        self._first_goal: Goal | None = None
        self._progress = Progress()
        self._progress_at = ""
        self._turn = 0
        self._last_message = ""
        self._by_hand = NOT_BY_HAND
        self._elsewhere: dict[EntityKey, Elsewhere] = {}
        self._heard = ""

    def restore(self, loaded: LoadedWork) -> None:
        """Takes up what the archive knows of the chain; only right after it was made.

        Args:
            loaded: the entities oldest touch first, the marks oldest first.
        """
        for entity in loaded.entities:
            self._put(entity)
        for mark in loaded.marks:
            self.apply(mark.work, at=mark.at)
        self._elsewhere = {one.entity.key: one for one in loaded.elsewhere}
        self._turn = loaded.turns
        self.step = loaded.steps

    def next_step(self) -> None:
        """The agent calls something more: what its calls touch is touched later.

        The step counts with the first of its results that touches something, as rows tell no other.
        """
        self._begun = True

    def of_user(self, message_id: str, text: str) -> Work:
        """What a message of the user's adds: the goal, rules, what is taken back, identifiers.

        Asked for the same message again, it is still the same turn.

        Args:
            message_id: its id.
            text: the user's own words alone.
        """
        if message_id != self._last_message or not message_id:
            self._turn += 1
            self._last_message = message_id
        first = self._goal is None
        heard = said(text, active=self.rules, first=first, task=self._plain_task())
        rules = tuple(
            Rule(f"{message_id}#{number}", sentence, kind, message_id, self._turn)
            for number, (kind, sentence) in enumerate(heard.rules, start=1)
        )
        longer = tuple(
            replace(self._rules[rule], text=sentence, message=message_id, turn=self._turn)
            for rule, sentence in heard.longer
        )
        wanted = heard.goal
        if first:
            wanted = None if asks_nothing(text) else text.strip()
        return Work(
            touches=tuple(named_identifiers(identifiers_in_words(text), self.paths)),
            rules=longer + rules,
            revoked=heard.revoked,
            goal=None if wanted is None else Goal(wanted, message_id, self._turn),
        )

    def _plain_task(self) -> str:
        """The goal, where no rule comes from its message: what it says was never taken back."""
        goal = self._goal
        if goal is None or any(rule.message == goal.message for rule in self._rules.values()):
            return ""
        return goal.text

    def of_result(
        self,
        call: ToolCall,
        text: str,
        *,
        ok: bool,
        stamp: Callable[[str], Stamp | None] = no_stamp,
    ) -> Work:
        """What a finished call adds. Never fails, whatever tool it was; refused calls add nothing.

        Args:
            call: the call.
            text: its whole result, as the model gets it.
            ok: whether it did what was asked; of a command the exit code in the text counts too.
            stamp: looks at a file by its name: one that was changed; its size is -1 where it isn't.
        """
        ground = Ground(self.paths, self._is_there, self._is_changed, self._below, stamp)
        return Work(touches=touches_of(call, text, ok=ok, ground=ground))

    def apply(self, work: Work, *, at: str, result: bool = False) -> None:
        """Folds a row up.

        Args:
            work: what it adds.
            at: when it was written, ISO 8601 UTC.
            result: it is that of a call's result.
        """
        if result and self._begun and work.touches:
            self.step += 1
            self._begun = False
        for touch in work.touches:
            key = EntityKey(touch.kind, touch.name)
            self._put(touched(self._entities.get(key), touch, at=at, step=self.step))
            if touch.action not in {"named", "searched"} and (touch.ok or key.kind == "command"):
                self._elsewhere.pop(key, None)
        for rule in work.rules:
            before = self.rule_text(rule.id)
            if before and before != rule.text:
                self._reworded[before] = None
            self._rules[rule.id] = rule
        for revoked in work.revoked:
            self._revoked.setdefault(revoked)
        for restored in work.restored:
            self._revoked.pop(restored, None)
        if work.goal is not None:
            # An empty one takes the first goal back: the next message says what is wanted.
            self._goal = work.goal if work.goal.text else None
            self._first_goal = self._goal and (self._first_goal or self._goal)
        if work.progress is not None:
            self._progress, self._progress_at = work.progress, at
        for key in work.forgotten:
            self._forget(key)
        if work.told:
            self._by_hand = NOT_BY_HAND
        self._by_hand = self._by_hand.then(work.by_hand)
        self._heard = max(self._heard, work.heard)

    def by_hand(self, work: Work) -> ByHand:
        """How what the user changes by hand stands before it is changed.

        Args:
            work: the change, which isn't applied yet.
        """
        goal = "" if self._goal is None else self._goal.text
        rules = dict.fromkeys((*(rule.id for rule in work.rules), *work.revoked, *work.restored))
        before, after = self._progress, work.progress or self._progress
        texts = (before.todo, after.todo, *((x.text for x in one.done) for one in (before, after)))
        entries = dict.fromkeys(text for some in texts for text in some)
        return ByHand(
            goal=None if work.goal is None else goal,
            rules=tuple((rule, self.held(rule)) for rule in rules),
            entries=tuple(
                (text, place_of(before, text))
                for text in entries
                if place_of(before, text) != place_of(after, text)
            ),
        )

    @property
    def untold(self) -> ByHand:
        """What the user changed by hand since the agent was last told of that."""
        return self._by_hand

    @property
    def elsewhere(self) -> tuple[Elsewhere, ...]:
        """Files that turns outside this conversation changed last, newest change first.

        Until the agent reads or changes one again: it knows how they were before.
        """
        return tuple(
            one
            for key, one in self._elsewhere.items()
            if key.kind == "file" and not (key in self._entities and self._entities[key].forgotten)
        )

    @property
    def unheard(self) -> tuple[Elsewhere, ...]:
        """Those of them that the agent wasn't told of yet (`Work.heard`)."""
        return tuple(one for one in self.elsewhere if one.at > self._heard)

    def held(self, rule: str) -> str:
        """What a rule says; "" where it doesn't hold."""
        return "" if rule in self._revoked else self.rule_text(rule)

    @property
    def goal(self) -> Goal | None:
        """What the user wants now; None before the first message that asks for something."""
        return self._goal

    @property
    def first_goal(self) -> Goal | None:
        """What the user wanted first."""
        return self._first_goal

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that hold, oldest first."""
        return tuple(rule for rule in self._rules.values() if rule.id not in self._revoked)

    @property
    def revoked_rules(self) -> tuple[Rule, ...]:
        """The rules that were taken back, the newest taken back last; `Work.restored` undoes it."""
        return tuple(self._rules[one] for one in self._revoked if one in self._rules)

    @property
    def ended(self) -> tuple[str, ...]:
        """What the user said as a rule and that holds no longer, the newest taken back last.

        Also what a rule said before it was put otherwise; not what another rule says still.
        """
        hold = [rule.text for rule in self.rules]
        same = {bare(text) for text in hold}
        texts = (*self._reworded, *(rule.text for rule in self.revoked_rules))
        found = {bare(text): text for text in texts}
        return tuple(
            text
            for key, text in found.items()
            if key not in same and not any(is_part(text, one) for one in hold)
        )

    @property
    def progress(self) -> Progress:
        """What is done, and what is left."""
        return self._progress

    @property
    def verified_by(self) -> str:
        """The command that showed what was done since progress was last told; "" for none.

        The newest that went well and does more than look.
        """
        for one in self.entities("command"):
            if one.at < self._progress_at:
                break
            if one.key in self._elsewhere:
                continue  # it showed what other turns had done
            if one.ok and one.action == "ran" and shows(one.name):
                return one.name
        return ""

    def rule_text(self, rule: str) -> str:
        """What a rule says, whether it holds or not; "" for an unknown one."""
        found = self._rules.get(rule)
        return "" if found is None else found.text

    @property
    def turn(self) -> int:
        """The user's messages so far."""
        return self._turn

    def __len__(self) -> int:
        return sum(not one.forgotten for one in self._entities.values())

    def entity(self, kind: EntityKind, name: str) -> Entity | None:
        """One entity by its name, forgotten or not; of a file any spelling will do."""
        if kind == "file":
            name = self.paths.name(name) or name
        return self._entities.get(EntityKey(kind, name))

    def entities(self, kind: EntityKind | None = None) -> tuple[Entity, ...]:
        """What was touched, newest touch first, without what the user doesn't want told.

        Args:
            kind: only of this kind.
        """
        return tuple(
            one
            for one in reversed(self._entities.values())
            if not one.forgotten and (kind is None or one.kind == kind)
        )

    @property
    def forgotten(self) -> frozenset[str]:
        """Names of what the user doesn't want told, until it is touched again."""
        return frozenset(one.name for one in self._entities.values() if one.forgotten)

    def every_entity(self) -> Iterator[Entity]:
        """All entities as they are kept, forgotten ones too, oldest touch first."""
        yield from self._entities.values()

    @property
    def changed(self) -> tuple[Entity, ...]:
        """All files that were created, edited, deleted or renamed, newest change first."""
        found = [one for one in self.entities("file") if one.changed is not None]
        return tuple(sorted(found, key=lambda one: one.changed_at, reverse=True))

    def _put(self, entity: Entity) -> None:
        """Puts an entity behind all that were touched before it."""
        key = entity.key
        before = self._entities.pop(key, None)
        self._kept += _stays(entity) - (before is not None and _stays(before))
        self._entities[key] = entity
        if len(self._entities) - self._kept > MOST + _SLACK:
            going = len(self._entities) - self._kept - MOST
            fading = [key for key, one in self._entities.items() if not _stays(one)]
            for key in fading[:going]:
                del self._entities[key]

    def _forget(self, key: EntityKey) -> None:
        entity = self._entities.get(key)
        if entity is not None:
            self._entities[key] = replace(entity, forgotten=True)

    def _is_there(self, name: str) -> bool:
        """Whether a file was there when it was last touched."""
        entity = self._entities.get(EntityKey("file", name))
        if entity is None or entity.action in {"named", "searched"}:
            return False
        if entity.changed == "deleted":
            return False
        return entity.ok or entity.changed is not None

    def _is_changed(self, name: str) -> bool:
        entity = self._entities.get(EntityKey("file", name))
        return entity is not None and _stays(entity)

    def _below(self, folder: str) -> Iterator[str]:
        """Known files in a folder that are still there."""
        start = f"{folder}/"
        found = 0
        for key, one in self._entities.items():
            if key.kind == "file" and key.name.startswith(start) and one.changed != "deleted":
                yield key.name
                found += 1
                if found == _MOST_BELOW:
                    return


def _stays(entity: Entity) -> bool:
    """Whether it never fades."""
    return entity.kind == "file" and entity.changed is not None
