"""The rows of the Work tab and of the Work view, from what the agent would be told (mock 01b, 10).

Pure. A row may take several lines; how many depends on the width and is the widget's business.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.boundary import one_line, visible
from app.conversation.work import Rule
from app.view.work_groups import Group, Told, groups_of
from app.view.work_shown import EntityShown, WorkShown

TAB_GOAL, VIEW_GOAL = 2, 12
"""Lines of the goal, at most."""

TAB_RULES = 4
"""Rules in the tab; where there are more, the newest."""

_FIRST_ROUND = (1, 3, 5)
"""Entities of each group that the tab shows before it shows more of the next, in rounds."""

_LOW = 8
"""Lines under which the tab has no title and no blank lines: at 80×24 there are five (mock 09b)."""

_REVOKED = 3
"""Revoked rules that stay in view."""


@dataclass(frozen=True, slots=True)
class Title:
    """`This is what the agent is told`, and when, in a line of its own."""

    tab: bool = False


@dataclass(frozen=True, slots=True)
class Blank:
    """Nothing."""


@dataclass(frozen=True, slots=True)
class GoalRow:
    """The goal under its heading.

    Attributes:
        text: word for word; "": there is none yet.
        turn: of the user's message; 0: it was edited.
        first: what was asked first, where that is something else.
        most: lines of the text, at most.
        tab: in the tab, where its key is said.
    """

    text: str
    turn: int = 0
    first: str = ""
    most: int = VIEW_GOAL
    tab: bool = False


@dataclass(frozen=True, slots=True)
class RulesHead:
    """`Rules  2      your words`."""

    count: int
    tab: bool = False


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A standing rule.

    Attributes:
        id: of the rule.
        text: word for word.
        turn: of the user's message; 0: it was added by hand.
        new: the newest turns brought it.
        undo: the key that takes it back is said beside it.
        told: there is room for it.
        revoked: it doesn't hold any longer.
        tab: in one line.
    """

    id: str
    text: str
    turn: int = 0
    new: bool = False
    undo: bool = False
    told: bool = True
    revoked: bool = False
    tab: bool = False


@dataclass(frozen=True, slots=True)
class EntitiesHead:
    """`Entities  23      15 told in full`."""

    full: int
    named: int
    tab: bool = False

    @property
    def count(self) -> int:
        """All that are told."""
        return self.full + self.named


@dataclass(frozen=True, slots=True)
class GroupHead:
    """`changed files  9`."""

    group: Group
    count: int
    tab: bool = False


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with what was last done to it."""

    group: Group
    entity: EntityShown
    tab: bool = False


@dataclass(frozen=True, slots=True)
class NamesRow:
    """What of a group is told by name alone.

    Attributes:
        group: which.
        names: all of them.
        left: how many aren't told for want of room.
        open: every one is shown, not just some lines.
    """

    group: Group
    names: tuple[str, ...]
    left: int = 0
    open: bool = False


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """`Progress  5 / 8` over a meter."""

    done: int
    todo: int
    tab: bool = False


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A piece of the work.

    Attributes:
        text: what the agent calls it.
        state: done; the one that is worked on; later.
        by: the command that showed that it is done; "" for none.
        told: there is room for it.
    """

    text: str
    state: Literal["done", "now", "later"]
    by: str = ""
    told: bool = True


@dataclass(frozen=True, slots=True)
class MoreRow:
    """`6 more  Enter opens all`."""

    count: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said at the end: what needs a second look; how much more is known; nothing is."""

    says: Literal["checked", "more", "nothing"]
    count: int = 0


WorkRow: TypeAlias = (
    Title | Blank | GoalRow | RulesHead | RuleRow | EntitiesHead | GroupHead | EntityRow
    | NamesRow | ProgressRow | TaskRow | MoreRow | Sentence
)  # fmt: skip

BLANK = Blank()


def key_of(row: WorkRow) -> tuple[str, ...]:
    """Names a row that the cursor stops at; empty for the others."""
    match row:
        case GoalRow():
            return ("goal",)
        case RuleRow():
            return ("rule", row.id)
        case EntityRow():
            return ("entity", row.entity.kind, row.entity.name)
        case NamesRow(group=group, names=names) if names:
            return ("names", group)
        case ProgressRow(tab=True):
            return ("progress",)
        case TaskRow():
            return ("task", "done" if row.state == "done" else "todo", row.text)
        case MoreRow():
            return ("more",)
        case _:
            return ()


def left_rows(shown: WorkShown) -> tuple[WorkRow, ...]:
    """The view's left column: goal, rules, progress."""
    if shown.empty:
        return (Title(), BLANK, Sentence("nothing"))
    rows: list[WorkRow] = [Title(), BLANK, goal_row(shown), BLANK]
    rows += [RulesHead(len(shown.rules)), *_rules(shown, shown.rules, tab=False)]
    rows += [_revoked(rule.id, rule.text) for rule in shown.revoked[-_REVOKED:]]
    progress = shown.progress
    if progress.todo or progress.done:
        rows += [BLANK, ProgressRow(len(progress.done), len(progress.todo))]
        untold = shown.untold
        rows += [
            TaskRow(one_line(one.text), "done", one_line(one.by), told=one.text not in untold)
            for one in progress.done
        ]
        rows += [
            TaskRow(one_line(text), "later" if number else "now", told=text not in untold)
            for number, text in enumerate(progress.todo)
        ]
    if shown.changed or progress.done:
        rows += [BLANK, Sentence("checked", sum(one.outside for one in shown.changed))]
    return tuple(rows)


