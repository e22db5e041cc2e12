"""`/save …` and `/memory …` as they are typed, under an input method too; what is wrong is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.session.commands import CommandLine, parse
from app.session.memory_command import (
    BadMemoryCommand,
    MemoryCommand,
    SaveCommand,
    parse_memory,
    parse_save,
)
from app.text import LANGUAGES, Words


@pytest.mark.parametrize(
    ("argument", "command"),
    [
        ("CI runs on arm64", SaveCommand("CI runs on arm64")),
        ("--global 回答用中文", SaveCommand("回答用中文", "global")),
        ("--project  two\n lines ", SaveCommand("two\n lines", "project")),
        ("--force --GLOBAL x", SaveCommand("x", "global", force=True)),
        ("—global x", SaveCommand("x", "global")),
        ("－－ｇｌｏｂａｌ x", SaveCommand("x", "global")),
        ("-- --no-cache is needed", SaveCommand("--no-cache is needed")),
        ("— a dash begins it", SaveCommand("— a dash begins it")),
        ("x --global", SaveCommand("x --global")),
        ("-v is verbose", SaveCommand("-v is verbose")),
    ],
)
def test_save(argument: str, command: SaveCommand) -> None:
    assert parse_save(argument) == command


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("", "TEXT"),
        ("--global", "TEXT"),
        ("--", "TEXT"),
        ("--glboal x", "--glboal"),
        ("--global --project x", "exclude"),
    ],
)
def test_save_says_what_is_wrong(argument: str, says: str) -> None:
    with pytest.raises(BadMemoryCommand) as caught:
        parse_save(argument)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("argument", "command"),
    [
        ("", MemoryCommand("status")),
        ("  ", MemoryCommand("status")),
        ("list", MemoryCommand("list")),
        ("ＬＩＳＴ", MemoryCommand("list")),
        ("search JDK 版本", MemoryCommand("search", text="JDK 版本")),
        ("delete fact-1a fact-2b", MemoryCommand("delete", ("fact-1a", "fact-2b"))),
        ("verify fact-1a，fact-2b、fact-1a", MemoryCommand("verify", ("fact-1a", "fact-2b"))),
        ("replace fact-1a  JDK is 21 ", MemoryCommand("replace", ("fact-1a",), "JDK is 21")),
        (
            "replace\u3000fact-1a\u3000JDK 是 21",
            MemoryCommand("replace", ("fact-1a",), "JDK 是 21"),
        ),
        ("clear", MemoryCommand("clear")),
        ("clear --global", MemoryCommand("clear", scope="global")),
    ],
)
def test_memory(argument: str, command: MemoryCommand) -> None:
    assert parse_memory(argument) == command


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("serach x", "search"),
        ("frobnicate", "list, search"),
        ("search", "/memory search WORDS"),
        ("delete ,", "/memory delete ID"),
        ("verify", "/memory verify ID"),
        ("replace fact-1a", "/memory replace ID TEXT"),
        ("replace", "/memory replace ID TEXT"),
        ("list all", "/memory list"),
        ("clear everything", "/memory clear"),
        ("clear --force", "--force"),
    ],
)
def test_memory_says_what_is_wrong(argument: str, says: str) -> None:
    with pytest.raises(BadMemoryCommand) as caught:
        parse_memory(argument)
    assert says in str(caught.value)
    assert all(caught.value.sentence(Words(language)) for language in LANGUAGES)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_command_or_an_error(argument: str) -> None:
    for read in (parse_save, parse_memory):
        try:
            read(argument)
        except BadMemoryCommand as error:
            assert error.sentence(Words("zh"))


@pytest.mark.parametrize(("line", "name"), [("/mem list", "memory"), ("／save x", "save")])
def test_the_commands_are_known(line: str, name: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, CommandLine)
    assert parsed.command.name == name
