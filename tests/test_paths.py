"""Where everything lives: the home from the environment, the styles in every kind of install."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import app
from app.paths import Paths, PathsError, haima_home, project_config, styles_folder, tool_outputs


def test_the_home_is_in_the_users_home_by_default(tmp_path: Path) -> None:
    assert haima_home({"HOME": str(tmp_path)}) == tmp_path / ".haima"
    assert haima_home({"HOME": str(tmp_path), "HAIMA_HOME": "  "}) == tmp_path / ".haima"


def test_the_home_may_be_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": str(tmp_path / "me")}
    assert haima_home(environ | {"HAIMA_HOME": "/data/海马"}) == Path("/data/海马")
    assert haima_home(environ | {"HAIMA_HOME": "kept/here"}) == tmp_path / "kept" / "here"
    assert haima_home(environ | {"HAIMA_HOME": "~/kept"}) == tmp_path / "me" / "kept"
    assert haima_home(environ | {"HAIMA_HOME": "~"}) == tmp_path / "me"


def test_the_home_of_nobody_is_an_error_that_says_so() -> None:
    with pytest.raises(PathsError, match=r"~nobody-of-that-name/x.*set it to a full path"):
        haima_home({"HAIMA_HOME": "~nobody-of-that-name/x"})


def test_everything_of_the_home_lies_in_it(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    everything = [
        paths.config_file,
        paths.ledgers,
        paths.ledger("7f3a9c01d2e4"),
        paths.limits_file,
        paths.log_file,
        paths.project_folder("order-service-1a2b3c4d"),
        paths.demo,
    ]
    assert len(set(everything)) == len(everything)
    assert all(path.is_relative_to(tmp_path) and path != tmp_path for path in everything)
    assert paths.ledger("7f3a9c01d2e4") == tmp_path / "history" / "raw" / "7f3a9c01d2e4.jsonl"
    assert project_config(tmp_path) == tmp_path / ".haima" / "config.toml"


@pytest.mark.parametrize("chain", ["", "..", "../x", "a/b", "a\\b", "a\n", "a b", "-x", "x" * 65])
def test_a_chain_id_cannot_lead_out_of_the_folder(tmp_path: Path, chain: str) -> None:
    with pytest.raises(ValueError, match="not a chain id"):
        Paths(tmp_path).ledger(chain)
    with pytest.raises(ValueError, match="not a chain id"):
        tool_outputs(tmp_path, chain)


def test_styles_are_found_beside_the_package() -> None:
    assert styles_folder() == Path(app.__file__).resolve().parents[1] / "styles"


def test_styles_are_found_where_a_wheel_puts_them(tmp_path: Path) -> None:
    """A wheel lays `app` and `styles` side by side into site-packages."""
    root = Path(app.__file__).resolve().parents[1]
    for name in ("app", "styles"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    run = "from app.paths import styles_folder; print(styles_folder())"
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {run}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str((tmp_path / "styles").resolve())


def test_a_broken_installation_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.paths.__file__", str(tmp_path / "app" / "paths.py"))
    with pytest.raises(PathsError, match="install Haima again"):
        styles_folder()
