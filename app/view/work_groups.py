"""The entities of what the agent would be told, in the groups that Work tab and Work view show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.conversation.work import EntityKind
from app.view.work_shown import EntityShown, WorkShown

Group = Literal["changed", "files", "symbols", "commands", "tables"]
"""Files that were changed; others; functions and classes; commands; tables and codes."""

GROUPS: tuple[Group, ...] = ("changed", "files", "symbols", "commands", "tables")

_GROUP_OF: Mapping[EntityKind, Group] = {
    "file": "files",
    "symbol": "symbols",
    "command": "commands",
    "table": "tables",
    "identifier": "tables",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a group.

    Attributes:
        name: the group.
        full: with what was done, in the block's order.
        names: by name alone, in the block's order.
        left: what there is no room for.
    """

    name: Group
    full: tuple[EntityShown, ...]
    names: tuple[str, ...]
    left: int = 0

    @property
    def count(self) -> int:
        """All of it."""
        return len(self.full) + len(self.names) + self.left


def groups_of(shown: WorkShown) -> list[Told]:
    """The groups that aren't empty; in each the order of the recovery block."""
    full: dict[Group, list[EntityShown]] = {group: [] for group in GROUPS}
    names: dict[Group, list[str]] = {group: [] for group in GROUPS}
    for one in shown.changed:
        if one.told == "full":
            full["changed"].append(one)
        elif one.told == "name":
            names["changed"].append(one.name)
    for one in shown.nearest:
        full[_GROUP_OF[one.kind]].append(one)
    for name in shown.names:
        names[_GROUP_OF[name.kind]].append(name.text)
    left = sum(one.told == "not" for one in shown.changed)
    told = (
        Told(group, tuple(full[group]), tuple(names[group]), left if group == "changed" else 0)
        for group in GROUPS
    )
    return [one for one in told if one.count]
