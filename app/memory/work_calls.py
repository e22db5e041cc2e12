"""What a call did, by the shape of its arguments and the words of its tool's name.

Works for Haima's tools and those of others: Claude Code, Codex, SWE-agent, OpenHands, Copilot, pi,
Gemini, opencode, MCP servers. Nothing is known of a tool but what its call shows.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from app.conversation.arguments import arguments_of
from app.conversation.messages import ToolCall
from app.memory.name_tables import words
from app.memory.work_deeds import Deed
from app.memory.work_patch import is_patch, patch_deeds

SHORT = 400
"""Characters; a longer argument is content, not a name."""

_PATHS = words(
    "path filepath notebookpath file filename targetfile absolutepath relativepath uri "
    "relativeworkspacepath filepathrelative absolutefilepath dirpath directory directorypath dir "
    "folder location"
)
_MANY = words("paths filepaths files absolutepaths")
_COMMANDS = words("command cmd script commandline bash")
_OLD = words("old oldstring oldstr oldtext oldcode search find original searchstring oldcontent")
_NEW = words(
    "new newstring newstr newtext newcode replace replacement newsource codeedit insertline "
    "inserttext newcontent replacestring insert"
)
_CONTENT = words("content filetext contents text newsource body filecontent data code codecontent")
_PATCHES = words("input patch patchtext diff unifieddiff")
_PATTERNS = words("pattern query regex searchterm searchpattern globpattern glob needle")
_SOURCES = words("source src from oldpath sourcepath frompath")
_TARGETS = words("destination dest to newpath target targetpath destinationpath topath")
_LISTS_OF_EDITS = words("edits replacements changes files")
_SQL = words("sql query statement ddl")
_FOLDERS = words("workdir cwd workingdirectory")

_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BESIDE = words("web fetch browse browser url task agent todo memory note history navigate recall")
_RUNS = words("bash shell exec execute command terminal run powershell stdin zsh sh")
_DELETES = words("delete remove unlink rm")
_MOVES = words("move rename mv")
_WRITES = words("write create save put touch new")
_EDITS = words("edit replace patch str insert update modify multi append apply notebook")
_READS = words("read view cat open head get")
_LISTS = words("list ls dir tree directory")
_SEARCHES = words("search grep glob find rg ripgrep")
_DATABASES = words(
    "sql database db postgres postgresql mysql mariadb sqlite duckdb supabase migration"
)
_ROW_WORK = re.compile(
    r"\s*(?:--[^\n]*\s*)*(?:CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|REPLACE|TRUNCATE|SELECT|WITH|BEGIN"
    r"|PRAGMA|EXPLAIN|SHOW|DESCRIBE)\b",
    re.IGNORECASE,
)

_OPENED = re.compile(r"\[File: ([^\n]{1,500}?) \(\d+ lines total\)\]")
_OPEN_EDIT = re.compile(r"\s*(?:edit \d+:\d+|(?:edit|insert|append)\b[\s\S]*\bend_of_\w+\s*\Z)")
_REPLACED = re.compile(
    r"\A(?:<tool_result[^>\n]*>\s*)?"
    r"(?:Replaced |已替换|\S* ?(?:updated|overwr)"
    r"|The file .{1,500}? has been (?:updated|overwritten))",
)
_CREATED = re.compile(
    r"\A(?:<tool_result[^>\n]*>\s*)?"
    r"(?:Created |已新建|(?:New )?[Ff]ile created|Successfully created)"
)
_PATTERN = 80
_MOST = 60


@dataclass(frozen=True, slots=True)
class CallDeeds:
    """What a call says.

    Attributes:
        files: what it did to files itself.
        command: the shell command it runs; "" for none.
        folder: where, as it is spelt; "" for the project's root.
        pattern: what it searches for; "" for none.
        said: its short arguments, one a line.
        sql: what it tells a database; "" for nothing.
    """

    files: tuple[Deed, ...] = ()
    command: str = ""
    folder: str = ""
    pattern: str = ""
    said: str = ""
    sql: str = ""


def deeds_of(call: ToolCall, text: str) -> CallDeeds:
    """What a call did, as its arguments tell; never fails.

    Args:
        call: the call, of any tool.
        text: its result; its first lines are read where the arguments leave something open.
    """
    values = arguments_of(call.arguments)
    name = frozenset(word.lower() for word in _HUMPS.findall(call.name[:80]))
    if not values:
        # A tool that takes a text, not an object.
        if is_patch(call.arguments):
            return CallDeeds(tuple(patch_deeds(call.arguments))[:_MOST])
        return CallDeeds()
    given = {_key(key): value for key, value in values.items()}
    said = "\n".join(
        value for value in given.values() if isinstance(value, str) and 0 < len(value) <= SHORT
    )
    if name & _BESIDE and not name & (_RUNS | _EDITS | _WRITES | _READS | _DELETES):
        return CallDeeds(said=said)
    folder = _text(given, _FOLDERS)
    action = _text(given, frozenset({"command"}))
    path = _text(given, _PATHS)
    if name & _BESIDE and not path and not name & (_RUNS | _EDITS | _WRITES | _DELETES):
        return CallDeeds(said=said)  # `read_history`
    sql = _text(given, _SQL)
    if name & _DATABASES and not path and _ROW_WORK.match(sql):
        return CallDeeds(said=said, sql=sql)
    if path and action in {"view", "create", "str_replace", "insert", "undo_edit", "delete"}:
        return CallDeeds(tuple(_editor(action, path, given)), said=said)
    if not (path and name & (_EDITS | _WRITES)) and (command := _command(given, name)):
        if _OPEN_EDIT.match(command):
            return CallDeeds(tuple(_open_edit(command, text)))
        return CallDeeds(command=command, folder=folder)
    files = tuple(islice(_files(name, given, path, text), _MOST))
    pattern = _text(given, _PATTERNS) if name & (_SEARCHES | _LISTS) else ""
    return CallDeeds(files, folder="", pattern=pattern, said=said)


def _key(key: str) -> str:
    return key[:60].replace("_", "").replace("-", "").lower()


def _text(given: Mapping[str, object], keys: frozenset[str]) -> str:
    """The first of these arguments that is a text; "" for none."""
    for key, value in given.items():
        if key in keys and isinstance(value, str) and value:
            return value
    return ""


def _command(given: Mapping[str, object], name: frozenset[str]) -> str:
    """The command line of a call."""
    for key, value in given.items():
        if key not in _COMMANDS and not (key in {"input", "code"} and name & _RUNS):
            continue
        if isinstance(value, str):
            if value.strip() and not (key in {"input", "code"} and is_patch(value)):
                return value
        elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            listed = [str(one) for one in value]
            if len(listed) > 2 and listed[1] in {"-c", "-lc", "-Command", "/c"}:
                return listed[-1]
            return " ".join(_quoted(one) for one in listed)
    return ""


def _open_edit(command: str, text: str) -> Iterator[Deed]:
    """SWE-agent's `edit 10:20`, whose result says which file is open."""
    opened = _OPENED.search(text[:2_000]) or _OPENED.search(text[-2_000:])
    if opened:
        yield Deed(opened[1], "edited", new=command.partition("\n")[2])


