"""File name patterns: what they match, and which can't be read."""

import pytest

from app.tools.glob import BadGlob, read_glob


@pytest.mark.parametrize(
    ("pattern", "path", "folder", "wanted"),
    [
        ("*.py", "a.py", "", True),
        ("*.py", "deep/down/a.py", "", True),
        ("*.py", "a.pyc", "", False),
        (".*", "deep/.env", "", True),
        ("*", "deep/.env", "", True),
        ("src/*.py", "src/a.py", "", True),
        ("src/*.py", "src/deep/a.py", "", False),
        ("src/*.py", "x/src/a.py", "", False),
        ("src/**/*.py", "src/a.py", "", True),
        ("src/**/*.py", "src/x/y/a.py", "", True),
        ("**/test/*.py", "test/a.py", "", True),
        ("**/test/*.py", "x/y/test/a.py", "", True),
        ("src/", "src/deep/a.py", "", True),
        ("src/**", "src/deep/a.py", "", True),
        ("/src/*.py", "src/a.py", "", True),
        ("./src/*.py", "src/a.py", "", True),
        ("src\\*.py", "src/a.py", "", True),
        ("deep/*.py", "src/deep/a.py", "src", True),
        ("src/deep/*.py", "src/deep/a.py", "src", True),
        ("*.{ts,tsx}", "a.tsx", "", True),
        ("*.{ts,tsx}", "a.js", "", False),
        ("{src,lib}/*.{c,h}", "lib/x.h", "", True),
        ("a?.txt", "ab.txt", "", True),
        ("a?.txt", "a/.txt", "", False),
        ("[a-c].txt", "b.txt", "", True),
        ("[!a-c].txt", "b.txt", "", False),
        ("[!a-c].txt", "d.txt", "", True),
        ("!*.py", "a.py", "", False),
        ("!*.py", "a.txt", "", True),
        ("!src/**", "src/a.py", "", False),
        ("文*.md", "资料/文件.md", "", True),
        ("a.b", "axb", "", False),
    ],
)
def test_what_matches(pattern: str, path: str, folder: str, wanted: bool) -> None:
    assert read_glob(pattern).matches(path, folder) is wanted


@pytest.mark.parametrize("pattern", ["[abc", "{a,b", "a}", "{a,{b,c}}", "{a,b}" * 7, "[z-a]"])
def test_what_cannot_be_read(pattern: str) -> None:
    with pytest.raises(BadGlob):
        read_glob(pattern)


def test_name_patterns_are_given_only_where_they_are_sure() -> None:
    assert read_glob("src/**/*.{ts,tsx}").names == ("*.ts", "*.tsx")
    for pattern in ("!*.py", "src/**", "src/", "[ab].py", "x/a:b"):
        assert read_glob(pattern).names == ()
