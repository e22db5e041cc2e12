"""What `/save …` and `/memory …` ask for; what is wrong with them is said and nothing is done.

`/save [--global|--project] [--force] TEXT`; `/memory` alone shows the memory, else it takes `list`,
`search WORDS`, `delete ID…`, `verify ID…`, `replace ID TEXT`, `clear [--global|--project]`.
"""

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias, get_args

from app.errors import HaimaError
from app.memory.facts import FactScope

MemoryAction: TypeAlias = Literal[
    "status", "list", "search", "delete", "verify", "replace", "clear"
]

_TYPED: tuple[str, ...] = tuple(name for name in get_args(MemoryAction) if name != "status")

_OPTION = re.compile(r"(?:[-－]{2}|[—–―])(?P<name>[A-Za-zａ-ｚＡ-Ｚ]*)(?=\s|$)")
"""Two hyphens, also in full width or as the dash that a keyboard makes of them."""

_SCOPES: dict[str, FactScope] = {"global": "global", "project": "project"}


class BadMemoryCommand(HaimaError):  # noqa: N818
    """The command can't be carried out as it was typed."""

    code = "usage"


@dataclass(frozen=True, slots=True)
class SaveCommand:
    """A fact to save.

    Attributes:
        text: the fact; line breaks stay.
        scope: where it shall hold; None: as usual.
        force: beside whatever it contradicts.
    """

    text: str
    scope: FactScope | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class MemoryCommand:
    """Something to do with the memory.

    Attributes:
        action: what; `status` where nothing was named.
        ids: of facts, or their beginnings: `delete` and `verify` have some, `replace` has one.
        text: what to search for, or the new fact.
        scope: of `clear`; None: all that is visible here.
    """

    action: MemoryAction
    ids: tuple[str, ...] = ()
    text: str = ""
    scope: FactScope | None = None


def parse_save(argument: str) -> SaveCommand:
    """What `/save` is to save.

    Options stand before the text; `--` alone ends them, for a text that begins with two hyphens.

    Raises:
        BadMemoryCommand: there is no text, an option is unknown, or two exclude each other.
    """
    options, text = _options(argument, ("global", "project", "force"), "/save")
    if not text:
        raise BadMemoryCommand("memory_command.save_empty")
    return SaveCommand(text, _scope(options), "force" in options)


def parse_memory(argument: str) -> MemoryCommand:
    """What `/memory` is to do.

    Raises:
        BadMemoryCommand: no such action, or one that lacks something or has too much.
    """
    first, _, rest = argument.strip().partition(_space(argument.strip()))
    rest = rest.strip()
    if not first:
        return MemoryCommand("status")
    name = unicodedata.normalize("NFKC", first).casefold()
    match name:
        case "list":
            _nothing_more(name, rest)
            return MemoryCommand("list")
        case "search":
            return MemoryCommand("search", text=_needed(name, rest))
        case "delete" | "verify":
            ids = tuple(dict.fromkeys(re.split(r"[\s,，、]+", _needed(name, rest).strip(",，、"))))
            return MemoryCommand("delete" if name == "delete" else "verify", ids)
        case "replace":
            one, _, text = _needed(name, rest).partition(_space(rest))
            if not text.strip():
                raise BadMemoryCommand("memory_command.needs", usage=_usage(name))
            return MemoryCommand("replace", (one,), text.strip())
        case "clear":
            options, more = _options(rest, ("global", "project"), "/memory clear")
            _nothing_more(name, more)
            return MemoryCommand("clear", scope=_scope(options))
    near = get_close_matches(name, _TYPED, n=1, cutoff=0.6)
    if near:
        raise BadMemoryCommand("memory_command.unknown_near", given=first, near=near[0])
    raise BadMemoryCommand("memory_command.unknown", given=first, names=", ".join(_TYPED))


_USAGES = {
    "list": "/memory list",
    "search": "/memory search WORDS",
    "delete": "/memory delete ID…",
    "verify": "/memory verify ID…",
    "replace": "/memory replace ID TEXT",
    "clear": "/memory clear [--global|--project]",
}


def _usage(name: str) -> str:
    return _USAGES[name]


def _needed(name: str, rest: str) -> str:
    if not rest.strip(",，、 "):
        raise BadMemoryCommand("memory_command.needs", usage=_usage(name))
    return rest


def _nothing_more(name: str, rest: str) -> None:
    if rest:
        raise BadMemoryCommand("memory_command.too_much", given=rest, usage=_usage(name))


def _options(argument: str, known: tuple[str, ...], command: str) -> tuple[set[str], str]:
    """The options in front, and the rest."""
    found: set[str] = set()
    rest = argument.strip()
    while match := _OPTION.match(rest):
        name = unicodedata.normalize("NFKC", match["name"]).casefold()
        if not name and match[0] in "—–―":  # a text that begins with a dash
            break
        rest = rest[match.end() :].strip()
        if not name:
            break
        if name not in known:
            options = " ".join(f"--{one}" for one in known)
            raise BadMemoryCommand(
                "memory_command.option", given=match[0], command=command, options=options
            )
        found.add(name)
    return found, rest


def _scope(options: set[str]) -> FactScope | None:
    scopes = [scope for name, scope in _SCOPES.items() if name in options]
    if len(scopes) > 1:
        raise BadMemoryCommand("memory_command.both_scopes")
    return scopes[0] if scopes else None


def _space(text: str) -> str:
    """The first blank of a text; one that isn't in it where it has none."""
    return next((one for one in text if one.isspace()), "\n")
