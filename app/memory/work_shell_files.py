"""What simple commands of a shell do to files: only where a plain word names the file.

`rm "$f"` and `rm *.pyc` tell nothing: what isn't known isn't recorded, as the record counts as
confirmed. What ran only on a condition isn't recorded either.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from app.memory.name_tables import EXTENSIONS, LISTING, SEARCHING, words
from app.memory.work_deeds import Deed
from app.memory.work_patch import is_patch, patch_deeds
from app.memory.work_shell import Script, ShellWord, Simple, read_script
from app.memory.work_shell_words import bare_words, names_a_file, paths_in

_WRAPPERS = words("sudo doas env nohup command time timeout nice ionice stdbuf exec busybox")
_SHELLS = words("bash sh zsh dash ksh")
_VIEWERS = words("cat head tail nl bat less more batcat tac")
_SMOOTH = words(
    "cd pushd popd mkdir rm rmdir mv cp touch ln chmod echo printf cat tee sed perl export set true"
)
"""Programs that rarely fail where they are told to do something to files."""

_MOST = 40
"""Files that one command tells of."""
_PATTERN = 80
"""Characters of a searched pattern that are kept."""
_DEEPEST = 3
_SAYS = re.compile(r"-[A-Za-z]{0,5}e|--regexp")
_STRETCH = re.compile(r"(\d+)(?:,(\d+))?p")
_NUMBER = re.compile(r"\d+")
_EXTENSION = re.compile(r"[^/]\.[A-Za-z0-9]{1,8}$")


def shell_deeds(script: Script, folder: str = "", text: str = "") -> tuple[Deed, ...]:
    """What a command does to files, in order; at most 40 deeds.

    Args:
        script: the command, read.
        folder: where it runs, from the project's root.
        text: what it put out, of one that failed: a program that complains there failed itself.
    """
    return tuple(islice(_of_script(script, folder, 0, text), _MOST))


def _of_script(script: Script, folder: str, depth: int, text: str = "") -> Iterator[Deed]:
    sure, stopped = True, False
    for number, one in enumerate(script.commands):
        before = script.commands[number - 1] if number else None
        # `pytest && rm x && …` failed: nobody knows whether it came to `rm`.
        sure = one.link not in {"&&", "|"} or (sure and _hardly_fails(before, one.link))
        # `cd x && rm y` where `cd` complains: it didn't come to `rm`.
        stopped = one.link == "&&" and stopped
        complains = _complains(one.program, text)
        sure = sure and not complains and not stopped
        early = not one.last and not stopped
        stopped = stopped or complains
        if one.unsure:
            continue
        where = None if one.folder is None else posixpath.join(folder, one.folder)
        for deed in _of_simple(one, depth):
            if where is None and not deed.path.startswith(("/", "~")):
                continue
            yield replace(
                deed,
                folder=posixpath.join(where or "", deed.folder),
                settled=deed.settled or (sure and not one.last),
                early=deed.early or early,
            )


def _hardly_fails(one: Simple | None, link: str) -> bool:
    """Whether what follows a command runs even if the whole failed."""
    if one is None or link == "|":
        return True
    given = [word.text for word in one.words[:2]]
    return one.program in _SMOOTH or (one.program == "git" and given[-1] in {"add", "mv", "rm"})


def _complains(program: str, text: str) -> bool:
    """Whether a program says that it failed: `rm: x: …`, `sh: 1: cd: can't cd to x`."""
    return f"{program}: " in text and bool(
        re.search(rf"(?m)^(?:[\w./-]+: )?(?:(?:line )?\d+: )?{re.escape(program)}: \S", text)
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
        if names_a_file(word):
            new = one.heredoc if program in {"cat", "tee"} else ""
            yield Deed(word.text, "edited" if added else "created", new=new)
    if program == "tee":
        added = any(word.text in {"-a", "--append"} for word in arguments)
        for path in paths_in(program, arguments):
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
        if re.fullmatch(r"-[a-z]*c", word.text):
            return arguments[number + 1].text
    return None


def _of_program(program: str, arguments: Sequence[ShellWord]) -> Iterator[Deed]:
    match program:
        case "rm" | "unlink" | "rmdir" | "del" | "Remove-Item":
            for path in paths_in(program, arguments):
                yield Deed(path, "deleted")
        case "mv" | "move" | "Move-Item":
            yield from _moved(arguments)
        case "cp" | "install" | "Copy-Item":
            yield from _copied(program, arguments)
        case "touch":
            for path in paths_in(program, arguments):
                yield Deed(path, "created")
        case "sed" | "gsed" | "perl":
            yield from _stream_edited(program, arguments)
        case "str_replace_editor" | "str_replace_based_edit_tool":
            yield from _editor(arguments)
        case "open" | "create" if arguments and names_a_file(arguments[0]):
            # SWE-agent's own; a desktop's `open` looks at a file as well.
            yield Deed(arguments[0].text, "read" if program == "open" else "created")
        case _ if program in _VIEWERS:
            detail = _viewed(program, arguments)
            for path in paths_in(program, arguments):
                yield Deed(path, "read", detail)
        case "ln":
            for _, target in _pairs("ln", arguments):
                yield Deed(target, "created")
        case "curl" | "wget":
            yield from _fetched(arguments, words("-o --output" if program == "curl" else "-O"))
        case "find":
            # Behind its folders stands what is looked for.
            ends = (n for n, word in enumerate(arguments) if word.text[:1] in {"-", "(", "!"})
            for path in paths_in(program, arguments[: next(ends, None)])[:3]:
                yield Deed(path, "searched")
        case _ if program in SEARCHING or program == "fd":
            yield from _searched(program, arguments)
        case _ if program in LISTING:
            for path in paths_in(program, arguments)[:3]:
                yield Deed(path, "searched")


def _moved(arguments: Sequence[ShellWord], folder: str = "") -> Iterator[Deed]:
    for source, target in _pairs("mv", arguments):
        yield Deed(target, "renamed", source=source, folder=folder)


def _copied(program: str, arguments: Sequence[ShellWord]) -> Iterator[Deed]:
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
        for _, target in _pairs(program, arguments):
            yield Deed(target, "created")


def _pairs(program: str, arguments: Sequence[ShellWord]) -> Iterator[tuple[str, str]]:
    """What goes where."""
    if not all(word.plain for word in arguments):
        return  # a file is left unsaid: the last word may not be where things go
    given = [word.text for word in arguments]
    paths = paths_in(program, arguments)
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


def _fetched(arguments: Sequence[ShellWord], options: frozenset[str]) -> Iterator[Deed]:
    for option, word in pairwise(arguments):
        if option.text in options and names_a_file(word):
            yield Deed(word.text, "created")


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
            for path in paths_in(program, arguments[at + 2 :]):
                yield Deed(path, "edited")
        return
    bare = [word for word in _positional(arguments) if word.text]
    files = bare if scripted else bare[1:]
    # Of `-e 's/a/b/' file` the script is an option's value.
    values = [n + 1 for n, text in enumerate(given[:-1]) if text in {"-e", "-f"}]
    scripts = {arguments[n].start for n in values}
    for word in files:
        if word.start in scripts or not names_a_file(word):
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
        pattern, paths = "", paths_in(program, arguments)
    else:
        says = [n for n, text in enumerate(given[:-1]) if _SAYS.fullmatch(text)]
        # Of `fd` that is an extension.
        named = given[says[0] + 1] if says and program != "fd" else None
        bare = bare_words(program, arguments)
        if named is None and not bare:
            return
        pattern = bare[0].text if named is None else named
        rest = bare[1:] if named is None else bare
        paths = [word.text for word in rest if names_a_file(word)]
        if rest and not paths:
            return
    for path in paths[:3] or ["."]:
        yield Deed(path, "searched", pattern[:_PATTERN])


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
            for path in paths_in("git", rest):
                yield Deed(path, "deleted", folder=folder)
        case "restore" if "--staged" not in given or "--worktree" in given:
            for path in paths_in("git", rest):
                yield Deed(path, "edited", folder=folder)
        case "checkout" if "--" in given:
            at = [word.text for word in rest].index("--")
            for path in paths_in("git", rest[at:]):
                yield Deed(path, "edited", folder=folder)
        case "checkout" if not given & {"-b", "-B", "--orphan"}:
            # A branch is hardly called like a file.
            for path in paths_in("git", rest):
                if path.rpartition(".")[2].lower() in EXTENSIONS and _EXTENSION.search(path):
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
