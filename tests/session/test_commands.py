"""What a typed line means: a prompt, a command, or an error that is never sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.session.commands import (
    COMMANDS,
    Command,
    CommandLine,
    Prompt,
    UnknownCommand,
    completions,
    parse,
)
from app.text import Words


def name_of(line: str) -> str:
    parsed = parse(line)
    assert isinstance(parsed, CommandLine)
    return parsed.command.name


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_every_command_runs_by_each_of_its_names(command: Command) -> None:
    for name in (command.name, *command.aliases):
        assert name_of(f"/{name}") == command.name


@pytest.mark.parametrize(
    "line",
    ["/help", "  /help  ", "/HELP", "／help", "、help", "／ｈｅｌｐ", "/Help\u3000", "\t/help\n"],
)
def test_a_command_is_found_in_any_case_width_and_spacing(line: str) -> None:
    assert name_of(line) == "help"


def test_an_argument_keeps_its_inner_spaces_and_case() -> None:
    assert parse("/model   Qwen 3  Max ") == CommandLine(
        next(c for c in COMMANDS if c.name == "model"), "Qwen 3  Max"
    )


@pytest.mark.parametrize("line", ["/theme DARK", "/theme\u3000ｄａｒｋ"])
def test_a_choice_is_found_in_any_case(line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, CommandLine)
    assert parsed.argument == "dark"


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "",
        "   ",
        "/usr/bin is full",
        "//help",
        "/main.py has a bug",
        r"/a\b",
        "/* a comment */",
        "/5 of them",
        "、然后呢",
        "see /help",
        "“/help”",
    ],
)
def test_text_and_paths_are_prompts_word_for_word(line: str) -> None:
    assert parse(line) == Prompt(line)


@pytest.mark.parametrize("line", ["/hlep", "/frobnicate now", "/你好", "/", "／", "/help?", "/usr"])
def test_an_unknown_word_is_an_error(line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, UnknownCommand)
    assert parsed.problem == "unknown"


@pytest.mark.parametrize(
    ("line", "names"),
    [("/hlep", {"help"}), ("/ex", {"quit", "export"}), ("/q", {"quit"}), ("/zzzz", set())],
)
def test_what_may_have_been_meant_is_suggested(line: str, names: set[str]) -> None:
    parsed = parse(line)
    assert isinstance(parsed, UnknownCommand)
    assert set(parsed.suggestions) == names


def test_a_whole_sentence_taken_for_a_command_is_not_repeated_whole() -> None:
    parsed = parse("/订单编号一律用雪花算法生成，长度固定为十九位，不允许以零开头")
    assert isinstance(parsed, UnknownCommand)
    said = parsed.sentence(Words("zh"))
    assert said.startswith("/订单编号一律用雪花算法生成，长度固定为十九位… 不是命令，没有发出")


def test_clear_with_more_words_does_not_clear() -> None:
    parsed = parse("/clear all my doubts")
    assert isinstance(parsed, UnknownCommand)
    assert parsed.problem == "argument"


def test_an_unknown_choice_names_the_choices() -> None:
    parsed = parse("/theme pink")
    assert isinstance(parsed, UnknownCommand)
    for language in ("en", "zh"):
        assert "dark" in parsed.sentence(Words(language))


@pytest.mark.parametrize("line", ["/hlep", "/zzzz", "/clear x", "/theme pink", "/"])
def test_every_error_is_one_line_in_both_languages(line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, UnknownCommand)
    for language in ("en", "zh"):
        sentence = parsed.sentence(Words(language))
        assert sentence
        assert "\n" not in sentence
        assert "{" not in sentence


def test_completions_begin_with_what_was_typed() -> None:
    assert [c.name for c in completions("/")] == [c.name for c in COMMANDS]
    assert [c.name for c in completions("／EX")] == ["export", "quit", "context"]
    assert [c.name for c in completions("/xp")] == ["export"]


@pytest.mark.parametrize("text", ["", "help", "/help ", "/model x", "/zz", "see /he"])
def test_nothing_completes_outside_the_first_word(text: str) -> None:
    assert completions(text) == ()


@given(st.text())
def test_no_line_breaks_the_parser_and_prompts_stay_as_typed(line: str) -> None:
    parsed = parse(line)
    if isinstance(parsed, Prompt):
        assert parsed.text == line


@given(st.from_regex(r"/[a-z]{1,12}( .*)?", fullmatch=True))
def test_a_slash_and_a_word_never_become_a_prompt(line: str) -> None:
    assert not isinstance(parse(line), Prompt)
