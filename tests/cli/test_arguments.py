"""What the arguments mean, and what is said about those that mean nothing."""

import argparse
from typing import Any

import pytest

import app.headless
from app.cli import main
from app.cli.commands import parse
from app.cli.parser import UsageError
from app.headless import RunOptions
from app.session.launch import Launch, StartRequest
from app.text import Language, Words
from tests.cli.support import cells

EN = Words("en")


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        ((), StartRequest()),
        (("--resume", "7f3a"), StartRequest("resume", "7f3a")),
        (("--resume=#7f3a",), StartRequest("resume", "7f3a")),
        (("--continue",), StartRequest("continue")),
        (("--fork", "7f3a"), StartRequest("fork", "7f3a")),
        (("--fork", "7f3a:12ab"), StartRequest("fork", "7f3a", "12ab")),
    ],
    ids=str,
)
@pytest.mark.parametrize("behind", [True, False])
def test_where_a_run_begins(
    arguments: tuple[str, ...],
    request_: StartRequest,
    behind: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Launch] = []

    def run(launch: Launch, options: RunOptions) -> int:
        asked.append(launch)
        return 0

    monkeypatch.setattr(app.headless, "run_headless", run)
    assert main(["run", *arguments, "hi"] if behind else [*arguments, "run", "hi"]) == 0
    assert [launch.start for launch in asked] == [request_]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--resume",),
        ("--resume", ""),
        ("--resume", "#"),
        ("--resume", "--continue"),
        ("--resume", "a", "--continue"),
        ("--continue", "run", "--resume", "a", "hi"),
        ("run", "--fork", "a", "--resume", "b", "hi"),
        ("--fork", "a", "--continue"),
        ("--fork", ":m"),
        ("--fork", "a:"),
        ("--continue=yes",),
        ("--continue", "doctor"),
        ("--resume", "a", "sessions", "list"),
        ("doctor", "--resume", "a"),
        ("doctor", "--rebuild=now"),
        ("usage", "all"),
        ("sessions",),
        ("sessions", "search", "x"),
        ("sessions", "redact", "x"),
        ("sessions", "list", "x"),
        ("sessions", "show"),
        ("sessions", "show", ""),
        ("sessions", "show", "a", "b"),
        ("sessions", "export", "a", "--format", "pdf"),
        ("sessions", "export", "a", "--format", "md", "--json"),
        ("sessions", "export", "a", "-o"),
        ("sessions", "prune"),
        ("sessions", "prune", "--older-than"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_mistake_is_said_in_one_sentence(arguments: tuple[str, ...], language: Language) -> None:
    with pytest.raises(UsageError) as caught:
        parse(arguments, Words(language))
    sentence = str(caught.value)
    assert sentence
    assert "\n" not in sentence
    assert ("，" in sentence or "；" in sentence or "：" in sentence) == (language == "zh")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mode", "plan", "run", "x"), "--mode is not understood"),
        (("--mode=plan", "plan"), "--mode is not understood"),
        (("--continue", "plan"), "There is no command plan"),
        (("--window", "64k", "plan"), "There is no command plan"),
        (("plan", "--mode", "plan"), "There is no command plan"),
    ],
)
def test_an_unknown_option_is_named_rather_than_its_value(
    arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        parse(arguments, Words("en"))


def test_a_mistake_ends_with_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--resume", "a", "--continue"]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err == "haima: --resume and --continue exclude each other; give one of them\n"


def test_what_is_missing_is_named_as_the_help_names_it() -> None:
    with pytest.raises(UsageError, match=r"^ID is missing; see haima sessions show --help$"):
        parse(["sessions", "show"], EN)
    with pytest.raises(UsageError, match=r"^--older-than is missing"):
        parse(["sessions", "prune"], EN)


@pytest.mark.parametrize("action", ["list", "show", "export", "delete", "restore", "prune"])
def test_sessions_offers_what_there_is(action: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "--help"]) == 0
    assert f"    {action} " in capfd.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("run",),
        ("sessions",),
        ("sessions", "list"),
        ("sessions", "show"),
        ("sessions", "export"),
        ("sessions", "delete"),
        ("sessions", "restore"),
        ("sessions", "prune"),
        ("usage",),
        ("thresholds",),
        ("doctor",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_fits_eighty_columns(
    command: tuple[str, ...],
    language: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*command, "--help", "--lang", language]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if cells(line) > 80] == []
    assert lines[0].startswith("usage: haima" if language == "en" else "用法：haima")


@pytest.mark.parametrize(
    ("arguments", "programs"),
    [
        ((), ["haima"]),
        (("run", "hi"), ["haima", "haima run"]),
        (("sessions", "list"), ["haima", "haima sessions", "haima sessions list"]),
        (("memory", "list"), ["haima", "haima memory", "haima memory list"]),
    ],
    ids=str,
)
def test_a_start_makes_the_parsers_that_it_needs(
    arguments: tuple[str, ...], programs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    begin = argparse.ArgumentParser.__init__

    def noting(self: argparse.ArgumentParser, *given: Any, **settings: Any) -> None:
        begin(self, *given, **settings)
        made.append(self.prog)

    monkeypatch.setattr(argparse.ArgumentParser, "__init__", noting)
    parse(arguments, EN)
    assert made == programs
