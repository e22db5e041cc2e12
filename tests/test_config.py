"""The settings: the order of the layers, and one clear sentence for whatever is wrong."""

import os
import re
from pathlib import Path

import pytest

from app.config import ConfigError, Settings, check_file, load_settings
from app.paths import Paths, project_config
from app.text import Words

KEY = "sk-0123456789abcdef"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    home = tmp_path / "haima"
    home.mkdir()
    return Paths(home)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".haima").mkdir(parents=True)
    return root


def load(
    paths: Paths,
    user: str = "",
    *,
    root: Path | None = None,
    project: str = "",
    environ: dict[str, str] | None = None,
    flags: dict[str, str | None] | None = None,
) -> Settings:
    paths.config_file.write_text(user, encoding="utf-8")
    if root is not None:
        project_config(root).write_text(project, encoding="utf-8")
    return load_settings(environ=environ or {}, paths=paths, project_root=root, flags=flags)


def refusal(paths: Paths, user: str = "", **layers: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load(paths, user, **layers)  # type: ignore[arg-type]
    english, chinese = str(caught.value), caught.value.sentence(Words("zh"))
    assert "\n" not in english
    assert re.search(r"[一-鿿]", chinese)
    return english


def test_nothing_set_is_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(environ={}, paths=Paths(tmp_path / "none"))
    assert settings == Settings()
    assert settings.model.name == settings.model.base_url == ""
    model = settings.model
    assert (model.api_key, model.temperature, model.max_tokens) == (None, None, None)
    assert (settings.model.connect_timeout, settings.model.idle_timeout) == (10, 120)
    assert (settings.model.tries, settings.tools.command_timeout) == (4, 120)
    assert not (tmp_path / "none").exists()


def test_the_order_is_defaults_user_project_environment_flags(paths: Paths, root: Path) -> None:
    user = "[ui]\ntheme = 'light'\nglyphs = 'ascii'\nmotion = false\nlanguage = 'en'\n"
    project = "[ui]\ntheme = 'dark'\nlanguage = 'zh'\nmotion = true\n"
    settings = load(
        paths,
        user,
        root=root,
        project=project,
        environ={"HAIMA_UI__THEME": "auto", "HAIMA_LANG": "en"},
        flags={"ui.language": "zh", "ui.theme": None},
    )
    assert settings.ui.glyphs == "ascii"
    assert settings.ui.motion is True
    assert settings.ui.theme == "auto"
    assert settings.ui.language == "zh"
    assert settings.origins == {
        "ui.glyphs": str(paths.config_file),
        "ui.motion": str(project_config(root)),
        "ui.theme": "HAIMA_UI__THEME",
        "ui.language": "--lang",
    }


def test_every_variable_works(paths: Paths) -> None:
    settings = load(
        paths,
        environ={
            "HAIMA_MODEL": "qwen3",
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1/",
            "HAIMA_LANG": "zh",
            "HAIMA_MODEL__TEMPERATURE": "0.5",
            "HAIMA_MODEL__TRIES": "7",
            "HAIMA_TOOLS__EXCLUDE": "execute_command, write_file",
            "HAIMA_COMPACTION__AUTO": "clear",
            "HAIMA_COMPACTION__CLEAR_AT": "50k",
            "HAIMA_COMPACTION__KEEP_TOOLS": "search_files, glob",
            "HAIMA_UI__MOTION": "off",
            "HAIMA_MODEL__MAX_TOKENS": "",
            "HAIMA_HOME": "/elsewhere",
        },
    )
    assert settings.model.name == "qwen3"
    assert settings.model.base_url == "http://127.0.0.1:11434/v1"
    assert settings.model.api_key is not None
    assert settings.model.api_key.get_secret_value() == KEY
    assert settings.model.temperature == 0.5
    assert (settings.model.tries, settings.model.max_tokens) == (7, None)
    assert settings.tools.exclude == ("execute_command", "write_file")
    assert (settings.ui.motion, settings.ui.language) == (False, "zh")
    compaction = settings.compaction
    assert (compaction.auto, compaction.clear_at) == ("clear", 50_000)
    assert compaction.keep_tools == ("search_files", "glob")


def test_the_long_name_of_a_variable_wins_over_the_short_one(paths: Paths) -> None:
    settings = load(paths, environ={"HAIMA_MODEL": "short", "HAIMA_MODEL__NAME": "long"})
    assert settings.model.name == "long"


def test_the_environments_key_wins_over_the_files(paths: Paths) -> None:
    settings = load(
        paths, f"[model]\napi_key = '{KEY}'", environ={"OPENAI_API_KEY": "sk-other-one"}
    )
    assert settings.model.api_key is not None
    assert settings.model.api_key.get_secret_value() == "sk-other-one"


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ("[model]\ntries = '4'", "model.tries", "a whole number"),
        ("[model]\ntries = true", "model.tries", "a whole number"),
        ("[model]\ntries = 4.0", "model.tries", "a whole number"),
        ("[model]\ntries = 0", "model.tries", "at least 1"),
        ("[model]\ntemperature = nan", "model.temperature", "a number"),
        ("[model]\ntemperature = 'hot'", "model.temperature", "a number"),
        ("[model]\ntemperature = 3", "model.temperature", "at most 2"),
        ("[model]\nidle_timeout = 0", "model.idle_timeout", "above 0"),
        ("[model]\nname = 3", "model.name", "text in quotes"),
        ("[model]\nbase_url = 'ftp://host'", "model.base_url", "an address such as"),
        ("[model]\nbase_url = 'http://'", "model.base_url", "an address such as"),
        ("[model]\nbase_url = 'http://h:99999'", "model.base_url", "an address such as"),
        ("[model]\nbase_url = 'http://[::1'", "model.base_url", "an address such as"),
        ("[model]\nbase_url = 'nonsense'", "model.base_url", "an address such as"),
        ("[model]\nbase_url = 'two words.com'", "model.base_url", "an address such as"),
        ("[model]\nbase_url = 'host:port'", "model.base_url", "an address such as"),
        ("[model]\napi_key = 'two words'", "model.api_key", "the key alone"),
        ("[model]\napi_key = '密钥'", "model.api_key", "the key alone"),
        ("[model]\napi_key_env = 'sk-123'", "model.api_key_env", "the name of an environment"),
        ("[model]\nwindow = 0", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = -128000", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = 128000.0", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = true", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = '128q'", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = '0'", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = ''", "model.window", "a number of tokens above 0"),
        ("[model]\nwindow = '1000m'", "model.window", "a number of tokens above 0"),
        ("[tools]\nexclude = 'write_file'", "tools.exclude", "a list of names"),
        ("[compaction]\nauto = 'never'", "compaction.auto", "one of all, clear, off"),
        ("[compaction]\non_failure = 'go on'", "compaction.on_failure", "one of stop, cut"),
        ("[compaction]\nclear_at = 0", "compaction.clear_at", "a number of tokens above 0"),
        ("[compaction]\nkeep_tools = 'glob'", "compaction.keep_tools", "a list of names"),
        ("[tools]\nexclude = ['a', 1]", "tools.exclude", "text in quotes"),
        ("[tools]\ncommand_timeout = 601", "tools.command_timeout", "at most 600"),
        ("[ui]\ntheme = 'drak'", "ui.theme", "one of auto, dark, light"),
        ("[ui]\nlanguage = 'fr'", "ui.language", "one of en, zh"),
        ("[ui]\nmotion = 'no'", "ui.motion", "true or false"),
        ("model = 'qwen3'", "model", "a section, [model]"),
    ],
)
def test_a_wrong_value_names_its_file_and_key(
    paths: Paths, line: str, key: str, expected: str
) -> None:
    said = refusal(paths, line)
    assert said.startswith(f"{paths.config_file}: {key} ")
    assert expected in said


