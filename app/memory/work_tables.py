"""Tables and columns that SQL and migrations name: `orders`, `orders.total`.

Of SQL text anywhere what makes, changes or removes tables; in files and commands that are SQL also
what writes into them. Names lose their quotes and the schemas `public` and `dbo`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.conversation.work import Action
from app.memory.name_tables import words
from app.memory.work_migrations import forward, in_migration, is_migration
from app.memory.work_shell import Script

READ = 60_000
"""Characters of a text that are read."""

MOST = 60
"""Tables and columns that one change tells of."""

LONGEST_NAME = 130
"""Characters of a table with its column; a longer one is left out."""

_GAP = r"\s{1,40}"
"""Between words of SQL; some formatters put each on a line."""

_PART = r"(?:\"[^\"\n]{1,63}\"|`[^`\n]{1,63}`|\[[^\]\n]{1,63}\]|[A-Za-z_][\w$]{0,62})"
_NAME = rf"({_PART}(?:[ \t]*\.[ \t]*{_PART}){{0,2}})"
_THERE = r"(?:IF[ \t]+(?:NOT[ \t]+)?EXISTS[ \t]+)?(?:ONLY[ \t]+)?"
_TABLE = re.compile(
    r"\b(?P<verb>CREATE|ALTER|DROP)[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?(?:GLOBAL[ \t]+|LOCAL[ \t]+)?"
    r"(?:TEMP(?:ORARY)?[ \t]+|UNLOGGED[ \t]+|VIRTUAL[ \t]+|MATERIALIZED[ \t]+)?(?:TABLE|VIEW)"
    rf"{_GAP}{_THERE}{_NAME}",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    rf"\b(?P<verb>INSERT[ \t]+(?:OR[ \t]+\w+[ \t]+)?INTO|REPLACE[ \t]+INTO|UPDATE|DELETE[ \t]+FROM"
    rf"|TRUNCATE(?:[ \t]+TABLE)?){_GAP}{_THERE}{_NAME}(?P<columns>[ \t]*\([^()]{{1,2000}}\))?",
    re.IGNORECASE,
)
_COLUMN = re.compile(
    r"\b(?P<verb>ADD|DROP|ALTER|MODIFY|CHANGE|RENAME)[ \t]+(?P<said>COLUMN[ \t]+)?"
    rf"{_THERE}{_NAME}(?:[ \t]+TO[ \t]+(?P<to>{_PART}))?",
    re.IGNORECASE,
)
_ALTERS = re.compile(
    r"\s{0,40}(?:\*\s{0,40})?(?:ADD|DROP|ALTER|MODIFY|CHANGE|RENAME|SET|OWNER|ENABLE|DISABLE|ATTACH|DETACH|VALIDATE"
    r"|INHERIT|NO|CONVERT|ENGINE|AUTO_INCREMENT|COMMENT|PARTITION|WITH|CHECK|NOCHECK|SWITCH|AS)\b",
    re.IGNORECASE,
)
"""What follows a table that is altered; in prose (`the ALTER TABLE pattern`) anything does."""

_REMARKS = re.compile(r"--[^\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*)")
_NO_COLUMN = words(
    "primary key constraint unique foreign check index fulltext spatial exclude like period "
    "column table to as set default partition row trigger rule owner schema type not null if"
)
_NO_TABLE = words("set select from where into values if exists table only the of a an to in and")
_VERBS: dict[str, Action] = {"CREATE": "created", "ADD": "created", "DROP": "deleted"}
_MAKING = ("TABLE", "table", "VIEW", "view", "Table")
_WRITING = ("INSERT", "insert", "UPDATE", "update", "DELETE", "delete", "REPLACE", "TRUNCATE")
_CLIENTS = words(
    "psql sqlite3 mysql mariadb sqlcmd duckdb clickhouse-client usql cockroach sqlplus"
)


class TableTouch(NamedTuple):
    """A table or a column that a text touches.

    Attributes:
        name: of the table, or table and column with a full stop between.
        action: what is done to it; `ran` for what only changes its rows.
        detail: the word of SQL for that, else "".
    """

    name: str
    action: Action
    detail: str = ""


def tables_in(text: str, path: str = "") -> tuple[TableTouch, ...]:
    """The tables and columns that a text makes, changes or removes; at most `MOST`.

    Args:
        text: SQL, or a program that holds some; `READ` characters are read.
        path: of the file; only of `*.sql`, and of no file, what is written into tables counts.
    """
    text = forward(text[:READ])
    extension = path.rpartition(".")[2].lower()
    found: dict[str, TableTouch] = {}
    whole = not path or extension in {"sql", "ddl", "psql"}
    # A search for plain words costs a tenth of one by a rule.
    if any(word in text for word in (_MAKING + _WRITING if whole else _MAKING)):
        # `-- delete from cache one day` deletes nothing.
        for touch in _in_sql(_REMARKS.sub(" ", text) if whole else text, whole=whole):
            _take(found, touch)
    if is_migration(text, extension):
        for one in in_migration(text, extension):
            _take(found, TableTouch(one.name, one.action))
    return tuple(found.values())[:MOST]


def tables_in_script(script: Script) -> tuple[TableTouch, ...]:
    """The tables that a command's clients of databases are told to change."""
    found: dict[str, TableTouch] = {}
    for one in script.commands:
        if any(word.text.rpartition("/")[2] in _CLIENTS for word in one.words[:6]):
            for text in (*(word.text for word in one.words[1:]), one.heredoc):
                if " " in text:
                    for touch in tables_in(text):
                        _take(found, touch)
    return tuple(found.values())[:MOST]


