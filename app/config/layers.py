"""Lays the settings over each other: defaults < user file < project file < environment < flags.

Each layer is checked alone, so that a wrong value is named with the place it stands in, also where
a higher layer hides it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from app.config.check import KEYS, Place, checked, flat, nested, unknown
from app.config.errors import ConfigError
from app.config.files import read_toml
from app.config.model import Settings
from app.paths import Paths, project_config

_SHORT = {
    "OPENAI_API_KEY": "model.api_key",
    "OPENAI_BASE_URL": "model.base_url",
    "HAIMA_MODEL": "model.name",
    "HAIMA_WINDOW": "model.window",
    "HAIMA_LANG": "ui.language",
}
"""Variables apart from `HAIMA_SECTION__KEY`, which wins over these."""

_OPTIONS = {
    "model.name": "--model",
    "model.base_url": "--base-url",
    "model.window": "--window",
    "ui.language": "--lang",
    "ui.theme": "--theme",
}

PROJECT_KEYS = frozenset(key for key in KEYS if key.startswith(("ui.", "compaction."))) | {
    "model.window",
    "tools.exclude",
}
"""What a project's own file may set (DESIGN 4, Trust)."""

_ALLOWED = "ui.*, compaction.*, model.window, tools.exclude"


@dataclass(frozen=True, slots=True)
class _Layer:
    """The values of one layer, checked and flat, and where each stands."""

    values: Mapping[str, object]
    place: Place


def load_settings(
    *,
    environ: Mapping[str, str],
    paths: Paths,
    project_root: Path | None = None,
    flags: Mapping[str, str | None] | None = None,
) -> Settings:
    """The settings that hold, after all layers.

    Args:
        environ: the environment: `HAIMA_SECTION__KEY`, `HAIMA_MODEL`, `HAIMA_WINDOW`,
            `HAIMA_LANG`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`. An empty variable counts as not set.
        paths: the home; its `config.toml` is the user file.
        project_root: whose `.haima/config.toml` counts, for a few keys; None: no project.
        flags: the command line's, `model.name` → value; None means not given.

    Raises:
        ConfigError: the first thing that is wrong, one sentence with its place and key.
    """
    notices: list[ConfigError] = []
    user = _file_layer(paths.config_file)
    project = _project_layer(paths.config_file, project_root, user, notices)
    environment = _environment_layer(environ)
    options = _Layer(
        checked(
            nested({key: text for key, text in (flags or {}).items() if text is not None}), _option
        ),
        _option,
    )
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    layers = (user, project, environment, options)
    for layer in layers:
        values |= layer.values
        origins |= {key: layer.place(key) for key in layer.values}
    _choose_key(user, environ, values, origins, notices)
    _choose_auxiliary_key(user, environ, values, origins, notices)
    keys = ("model.api_key", "model.auxiliary.api_key")
    secrets = [layer.values.get(key) for layer in layers for key in keys]
    secrets += [*map(values.get, keys), environ.get("OPENAI_API_KEY")]
    return Settings.model_validate(nested(values)).noting(
        notices=tuple(notices),
        origins=origins,
        secrets=tuple(secret.strip() for secret in secrets if isinstance(secret, str)),
    )


def check_file(path: Path, *, project: bool = False) -> tuple[ConfigError, ...]:
    """Everything wrong with one settings file, for the doctor; empty when nothing is.

    Args:
        path: the file; a missing one is fine.
        project: it is a project's file, in which few keys count.
    """
    notices: list[ConfigError] = []
    try:
        table = read_toml(path)
        if project:
            table = _allowed(table, path, notices)
        checked(table, lambda _: str(path))
    except ConfigError as error:
        notices.append(error)
    return tuple(notices)


def check_value(key: str, value: object, place: str) -> None:
    """Checks one value before it is kept (`session.preferences`).

    Raises:
        ConfigError: there is no such key, or the value is wrong.
    """
    if key not in KEYS:
        raise unknown(key, lambda _: place)
    checked(nested({key: value}), lambda _: place)


def _file_layer(path: Path) -> _Layer:
    def place(_: str) -> str:
        return str(path)

    return _Layer(checked(read_toml(path), place), place)


def _project_layer(
    user_file: Path, root: Path | None, user: _Layer, notices: list[ConfigError]
) -> _Layer:
    """The project's few keys. It can add names to the user's lists, never take one out."""
    path = project_config(root) if root is not None else None

    def place(_: str) -> str:
        return str(path)

    # A home that is itself the project: its file is the user's, all keys count already.
    if path is None or path.resolve() == user_file.resolve():
        return _Layer({}, place)
    values = checked(_allowed(read_toml(path), path, notices), place)
    for key in ("tools.exclude", "compaction.keep_tools"):
        if key in values:
            both = (*_names(user.values.get(key)), *_names(values[key]))
            values[key] = list(dict.fromkeys(both))
    return _Layer(values, place)


