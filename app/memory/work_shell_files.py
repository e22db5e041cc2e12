"""What simple commands of a shell do to files: only where a plain word names the file.

`rm "$f"` and `rm *.pyc` tell nothing: what isn't known isn't recorded, as the record counts as
confirmed. What ran only on a condition isn't recorded either.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from app.memory.name_tables import LISTING, SEARCHING, words
from app.memory.work_deeds import Deed
from app.memory.work_patch import is_patch, patch_deeds
from app.memory.work_shell import Script, ShellWord, Simple, read_script

_WRAPPERS = words("sudo doas env nohup command time timeout nice ionice stdbuf exec busybox")
_SHELLS = words("bash sh zsh dash ksh")
_VIEWERS = words("cat head tail nl bat less more batcat tac")
_MOST = 40
"""Files that one command tells of."""
_PATTERN = 80
"""Characters of a searched pattern that are kept."""
_DEEPEST = 3
_STRETCH = re.compile(r"(\d+)(?:,(\d+))?p")
_NUMBER = re.compile(r"\d+")
_EXTENSION = re.compile(r"[^/]\.[A-Za-z0-9]{1,8}$")
_WITH_VALUE = {
    "head": words("-n -c"),
    "tail": words("-n -c"),
    "bat": words("-r --line-range -l --language --style"),
    "rg": words("-g -t -T -A -B -C -m -e -f --glob --type --max-count"),
    "grep": words("-A -B -C -m -e -f"),
    "sed": words("-e -f"),
    "find": words("-name -iname -path -type -maxdepth -mindepth -newer -size"),
    "cp": words("-t"),
    "mv": words("-t"),
    "git": words("-m"),
    "perl": words("-e -i"),
}


def shell_deeds(script: Script, folder: str = "") -> tuple[Deed, ...]:
    """What a command does to files, in order; at most 40 deeds.

    Args:
        script: the command, read.
        folder: where it runs, from the project's root.
    """
    return tuple(islice(_of_script(script, folder, 0), _MOST))


def _of_script(script: Script, folder: str, depth: int) -> Iterator[Deed]:
    for one in script.commands:
        if one.unsure:
            continue
        where = None if one.folder is None else posixpath.join(folder, one.folder)
        for deed in _of_simple(one, depth):
            if where is None and not deed.path.startswith(("/", "~")):
                continue
            yield replace(
                deed,
                folder=posixpath.join(where or "", deed.folder),
                settled=deed.settled or not one.last,
            )


def _of_simple(one: Simple, depth: int) -> Iterator[Deed]:
    given = _unwrapped(one.words)
    program = given[0].text.rpartition("/")[2].removesuffix(".exe") if given else ""
    arguments = given[1:]
    if program in _SHELLS:
        if depth < _DEEPEST and (inner := _inner(arguments)) is not None:
            yield from _of_script(read_script(inner), "", depth + 1)
    elif program in {"apply_patch", "applypatch"}:
        text = next((word.text for word in arguments if is_patch(word.text)), one.heredoc)
        yield from patch_deeds(text)
    elif program == "patch" and one.heredoc:
        yield from patch_deeds(one.heredoc)
    elif program == "git":
        yield from _git(arguments, one.heredoc)
    else:
        yield from _of_program(program, arguments)
    for word, added in one.writes[:_MOST]:
        if _names_a_file(word):
            new = one.heredoc if program in {"cat", "tee"} else ""
            yield Deed(word.text, "edited" if added else "created", new=new)
    if program == "tee":
        added = any(word.text in {"-a", "--append"} for word in arguments)
        for path in _paths(program, arguments):
            yield Deed(path, "edited" if added else "created", new=one.heredoc)


def _unwrapped(given: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """A command without the programs that run it."""
    while given and given[0].text in _WRAPPERS:
        given = given[1:]
        while given and (
            given[0].text.startswith("-")
            or "=" in given[0].text.partition("/")[0]
            or _NUMBER.fullmatch(given[0].text.rstrip("smh"))
        ):
            given = given[1:]
    return given


def _inner(arguments: Sequence[ShellWord]) -> str | None:
    for number, word in enumerate(arguments[:-1]):
        if word.text.startswith("-") and word.text.endswith("c"):
            return arguments[number + 1].text
    return None


def _of_program(program: str, arguments: Sequence[ShellWord]) -> Iterator[Deed]:
    match program:
        case "rm" | "unlink" | "rmdir" | "del" | "Remove-Item":
            for path in _paths(program, arguments):
                yield Deed(path, "deleted")
        case "mv" | "move" | "Move-Item":
            yield from _moved(arguments)
        case "cp" | "install" | "Copy-Item":
            yield from _copied(arguments)
        case "touch":
            for path in _paths(program, arguments):
                yield Deed(path, "created")
        case "sed" | "gsed" | "perl":
            yield from _stream_edited(program, arguments)
        case "str_replace_editor" | "str_replace_based_edit_tool":
            yield from _editor(arguments)
        case "open" | "create" if arguments and _names_a_file(arguments[0]):
            # SWE-agent's own; a desktop's `open` looks at a file as well.
            yield Deed(arguments[0].text, "read" if program == "open" else "created")
        case _ if program in _VIEWERS:
            detail = _viewed(program, arguments)
            for path in _paths(program, arguments):
                yield Deed(path, "read", detail)
        case _ if program in SEARCHING:
            yield from _searched(program, arguments)
        case _ if program in LISTING:
            for path in _paths(program, arguments)[:3]:
                yield Deed(path, "searched")


def _names_a_file(word: ShellWord) -> bool:
    text = word.text
    return word.plain and bool(text) and not text.startswith(("-", "&", "/dev/"))


def _paths(program: str, arguments: Sequence[ShellWord]) -> list[str]:
    """The plain words that are no options, nor options' values."""
    paths: list[str] = []
    valued = _WITH_VALUE.get(program, frozenset[str]())
    only_paths = skip = False
    for word in arguments:
        if skip:
            skip = False
        elif only_paths:
            if word.plain and word.text:
                paths.append(word.text)
        elif word.text == "--":
            only_paths = True
        elif word.text.startswith("-"):
            skip = word.text in valued
        elif _names_a_file(word):
            paths.append(word.text)
    return paths[:_MOST]


