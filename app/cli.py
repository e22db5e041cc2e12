"""The command line: `haima`, `haima run`, `haima thresholds`, `haima doctor`.

Nothing heavy is imported before it is needed: `--version` and a usage error cost a bare Python, and
only the screen imports textual. Whatever goes wrong is one sentence on stderr, never a traceback.
"""

import argparse
import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from app.paths import Paths
    from app.project import Project
    from app.session.launch import Launch
    from app.text import Language, Words

OK, FAILED, USAGE, CANCELLED = 0, 1, 2, 130
"""Exit codes (DESIGN 5)."""

_ALLOWANCES = ("none", "read", "write", "all")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs Haima.

    Args:
        argv: the arguments; None: the process's own.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage or settings, 130 cancelled.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _Cli(arguments, os.environ).run()
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:  # the reader of our output went away: `haima --help | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


class _UsageError(Exception):
    """The arguments are wrong; its text is the sentence."""


class _Cli:
    """One run of the command line."""

    def __init__(self, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
        from app.text import Words

        self._arguments = arguments
        self._environ = environ
        self._paths: Paths | None = None
        self._mask: Callable[[str], str] = str
        self._words: Words = Words(_language(arguments, environ))

    def run(self) -> int:
        """Does what the arguments say; every failure is one sentence."""
        try:
            options = _parse(self._arguments, self._words)
        except _UsageError as error:
            return self._fail(str(error), USAGE)
        except SystemExit as help_was_printed:
            return int(help_was_printed.code or OK)
        if options.version:
            from app.session.about import haima_version

            print(f"haima {haima_version()}")
            return OK
        from app.errors import HaimaError

        try:
            return self._dispatch(options)
        except HaimaError as error:
            from app.config import ConfigError
            from app.paths import PathsError
            from app.project import ProjectError
            from app.session.endpoint import NotConnected

            usage = isinstance(error, ConfigError | PathsError | ProjectError | NotConnected)
            code = USAGE if usage or error.code == "usage" else FAILED
            return self._fail(error.sentence(self._words), code)
        except Exception as error:
            return self._fault(error)

    def _dispatch(self, options: argparse.Namespace) -> int:
        from app.paths import Paths, haima_home
        from app.project import Project, find_project_root

        paths = self._paths = Paths(haima_home(self._environ))
        root = _folder(options.project) if options.project else find_project_root(Path.cwd())
        flags = {
            "model.name": options.model,
            "model.base_url": options.base_url,
            "model.window": options.window,
            "ui.language": options.lang,
            "ui.theme": options.theme,
        }
        if options.command == "doctor":
            return self._doctor(paths, Project(root), flags, as_json=options.json)
        if options.command == "thresholds":
            return self._thresholds(paths, Project(root), flags, as_json=options.json)
        prepare = partial(self._launch, paths, Project(root), flags, demo=options.demo)
        if options.command == "run":
            from app.headless import RunOptions, run_headless

            asked = RunOptions(
                prompt=options.prompt,
                lines=options.lines,
                allowance=options.allow,
                json=options.json,
            )
            return run_headless(prepare(), asked)
        if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
            return self._fail(self._words("cli.no_terminal"), USAGE)
        from app.workbench import run_workbench

        # The settings are read once something stands on the screen.
        return run_workbench(prepare, words=self._words, theme=options.theme or "auto")

    def _launch(
        self, paths: "Paths", project: "Project", flags: Mapping[str, str | None], *, demo: bool
    ) -> "Launch":
        """What is known before anything starts; warnings go to the log from here on.

        Raises:
            ConfigError: a wrong setting.
        """
        from app.config import load_settings
        from app.session.launch import Launch
        from app.session.logs import start_log
        from app.text import Words

        settings = load_settings(
            environ=self._environ, paths=paths, project_root=project.root, flags=flags
        )
        if settings.ui.language is not None:
            self._words = Words(settings.ui.language)
        self._mask = settings.mask
        start_log(paths, settings.mask)
        return Launch(
            settings=settings,
            project=project,
            paths=paths,
            words=self._words,
            environ=dict(self._environ),
            demo=demo,
        )

    def _doctor(
        self, paths: "Paths", project: "Project", flags: Mapping[str, str | None], *, as_json: bool
    ) -> int:
        """Prints the report; 1 where something doesn't work. Wrong settings are a finding."""
        import asyncio
        import json

        from app.session.doctor import TerminalFacts, run_checks

        columns, rows = shutil.get_terminal_size((100, 24))
        report = asyncio.run(
            run_checks(
                environ=self._environ,
                paths=paths,
                project=project,
                words=self._words,
                flags=flags,
                facts=TerminalFacts(columns, rows) if sys.stdout.isatty() else None,
            )
        )
        if as_json:
            text = "".join(f"{json.dumps(record)}\n" for record in report.records())
        else:
            ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")
            text = report.text(self._words, width=columns, ascii_only=ascii_only)
        self._print(text)
        return FAILED if report.failed else OK

    def _thresholds(
        self, paths: "Paths", project: "Project", flags: Mapping[str, str | None], *, as_json: bool
    ) -> int:
        """Prints the marks of the window asked for, or in use beside the four usual ones.

        Raises:
            ConfigError: a wrong setting.
        """
        import json

        from app.session.marks import MarksReport

        settings = self._launch(paths, project, flags, demo=False).settings
        report = MarksReport(settings, settings.model.window if flags["model.window"] else None)
        if as_json:
            self._print("".join(f"{json.dumps(record)}\n" for record in report.records()))
        else:
            self._print(report.text(self._words))
        return OK

    def _print(self, text: str) -> None:
        """Writes to standard output, whatever its encoding."""
        sys.stdout.buffer.write(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()

    def _fail(self, sentence: str, code: int) -> int:
        """Says what went wrong, in one line."""
        from app.boundary import visible

        line = self._mask(" ".join(f"haima: {sentence}".split()))
        sys.stderr.buffer.write(visible(line).encode("utf-8", "backslashreplace") + b"\n")
        sys.stderr.buffer.flush()
        return code

    def _fault(self, error: Exception) -> int:
        """A fault of the program: the traceback goes to the log, a sentence to the user."""
        logging.getLogger("app.cli").error("unexpected", exc_info=error)
        problem = f"{type(error).__name__}: {error}"
        log = self._paths.log_file if self._paths else "—"
        return self._fail(self._words("cli.fault", problem=problem, log=log), FAILED)


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing errors."""

    def __init__(self, *, words: "Words", **settings: Any) -> None:
        super().__init__(
            add_help=False,
            allow_abbrev=False,
            formatter_class=partial(_Formatter, words=words),
            **settings,
        )
        self._words = words

    def error(self, message: str) -> NoReturn:
        """Raises; argparse's English becomes our own words where it is more than a value's name."""
        words = self._words
        argument, colon, problem = message.removeprefix("argument ").partition(": ")
        if colon and "expected" in problem:
            raise _UsageError(words("cli.needs_value", option=argument))
        if colon and "ignored explicit argument" in problem:
            raise _UsageError(words("cli.takes_no_value", option=argument))
        if colon and (found := re.match(r"invalid choice: '(.*?)'", problem)):
            raise _UsageError(words("cli.no_command", word=found[1]))
        raise _UsageError(problem or message)


class _Formatter(argparse.HelpFormatter):
    """Help in the user's language."""

    def __init__(self, prog: str, *, words: "Words") -> None:
        # argparse counts characters, a Chinese one takes two cells: the margin is for those.
        columns = shutil.get_terminal_size().columns
        super().__init__(prog, max_help_position=26, width=max(40, columns - 6))
        self._usage = words("cli.usage")

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """The usage line begins in the user's language."""
        super().add_usage(usage, actions, groups, prefix or self._usage)


def _parse(arguments: Sequence[str], words: "Words") -> argparse.Namespace:
    """What the arguments ask for.

    Raises:
        _UsageError: they can't be understood.
        SystemExit: help was asked for and printed.
    """
    options, rest = _parser(words).parse_known_args(arguments)
    if rest:
        raise _UsageError(words("cli.unknown", argument=rest[0]))
    if options.command == "run" and not options.version:
        if options.lines and options.prompt is not None:
            raise _UsageError(words("cli.lines_or_prompt"))
        if not options.lines and options.prompt is None:
            raise _UsageError(words("headless.no_prompt"))
    return options


def _parser(words: "Words") -> _Parser:
    def allowance(text: str) -> str:
        if text not in _ALLOWANCES:
            choices = ", ".join(_ALLOWANCES)
            problem = words("cli.bad_choice", option="--allow", value=text, choices=choices)
            raise argparse.ArgumentTypeError(problem)
        return text

    class Parser(_Parser):
        def __init__(self, **settings: Any) -> None:
            super().__init__(words=words, **settings)

    parser = Parser(prog="haima", description=words("cli.about"))
    _common(parser, words, default=None)
    commands = parser.add_subparsers(
        dest="command",
        title=words("cli.commands"),
        metavar="[run|thresholds|doctor]",
        parser_class=Parser,
        prog="haima",
    )
    about_run = words("cli.run")
    run = commands.add_parser("run", help=about_run, description=words("cli.about_run"))
    group = run.add_argument_group(words("cli.options"))
    group.add_argument("prompt", nargs="?", metavar="PROMPT", help=words("cli.prompt"))
    group.add_argument("--lines", action="store_true", help=words("cli.lines"))
    group.add_argument(
        "--allow", type=allowance, default="read", metavar="WHAT", help=words("cli.allow")
    )
    group.add_argument("--json", action="store_true", help=words("cli.json"))
    _common(run, words, default=argparse.SUPPRESS)
    marks = commands.add_parser(
        "thresholds", help=words("cli.thresholds"), description=words("cli.about_thresholds")
    )
    group = marks.add_argument_group(words("cli.options"))
    group.add_argument("--json", action="store_true", help=words("cli.json_marks"))
    _common(marks, words, default=argparse.SUPPRESS)
    doctor = commands.add_parser(
        "doctor", help=words("cli.doctor"), description=words("cli.about_doctor")
    )
    group = doctor.add_argument_group(words("cli.options"))
    group.add_argument("--json", action="store_true", help=words("cli.json_records"))
    _common(doctor, words, default=argparse.SUPPRESS)
    return parser


def _common(parser: argparse.ArgumentParser, words: "Words", *, default: str | None) -> None:
    """The options that every command takes; behind a command they don't undo those before it."""
    group = parser.add_argument_group(words("cli.common"))
    for name, value, about in (
        ("--project", "DIR", words("cli.project")),
        ("--model", "NAME", words("cli.model")),
        ("--base-url", "URL", words("cli.base_url")),
        ("--window", "N", words("cli.window")),
        ("--lang", "en|zh", words("cli.lang")),
        ("--theme", "NAME", words("cli.theme")),
    ):
        group.add_argument(name, metavar=value, default=default, help=about)
    flag = False if default is None else default
    group.add_argument("--demo", action="store_true", default=flag, help=words("cli.demo"))
    group.add_argument(
        "-V", "--version", action="store_true", default=flag, help=words("cli.version")
    )
    group.add_argument("-h", "--help", action="help", help=words("cli.help"))


def _folder(text: str) -> Path:
    """The folder `--project` names.

    Raises:
        ProjectError: it is none.
    """
    from app.project import ProjectError

    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise ProjectError("cli.no_folder", path=text)
    return folder


def _language(arguments: Sequence[str], environ: Mapping[str, str]) -> "Language":
    """The language before the settings are read: of help and of what is wrong with them."""
    from app.text import LANGUAGES, preferred_language

    asked = [a.partition("=")[2] for a in arguments if a.startswith("--lang=")]
    asked += [b for a, b in pairwise(arguments) if a == "--lang"]
    asked += [environ.get("HAIMA_UI__LANGUAGE", ""), environ.get("HAIMA_LANG", "")]
    asked.append(_configured_language(environ))
    for language in asked:
        if language in LANGUAGES:
            return language
    return preferred_language(environ)


def _configured_language(environ: Mapping[str, str]) -> str:
    """`ui.language` of the user file; "" where there is none or the file can't be read."""
    import tomllib

    from app.errors import HaimaError
    from app.paths import Paths, haima_home

    try:
        with Paths(haima_home(environ)).config_file.open("rb") as file:
            return str(tomllib.load(file)["ui"]["language"])
    except (OSError, ValueError, KeyError, TypeError, HaimaError):
        return ""
