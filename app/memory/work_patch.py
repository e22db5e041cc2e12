"""Files that a patch changes: Codex's `*** Begin Patch` and unified diffs."""

import re
from collections.abc import Iterator

from app.memory.work_deeds import Deed
from app.memory.work_paths import without_side

READ = 60_000
"""Characters of a file's part that are kept to be looked at for symbols."""

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")
_HEAD = re.compile(r"@@(?: -\d[^@]*@@)?[ \t]*(.*)")
_OLD = re.compile(r"--- (\"?[^\t\n]+)")
_NEW = re.compile(r"\+\+\+ (\"?[^\t\n]+)")
_RENAMED = re.compile(r"rename (from|to) (.+)")
_COMMANDS = {"Add": "created", "Update": "edited", "Delete": "deleted"}
_NOTHING = "/dev/null"


def is_patch(text: str) -> bool:
    """Whether a text is a patch in one of the two forms."""
    head = text[:20_000]
    return "*** Begin Patch" in head or (
        "+++ " in head and "--- " in head and ("\n@@" in head or head.startswith("@@"))
    )


def patch_deeds(text: str, folder: str = "") -> Iterator[Deed]:
    """What a patch does, file by file; linear. Nothing, where it is none.

    Args:
        text: the patch.
        folder: what its paths are relative to, from the project's root.
    """
    if "*** Begin Patch" in text or _FILE.match(text):
        yield from _commanded(text, folder)
    else:
        yield from _unified(text, folder)


def _commanded(text: str, folder: str) -> Iterator[Deed]:
    deed: Deed | None = None
    lines: list[str] = []
    for line in [*text.splitlines(), "*** End Patch"]:
        if not line.startswith("*** "):
            lines.append(line)
            continue
        if found := _MOVE.match(line):
            if deed is not None:
                deed = Deed(found[1].strip(), "renamed", source=deed.path, folder=folder)
            continue
        if line.startswith("*** End of File"):
            continue
        if deed is not None:
            yield _with_texts(deed, lines)
        deed, lines = None, []
        if found := _FILE.match(line):
            path = found[2].strip()
            match _COMMANDS[found[1]]:
                case "created":
                    deed = Deed(path, "created", folder=folder, sure=True)
                case "deleted":
                    deed = Deed(path, "deleted", folder=folder)
                case _:
                    deed = Deed(path, "edited", folder=folder)


def _unified(text: str, folder: str) -> Iterator[Deed]:
    deed: Deed | None = None
    lines: list[str] = []
    old = source = ""
    all_lines = text.splitlines()
    for number, line in enumerate(all_lines):
        follows = all_lines[number + 1] if number + 1 < len(all_lines) else ""
        if line.startswith("diff --git "):
            if deed is not None:
                yield _with_texts(deed, lines)
            deed, lines, old, source = None, [], "", ""
        elif (found := _RENAMED.match(line)) and deed is None:
            if found[1] == "from":
                source = _headed(found[2])
            elif source:
                deed = Deed(_headed(found[2]), "renamed", source=source, folder=folder)
        elif (found := _OLD.match(line)) and follows.startswith("+++ "):
            if deed is not None and deed.action != "renamed":
                yield _with_texts(deed, lines)
                deed, lines = None, []
            old = _headed(found[1])
        elif old and (found := _NEW.match(line)):
            new = _headed(found[1])
            if deed is None:
                deed = _changed(old, new, folder)
            old = ""
        else:
            lines.append(line)
    if deed is not None:
        yield _with_texts(deed, lines)


def _changed(old: str, new: str, folder: str) -> Deed:
    if old == _NOTHING:
        return Deed(without_side(new), "created", folder=folder, sure=True)
    if new == _NOTHING:
        return Deed(without_side(old), "deleted", folder=folder)
    return Deed(without_side(new), "edited", folder=folder)


def _headed(text: str) -> str:
    return text.strip().strip('"')


def _with_texts(deed: Deed, lines: list[str]) -> Deed:
    """The deed with what its lines take away and put there, and what stands in their heads."""
    old: list[str] = []
    new: list[str] = []
    heads: list[str] = []
    room = READ
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        if line.startswith("@@"):
            found = _HEAD.match(line)
            heads.append(found[1] if found else "")
            # The next hunk stands elsewhere.
            old.append("\0")
            new.append("\0")
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith(" ") or not line:
            old.append(line[1:])
            new.append(line[1:])
    return Deed(
        deed.path,
        deed.action,
        source=deed.source,
        folder=deed.folder,
        old="\n".join(old),
        new="\n".join(new),
        heads=tuple(filter(None, heads))[:20],
        sure=deed.sure,
    )