def _moved(arguments: Sequence[ShellWord], folder: str = "") -> Iterator[Deed]:
    for source, target in _pairs("mv", arguments):
        yield Deed(target, "renamed", source=source, folder=folder)


def _copied(arguments: Sequence[ShellWord]) -> Iterator[Deed]:
    recursive = any(
        word.text in {"--recursive", "--archive", "-d"}
        or (
            word.text.startswith("-")
            and not word.text.startswith("--")
            and {"r", "R", "a"} & set(word.text)
        )
        for word in arguments
    )
    if not recursive:
        for _, target in _pairs("cp", arguments):
            yield Deed(target, "created")


def _pairs(program: str, arguments: Sequence[ShellWord]) -> Iterator[tuple[str, str]]:
    """What goes where."""
    if not all(word.plain for word in arguments):
        return  # a file is left unsaid: the last word may not be where things go
    given = [word.text for word in arguments]
    paths = _paths(program, arguments)
    if "-t" in given[:-1]:
        target, sources = given[given.index("-t") + 1] + "/", paths
    elif len(paths) > 1:
        target, sources = paths[-1], paths[:-1]
    else:
        return
    into = target.endswith(("/", "/.", "/..")) or target in {".", ".."} or len(sources) > 1
    # `mv a.py lib`: to a folder, as nobody takes away an extension.
    into = into or bool(_EXTENSION.search(sources[0]) and not _EXTENSION.search(target))
    for source in sources:
        name = source.rstrip("/").rpartition("/")[2]
        yield source, (f"{target.rstrip('/') or '/'}/{name}" if into else target)


def _stream_edited(program: str, arguments: Sequence[ShellWord]) -> Iterator[Deed]:
    given = [word.text for word in arguments]
    in_place = any(
        text.startswith(("-i", "--in-place"))
        or (program == "perl" and text.startswith("-") and "i" in text and len(text) < 6)
        or (program != "perl" and re.fullmatch(r"-[nrEsz]*i", text))
        for text in given
    )
    scripted = any(
        text in {"-e", "-f"}
        or text.startswith(("--expression", "--file"))
        or (program == "perl" and re.fullmatch(r"-[a-z0-9]*e", text))
        for text in given
    )
    if program == "perl":
        if in_place:
            at = next((n for n, text in enumerate(given) if re.fullmatch(r"-[a-z0-9]*e", text)), 0)
            for path in _paths(program, arguments[at + 2 :]):
                yield Deed(path, "edited")
        return
    bare = [word for word in _positional(arguments) if word.text]
    files = bare if scripted else bare[1:]
    # Of `-e 's/a/b/' file` the script is an option's value.
    values = [n + 1 for n, text in enumerate(given[:-1]) if text in {"-e", "-f"}]
    scripts = {arguments[n].start for n in values}
    for word in files:
        if word.start in scripts or not _names_a_file(word):
            continue
        if in_place:
            yield Deed(word.text, "edited")
        else:
            shown = _STRETCH.fullmatch(bare[0].text) if bare else None
            detail = f"{shown[1]}–{shown[2] or shown[1]}" if shown else ""
            yield Deed(word.text, "read", detail)