def _quoted(word: str) -> str:
    if word and not re.search(r"[\s'\"\\$`;&|()<>*?#]", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def _editor(action: str, path: str, given: Mapping[str, object]) -> Iterator[Deed]:
    old, new = _text(given, _OLD), _text(given, _NEW)
    match action:
        case "view":
            yield Deed(path, "read", _stretch(given))
        case "create":
            yield Deed(path, "created", new=_text(given, _CONTENT))
        case "delete":
            yield Deed(path, "deleted")
        case _:
            yield Deed(path, "edited", old=old, new=new)


def _files(
    name: frozenset[str], given: Mapping[str, object], path: str, text: str
) -> Iterator[Deed]:
    source, target = _text(given, _SOURCES), _text(given, _TARGETS)
    patch = next((v for k, v in given.items() if k in _PATCHES and isinstance(v, str)), "")
    many = [v for k, v in given.items() if k in _MANY and isinstance(v, list)]
    old, new = _text(given, _OLD), _text(given, _NEW)
    content = next((v for k, v in given.items() if k in _CONTENT and isinstance(v, str)), None)
    looking = name & (_SEARCHES | _LISTS | _READS) and not name & (_EDITS | _WRITES)
    if patch and is_patch(patch):
        yield from patch_deeds(patch)
    elif name & _MOVES and (source or path) and target:
        yield Deed(target, "renamed", source=source or path)
    elif name & _DELETES and (path or many):
        for one in [path] if path else _listed(many):
            yield Deed(one, "deleted")
    elif path and isinstance(given.get("edits"), list):
        yield from _edits(path, given["edits"])
    elif not path and name & (_EDITS | _WRITES) and (listed := _each(given)):
        for inner in listed:
            yield from _files(name, inner, _text(inner, _PATHS), text)
    elif looking:
        yield from _looked(name, given, path, many)
    elif path and patch:
        yield Deed(path, "edited", new=patch)
    elif path and (old or "oldstring" in given or "oldstr" in given or "oldtext" in given):
        yield Deed(path, "edited" if old else "created", old=old, new=new)
    elif path and (new or name & _EDITS) and not name & _WRITES and not name & _READS:
        yield Deed(path, "edited", new=new or content or "")
    elif path and content is not None and name & (_WRITES | _EDITS):
        sure = _CREATED.match(text) is not None
        yield Deed(path, "edited" if _REPLACED.match(text) else "created", new=content, sure=sure)
    elif name & _WRITES and path and not name & _LISTS:
        yield Deed(path, "created")
    elif name & _READS and (path or many):
        yield from _read(given, path, many)
    elif _text(given, _PATTERNS) and not old:
        yield from _looked(name, given, path, many)
    elif name & _EDITS and (opened := _OPENED.search(text[:2_000])):
        # SWE-agent's edits go to the file that is open.
        yield Deed(opened[1], "edited", old=old, new=new)
    elif path:
        yield Deed(path, "named")


def _looked(
    name: frozenset[str], given: Mapping[str, object], path: str, many: list[list[object]]
) -> Iterator[Deed]:
    """What a tool looked at that changes nothing."""
    pattern = _text(given, _PATTERNS) or (_text(given, _OLD) if name & _SEARCHES else "")
    if name & _SEARCHES or pattern:
        yield Deed(path or ".", "searched", " ".join(pattern.split())[:_PATTERN])
    elif name & _LISTS:
        yield Deed(path or ".", "searched")
    else:
        yield from _read(given, path, many)


def _read(given: Mapping[str, object], path: str, many: list[list[object]]) -> Iterator[Deed]:
    for one in [path] if path else _listed(many):
        yield Deed(one, "read", _stretch(given))


def _each(given: Mapping[str, object]) -> list[dict[str, object]]:
    """The arguments of each of several edits, where every one names its file."""
    found: list[dict[str, object]] = []
    for key, values in given.items():
        if key in _LISTS_OF_EDITS and isinstance(values, list):
            for value in values[:_MOST]:
                if isinstance(value, Mapping):
                    one = {_key(str(name)): inner for name, inner in value.items()}
                    found += [one] if _text(one, _PATHS) else []
    return found


def _edits(path: str, edits: object) -> Iterator[Deed]:
    """Several edits of one file."""
    for edit in edits[:_MOST] if isinstance(edits, list) else ():
        if isinstance(edit, Mapping):
            one = {_key(str(key)): value for key, value in edit.items()}
            yield Deed(path, "edited", old=_text(one, _OLD), new=_text(one, _NEW))
    if not edits:
        yield Deed(path, "edited")


def _listed(many: list[list[object]]) -> Iterator[str]:
    for values in many:
        for value in values[:_MOST]:
            if isinstance(value, str):
                yield value
            elif isinstance(value, Mapping):
                yield from (v for k, v in value.items() if k == "path" and isinstance(v, str))


def _stretch(given: Mapping[str, object]) -> str:
    """The lines that were read, `10–59`; "" for all of it."""
    listed = given.get("viewrange") or given.get("linerange")
    if isinstance(listed, list) and len(listed) == 2:
        start, end = (_number(one) for one in listed)
        return f"{start}–{end if end and end > 0 else ''}" if start is not None else ""
    start = next(
        (
            n
            for k in ("offset", "startline", "startlineoneindexed", "linestart", "start", "line")
            if (n := _number(given.get(k))) is not None
        ),
        None,
    )
    end = next(
        (
            n
            for k in ("endline", "endlineoneindexedinclusive", "lineend", "end")
            if (n := _number(given.get(k))) is not None
        ),
        None,
    )
    limit = _number(given.get("limit")) or None
    if start is None and end is None and limit is None:
        return ""
    first = max(1, start or 1)
    if end is None and limit is not None and limit > 0:
        end = first + limit - 1
    return f"{first}–{'' if end is None or end < first else end}"


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and -1 <= value < 10**9:
        return value
    return None
