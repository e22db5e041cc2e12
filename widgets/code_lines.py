"""Code with calm colours: keywords and strings in the code colour, comments quiet, the rest plain.

Few tokens only (STYLE 2): code is read, not decorated.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import string_to_tokentype  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]
from rich.style import Style

from widgets.palette import Palette, Token
from widgets.spans import Span

MOST_CHARACTERS = 100_000
"""Longer code stays plain: colouring it takes over a third of a second (LIBRARIES, Markdown)."""

_COLOURS: Mapping[str, tuple[Token, bool]] = {
    "Token.Keyword": ("code", True),
    "Token.Keyword.Constant": ("code", False),
    "Token.Name.Tag": ("code", True),
    "Token.Name.Attribute": ("text2", False),
    "Token.Name.Decorator": ("text2", False),
    "Token.Name.Class": ("text", True),
    "Token.Name.Function": ("text", True),
    "Token.Name.Builtin": ("code", False),
    "Token.Operator.Word": ("code", True),
    "Token.Literal.String": ("code", False),
    "Token.Comment": ("text3", False),
    "Token.Generic.Deleted": ("danger", False),
    "Token.Generic.Inserted": ("ok", False),
    "Token.Generic.Heading": ("text", True),
    "Token.Generic.Subheading": ("text2", True),
    "Token.Generic.Prompt": ("text3", False),
    "Token.Generic.Output": ("text2", False),
}
"""Colour and weight of a kind of token; a kind not listed looks like its parent."""


class _Kind(Protocol):
    """A kind of token; pygments has no types of its own."""

    parent: "_Kind | None"

    def __hash__(self) -> int: ...


class _Lexer(Protocol):
    def get_tokens(self, text: str) -> Iterable[tuple[_Kind, str]]: ...


_BY_KIND: Mapping[_Kind, tuple[Token, bool]] = {
    string_to_tokentype(name): look for name, look in _COLOURS.items()
}


@lru_cache(maxsize=64)
def _lexer(language: str) -> _Lexer | None:
    try:
        lexer: _Lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None
    return lexer


@lru_cache(maxsize=256)
def _look(kind: _Kind) -> tuple[Token, bool]:
    known: _Kind | None = kind
    while known is not None:
        if known in _BY_KIND:
            return _BY_KIND[known]
        known = known.parent
    return "text", False


def code_lines(code: str, language: str, palette: Palette, on: Token) -> list[list[Span]]:
    """Code in colours, line by line; plain where the language isn't known.

    Args:
        code: without the newline at its end; the lexers get one, as some need it.
        language: as the fence says it: `py`, `java`, "".
        palette: colours.
        on: the surface behind it.
    """
    lines: list[list[Span]] = [[]]
    for text, style in _coloured(f"{code}\n", language.lower(), palette, on):
        first, *others = text.split("\n")
        if first:
            lines[-1].append((first, style))
        lines.extend([(other, style)] if other else [] for other in others)
    return lines[:-1]


def _coloured(code: str, language: str, palette: Palette, on: Token) -> Iterator[tuple[str, Style]]:
    lexer = _lexer(language) if language and len(code) <= MOST_CHARACTERS else None
    if lexer is None:
        yield code, palette.style("text", on)
        return
    kinds = ((_look(kind), text) for kind, text in lexer.get_tokens(code))
    for (token, bold), run in groupby(kinds, key=itemgetter(0)):
        yield "".join(text for _, text in run), palette.style(token, on, bold=bold)
