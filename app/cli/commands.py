"""The commands and their options (DESIGN 5)."""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from app.cli.memory_options import ACTIONS as MEMORY_ACTIONS
from app.cli.memory_options import add_memory, check_memory
from app.cli.parser import CommandParser, NoCommand, Parser, UsageError, one_of, parser_class

if TYPE_CHECKING:
    from app.text import Key, Words

ALLOWANCES = ("none", "read", "write", "all")
FORMATS = ("md", "json", "openai")

POLICIES = (
    "haima",
    "no-worklog",
    "clear-only",
    "summarise-80",
    "keep-10-turns-at-70",
    "head-tail-at-85",
    "truncate",
    "none",
)
"""`replay.policy.POLICIES`, which is slow to import; a test holds them together."""

_ACTIONS = ("list", "show", "export", "delete", "restore", "prune")


def parse(arguments: Sequence[str], words: "Words") -> Namespace:
    """What the arguments ask for.

    Raises:
        UsageError: they can't be understood.
        SystemExit: help was asked for and printed.
    """
    parser = _Grammar(words).parser
    try:
        options, rest = parser.parse_known_args(arguments)
    except NoCommand as error:
        if option := _option_before(error.word, arguments, parser.options):
            raise UsageError(words("cli.unknown", argument=option)) from error
        raise
    if rest:
        raise UsageError(words("cli.unknown", argument=rest[0]))
    if not options.version:
        _check(options, words)
    return options


def _option_before(word: str, arguments: Sequence[str], known: Collection[str]) -> str:
    """The unknown option whose value a word was meant to be (`--mode plan`); "" for none."""
    at = list(arguments).index(word) if word in arguments else 0
    option = arguments[at - 1].partition("=")[0] if at else ""
    return option if option.startswith("--") and option not in known else ""


def _check(options: Namespace, words: "Words") -> None:
    """What argparse can't know of options that go together.

    Raises:
        UsageError: they don't.
    """
    begins = [name for name, value in _starts(options) if value]
    if begins and options.command not in {None, "run"}:
        raise UsageError(words("cli.start_not_here", option=begins[0], command=options.command))
    if len(begins) > 1:
        raise UsageError(words("cli.start_twice", first=begins[0], second=begins[1]))
    if options.command == "run":
        if options.lines and options.prompt is not None:
            raise UsageError(words("cli.lines_or_prompt"))
        if not options.lines and options.prompt is None:
            raise UsageError(words("headless.no_prompt"))
    if options.command == "sessions":
        if options.action is None:
            actions = ", ".join(_ACTIONS)
            raise UsageError(words("cli.needs_action", command="sessions", actions=actions))
        if options.action == "export" and options.json and options.format not in {None, "json"}:
            raise UsageError(words("cli.start_twice", first="--json", second="--format"))
    if options.command == "memory":
        check_memory(options, words)
    if options.command == "doctor" and options.rebuild and options.memory:
        raise UsageError(words("cli.start_twice", first="--rebuild", second="--memory"))


def _starts(options: Namespace) -> tuple[tuple[str, object], ...]:
    return (
        ("--resume", options.resume),
        ("--continue", options.continue_),
        ("--fork", options.fork),
    )