def test_a_wrong_variable_and_a_wrong_option_are_named(paths: Paths) -> None:
    said = refusal(paths, environ={"HAIMA_MODEL__TRIES": "many"})
    assert said.startswith("HAIMA_MODEL__TRIES: model.tries is 'many'")
    assert refusal(paths, environ={"HAIMA_LANG": "fr"}).startswith("HAIMA_LANG: ui.language")
    assert refusal(paths, environ={"OPENAI_BASE_URL": "x"}).startswith("OPENAI_BASE_URL: model.bas")
    assert refusal(paths, flags={"ui.theme": "pink"}).startswith("--theme: ui.theme is 'pink'")


def test_a_wrong_value_is_told_also_where_a_higher_layer_hides_it(paths: Paths) -> None:
    said = refusal(paths, "[ui]\ntheme = 'pink'", flags={"ui.theme": "dark"})
    assert str(paths.config_file) in said


def test_a_wrong_value_of_the_project_names_the_projects_file(paths: Paths, root: Path) -> None:
    said = refusal(paths, root=root, project="[ui]\ntheme = 1")
    assert said.startswith(f"{project_config(root)}: ui.theme")


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ("[model]\nnam = 'x'", "there is no setting model.nam; did you mean model.name?"),
        (
            "[model]\napi-key = 'x'",
            "there is no setting model.api-key; did you mean model.api_key?",
        ),
        ("[modle]\nname = 'x'", "there is no setting modle; did you mean model?"),
        ("theme = 'dark'", "there is no setting theme; did you mean ui.theme?"),
        ("[weather]\nrain = 1", "there is no setting weather; take it out"),
    ],
)
def test_an_unknown_key_says_what_was_meant(paths: Paths, user: str, said: str) -> None:
    assert refusal(paths, user) == f"{paths.config_file}: {said}"