def _allowed(table: dict[str, object], path: Path, notices: list[ConfigError]) -> dict[str, object]:
    """What a project may set; the rest is not applied, and said."""
    values = dict(flat(table))
    notices.extend(
        ConfigError("config.project_key", place=path, key=key, allowed=_ALLOWED)
        for key in sorted(values.keys() - PROJECT_KEYS)
    )
    return nested({key: value for key, value in values.items() if key in PROJECT_KEYS})


def _environment_layer(environ: Mapping[str, str]) -> _Layer:
    names = {key: variable for variable, key in _SHORT.items() if environ.get(variable)}
    for variable in sorted(environ):
        if variable.startswith("HAIMA_") and "__" in variable and environ[variable]:
            names[variable.removeprefix("HAIMA_").lower().replace("__", ".")] = variable

    def place(key: str) -> str:
        return names.get(key, f"HAIMA_{key.replace('.', '__').upper()}")

    for key in names:
        if key not in KEYS:
            raise unknown(key, place)
    table = nested({key: _typed(key, environ[name]) for key, name in names.items()})
    return _Layer(checked(table, place), place)


def _typed(key: str, text: str) -> object:
    """A variable's text as the type its key wants; as it is where it can't be that."""
    wanted = KEYS.get(key)
    if get_origin(wanted) is tuple:
        return _names(text)
    for kind in (bool, int, float):
        if _mentions(wanted, kind):
            try:
                return TypeAdapter(kind).validate_python(text.strip())
            except ValidationError:
                return text
    return text


def _mentions(wanted: object, kind: type) -> bool:
    """Whether a type is, or is made of, `kind`: `Annotated[float, …] | None`, float."""
    return wanted is kind or any(_mentions(part, kind) for part in get_args(wanted))


def _names(value: object) -> list[str]:
    """A list of names: a list as it is, a text split at its commas."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",") if name.strip()]
    return list(value) if isinstance(value, list | tuple) else []


def _option(key: str) -> str:
    return _OPTIONS.get(key, key)


def _choose_key(
    user: _Layer,
    environ: Mapping[str, str],
    values: dict[str, object],
    origins: dict[str, str],
    notices: list[ConfigError],
) -> None:
    """Sees that an endpoint gets the key its `api_key_env` names, not another one's.

    A file's `api_key_env` belongs to the file's `base_url` and counts only while that is in use.
    What is more specific than `OPENAI_API_KEY` stands.
    """
    variable = values.get("model.api_key_env")
    if not isinstance(variable, str) or variable == "OPENAI_API_KEY":
        return
    here, file = origins["model.api_key_env"], user.place("")
    if here == file and origins.get("model.base_url", here) != here:
        return
    if origins.get("model.api_key") not in {None, file, "OPENAI_API_KEY"}:
        return
    for source in (values, origins):
        source.pop("model.api_key", None)
    if variable and environ.get(variable):
        values |= checked(nested({"model.api_key": environ[variable]}), lambda _: variable)
        origins["model.api_key"] = variable
    elif "model.api_key" in user.values:
        values["model.api_key"], origins["model.api_key"] = user.values["model.api_key"], file
    elif variable:
        notices.append(ConfigError("config.no_variable", place=here, variable=variable))


def _choose_auxiliary_key(
    user: _Layer,
    environ: Mapping[str, str],
    values: dict[str, object],
    origins: dict[str, str],
    notices: list[ConfigError],
) -> None:
    """Sees that the auxiliary endpoint gets the key its own `api_key_env` names.

    The same rule as for `[model]`: a file's variable belongs to the file's address.
    """
    section = "model.auxiliary"
    variable = values.get(f"{section}.api_key_env")
    if not isinstance(variable, str) or not variable:
        return
    here, file = origins[f"{section}.api_key_env"], user.place("")
    key = f"{section}.api_key"
    if here == file and origins.get(f"{section}.base_url", here) != here:
        return
    if origins.get(key) not in {None, file}:
        return
    if environ.get(variable):
        values |= checked(nested({key: environ[variable]}), lambda _: variable)
        origins[key] = variable
    elif key not in values:
        notices.append(ConfigError("config.no_variable", place=here, variable=variable))
