"""What a card or a list says of a call: the one argument worth showing."""

import json


def call_subject(tool: str, written: str) -> str:
    """The same as `Tool.subject`, for a call whose tool may be gone since.

    Args:
        tool: its name.
        written: the arguments as JSON text; "" comes of what is none.
    """
    try:
        arguments = json.loads(written)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    words = {name: value for name, value in arguments.items() if isinstance(value, str) and value}
    match tool:
        case "search_files":
            return "  ".join(words[name] for name in ("pattern", "path", "glob") if name in words)
        case "read_file" if "path" in words:
            return words["path"] + _lines(arguments.get("offset"), arguments.get("limit"))
        case "update_todo":
            return _next(arguments.get("todo"), arguments.get("done"))
        case _:
            first = next(iter(words.values()), "")
            return words.get("path") or words.get("command") or first


def _lines(offset: object, limit: object) -> str:
    """Which lines were asked for."""
    if not isinstance(offset, int) and not isinstance(limit, int):
        return ""
    first = max(1, offset) if isinstance(offset, int) else 1
    return f":{first}–{first + limit - 1 if isinstance(limit, int) and limit else ''}"


def _next(todo: object, done: object) -> str:
    """What comes next, or how many are done."""
    if isinstance(todo, list) and todo and isinstance(todo[0], str):
        return " ".join(todo[0].split())
    return f"{len(done)} ✓" if isinstance(done, list) and done else "0"
