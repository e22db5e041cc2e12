"""Prefixes fail closed; the reader of simple commands reads whatever it is given."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.command_words import prefix, simple_commands


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git status", ("git", "status")),
        ("git status --short -b", ("git", "status")),
        ("  git   status  ", ("git", "status")),
        ("'git' \"status\"", ("git", "status")),
        ("ls", ("ls",)),
        ("ls -la", ("ls", "-la")),
        ("./mvnw -q clean", ("./mvnw", "-q")),
        ("pytest tests/测试 -x", ("pytest", "tests/测试")),
        ("python build.py --all", ("python", "build.py")),
        ("python -m pytest -x", ("python", "-m", "pytest")),
        ("npm test", ("npm", "test")),
        ("echo $HOME it", ()),
        ("grep foo $HOME", ("grep", "foo")),
    ],
)
def test_the_first_words(command: str, words: tuple[str, ...]) -> None:
    assert prefix(command) == words


@pytest.mark.parametrize(
    "command",
    [
        "",
        "   ",
        "a; b",
        "a & b",
        "a && b",
        "a || b",
        "a | b",
        "a > f",
        "a >> f",
        "a < f",
        "a <<< x",
        "a $(b)",
        'a "$(b)"',
        "a `b`",
        "a\nb",
        "a\r\nb",
        "a \\\n b",
        "(a b)",
        "a $'\\n' b",
        'a $"b" c',
        "a ${b@P}",
        "a $[1]",
        "a 'b",
        'a "b',
        "a b\\",
        "f() b",
        "A=1 b c",
        "PATH=/evil git status",
        "$x status",
        "git $x",
        "{rm,-rf,x}",
        "/bin/r? -rf",
        "~/x y",
        "bash -c ls",
        "sh x.sh",
        "eval ls",
        "env git status",
        "sudo ls -l",
        "xargs rm",
        "find . -name x",
        "timeout 5 ls",
        "! ls x",
        "time ls x",
        "python -c 'x'",
        "python",
        "node -e 1",
        "git -C /x push",
        "npm --prefix x publish",
        "/usr/bin/env ls",
        "/bin/bash -c ls",
        "'' x",
    ],
)
def test_what_has_no_prefix(command: str) -> None:
    assert prefix(command) == ()


@given(st.text(alphabet=st.sampled_from("gitsau ;&|><`\n$('\"\\)#{}=中-"), max_size=30))
def test_a_prefix_is_of_one_simple_command(command: str) -> None:
    words = prefix(command)
    if words:
        assert not set(command) & set(";&|><`\n()")
        assert tuple(shlex.split(command)[: len(words)]) == words
        assert len(list(simple_commands(command))) == 1


def read(command: str) -> list[list[str]]:
    return [[word.text for word in simple.words] for simple in simple_commands(command)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a b", [["a", "b"]]),
        ("a; b && c || d & e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a 'x; y' \"z | w\" q\\ r", [["a", "x; y", "z | w", "q r"]]),
        ("a > out b 2>&1", [["a", "b"]]),
        ("a 2> err &> all < in", [["a"]]),
        ("a $(b c)", [["a", "$(b c)"], ["b", "c"]]),
        ('a "$(b "c)")" d', [["a", '$(b "c)")', "d"], ["b", "c)"]]),
        ("a `b c` d", [["a", "`b c`", "d"], ["b", "c"]]),
        ("(a; b)", [["a"], ["b"]]),
        ("diff <(a) <(b c)", [["diff"], ["a"], ["b", "c"]]),
        ("a \\\n  -b", [["a", "-b"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("cat <<E\nrm x\nE\nb", [["cat"], ["b"]]),
        ("cat <<-'E' | c\n\trm x\n\tE\nb", [["cat"], ["c"], ["b"]]),
        ("a <<< 'rm x'; b", [["a"], ["b"]]),
        ("a $'it\\'s' b", [["a", "it's", "b"]]),
        ("中文 参数", [["中文", "参数"]]),
        ("a 'never closed", [["a", "never closed"]]),
        ("a $(never closed", [["a", "$(never closed"], ["never", "closed"]]),
        ("", []),
        (";;;", []),
    ],
)
def test_simple_commands(command: str, expected: list[list[str]]) -> None:
    assert read(command) == expected


def test_pipes_and_targets_are_known() -> None:
    first, second = simple_commands("a | b > out.txt 2>err >&2 >| x")
    assert (first.piped, second.piped) == (False, True)
    assert [word.text for word in second.targets] == ["out.txt", "err", "x"]


@given(st.text(alphabet=st.sampled_from("ab ;&|><`\n$('\"\\)#{}=中-E"), max_size=60))
def test_anything_is_read_and_places_are_right(command: str) -> None:
    for simple in simple_commands(command):
        for word in (*simple.words, *simple.targets):
            assert 0 <= word.start <= word.end <= len(command)
            source = command[word.start : word.end]
            if not set(source) & set("'\"\\`$"):
                assert source == word.text


def test_deep_nesting_ends() -> None:
    assert len(list(simple_commands("$(" * 5000))) < 20