def _take(found: dict[str, TableTouch], touch: TableTouch) -> None:
    known = found.get(touch.name)
    if len(touch.name) > LONGEST_NAME or (known is not None and touch.action == "ran"):
        return
    # Made and then changed in one text: it is new.
    if known is not None and known.action == "created" and touch.action == "edited":
        return
    found[touch.name] = touch


def _in_sql(text: str, *, whole: bool) -> Iterator[TableTouch]:
    for one in _TABLE.finditer(text):
        table = _plain(one[2])
        if not table or table.lower() in _NO_TABLE:
            continue
        verb = one["verb"].upper()
        if verb != "CREATE" and not whole and one["verb"].islower() and "_" not in table:
            continue  # `drop table salt` is prose as well
        if verb == "ALTER" and not whole and not _ALTERS.match(text, one.end()):
            continue
        body = _body(text, one.end()) if verb == "CREATE" else None
        if verb == "CREATE" and not whole and body is None and one["verb"].islower():
            continue
        yield TableTouch(table, _VERBS.get(verb, "edited"))
        if verb == "CREATE" and body is not None:
            for column in _columns(body):
                yield TableTouch(f"{table}.{column}", "created")
        elif verb == "ALTER":
            yield from _altered(table, text, one.end())
    if whole:
        for one in _WRITTEN.finditer(text):
            table = _plain(one[2])
            if table and table.lower() not in _NO_TABLE:
                yield TableTouch(table, "ran", one["verb"].split()[0].upper())
                for part in (one["columns"] or "").strip(" \t()").split(","):
                    if column := _plain(part.strip()):
                        yield TableTouch(f"{table}.{column}", "ran", one["verb"].split()[0].upper())


def _altered(table: str, text: str, start: int) -> Iterator[TableTouch]:
    end = text.find(";", start)
    clause = text[start : min(end if end >= 0 else len(text), start + 4_000)]
    for one in _COLUMN.finditer(clause):
        column, verb = _plain(one[3]), one["verb"].upper()
        if verb == "RENAME" and column.upper() == "TO":
            after = re.match(rf"[ \t]+{_NAME}", clause[one.end() :])
            if after and (renamed := _plain(after[1])):
                yield TableTouch(renamed, "renamed")
            continue
        if not column or "." in column or (not one["said"] and column.lower() in _NO_COLUMN):
            continue
        if one["to"]:
            yield TableTouch(f"{table}.{column}", "deleted", f"→ {_plain(one['to'])}")
            yield TableTouch(f"{table}.{_plain(one['to'])}", "renamed")
        else:
            yield TableTouch(f"{table}.{column}", _VERBS.get(verb, "edited"))


def _body(text: str, start: int) -> str | None:
    """What stands in the brackets behind a table's name."""
    at = start
    while at < len(text) and text[at].isspace():
        at += 1
    if text[at : at + 1] != "(":
        return None
    depth = 0
    for place in range(at, min(len(text), at + 20_000)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return text[at + 1 : place]
    return text[at + 1 : at + 20_000]


def _columns(body: str) -> Iterator[str]:
    depth = 0
    start = 0
    body = re.sub(r"--[^\n]*", "", body)
    for place, char in enumerate(f"{body},"):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            piece = body[start:place].strip()
            start = place + 1
            found = re.match(_PART, piece)
            if found and (found[0][0] in '"`[' or found[0].lower() not in _NO_COLUMN):
                yield _plain(found[0])


def _plain(name: str) -> str:
    """A name without quotes, and without a schema that says nothing."""
    parts = [part.strip().strip('"`[]') for part in re.split(r"\s*\.\s*", name)]
    if len(parts) > 1 and parts[0].lower() in {"public", "dbo"}:
        parts = parts[1:]
    return ".".join(parts) if all(re.fullmatch(r"[\w$ -]+", part) for part in parts) else ""
