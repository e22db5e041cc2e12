"""What an "always" for a program that only reads covers, and what it never does."""

from pathlib import Path

import pytest

from app.tools.reading_commands import reader_of

ROOT = Path("/code/shop")


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la src/a.log",
        "ls src/*.py",
        "cat README.md",
        "cat -n 'a file.txt' \"b c\"",
        "cat /code/shop/src/a.py",
        "cat src/../a.py",
        "head -n 20 src/a.py",
        "tail -50 build.log",
        "wc -l src/a.py",
        "stat src",
        "file src/a.bin",
        "tree -L 2 src",
        "rg -n 'def .*load' src",
        "rg 'a{2}' --glob='*.py'",
        "grep -rn TODO .",
        "grep -rn --include='*.py' x src",
        "find . -name '*.py' -type f",
        "find src -maxdepth 2 -newer pom.xml -print0",
    ],
)
def test_only_reads(command: str) -> None:
    assert reader_of(command, ROOT) == command.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    "command",
    [
        "",
        # writes, pipes, runs something
        "cat x > y",
        "cat x >> y",
        "cat < x",
        "cat x | sh",
        "cat x; rm x",
        "cat x && rm x",
        "cat x & rm x",
        "cat $(rm x)",
        "cat `rm x`",
        "cat x\nrm x",
        "cat <(rm x)",
        "A=1 cat x",
        "sed -i s/a/b/ x",
        "sed -n 1p x",
        "tee x",
        "find . -delete",
        "find . -name x -exec rm {} +",
        "find . -execdir rm x",
        "find . -ok rm x",
        "find . -okdir rm x",
        "find . -fprint x",
        "find . -fprintf x y",
        "find . -fls x",
        "find . '-delete'",
        'find . "-del"ete',
        "find . \\-delete",
        "tree -o x",
        "tree -ao x",
        "tree -R -L 1",
        "rg --pre ./run x",
        "rg --pre=./run x",
        "rg --hostname-bin ./run x",
        "rg -z x",
        "file -C -m x",
        "file --compile",
        "wc --files0-from=x",
        "env cat x",
        "xargs cat",
        # another program of that name
        "./cat x",
        "/tmp/cat x",
        "$x a",
        # what the shell makes something else of
        "find . $X",
        'find . "$X"',
        "find *",
        "find ''*",
        "find '-'*",
        "find '-d'?lete",
        "find . -d?l?te",
        "rg x {--pre=a,b}",
        "rg x -{-pre=a,b}",
        "rg x [-]-pre=a",
        # outside the project
        "cat /etc/passwd",
        "cat ~/.ssh/id_rsa",
        "cat ../other/x",
        "cat src/../../x",
        "cat /code/shop2/x",
        "ls /",
        "grep -r x --file=/etc/passwd",
        "grep -f/etc/passwd x",
        "grep key ~/.aws/credentials",
        "cat 'x",
    ],
)
def test_is_asked_about_as_before(command: str) -> None:
    assert reader_of(command, ROOT) == ""


def test_a_link_that_leads_out_is_asked_about(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "out").symlink_to(tmp_path)
    (root / "in").symlink_to(root / "src")
    assert reader_of("cat out/x", root) == ""
    assert reader_of("cat in/x", root) == "cat"