def test_an_unknown_variable_is_named(paths: Paths) -> None:
    said = refusal(paths, environ={"HAIMA_UI__THEM": "dark"})
    assert said == "HAIMA_UI__THEM: there is no setting ui.them; did you mean ui.theme?"
    refusal(paths, environ={"HAIMA_MODEL": "x", "HAIMA_MODEL__NAME__MORE": "y"})


@pytest.mark.parametrize(
    ("user", "line"),
    [
        ("[ui]\ntheme = 'dark\n", 2),
        ("[ui\n", 1),
        ("a = 1\n\n\nb = = 2\n", 4),
        ("[ui]\ntheme = 'dark'\ntheme = 'light'\n", 3),
        ("a = '''\nno end\n", 2),
    ],
)
def test_broken_toml_names_file_and_line(paths: Paths, user: str, line: int) -> None:
    assert refusal(paths, user).startswith(f"{paths.config_file}, line {line}: this is not TOML (")


def test_files_that_are_not_text_are_named(paths: Paths) -> None:
    paths.config_file.write_bytes(b"[ui]\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"config\.toml, line 2: this is not UTF-8"):
        load_settings(environ={}, paths=paths)
    paths.config_file.write_bytes(b"\xef\xbb\xbf[ui]\r\ntheme = 'dark'\r\n")
    assert load_settings(environ={}, paths=paths).ui.theme == "dark"


def test_files_that_cannot_be_read_are_named(paths: Paths, root: Path) -> None:
    paths.config_file.mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml is not a plain file"):
        load_settings(environ={}, paths=paths)
    paths.config_file.rmdir()
    os.mkfifo(project_config(root))
    with pytest.raises(ConfigError, match=r"config\.toml is not a plain file"):
        load_settings(environ={}, paths=paths, project_root=root)
    project_config(root).unlink()
    project_config(root).write_bytes(b"#" * 1_000_001)
    with pytest.raises(ConfigError, match="larger than 1 MB"):
        load_settings(environ={}, paths=paths, project_root=root)


def test_an_unreadable_file_is_named(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    paths.config_file.write_text("")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ConfigError, match=r"config\.toml can't be read \(Permission denied\)"):
        load_settings(environ={}, paths=paths)


def test_a_project_sets_its_few_keys_and_the_rest_is_said(paths: Paths, root: Path) -> None:
    settings = load(
        paths,
        root=root,
        project=(
            "[model]\nbase_url = 'http://evil.example/v1'\napi_key = 'x'\n"
            "[tools]\nexclude = ['write_file']\ncommand_timeout = 600\n"
            "[ui]\ntheme = 'light'\nunheard = 1\n"
        ),
    )
    assert settings.model == Settings().model
    assert settings.tools.command_timeout == 120
    assert settings.tools.exclude == ("write_file",)
    assert settings.ui.theme == "light"
    said = [notice.sentence(Words("en")) for notice in settings.notices]
    assert [re.findall(r": (\S+) is not applied", text) for text in said] == [
        ["model.api_key"],
        ["model.base_url"],
        ["tools.command_timeout"],
        ["ui.unheard"],
    ]
    assert all(text.startswith(str(project_config(root))) for text in said)


def test_a_project_cannot_give_back_a_tool_the_user_took_away(paths: Paths, root: Path) -> None:
    user = "[tools]\nexclude = ['execute_command']"
    settings = load(paths, user, root=root, project="[tools]\nexclude = ['write_file']")
    assert settings.tools.exclude == ("execute_command", "write_file")
    settings = load(paths, user, root=root, project="[tools]\nexclude = []")
    assert settings.tools.exclude == ("execute_command",)


def test_a_project_sets_compaction_and_only_adds_to_the_tools_that_are_kept(
    paths: Paths, root: Path
) -> None:
    settings = load(
        paths,
        "[compaction]\nkeep_tools = ['glob']\nauto = 'off'",
        root=root,
        project="[compaction]\nkeep_tools = ['search_files']\nauto = 'all'\nclear_at = 40000",
    )
    assert settings.compaction.keep_tools == ("glob", "search_files")
    assert (settings.compaction.auto, settings.compaction.clear_at) == ("all", 40_000)
    assert settings.notices == ()


def test_a_home_that_is_the_projects_own_folder_counts_as_the_users(root: Path) -> None:
    paths = Paths(root / ".haima")
    settings = load(paths, "[model]\nname = 'mine'")
    settings = load_settings(environ={}, paths=paths, project_root=root)
    assert settings.model.name == "mine"
    assert settings.notices == ()


@pytest.mark.parametrize(
    "address",
    ["https://api.deepseek.com", "http://[::1]:8080/v1", "localhost:11434", "api.deepseek.com"],
)
def test_an_address_may_lack_its_scheme(paths: Paths, address: str) -> None:
    assert load(paths, f"[model]\nbase_url = '{address}/'").model.base_url == address


FILE = "[model]\nbase_url = 'https://api.deepseek.com'\napi_key_env = {}\n"


def key_of(settings: Settings) -> str | None:
    key = settings.model.api_key
    return None if key is None else key.get_secret_value()


def test_an_endpoint_gets_the_key_its_variable_holds(paths: Paths) -> None:
    """A key from the environment is not copied, and another provider's is not sent."""
    environ = {"OPENAI_API_KEY": "sk-of-openai", "DEEPSEEK_API_KEY": "sk-of-deepseek"}
    user = FILE.format("'DEEPSEEK_API_KEY'")
    settings = load(paths, user, environ=environ)
    assert key_of(settings) == "sk-of-deepseek"
    assert settings.origins["model.api_key"] == "DEEPSEEK_API_KEY"
    assert settings.credentials == ("sk-of-deepseek", "sk-of-openai")

    settings = load(paths, user, environ={"OPENAI_API_KEY": "sk-of-openai"})
    assert key_of(settings) is None
    assert ["DEEPSEEK_API_KEY" in str(notice) for notice in settings.notices] == [True]

    settings = load(paths, user + f"api_key = '{KEY}'", environ={"OPENAI_API_KEY": "sk-of-openai"})
    assert key_of(settings) == KEY
    settings = load(paths, FILE.format("''") + f"api_key = '{KEY}'", environ=environ)
    assert (key_of(settings), settings.notices) == (KEY, ())


def test_an_endpoint_given_otherwise_gets_the_usual_key(paths: Paths) -> None:
    environ = {"OPENAI_API_KEY": "sk-of-openai", "DEEPSEEK_API_KEY": "sk-of-deepseek"}
    user = FILE.format("'DEEPSEEK_API_KEY'")
    settings = load(paths, user, environ=environ, flags={"model.base_url": "https://other/v1"})
    assert key_of(settings) == "sk-of-openai"
    settings = load(paths, user, environ=environ | {"HAIMA_MODEL__API_KEY": "sk-said-so"})
    assert key_of(settings) == "sk-said-so"


def test_a_secret_is_never_repeated(paths: Paths) -> None:
    for wrong in (f"api_key = ['{KEY}']", f"api_key_env = '{KEY}'", f"base_url = '{KEY}'"):
        assert KEY not in refusal(paths, f"[model]\n{wrong}")
    assert KEY not in refusal(paths, environ={"OPENAI_API_KEY": f"{KEY} {KEY}"})
    settings = load(paths, f"[model]\napi_key = '{KEY}'")
    assert KEY not in repr(settings)
    assert KEY not in str(settings)


def test_credentials_are_masked_and_placeholders_are_not(paths: Paths) -> None:
    settings = load(
        paths,
        f"[model]\napi_key = '{KEY}'\nbase_url = 'http://me:hunter2hunter2@host/v1'",
        environ={"OPENAI_API_KEY": "sk-another-key"},
    )
    assert set(settings.credentials) == {KEY, "sk-another-key", "hunter2hunter2"}
    assert settings.mask(f"a {KEY} b {KEY}") == "a ‹key› b ‹key›"
    for placeholder in ("ollama", "EMPTY", "x", "lm-studio", "not-needed"):
        assert load(paths, f"[model]\napi_key = '{placeholder}'").credentials == ()
    assert load(paths, "[model]\napi_key = ''").model.api_key is None


def test_the_doctor_can_ask_about_one_file(paths: Paths, root: Path) -> None:
    assert check_file(paths.config_file) == ()
    paths.config_file.write_text("[ui]\ntheme = 'pink'")
    assert [str(error).split(": ")[1][:8] for error in check_file(paths.config_file)] == [
        "ui.theme"
    ]
    project_config(root).write_text("[model]\nname = 'x'\n[ui]\ntheme = 'pink'")
    assert len(check_file(project_config(root), project=True)) == 2


@pytest.mark.parametrize(
    ("written", "size"),
    [("131072", 131_072), ("'131072'", 131_072), ("'128k'", 128_000), ("' 1M '", 1_000_000)],
)
def test_a_window_as_people_write_it(paths: Paths, written: str, size: int) -> None:
    assert load(paths, f"[model]\nwindow = {written}").model.window == size


def test_the_window_comes_through_all_layers(paths: Paths, root: Path) -> None:
    user, project = "[model]\nwindow = '200k'", "[model]\nwindow = 64000"
    short, long = {"HAIMA_WINDOW": "256K"}, {"HAIMA_MODEL__WINDOW": "1m"}
    assert load(paths).model.window is None
    assert load(paths, user).model.window == 200_000
    settings = load(paths, user, root=root, project=project)
    assert (settings.model.window, settings.notices) == (64_000, ())
    assert settings.origins["model.window"] == str(project_config(root))
    settings = load(paths, user, root=root, project=project, environ=short)
    assert (settings.model.window, settings.origins["model.window"]) == (256_000, "HAIMA_WINDOW")
    assert load(paths, user, environ={**short, **long}).model.window == 1_000_000
    settings = load(paths, user, environ=short, flags={"model.window": "128k"})
    assert (settings.model.window, settings.origins["model.window"]) == (128_000, "--window")
    assert load(paths, user, flags={"model.window": None}).model.window == 200_000


@pytest.mark.parametrize("text", ["0", "-5", "many", "1.5", "1e6", "true"])
def test_a_wrong_window_names_the_variable_or_option(paths: Paths, text: str) -> None:
    for variable in ("HAIMA_WINDOW", "HAIMA_MODEL__WINDOW"):
        said = refusal(paths, environ={variable: text})
        assert said.startswith(f"{variable}: model.window is ")
    assert refusal(paths, flags={"model.window": text}).startswith("--window: model.window is ")
