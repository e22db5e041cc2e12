"""What a finished call adds to the worklog: its deeds, with names normalised and checked.

A file that was said to be made and isn't there, and one said to be deleted that is, count as
failed: what the worklog says is told as confirmed.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from app.conversation.messages import ToolCall
from app.conversation.secret_words import without_secrets
from app.conversation.work import CHANGING, Action, EntityKind, Stamp, Touch
from app.memory.name_tables import EXTENSIONS, SEARCHING
from app.memory.names import is_symbol, names_in
from app.memory.work_calls import CallDeeds, deeds_of
from app.memory.work_commands import command_name, outcome
from app.memory.work_deeds import Deed
from app.memory.work_identifiers import (
    Identifier,
    identifiers_in_arguments,
    identifiers_in_failure,
    identifiers_in_script,
    telling_lines,
)
from app.memory.work_paths import WorkPaths
from app.memory.work_shell import Script, read_script
from app.memory.work_shell_files import shell_deeds
from app.memory.work_symbols import symbols_changed
from app.memory.work_tables import TableTouch, tables_in, tables_in_script
from app.text import LANGUAGES, Words

MOST = 250
"""Touches of one call, the files first."""

_NAMED_IN_FAILURE = 5
_DETAIL = 120
_SOUGHT = re.compile(
    r"(?:\\b)?(?:(?P<word>def|class|func|function|fn|struct|interface|type|enum)"
    r"(?: |\\s[+*]?))?"
    r"(?P<name>[A-Za-z_]\w{2,59})(?:\\b|\\?\()?"
)
_EDITORS = frozenset(
    {"apply_patch", "applypatch", "str_replace_editor", "str_replace_based_edit_tool"}
)
_AHEAD = frozenset({"cd", "pushd"})

StampOf = Callable[[str], Stamp | None]
"""Looks at a file by its name; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a call's touches are made on.

    Attributes:
        paths: names files.
        known: whether a file of this name was there.
        changed: whether the agent changed it before.
        below: the known files in a folder.
        stamp: looks at a file.
    """

    paths: WorkPaths
    known: Callable[[str], bool]
    changed: Callable[[str], bool]
    below: Callable[[str], Iterable[str]]
    stamp: StampOf


def no_stamp(name: str) -> Stamp | None:
    """Where no file can be looked at."""
    del name
    return None


def touches_of(call: ToolCall, text: str, *, ok: bool, ground: Ground) -> tuple[Touch, ...]:
    """What a call did to entities, each once; at most `MOST`.

    Args:
        call: any tool's call.
        text: its whole result; of it the ends are read.
        ok: whether it did what was asked.
        ground: what names and checks files.
    """
    did = deeds_of(call, text)
    taken = _Taken(ground.paths)
    deeds = did.files
    where: str | None = ""
    if did.command:
        command = _really_ran(text) or did.command
        script = read_script(command)
        went, detail = outcome(text, command, ok=ok, script=script)
        folder = _folder(did.folder, ground.paths)
        deeds = shell_deeds(script, folder, "" if went else text)
        where = _ends_in(script, folder)
        # A search without a hit found that there is none.
        last = script.commands[-1].program if script.commands else ""
        _Files(ground, ok=went or (last in SEARCHING and detail == "exit 1")).take(deeds, taken)
        _take_command(command, script, detail, taken, ok=went)
        ok = went
    else:
        _Files(ground, ok=ok).take(deeds, taken)
        _take_seen(ground, taken)
        if did.sql:
            taken.tables(tables_in(did.sql), "", ok=ok)
        if did.said:
            taken.identifiers(identifiers_in_arguments(did.said))
    _take_sought(did, deeds, taken, ok=ok)
    if not ok:
        taken.identifiers(identifiers_in_failure(text))
        _take_named(text, ground, where, taken)
    return tuple(taken.touches.values())[:MOST]


def named_identifiers(found: Iterable[Identifier], paths: WorkPaths) -> Iterator[Touch]:
    """Touches of identifiers; a virtual environment in the project is named as a file is."""
    for one in found:
        name = (paths.name(one.name) or one.name) if one.detail == "venv" else one.name
        yield Touch("identifier", name, "named", one.detail[:_DETAIL])


class _Taken:
    """Touches, one for each entity; files come first."""

    def __init__(self, paths: WorkPaths) -> None:
        self._paths = paths
        self.touches: dict[tuple[EntityKind, str], Touch] = {}

    def take(self, touch: Touch) -> None:
        """Adds one; a later one counts, but what was made in the same call stays made, and new."""
        key = touch.kind, touch.name
        before = self.touches.get(key)
        if before is not None and before.ok and touch.ok:
            if touch.action in {"read", "searched", "named"}:
                return
            if touch.action == "edited" and before.action in {"created", "renamed"}:
                return
        elif before is not None and before.ok and before.action in CHANGING:
            return  # `sed -i … x && pytest && rm x`: it changed, whatever failed later
        self.touches[key] = touch

    def identifiers(self, found: Iterable[Identifier]) -> None:
        """Adds identifiers; a detail that is known stays."""
        for touch in named_identifiers(found, self._paths):
            before = self.touches.get(("identifier", touch.name))
            if before is None or (touch.detail and not before.detail):
                self.touches["identifier", touch.name] = touch

    def tables(self, found: Iterable[TableTouch], file: str, *, ok: bool) -> None:
        """Adds tables and columns."""
        for one in found:
            self.take(Touch("table", one.name, one.action, one.detail, ok, file))


class _Files:
    """Makes touches of deeds."""

    def __init__(self, ground: Ground, *, ok: bool) -> None:
        self._ground = ground
        self._ok = ok

    def take(self, deeds: Iterable[Deed], taken: _Taken) -> None:
        """Adds the files, then what stands in them; looks at each changed file once."""
        inside: list[tuple[str, Deed]] = []
        for deed in deeds:
            for touch in self._touches(deed):
                taken.take(touch)
                if touch.action in CHANGING and touch.ok and (deed.old or deed.new or deed.heads):
                    inside.append((touch.name, deed))
        for key, touch in list(taken.touches.items()):
            if touch.action in CHANGING and touch.ok:
                taken.touches[key] = self._looked_at(touch)
        for name, deed in inside:
            touch = taken.touches["file", name]
            if not touch.ok or touch.action == "deleted" or deed.action == "deleted":
                continue
            for symbol in symbols_changed(name, old=deed.old, new=deed.new, heads=deed.heads):
                taken.take(Touch("symbol", symbol.name, symbol.action, file=name))
            taken.tables(tables_in(deed.new.replace("\0", ""), name), name, ok=True)

    def _touches(self, deed: Deed) -> Iterator[Touch]:
        paths, ground = self._ground.paths, self._ground
        name = paths.name(deed.path, deed.folder)
        if name is None:
            return
        ok = self._ok or (
            deed.action in CHANGING and (deed.settled or self._to_be_seen(deed, name))
        )
        detail = without_secrets(deed.detail)[:_DETAIL] if deed.detail else ""
        if deed.action == "renamed":
            source = paths.name(deed.source, deed.folder)
            if source is None or source == name:
                return
            if any(True for _ in ground.below(name)):
                name = f"{name}/{source.rpartition('/')[2]}"
            for inner in list(ground.below(source)):
                yield from _renamed(inner, f"{name}{inner[len(source) :]}", ok=ok)
            yield from _renamed(source, name, ok=ok)
            return
        action: Action = deed.action
        if action == "edited" and not deed.new and self._is_folder(name):
            return  # `git checkout -- .`: nobody knows which files
        if action == "created" and not deed.sure and ground.known(name):
            action = "edited"
        if action == "deleted":
            for inner in list(ground.below(name)):
                yield Touch("file", inner, "deleted", ok=ok)
        yield Touch("file", name, action, detail, ok)

    def _is_folder(self, name: str) -> bool:
        if self._ground.paths.is_around(name):
            return True
        called = name.rpartition("/")[2]
        return "." not in called and any(True for _ in self._ground.below(name))

    def _to_be_seen(self, deed: Deed, name: str) -> bool:
        """Whether a look at the file tells that it was done, before something else failed."""
        return deed.early and deed.action != "edited" and self._ground.stamp(name) is not None

    def _looked_at(self, touch: Touch) -> Touch:
        stamp = self._ground.stamp(touch.name)
        if stamp is None:
            return touch
        there = stamp.size >= 0
        return replace(touch, stamp=stamp, ok=there is not (touch.action == "deleted"))


def _renamed(source: str, name: str, *, ok: bool) -> Iterator[Touch]:
    yield Touch("file", source, "deleted", f"→ {name}"[:_DETAIL] if ok else "", ok)
    yield Touch("file", name, "renamed", ok=ok, file=source)


def _folder(given: str, paths: WorkPaths) -> str:
    if not given:
        return ""
    name = paths.name(given)
    return "" if name in {None, "."} else str(name)


def _take_seen(ground: Ground, taken: _Taken) -> None:
    """Looks at changed files that were read whole: they are known again, whoever changed them."""
    for key, touch in list(taken.touches.items()):
        whole = touch.action == "read" and touch.ok and not touch.detail
        if not whole or not ground.changed(touch.name):
            continue
        stamp = ground.stamp(touch.name)
        if stamp is not None and stamp.size >= 0:
            taken.touches[key] = replace(touch, stamp=stamp)


def _take_command(command: str, script: Script, detail: str, taken: _Taken, *, ok: bool) -> None:
    name = command_name(command, script)
    doing = [one.program for one in script.commands if one.program not in _AHEAD]
    if name and not (doing and all(program in _EDITORS for program in doing)):
        taken.take(Touch("command", name, "ran", detail, ok))
    taken.tables(tables_in_script(script), "", ok=ok)
    taken.identifiers(identifiers_in_script(script, command))


def _take_sought(did: CallDeeds, deeds: Iterable[Deed], taken: _Taken, *, ok: bool) -> None:
    """Adds the symbols that were searched for by their names."""
    patterns = [did.pattern, *(one.detail for one in deeds if one.action == "searched")]
    for pattern in dict.fromkeys(patterns):
        found = _SOUGHT.fullmatch(pattern.strip()) if pattern else None
        if found and (is_symbol(found["name"]) or found["word"]):
            taken.take(Touch("symbol", found["name"], "searched", ok=ok))


def _ends_in(script: Script, folder: str) -> str | None:
    """Where the last command ran; None where nobody knows."""
    last = script.commands[-1].folder if script.commands else ""
    return None if last is None else posixpath.join(folder, last)


def _take_named(text: str, ground: Ground, where: str | None, taken: _Taken) -> None:
    """Adds the files that a failure names."""
    told = "\n".join(telling_lines(text))
    named = 0
    for found in names_in(told) if told else ():
        name = _named(found.name.text, ground, where) if found.name.kind == "path" else None
        if name is not None and ("file", name) not in taken.touches:
            taken.take(Touch("file", name, "named"))
            named += 1
            if named == _NAMED_IN_FAILURE:
                return


def _named(said: str, ground: Ground, where: str | None) -> str | None:
    """The file that a program means: one that is known, else one below where it ran.

    Packages of Go, modules of scripts and parts of names look like paths as well.
    """
    names = [ground.paths.name(said, folder) for folder in dict.fromkeys([where or "", ""])]
    known = next((name for name in names if name is not None and ground.known(name)), None)
    if known is not None or said.startswith("..") or (where is None and said[:1] not in "/~"):
        return known
    _, dot, extension = said.rpartition("/")[2].rpartition(".")
    is_file = dot and extension.lower() in EXTENSIONS
    return names[0] if is_file else None


@cache
def _changed_commands() -> re.Pattern[str]:
    """The second line of a result whose command the user changed: it says what ran."""
    blank = "\x00"
    said = (Words(one)("tool_result.command_changed", command=blank) for one in LANGUAGES)
    rules = (re.escape(one).replace(re.escape(blank), r"([\s\S]+?)") for one in said)
    return re.compile(rf"(?:<tool_result[^\n]*\n)?[^\n]*\n(?:{'|'.join(rules)})(?:\n|\Z)")


def _really_ran(text: str) -> str:
    """What ran instead of the command in the arguments; "" for that one."""
    if "\n[" not in text[:1_000]:
        return ""
    found = _changed_commands().match(text)
    return next(filter(None, found.groups()), "") if found else ""
