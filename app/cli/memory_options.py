"""The commands of `haima memory` and their options (DESIGN 5)."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from app.cli.parser import UsageError, one_of

if TYPE_CHECKING:
    from app.text import Key, Words

ACTIONS = (
    "list", "search", "add", "verify", "replace", "delete", "restore", "clear", "export", "import",
    "inbox",
)  # fmt: skip

SCOPES = ("project", "global")

_DECISIONS = ("replace", "keep_both", "keep_existing")


class _Command(Protocol):
    """Makes a command and gives what adds its own arguments."""

    def __call__(self, name: str, about: "Key", more: "Key", /) -> Callable[..., object]:
        """The command of that name."""
        ...


def add_memory(command: _Command, words: "Words") -> None:
    """All commands."""

    def name(text: str) -> str:
        """The beginning of an id, perhaps written `#fact-1a2b`."""
        found = text.strip().removeprefix("#")
        if not found:
            raise ArgumentTypeError(words("cli.memory_empty_id"))
        return found

    def new(action: str, about: "Key", more: "Key") -> Callable[..., object]:
        add = command(action, about, more)
        add("--json", action="store_true", help=words("cli.json_memory"))
        return add

    def ids(add: Callable[..., object]) -> None:
        add("ids", type=name, nargs="+", metavar="ID", help=words("cli.memory_ids"))

    def text(add: Callable[..., object]) -> None:
        add("text", nargs="+", metavar="TEXT", help=words("cli.memory_text"))

    add = new("list", "cli.memory_list", "cli.about_memory_list")
    add("--all", action="store_true", help=words("cli.memory_all"))
    add = new("search", "cli.memory_search", "cli.about_memory_search")
    add("text", nargs="+", metavar="QUERY", help=words("cli.memory_query"))
    add = new("add", "cli.memory_add", "cli.about_memory_add")
    text(add)
    add("--global", dest="global_", action="store_true", help=words("cli.memory_global"))
    add("--force", action="store_true", help=words("cli.memory_force"))
    ids(new("verify", "cli.memory_verify", "cli.about_memory_verify"))
    add = new("replace", "cli.memory_replace", "cli.about_memory_replace")
    add("id", type=name, metavar="ID", help=words("cli.memory_id"))
    text(add)
    add("--force", action="store_true", help=words("cli.memory_force"))
    add = new("delete", "cli.memory_delete", "cli.about_memory_delete")
    ids(add)
    add("--everywhere", action="store_true", help=words("cli.memory_everywhere"))
    ids(new("restore", "cli.memory_restore", "cli.about_memory_restore"))
    add = new("clear", "cli.memory_clear", "cli.about_memory_clear")
    scopes = one_of("--scope", SCOPES, words)
    add("--scope", type=scopes, metavar="|".join(SCOPES), help=words("cli.memory_scope"))
    add = new("export", "cli.memory_export", "cli.about_memory_export")
    add("--all", action="store_true", help=words("cli.memory_all"))
    add = new("import", "cli.memory_import", "cli.about_memory_import")
    add("file", metavar="FILE", help=words("cli.memory_file"))
    add("--global", dest="global_", action="store_true", help=words("cli.memory_global"))
    add = new("inbox", "cli.memory_inbox", "cli.about_memory_inbox")
    for decision, about in (
        ("--replace", words("cli.inbox_replace")),
        ("--keep-both", words("cli.inbox_keep_both")),
        ("--keep-existing", words("cli.inbox_keep_existing")),
    ):
        add(decision, type=name, metavar="N|ID", help=about)


def check_memory(options: Namespace, words: "Words") -> None:
    """What argparse can't know.

    Raises:
        UsageError: no action, a blank text, or two decisions at once.
    """
    if options.action is None:
        actions = ", ".join(ACTIONS)
        raise UsageError(words("cli.needs_action", command="memory", actions=actions))
    if options.action in {"add", "replace", "search"} and not text_of(options):
        raise UsageError(words("cli.memory_blank"))
    if options.action == "inbox" and len(given := decisions(options)) > 1:
        first, second = (f"--{decision.replace('_', '-')}" for decision, _ in given[:2])
        raise UsageError(words("cli.start_twice", first=first, second=second))


def text_of(options: Namespace) -> str:
    """The text that was given, in one or more arguments."""
    return " ".join(options.text).strip()


def decisions(options: Namespace) -> list[tuple[str, str]]:
    """What shall be decided, `replace`, `keep_both` or `keep_existing`, and about whom."""
    return [(one, name) for one in _DECISIONS if (name := getattr(options, one))]