def right_rows(shown: WorkShown, opened: frozenset[Group] = frozenset()) -> tuple[WorkRow, ...]:
    """The view's right column: the entities by kind, with note and age.

    Args:
        shown: what would be told.
        opened: groups whose names are all listed.
    """
    groups = groups_of(shown)
    if not groups and not shown.more:
        return ()
    rows: list[WorkRow] = [EntitiesHead(shown.full, shown.named)]
    for group in groups:
        rows += [BLANK, GroupHead(group.name, group.count)]
        rows += [EntityRow(group.name, one) for one in group.full]
        if group.names or group.left:
            rows.append(NamesRow(group.name, group.names, group.left, group.name in opened))
    if shown.more:
        rows += [BLANK, Sentence("more", shown.more)]
    return tuple(rows)


def tab_rows(shown: WorkShown, height: int, *, goal_lines: int) -> tuple[WorkRow, ...]:
    """The tab: all of goal, rules and progress, of each group of entities as much as fits.

    Args:
        shown: what would be told.
        height: lines there are.
        goal_lines: that the goal takes, its heading left out.
    """
    if shown.empty:
        return (Sentence("nothing"),)
    lines = {GoalRow: 1 + goal_lines, ProgressRow: 2, Title: 2}
    groups, progress = groups_of(shown), shown.progress
    begin: list[WorkRow] = [Title(tab=True), BLANK, goal_row(shown, tab=True)]
    rules = shown.rules[-TAB_RULES:]
    if rules or shown.revoked:
        begin += [BLANK, RulesHead(len(shown.rules), tab=True)]
        begin += _rules(shown, rules, tab=True)
        begin += [_revoked(one.id, one.text, tab=True) for one in shown.revoked[-1:]]
    if groups:
        begin += [BLANK, EntitiesHead(shown.full, shown.named, tab=True)]
    end: list[WorkRow] = []
    if progress.todo or progress.done:
        end = [BLANK, ProgressRow(len(progress.done), len(progress.todo), tab=True)]
    if height < _LOW:
        begin = [row for row in begin if not isinstance(row, Title | Blank)]
        end = [row for row in end if not isinstance(row, Blank)]
    fixed = sum(lines.get(type(row), 1) for row in (*begin, *end))
    hidden = len(shown.rules) - len(rules)
    taken, missing = _share(groups, height - fixed, more=bool(hidden))
    middle: list[WorkRow] = []
    for group, count in zip(groups, taken, strict=True):
        if count >= 0:
            middle.append(GroupHead(group.name, group.count, tab=True))
            middle += [EntityRow(group.name, one, tab=True) for one in group.full[:count]]
    hidden += missing
    rows = [*begin, *middle, *end]
    if hidden:
        rows.append(MoreRow(hidden))
    return _cut(rows, height, hidden, lines)


def _cut(
    rows: list[WorkRow], height: int, hidden: int, lines: Mapping[type, int]
) -> tuple[WorkRow, ...]:
    """Where even that doesn't fit, its end goes; the last line says how much isn't shown."""
    if sum(lines.get(type(row), 1) for row in rows) <= height:
        return tuple(rows)
    kept, used = list[WorkRow](), 0
    for row in rows:
        used += lines.get(type(row), 1)
        if used > height - 1 or isinstance(row, MoreRow):
            break
        kept.append(row)
    left = [row for row in rows[len(kept) :] if key_of(row) and not isinstance(row, MoreRow)]
    while kept and isinstance(kept[-1], Blank | GroupHead | EntitiesHead | RulesHead):
        kept.pop()
    return (*kept, MoreRow(hidden + len(left)))


def _share(groups: Sequence[Told], room: int, *, more: bool) -> tuple[list[int], int]:
    """How many of each group are shown under its heading, -1 for not even that; what is missing."""
    wanted = sum(1 + len(one.full) for one in groups)
    if wanted + more <= room:
        return [len(one.full) for one in groups], 0
    left = room - 1  # the last line says how many more there are
    taken = [-1] * len(groups)
    for at in range(len(groups)):
        if left > 0:
            taken[at], left = 0, left - 1
    most = max((len(one.full) for one in groups), default=0)
    for round_ in (*_FIRST_ROUND, most):
        for at, one in enumerate(groups):
            while 0 <= taken[at] < min(round_, len(one.full)) and left > 0:
                taken[at], left = taken[at] + 1, left - 1
    full = sum(len(one.full) for one in groups)
    return taken, full - sum(count for count in taken if count > 0)


def goal_row(shown: WorkShown, *, tab: bool = False) -> GoalRow:
    """The goal, in the tab or in the view."""
    goal, first = shown.goal, shown.first
    return GoalRow(
        "" if goal is None else visible(goal.text).strip(),
        0 if goal is None else goal.turn,
        "" if first is None or tab else one_line(first.text),
        TAB_GOAL if tab else VIEW_GOAL,
        tab,
    )


def _rules(shown: WorkShown, rules: Iterable[Rule], *, tab: bool) -> list[WorkRow]:
    newest = next((rule.id for rule in reversed(shown.rules) if rule.id in shown.new_rules), "")
    wanted = set(rules)
    return [
        RuleRow(
            rule.id,
            one_line(rule.text),
            rule.turn,
            new=rule.id in shown.new_rules,
            undo=tab and rule.id == newest,
            told=rule.id not in shown.untold_rules,
            tab=tab,
        )
        for rule in shown.rules
        if rule in wanted
    ]


def _revoked(id: str, text: str, *, tab: bool = False) -> RuleRow:
    return RuleRow(id, one_line(text), revoked=True, tab=tab)
