"""The language before the settings are read: of help and of what is wrong with them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from app.text import LANGUAGES, Language, preferred_language


def language(arguments: Sequence[str], environ: Mapping[str, str]) -> Language:
    """The language asked for in arguments, environment or user file, else that of the locale."""
    asked = [a.partition("=")[2] for a in arguments if a.startswith("--lang=")]
    asked += [b for a, b in pairwise(arguments) if a == "--lang"]
    asked += [environ.get("HAIMA_UI__LANGUAGE", ""), environ.get("HAIMA_LANG", "")]
    asked.append(_configured(environ))
    for name in asked:
        if name in LANGUAGES:
            return name
    return preferred_language(environ)


def _configured(environ: Mapping[str, str]) -> str:
    """`ui.language` of the user file; "" where there is none or the file can't be read."""
    import tomllib

    from app.errors import HaimaError
    from app.paths import Paths, haima_home

    try:
        with Paths(haima_home(environ)).config_file.open("rb") as file:
            return str(tomllib.load(file)["ui"]["language"])
    except (OSError, ValueError, KeyError, TypeError, HaimaError):
        return ""