class _Grammar:
    """Builds the parser."""

    def __init__(self, words: "Words") -> None:
        self._words = words
        self.parser = Parser(words=words, prog="haima", description=words("cli.about"))
        self._common(self.parser, first=True)
        self._commands = self.parser.add_subparsers(
            dest="command",
            title=words("cli.commands"),
            metavar="[run|memory|sessions|replay|usage|thresholds|doctor]",
            parser_class=parser_class(words),
            prog="haima",
        )
        self._run()
        self._memory()
        self._sessions()
        self._replay()
        usage = self._command("usage", "cli.usage_here", "cli.about_usage")
        usage("--json", action="store_true", help=words("cli.json_usage"))
        marks = self._command("thresholds", "cli.thresholds", "cli.about_thresholds")
        marks("--json", action="store_true", help=words("cli.json_marks"))
        doctor = self._command("doctor", "cli.doctor", "cli.about_doctor")
        doctor("--rebuild", action="store_true", help=words("cli.rebuild"))
        doctor("--memory", action="store_true", help=words("cli.doctor_memory"))
        doctor("--json", action="store_true", help=words("cli.json_records"))

    def _run(self) -> None:
        words = self._words
        add = self._command("run", "cli.run", "cli.about_run", starts=True)
        add("prompt", nargs="?", metavar="PROMPT", help=words("cli.prompt"))
        add("--lines", action="store_true", help=words("cli.lines"))
        allowance = one_of("--allow", ALLOWANCES, words)
        add("--allow", type=allowance, default="read", metavar="WHAT", help=words("cli.allow"))
        add("--json", action="store_true", help=words("cli.json"))

    def _memory(self) -> None:
        words = self._words
        about, more = words("cli.memory"), words("cli.about_memory")
        self._group("memory", about, more, MEMORY_ACTIONS, partial(add_memory, words=words))

    def _group(
        self,
        name: str,
        about: str,
        more: str,
        names: Sequence[str],
        add: Callable[["_Command"], None],
    ) -> None:
        """A command with commands of its own, which `add` adds with what it is given."""
        words = self._words
        group = self._commands.add_parser(name, help=about, description=more)

        def fill() -> None:
            actions = group.add_subparsers(
                dest="action",
                title=words("cli.commands"),
                metavar=f"[{'|'.join(names)}]",
                parser_class=parser_class(words),
                prog=f"haima {name}",
            )
            self._common(group)
            add(partial(self._command, make=actions.add_parser))

        group.fill_with(fill)

    def _sessions(self) -> None:
        words = self._words
        about, more = words("cli.sessions"), words("cli.about_sessions")
        self._group("sessions", about, more, _ACTIONS, self._session_commands)

    def _session_commands(self, command: "_Command") -> None:
        words = self._words
        add = command("list", "cli.sessions_list", "cli.about_list")
        add("--all", action="store_true", help=words("cli.all"))
        add("--deleted", action="store_true", help=words("cli.deleted"))
        self._json(add)
        add = command("show", "cli.sessions_show", "cli.about_show")
        self._id(add)
        add("--all", action="store_true", help=words("cli.undone"))
        self._json(add)
        add = command("export", "cli.sessions_export", "cli.about_export")
        self._id(add)
        formats = one_of("--format", FORMATS, words)
        add("--format", type=formats, metavar="NAME", help=words("cli.format"))
        add("--raw", action="store_true", help=words("cli.raw"))
        add("-o", "--output", metavar="FILE", help=words("cli.output"))
        add("--json", action="store_true", help=words("cli.json_export"))
        add = command("delete", "cli.sessions_delete", "cli.about_delete")
        self._id(add)
        self._json(add)
        add = command("restore", "cli.sessions_restore", "cli.about_restore")
        self._id(add)
        self._json(add)
        add = command("prune", "cli.sessions_prune", "cli.about_prune")
        add("--older-than", required=True, metavar="D", help=words("cli.older_than"))
        add("--dry-run", action="store_true", help=words("cli.dry_run"))
        self._json(add)

    def _replay(self) -> None:
        words = self._words
        add = self._command("replay", "cli.replay", "cli.about_replay")
        add("recordings", nargs="+", metavar="FILE|ID", help=words("cli.replay_files"))
        policies = words("cli.replay_policy", policies=", ".join(POLICIES))
        policy = one_of("--policy", POLICIES, words)
        add("--policy", type=policy, metavar="NAME", help=policies)
        compare = one_of("--compare", POLICIES, words)
        add(
            "--compare",
            type=compare,
            nargs="+",
            action="extend",
            metavar="NAME",
            help=words("cli.replay_compare"),
        )
        add("--suggest", action="store_true", help=words("cli.replay_suggest"))
        add("--json", action="store_true", help=words("cli.json_replay"))

    def _json(self, add: "_Add") -> None:
        add("--json", action="store_true", help=self._words("cli.json_sessions"))

    def _id(self, add: "_Add") -> None:
        add("id", type=self._node, metavar="ID", help=self._words("cli.session_id"))

    def _command(
        self,
        name: str,
        about: "Key",
        more: "Key",
        *,
        make: Callable[..., CommandParser] | None = None,
        starts: bool = False,
    ) -> "_Add":
        """A command; gives what adds its own arguments."""
        words = self._words
        parser = (make or self._commands.add_parser)(
            name, help=words(about), description=words(more)
        )
        own: list[tuple[tuple[str, ...], dict[str, Any]]] = []

        def fill() -> None:
            group = parser.add_argument_group(words("cli.options"))
            if starts:
                self._starts(parser, SUPPRESS)
            self._common(parser)
            for names, settings in own:
                group.add_argument(*names, **settings)

        def add(*names: str, **settings: Any) -> None:
            own.append((names, settings))

        parser.fill_with(fill)
        return add

    def _common(self, parser: ArgumentParser, *, first: bool = False) -> None:
        """The options that every command takes; behind a command they don't undo those before."""
        words = self._words
        if first:
            self._starts(parser, None)
        group = parser.add_argument_group(words("cli.common"))
        for name, value, about in (
            ("--project", "DIR", words("cli.project")),
            ("--model", "NAME", words("cli.model")),
            ("--base-url", "URL", words("cli.base_url")),
            ("--window", "N", words("cli.window")),
            ("--lang", "en|zh", words("cli.lang")),
            ("--theme", "NAME", words("cli.theme")),
        ):
            group.add_argument(name, metavar=value, default=None if first else SUPPRESS, help=about)
        flag = False if first else SUPPRESS
        group.add_argument("--demo", action="store_true", default=flag, help=words("cli.demo"))
        group.add_argument(
            "-V", "--version", action="store_true", default=flag, help=words("cli.version")
        )
        group.add_argument("-h", "--help", action="help", help=words("cli.help"))

    def _starts(self, parser: ArgumentParser, default: str | None) -> None:
        """Where the conversation begins."""
        words = self._words
        group = parser.add_argument_group(words("cli.start"))
        group.add_argument(
            "--resume", type=self._node, metavar="ID", default=default, help=words("cli.resume")
        )
        group.add_argument(
            "--continue",
            dest="continue_",
            action="store_true",
            default=default or False,
            help=words("cli.continue"),
        )
        group.add_argument(
            "--fork",
            type=self._fork_point,
            metavar="ID[:MESSAGE]",
            default=default,
            help=words("cli.fork"),
        )

    def _node(self, text: str) -> str:
        """The beginning of an id, perhaps written `#7f3a` as on the screen."""
        found = text.strip().removeprefix("#")
        if not found:
            raise ArgumentTypeError(self._words("cli.empty_id"))
        return found

    def _fork_point(self, text: str) -> str:
        """`ID` or `ID:MESSAGE`."""
        node, colon, message = text.partition(":")
        return f"{self._node(node)}:{self._node(message)}" if colon else self._node(node)


_Add = Callable[..., object]
_Command = Callable[[str, "Key", "Key"], _Add]
