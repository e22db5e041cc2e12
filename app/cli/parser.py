"""An argument parser in the user's language that raises instead of printing errors."""

import argparse
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from app.cli.wrap import wrap

if TYPE_CHECKING:
    from app.text import Words

_MISSING = "the following arguments are required"


class UsageError(Exception):
    """The arguments are wrong; its text is the sentence."""


class NoCommand(UsageError):  # noqa: N818
    """A word stands where a command belongs, and is none.

    Attributes:
        word: the word.
    """

    def __init__(self, word: str, sentence: str) -> None:
        super().__init__(sentence)
        self.word = word


class Parser(argparse.ArgumentParser):
    """A parser for `haima`, or for one of its commands."""

    def __init__(self, *, words: "Words", **settings: Any) -> None:
        super().__init__(
            add_help=False,
            allow_abbrev=False,
            formatter_class=partial(_Formatter, words=words),
            **settings,
        )
        self._words = words

    @property
    def options(self) -> Collection[str]:
        """The options it knows, as they are written."""
        return self._option_string_actions.keys()

    def error(self, message: str) -> NoReturn:
        """Raises; argparse's English becomes our own words where it is more than a value's name."""
        words = self._words
        argument, colon, problem = message.removeprefix("argument ").partition(": ")
        if colon and argument == _MISSING:
            raise UsageError(words("cli.missing", argument=problem, command=self.prog))
        if colon and "expected" in problem:
            raise UsageError(words("cli.needs_value", option=argument))
        if colon and "ignored explicit argument" in problem:
            raise UsageError(words("cli.takes_no_value", option=argument))
        if colon and (found := re.match(r"invalid choice: '(.*?)'", problem)):
            if self.prog == "haima":
                raise NoCommand(found[1], words("cli.no_command", word=found[1]))
            raise UsageError(words("cli.no_action", word=found[1], command=self.prog))
        raise UsageError(problem or message)


class CommandParser(Parser):
    """A command's parser, which is made when something is asked of it.

    There are two dozen, and a start needs one or two: making all of them took longer than all else
    that a command without a session does.
    """

    def __init__(self, *, words: "Words", **settings: Any) -> None:
        self._waiting: dict[str, Any] | None = {"words": words, **settings}
        self._fills: list[Callable[[], None]] = []

    def fill_with(self, fill: Callable[[], None]) -> None:
        """Notes what adds its arguments, once it is made."""
        self._fills.append(fill)

    def __getattr__(self, name: str) -> Any:
        """Makes it: nothing that argparse's own beginning sets is there before."""
        waiting = vars(self).get("_waiting")
        if waiting is None:
            raise AttributeError(name)
        self._waiting = None
        super().__init__(**waiting)
        for fill in self._fills:
            fill()
        return getattr(self, name)


def parser_class(words: "Words") -> type[CommandParser]:
    """The class of the parsers of commands, which argparse makes itself."""

    class WithWords(CommandParser):
        def __init__(self, **settings: Any) -> None:
            super().__init__(words=words, **settings)

    return WithWords


class _Formatter(argparse.HelpFormatter):
    """Help in the user's language."""

    def __init__(self, prog: str, *, words: "Words") -> None:
        columns = shutil.get_terminal_size().columns
        super().__init__(prog, max_help_position=26, width=max(40, columns - 5))
        self._usage = words("cli.usage")

    # argparse counts characters, and a Chinese one takes two cells.

    def _split_lines(self, text: str, width: int) -> list[str]:
        return list(wrap(text, width))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in wrap(text, width))

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """The usage line begins in the user's language."""
        super().add_usage(usage, actions, groups, prefix or self._usage)


def one_of(option: str, choices: Sequence[str], words: "Words") -> Callable[[str], str]:
    """A `type` for `add_argument`: one of a few words."""

    def check(text: str) -> str:
        if text not in choices:
            problem = words("cli.bad_choice", option=option, value=text, choices=", ".join(choices))
            raise argparse.ArgumentTypeError(problem)
        return text

    return check
