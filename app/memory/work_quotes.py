"""Where quotes, brackets and heredocs of a shell command end, one inside the other.

`git commit -m "$(cat <<'EOF' … say "x" … EOF)"` is one word: the quotes in its text close nothing.
"""

import re

_MARK = re.compile(
    r"\\[\s\S]|'|\"|\$?\(|\)"
    r"|<<(?!<)(?P<tabs>-?)[ \t]*(?P<quote>['\"]?)(?P<delimiter>[\w.-]+)(?P=quote)"
    r"|(?<=\s)#[^\n]*|\n"
)


def behind(text: str, at: int, closing: str) -> int:
    """The place behind what closes a quote or a bracket; 0 where nothing does. Linear.

    Args:
        text: a command.
        at: behind what opened it.
        closing: `"` or `)`.
    """
    open_ones = [closing]
    bodies: list[tuple[str, bool]] = []
    while (found := _MARK.search(text, at)) is not None:
        mark, at = found[0], found.end()
        if open_ones[-1] == '"':
            if mark[0] in {"#", "<"} and '"' in mark:
                at = found.start() + mark.index('"')  # nothing but a text: its quote counts
            elif mark == "$(":
                open_ones.append(")")
            elif mark == '"':
                open_ones.pop()
        elif mark == "'":
            at = text.find("'", at) + 1
            if not at:
                return 0
        elif mark in {'"', "(", "$("}:
            open_ones.append('"' if mark == '"' else ")")
        elif mark == ")":
            open_ones.pop()
        elif mark.startswith("<<"):
            bodies.append((found["delimiter"], bool(found["tabs"])))
        elif mark == "\n":
            for delimiter, tabbed in bodies:
                _, at = body_end(text, at, delimiter, tabbed=tabbed)
            bodies.clear()
        if not open_ones:
            return at
    return 0


def body_end(text: str, start: int, delimiter: str, *, tabbed: bool) -> tuple[int, int]:
    """Where a heredoc's text ends, and the place behind the line that ends it.

    Args:
        text: a command.
        start: where its first line begins.
        delimiter: its last line.
        tabbed: tabs may stand before it (`<<-`).
    """
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].rstrip("\r")
        if (line.lstrip("\t") if tabbed else line) == delimiter:
            return at, min(end + 1, len(text))
        at = end + 1
    return len(text), len(text)
