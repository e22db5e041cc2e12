"""Keeping a setting: the user's file stays the user's, and is private."""

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import ConfigError, load_settings
from app.paths import Paths
from app.session import preferences
from app.session.preferences import Value, remember, remember_all
from app.storage import Conflict, Lock, Locked, write_atomic

FILE = """\
# My settings
[ui]
theme = "light"     # easier on the eyes
language = 'zh'

# Work
[model]
name="qwen3"
base_url = "http://127.0.0.1:11434/v1" # "local" # really

[tools]
exclude = [
  "web_fetch",   # not here
  "note",
]
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "haima")


def edited(paths: Paths, text: str, section: str, key: str, value: Value) -> str:
    paths.home.mkdir(exist_ok=True)
    paths.config_file.write_bytes(text.encode())
    remember(paths, section, key, value)
    return paths.config_file.read_bytes().decode()


def test_the_first_setting_makes_a_private_file(paths: Paths) -> None:
    remember(paths, "ui", "theme", "dark")
    assert paths.config_file.read_text() == '[ui]\ntheme = "dark"\n'
    assert stat.S_IMODE(paths.config_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(paths.home.stat().st_mode) == 0o700
    assert [entry.name for entry in paths.home.iterdir()] == ["config.toml"]


def test_a_loose_file_becomes_private_when_a_key_is_kept(paths: Paths) -> None:
    paths.home.mkdir()
    paths.config_file.write_text(FILE)
    paths.config_file.chmod(0o644)
    remember(paths, "model", "api_key", "sk-0123456789")
    assert stat.S_IMODE(paths.config_file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("section", "key", "value", "old", "new"),
    [
        ("ui", "theme", "dark", 'theme = "light"     #', 'theme = "dark"     #'),
        ("ui", "language", "en", "language = 'zh'", 'language = "en"'),
        ("ui", "motion", False, "language = 'zh'\n", "language = 'zh'\nmotion = false\n"),
        ("model", "name", "deep", 'name="qwen3"', 'name="deep"'),
        ("model", "base_url", "https://a/v1", "http://127.0.0.1:11434/v1", "https://a/v1"),
        ("model", "temperature", 0.5, "# really\n", "# really\ntemperature = 0.5\n"),
        ("ui", "theme", None, 'theme = "light"     # easier on the eyes\n', ""),
        ("tools", "command_timeout", 60, "]\n", "]\ncommand_timeout = 60\n"),
    ],
)
def test_an_edit_touches_its_own_line_only(
    paths: Paths, section: str, key: str, value: Value, old: str, new: str
) -> None:
    before, found, after = FILE.rpartition(old) if key == "command_timeout" else FILE.partition(old)
    assert found
    assert edited(paths, FILE, section, key, value) == before + new + after


def test_a_value_over_several_lines_is_replaced_as_a_whole(paths: Paths) -> None:
    text = edited(paths, FILE, "tools", "exclude", ("note",))
    assert text == FILE[: FILE.index("exclude")] + 'exclude = ["note"]\n'


def test_a_missing_section_comes_at_the_end(paths: Paths) -> None:
    text = edited(paths, '[model]\nname = "x"', "ui", "theme", "dark")
    assert text == '[model]\nname = "x"\n\n[ui]\ntheme = "dark"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('ui.theme = "light"\n', 'ui.theme = "dark"\n'),
        ("ui.motion = true\n[tools]\n", 'ui.theme = "dark"\nui.motion = true\n[tools]\n'),
        ('[ui]\n"theme" = "light"\n', '[ui]\n"theme" = "dark"\n'),
        ('[ ui ] # mine\r\ntheme = "light"\r\n', '[ ui ] # mine\r\ntheme = "dark"\r\n'),
        ("\ufeff[ui]\n", '\ufeff[ui]\ntheme = "dark"\n'),
        (
            'x = """\n[ui]\ntheme = "light"\n"""\n',
            'x = """\n[ui]\ntheme = "light"\n"""\n\n[ui]\ntheme = "dark"\n',
        ),
        ('x = """\n[ui]\n"""\n[ui]\n', 'x = """\n[ui]\n"""\n[ui]\ntheme = "dark"\n'),
        ("# \u2028[ui]\n", '# \u2028[ui]\n\n[ui]\ntheme = "dark"\n'),
    ],
)
def test_other_ways_to_write_toml_are_understood(paths: Paths, text: str, expected: str) -> None:
    assert edited(paths, text, "ui", "theme", "dark") == expected


def test_a_form_that_cannot_be_edited_is_told_with_the_line_to_write(paths: Paths) -> None:
    text = "ui = { motion = true }\n"
    with pytest.raises(ConfigError, match=r'put ui\.theme = "dark" into it yourself'):
        edited(paths, text, "ui", "theme", "dark")
    assert paths.config_file.read_text() == text
    with pytest.raises(ConfigError, match=r"put model\.api_key = … into it yourself"):
        edited(paths, "model = {}\n", "model", "api_key", "sk-0123456789")


def test_a_broken_file_is_left_alone_and_named(paths: Paths) -> None:
    with pytest.raises(ConfigError, match="line 1: this is not TOML"):
        edited(paths, "[ui\n", "ui", "theme", "dark")
    assert paths.config_file.read_text() == "[ui\n"


def test_a_wrong_value_is_not_kept(paths: Paths) -> None:
    with pytest.raises(ConfigError, match=r"ui\.theme is 'pink'"):
        remember(paths, "ui", "theme", "pink")
    with pytest.raises(ConfigError, match=r"no setting ui\.them"):
        remember(paths, "ui", "them", "dark")
    assert not paths.config_file.exists()


def test_several_are_kept_together_or_not_at_all(paths: Paths) -> None:
    values: dict[str, Value] = {
        "model.name": "deepseek-chat",
        "model.base_url": "https://api.deepseek.com",
        "model.api_key": 'odd"key\\',
        "model.api_key_env": "",
    }
    remember_all(paths, values)
    settings = load_settings(environ={"OPENAI_API_KEY": "sk-of-openai"}, paths=paths)
    assert (settings.model.name, settings.model.base_url) == (
        "deepseek-chat",
        "https://api.deepseek.com",
    )
    assert settings.model.api_key is not None
    assert settings.model.api_key.get_secret_value() == 'odd"key\\'
    before = paths.config_file.read_bytes()
    with pytest.raises(ConfigError):
        remember_all(paths, {"model.name": "x", "ui.theme": "pink"})
    assert paths.config_file.read_bytes() == before


def test_nothing_new_writes_nothing(paths: Paths) -> None:
    remember(paths, "ui", "theme", "dark")
    before = paths.config_file.stat().st_ino
    remember(paths, "ui", "theme", "dark")
    remember(paths, "ui", "language", None)
    assert paths.config_file.stat().st_ino == before


def test_an_editors_save_in_between_is_not_lost(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(paths, "ui", "theme", "dark")
    real = write_atomic
    saves = iter(["# saved by an editor\n[ui]\ntheme = 'light'\n", None])

    def racing(path: Path, *rest: object, **named: object) -> None:
        if save := next(saves):
            path.write_text(save)
        real(path, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(preferences, "write_atomic", racing)
    remember(paths, "ui", "motion", value=False)
    text = paths.config_file.read_text()
    assert text == "# saved by an editor\n[ui]\ntheme = 'light'\nmotion = false\n"


def test_an_editor_that_never_stops_is_told(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise Conflict(path)

    monkeypatch.setattr(preferences, "write_atomic", refuse)
    with pytest.raises(Conflict):
        remember(paths, "ui", "theme", "dark")


def test_two_at_once_wait_for_each_other(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preferences, "_PATIENCE", 0.05)
    with Lock(paths.home / "config.toml.lock"), pytest.raises(Locked):
        remember(paths, "ui", "theme", "dark")


LINES = st.sampled_from(
    ["", "# note", "[ui]", "[model]", "[tools]", 'theme = "light"', "motion = true", 'name = "x"',
     'exclude = ["a", "#b"] # c', 'ui.language = "en"', "[x.y]", 'z = """\n[ui]\n"""', "tries = 3"]
)  # fmt: skip


@given(st.lists(LINES, max_size=8), st.sampled_from(["ui.theme", "model.name", "tools.exclude"]))
def test_whatever_the_file_only_the_one_value_changes(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], key: str
) -> None:
    text = "\n".join(lines)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    paths = Paths(tmp_path_factory.mktemp("home"))
    section, _, name = key.partition(".")
    value: Value = {"theme": "dark", "name": "new", "exclude": ("z",)}[name]
    result = tomllib.loads(edited(paths, text, section, name, value))
    assert result[section].pop(name) == (list(value) if isinstance(value, tuple) else value)
    before.setdefault(section, {}).pop(name, None)
    assert result == before