def _positional(arguments: Sequence[ShellWord]) -> list[ShellWord]:
    return [word for word in arguments if not word.text.startswith("-")]


def _viewed(program: str, arguments: Sequence[ShellWord]) -> str:
    given = [word.text for word in arguments]
    number = ""
    for at, text in enumerate(given):
        if text == "-n" and at + 1 < len(given):
            number = given[at + 1]
        elif found := re.fullmatch(r"-n?(\d+)", text):
            number = found[1]
    if program == "head" and number.isdigit():
        return f"1–{number}"
    return f"−{number}" if program == "tail" and number.isdigit() else ""


def _searched(program: str, arguments: Sequence[ShellWord]) -> Iterator[Deed]:
    given = [word.text for word in arguments]
    if "--files" in given:
        pattern, paths = "", _paths(program, arguments)
    else:
        named = next((given[n + 1] for n, text in enumerate(given[:-1]) if text == "-e"), None)
        bare = _skipping_values(program, arguments)
        if named is None and not bare:
            return
        pattern = bare[0].text if named is None else named
        rest = bare[1:] if named is None else bare
        paths = [word.text for word in rest if _names_a_file(word)]
        if rest and not paths:
            return
    for path in paths[:3] or ["."]:
        yield Deed(path, "searched", pattern[:_PATTERN])


def _skipping_values(program: str, arguments: Sequence[ShellWord]) -> list[ShellWord]:
    valued = _WITH_VALUE.get(program, frozenset[str]())
    kept: list[ShellWord] = []
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word.text.startswith("-"):
            skip = word.text in valued
        else:
            kept.append(word)
    return kept


def _git(arguments: Sequence[ShellWord], heredoc: str) -> Iterator[Deed]:
    folder = ""
    while len(arguments) > 1 and arguments[0].text in {"-C", "-c"}:
        if arguments[0].text == "-C":
            if not arguments[1].plain:
                return
            folder = posixpath.join(folder, arguments[1].text)
        arguments = arguments[2:]
    while arguments and arguments[0].text.startswith("-"):
        arguments = arguments[1:]
    if not arguments:
        return
    verb, rest = arguments[0].text, arguments[1:]
    given = {word.text for word in rest}
    match verb:
        case "mv":
            yield from _moved(rest, folder)
        case "rm" if not given & {"--cached", "-n", "--dry-run"}:
            for path in _paths("git", rest):
                yield Deed(path, "deleted", folder=folder)
        case "restore" if "--staged" not in given or "--worktree" in given:
            for path in _paths("git", rest):
                yield Deed(path, "edited", folder=folder)
        case "checkout" if "--" in given:
            at = [word.text for word in rest].index("--")
            for path in _paths("git", rest[at:]):
                yield Deed(path, "edited", folder=folder)
        case "apply" if heredoc:
            yield from (replace(deed, folder=folder) for deed in patch_deeds(heredoc))
        case "grep":
            for deed in _searched("grep", rest):
                yield replace(deed, folder=folder)


def _editor(arguments: Sequence[ShellWord]) -> Iterator[Deed]:
    """SWE-agent's editor, run as a command: its action, then the path."""
    if len(arguments) < 2 or not arguments[1].plain:
        return
    path = arguments[1].text
    values = {
        arguments[n].text.lstrip("-"): arguments[n + 1].text for n in range(2, len(arguments) - 1)
    }
    match arguments[0].text:
        case "view":
            given = [word.text for word in arguments]
            at = given.index("--view_range") if "--view_range" in given else len(given)
            lines = [text for text in given[at + 1 : at + 3] if text.lstrip("-").isdigit()]
            yield Deed(path, "read", "–".join(lines) if len(lines) == 2 else "")
        case "create":
            yield Deed(path, "created", new=values.get("file_text", ""))
        case "str_replace" | "insert":
            old, new = values.get("old_str", ""), values.get("new_str", "")
            yield Deed(path, "edited", old=old, new=new)
        case _:
            pass
