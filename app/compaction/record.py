"""The text of the recovery block, as it grows section by section within its tokens."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from app.boundary import block, visible
from app.compaction.known import BlockShares, Known, Told
from app.compaction.pointer import history_call
from app.compaction.recovery_lines import entity_line, name_lines, rule_line
from app.compaction.room import BETWEEN, Room
from app.conversation.work import NO_PROGRESS, Done, Goal, Progress, Rule
from app.conversation.work_state import Entity
from app.memory.name_lists import Standing, block_names
from app.memory.names import Name
from app.memory.work_ranking import NOTED
from app.text import Key, Words

_REST = 'read_history(query="work: changed")'

_NOTES = (NOTED, 8, 3, 0)
"""Changed files with a note, in this order until all have room; else what leaves out least."""

_NEAREST = 2
"""Tenths of the tokens for entities that those with a note may take; more names fit than lines
(measured: at 32K a name is missing in 2.0% of the steps, with three tenths in 2.1%)."""

_ENDED = 8
"""Rules that ended are told, the newest of them."""

_ORDER = ("goal", "rules", "ended", "changed", "nearest", "names", "done", "todo")
"""In which order the sections stand, whichever was added first."""


class Record:
    """A recovery block in the making.

    Sections are added in the order in which they may take room (DESIGN 4, Numbers), and stand in
    the order in which they are read.

    Attributes:
        quoted: ids of the user's messages that stand in it.
    """

    def __init__(self, room: Room, shares: BlockShares, known: Known, words: Words) -> None:
        """Takes what stands around it out of the room, once there is something.

        Args:
            room: what it may have, shared with others perhaps.
            shares: what each section may have.
            known: what is known.
            words: the language of what the model reads.
        """
        self.quoted: set[str] = set()
        self._room = room
        self._shares = shares
        self._known = known
        self._words = words
        self._sections: dict[str, str] = {}
        self._goals: list[Goal] = []
        self._rules: list[Rule] = []
        self._changed: list[Entity] = []
        self._named: list[Entity] = []
        self._left = len(_once(known.changed, 0))
        self._nearest: list[Entity] = []
        self._names: tuple[Name, ...] = ()
        self._progress = NO_PROGRESS

    @property
    def text(self) -> str:
        """All of it; "" where nothing is known."""
        if not self._sections:
            return ""
        ordered = [self._sections[name] for name in _ORDER if name in self._sections]
        return "\n\n".join([*ordered, self._end])

    @property
    def told(self) -> Told:
        """What is told."""
        text, known = self.text, self._known
        return Told(
            text=text,
            goals=tuple(self._goals),
            rules=tuple(self._rules),
            rules_left=len(known.rules) - len(self._rules),
            changed=tuple(self._changed),
            changed_names=tuple(self._named),
            changed_left=self._left,
            nearest=tuple(self._nearest),
            names=self._names,
            progress=self._progress,
            outside=self._outside,
            tokens=self._room.cost(text) if text else 0,
        )

    def add_rules(self) -> None:
        """Adds the rules, all that fit, the newest of them first to be kept; then what ended.

        The goal and older words are told as they were said, with rules that hold no longer.
        """
        head = self._words("front.rules")
        newest = [rule_line(one) for one in reversed(self._known.rules)]
        kept = self._fitting(head, newest, self._shares.rules)
        if kept and self._put("rules", "\n".join([head, *kept[::-1]]), self._shares.rules):
            self._rules = list(self._known.rules[len(self._known.rules) - len(kept) :])
        head = self._words("front.ended")
        spent = self._room.cost(self._sections.get("rules", ""))
        ended = [f"- {visible(text)}" for text in reversed(self._known.ended[-_ENDED:])]
        kept = self._fitting(head, ended, self._shares.rules, spare=spent)
        if kept:
            self._put("ended", "\n".join([head, *kept]), self._shares.rules)

    def add_goal(self, elsewhere: Iterable[str | None], most: int) -> None:
        """Adds what the user wants, and what was asked first, each or its beginning.

        Args:
            elsewhere: ids of messages that stand elsewhere in the request.
            most: tokens for all of it.
        """
        there = set(elsewhere)
        now: Key = "front.goal_now" if self._known.first else "front.goal"
        first: Key = "front.goal"
        goals = [
            (head, goal)
            for head, goal in ((now, self._known.goal), (first, self._known.first))
            if goal is not None and goal.text.strip() and goal.message not in there
        ]
        sections: list[str] = []
        most = min(most, self._shares.goal, self._room.left)
        sizes = [self._room.cost(f"{self._words(key)}\n{goal.text}") for key, goal in goals]
        for place, (key, goal) in enumerate(goals):
            # A short one is told in full beside a long one, whichever comes first.
            later = sum(size for size in sizes[place + 1 :] if 2 * size <= most)
            left = most - sum(map(self._room.cost, sections)) - later
            told = self._goal(self._words(key), goal, left)
            if told:
                sections.append(told)
                self._goals.append(goal)
        if sections and self._put("goal", "\n\n".join(sections), most):
            self.quoted.update(goal.message for goal in self._goals if goal.message)
        else:
            self._goals.clear()

    def add_changed(self) -> None:
        """Adds the changed files: the newest with a note, older ones by name, then how to ask.

        Where that makes room for all, fewer have a note: that a file was changed comes before how.
        """
        if not self._known.changed:
            return
        best = self._changed_files(NOTED)
        for noted in _NOTES[1:]:
            if best[3] == 0:
                break
            version = self._changed_files(noted)
            if version[3] < best[3]:
                best = version
        section, told, named, left = best
        self._left = left + len(told) + len(named)
        if section and self._put("changed", "\n".join(section), self._shares.files):
            self._changed, self._named, self._left = told, named, left

    def _changed_files(self, noted: int) -> tuple[list[str], list[Entity], list[Entity], int]:
        """The lines, the files with a note (so many may have one), those without, how many more."""
        changed = _once(self._known.changed, noted)
        known, words, shares = self._known, self._words, self._shares
        head = words("front.changed")
        lines = [
            entity_line(one, words, now=known.now, outside=one.name in known.outside)
            for one in changed[:noted]
        ]
        older = changed[noted:]
        spare = self._room.cost(words("front.changed_more", n=f"{len(changed):,}", call=_REST))
        kept = self._fitting(head, lines, shares.files, spare=spare if older else 0)
        if len(kept) < len(lines) and not older:
            kept = self._fitting(head, lines, shares.files, spare=spare)
        told = list(changed[: len(kept)])
        also, named = (words("front.changed_also", names="{}") if kept else ""), []
        left = min(shares.files, self._room.left) - self._around - spare
        left -= self._room.cost(head, *kept, also)
        for one in older if len(kept) == len(lines) else ():
            left -= self._room.cost(f"{self._changed_name(one)}, ")
            if left < 0:
                break
            named.append(one)
        section = [head, *kept]
        if named:
            names = ", ".join(map(self._changed_name, named))
            section.append(words("front.changed_also", names=names) if kept else names)
        rest = len(changed) - len(told) - len(named)
        if rest:
            section.append(words("front.changed_more", n=f"{rest:,}", call=_REST))
        return section, told, named, rest

    def _changed_name(self, entity: Entity) -> str:
        """A changed file without a note; that somebody else changed it is never left out."""
        name = visible(entity.name)
        if entity.name not in self._known.outside:
            return name
        return f"{name} ({self._words('recovery.outside')})"

    def add_progress(self) -> None:
        """Adds what is left, then what is done, the newest of it."""
        progress, words, most = self._known.progress, self._words, self._shares.progress
        todo = [f"- {visible(text)}" for text in progress.todo]
        kept = self._fitting(words("front.todo"), todo, most)
        if kept and self._put("todo", "\n".join([words("front.todo"), *kept]), most):
            self._progress = Progress(progress.todo[: len(kept)])
        done = [f"- {self._done(one)}" for one in reversed(progress.done)]
        used = self._room.cost(self._sections.get("todo", ""))
        kept = self._fitting(words("front.done"), done, most, spare=used)
        if kept and self._put("done", "\n".join([words("front.done"), *kept[::-1]]), most - used):
            newest = progress.done[len(progress.done) - len(kept) :]
            self._progress = Progress(self._progress.todo, newest)

    def add_nearest(self) -> None:
        """Adds what is nearest to the task, as many as fit."""
        head, listed = self._words("front.entities"), self._listed()
        lines: list[str] = []
        for one in self._known.nearest:
            lines.append(self._nearest_line(one, listed))
            listed.add(one.file or one.name)
        kept = self._fitting(head, lines, _NEAREST * self._shares.entities // 10)
        if kept and self._put("nearest", "\n".join([head, *kept]), self._shares.entities):
            self._nearest = list(self._known.nearest[: len(kept)])

    def _listed(self) -> set[str]:
        """Files that stand in it by now, or that aren't to be told."""
        told = {one.name for one in (*self._changed, *self._named)} | self._known.forgotten
        return told | {one.file or one.name for one in self._nearest}

    def _nearest_line(self, entity: Entity, listed: Collection[str]) -> str:
        """The line of what is nearest; of a symbol its file only where that isn't listed."""
        if entity.kind != "file" and entity.file in listed:
            entity = replace(entity, file="")
        return entity_line(entity, self._words, now=self._known.now)

    def reserve_names(self) -> int:
        """Keeps room for names free, which are chosen when all else stands; how many tokens."""
        ranking = self._known.ranking
        if ranking is None:
            return 0
        spent = self._room.cost(self._sections["nearest"]) if "nearest" in self._sections else 0
        most = min(self._shares.entities - spent, self._room.left)
        around = self._around + self._room.cost(self._words("front.names"), *self._empty_lists)
        return most if most > around and self._room.take(most) else 0

    def add_names(self, standing: Standing, reserved: int) -> None:
        """Adds the names that stand nowhere else, in the room that was kept free for them.

        Args:
            standing: everything else that is sent; the names are added to it.
            reserved: what `reserve_names` gave; what isn't used of it is given back.
        """
        ranking = self._known.ranking
        if ranking is None or reserved <= 0:
            return
        self._room.left += reserved
        standing.add(self.text)
        standing.add("\n".join(self._known.forgotten))  # as if they stood there: not told
        around = self._around + self._room.cost(self._words("front.names"), *self._empty_lists)
        names = block_names(
            ranking=ranking,
            standing=standing,
            tokens=reserved - around,
            estimate=self._room.tokens,
        )
        lines = Standing(self._more_nearest(self._names_section(names)))
        names = tuple(name for name in names if name not in lines)
        while names:
            if self._put("names", self._names_section(names), reserved):
                break
            worst = min(names, key=ranking.score)
            names = tuple(name for name in names if name != worst)
        self._names = names

    def _more_nearest(self, names: str) -> list[str]:
        """What names leave of the room goes to more of what is nearest; its lines.

        In a small window names alone don't say what was read and what failed (FIELD 7, 11).

        Args:
            names: their section; "" for none.
        """
        told = self._sections.get("nearest", "")
        left = min(self._shares.entities - self._room.cost(told), self._room.left)
        left -= self._room.cost(names, "" if told else self._words("front.entities"))
        left -= self._around
        more, listed = [], self._listed()
        for entity in self._known.nearest[len(self._nearest) :]:
            line = self._nearest_line(entity, listed)
            if (cost := self._room.cost(line)) <= left:
                left -= cost
                more.append(line)
                listed.add(entity.file or entity.name)
                self._nearest.append(entity)
        if more:
            self._room.left += self._room.cost(told) if told else 0
            section = "\n".join([told or self._words("front.entities"), *more])
            self._put("nearest", section, self._shares.entities)
        return more

    def _names_section(self, names: Sequence[Name]) -> str:
        if not names:
            return ""
        return "\n".join([self._words("front.names"), *name_lines(names, self._words)])

    @property
    def _empty_lists(self) -> list[str]:
        return name_lines((Name("command", ""), Name("path", ""), Name("symbol", "")), self._words)

    def _goal(self, head: str, goal: Goal, most: int) -> str:
        """A goal with its head; its beginning, and how to ask for the rest; or ""."""

        def told(text: str) -> str:
            if len(text) == len(goal.text):
                return f"{head}\n{text}"
            size = {"shown": f"{len(text):,}", "total": f"{len(goal.text):,}"}
            call = (
                history_call(goal.message) if goal.message else 'read_history(query="work: goal")'
            )
            return f"{head}\n{text}\n{self._words('front.goal_cut', **size, call=call)}"

        shown = self._room.fitted(goal.text, most, lambda text: self._cost(told(text)) <= most)
        return told(shown) if shown.strip() else ""

    def _done(self, done: Done) -> str:
        text = visible(done.text)
        return self._words("front.done_by", text=text, by=visible(done.by)) if done.by else text

    def _fitting(self, head: str, lines: Sequence[str], share: int, *, spare: int = 0) -> list[str]:
        """The first lines that fit under a head within a share, some of which is spoken for."""
        most = min(share, self._room.left) - self._around - spare
        most -= self._room.cost(head)
        kept: list[str] = []
        for line in lines:
            most -= self._room.cost(line)
            if most < 0:
                break
            kept.append(line)
        return kept

    @property
    def _end(self) -> str:
        return self._words("front.go_on_outside" if self._outside else "front.go_on")

    @property
    def _outside(self) -> frozenset[str]:
        """The files in it that somebody else changed since."""
        named = {one.name for one in (*self._changed, *self._named)}
        return self._known.outside & named

    @property
    def _around(self) -> int:
        """Tokens of the block's tags and end, which the first section brings along."""
        if self._sections:
            return 0
        return self._room.cost(block("recovery", self._words("front.go_on_outside")))

    def _cost(self, section: str) -> int:
        return self._room.cost(section) + self._around

    def _put(self, name: str, section: str, most: int) -> bool:
        cost = self._cost(section)
        if cost > most or not self._room.take(cost):
            return False
        self._sections[name] = section
        return True


def changed_least(changed: Sequence[Entity], tokens: Callable[[str], int]) -> int:
    """Tokens of the names of changed files alone, about as they are counted one by one.

    Args:
        changed: the files.
        tokens: estimates a text.
    """
    return sum(tokens(f"{visible(one.name)}, ") + BETWEEN for one in changed)


def _once(changed: Sequence[Entity], noted: int) -> tuple[Entity, ...]:
    """Changed files; a renamed one once, where its note names what it was called before."""
    before = {one.file for one in changed[:noted] if one.changed == "renamed"}
    return tuple(one for one in changed if one.changed != "deleted" or one.name not in before)
