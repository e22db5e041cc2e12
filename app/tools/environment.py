"""The environment commands start from: the user's, without Haima's credentials."""

from collections.abc import Iterable, Mapping

_KEY_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def command_environment(environ: Mapping[str, str], credentials: Iterable[str]) -> dict[str, str]:
    """What a command may know (DESIGN 4, Trust).

    Left out are `OPENAI_API_KEY`, Haima's own variables that hold a key, and whatever other
    variable has a known credential as its value.
    """
    known = frozenset(credentials)
    return {
        name: value
        for name, value in environ.items()
        if name != "OPENAI_API_KEY" and not _is_ours(name) and value.strip() not in known
    }


def _is_ours(name: str) -> bool:
    upper = name.upper()
    return upper.startswith("HAIMA_") and any(word in upper for word in _KEY_WORDS)
