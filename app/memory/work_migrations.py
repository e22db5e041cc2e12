"""Tables and columns that migrations written as programs name: `orders`, `orders.total`.

Alembic and Django (Python), Rails (Ruby), Laravel (PHP), Knex and Kysely (JavaScript). Django's
tables are called as its models are, in small letters: the name of the app isn't said there.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from app.conversation.work import Action
from app.memory.name_tables import words

_ALEMBIC = re.compile(
    r"\bop\.(?P<op>create_table|drop_table|add_column|drop_column|alter_column)\(\s*['\"](\w{1,63})"
    r"['\"]\s*(?:,\s*(?:sa\.Column\(\s*)?['\"](?P<column>\w{1,63})['\"])?"
)
_RAILS = re.compile(
    r"^[ \t]*(?P<op>create_table|drop_table|add_column|remove_column|rename_column|change_column)"
    r"[ (]+[:'\"](\w{1,63})(?:['\"]?,\s*[:'\"](?P<column>\w{1,63}))?",
    re.MULTILINE,
)
_DJANGO = re.compile(
    r"\bmigrations\.(?P<op>(?:Create|Delete)Model|(?:Add|Remove|Alter)Field)\(\s*"
    r"(?:model_)?name\s*=\s*['\"](\w{1,63})['\"](?:,\s*name\s*=\s*['\"](?P<column>\w{1,63})['\"])?"
)
_DJANGO_FIELD = re.compile(r"\(\s*['\"](\w{1,63})['\"],\s*models\.")
_BUILT = re.compile(
    r"(?:\bSchema::(?P<op>create|table|drop|dropIfExists)"
    r"|\.(?P<call>(?:create|alter|drop)Table(?:IfExists|IfNotExists)?))"
    r"\(\s*['\"`](\w{1,63})['\"`]"
)
_BUILT_COLUMN = re.compile(
    r"(?:\b(?:table|t)(?:\.|->)|\.(?=(?:add|drop|alter)Column))(?P<type>\w{2,40})"
    r"\(\s*['\"`](\w{1,63})['\"`]"
)
_NO_COLUMNS = words(
    "index unique foreign primary references spatialIndex fullText comment engine charset collate "
    "dropIndex dropUnique dropForeign dropPrimary renameIndex"
)
_DOWN = re.compile(
    r"^[ \t]*(?:def down(?:grade)?\b|exports\.down\b|(?:export[ ]+)?(?:const|async function) down\b"
    r"|(?:export |public |static )*function down\b|(?:public )?(?:async )?down\("
    r"|--[ ]?(?:\+migrate|\+goose)[ ]down\b|--[ ]?migrate:down\b)",
    re.MULTILINE | re.IGNORECASE,
)
_BODY = 8_000
"""Characters behind the name of a table that are read for its columns."""

_DOES: dict[str, Action] = {
    "create": "created",
    "add": "created",
    "drop": "deleted",
    "remove": "deleted",
    "delete": "deleted",
}
_FIRST = re.compile(r"[A-Z]?[a-z]+")


class Migrated(NamedTuple):
    """A table, or a table and a column with a full stop between, and what is done to it."""

    name: str
    action: Action


def forward(text: str) -> str:
    """A migration without its way back, which only runs when it is undone."""
    found = _DOWN.search(text)
    return text[: found.start()] if found else text


def is_migration(text: str, extension: str) -> bool:
    """Whether a file of this extension may be one; plain words, a tenth of a search by a rule."""
    return any(word in text for word in _HINTS.get(extension, ()))


def in_migration(text: str, extension: str) -> Iterator[Migrated]:
    """The tables and columns that it makes, changes and removes, as it names them.

    Args:
        text: the file, or a piece of it.
        extension: of its name, in small letters.
    """
    if extension == "py":
        yield from _called(_ALEMBIC, text, python=True)
        yield from _of_django(text)
    elif extension == "rb":
        yield from _called(_RAILS, text, python=False)
    elif extension in _HINTS:
        yield from _built(text)


_HINTS: dict[str, tuple[str, ...]] = {
    "py": ("_table", "_column", "migrations."),
    "rb": ("_table", "_column"),
    "php": ("Schema::",),
    **dict.fromkeys(("js", "mjs", "cjs", "ts", "mts", "cts"), ("Table",)),
}


def _action(op: str) -> Action:
    found = _FIRST.match(op)
    return _DOES.get(found[0].lower() if found else "", "edited")


def _called(rule: re.Pattern[str], text: str, *, python: bool) -> Iterator[Migrated]:
    for one in rule.finditer(text):
        table, column, action = one[2], one["column"], _action(one["op"])
        if "column" in one["op"]:
            yield Migrated(table, "edited")
            if column:
                yield Migrated(f"{table}.{column}", action)
        else:
            yield Migrated(table, action)
            if column and python:
                end = text.find("\n    )", one.start())
                body = text[one.start() : end if 0 <= end < one.start() + _BODY else one.end()]
                for name in re.findall(r"Column\(\s*['\"](\w{1,63})['\"]", body):
                    yield Migrated(f"{table}.{name}", action)


def _of_django(text: str) -> Iterator[Migrated]:
    for one in _DJANGO.finditer(text):
        table, column, action = one[2].lower(), one["column"], _action(one["op"])
        if "Field" in one["op"]:
            yield Migrated(table, "edited")
            if column:
                yield Migrated(f"{table}.{column}", action)
        else:
            yield Migrated(table, action)
            end = text.find("migrations.", one.end(), one.end() + _BODY)
            body = text[one.end() : end if end >= 0 else one.end() + _BODY]
            for field in _DJANGO_FIELD.finditer(body if action == "created" else ""):
                yield Migrated(f"{table}.{field[1]}", "created")


def _built(text: str) -> Iterator[Migrated]:
    found = list(_BUILT.finditer(text))
    for one, after in zip_longest(found, found[1:]):
        table, action = one[3], _action(one["op"] or one["call"])
        yield Migrated(table, action)
        end = min(one.end() + _BODY, len(text) if after is None else after.start())
        for column in _BUILT_COLUMN.finditer(text, one.end(), end):
            if column["type"] in _NO_COLUMNS or action == "deleted":
                continue
            doing = _action(column["type"])
            changed = "created" if doing == "edited" else doing
            yield Migrated(f"{table}.{column[2]}", changed)
