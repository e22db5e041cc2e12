"""How a text is cut into the terms that facts are found by."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.segment import STOP_WORDS, hit_words, query_terms, segment
from app.memory.stem import stem

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("数据库", ["数", "据", "库", "数据", "据库"]),
        ("用Java17，", ["用", "java17", "java", "17"]),
        ("Ｊａｖａ　１７！", ["java", "17"]),
        ("ﾃﾞｰﾀ", ["デ", "ー", "タ", "デー", "ータ"]),
        ("readOldFile", ["readoldfile", "read", "old", "file"]),
        ("JavaScript", ["javascript"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("__max_tool_steps__", ["max_tool_steps", "max", "tool", "step"]),
        ("Python 3.11.2", ["python", "3.11.2", "3", "11", "2"]),
        ("v1.10", ["1.10", "1", "10"]),
        ("C++, C#, C", ["c++", "c", "c#", "c", "c"]),
        ("Café İstanbul STRASSE straße", ["cafe", "istanbul", "strass", "strass"]),
        ("src/app/main.py:12", ["src", "app", "main", "py", "12"]),
        ("ทดสอบ", ["ท", "ด", "ส", "อ", "บ", "ทด", "ดส", "สอ", "อบ"]),
        ("", []),
        ("?!。，、·…「」*\"'()", []),
        ("\0 \ud800 \x1b", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert segment(text) == terms


def test_a_query_has_each_term_once_and_no_stop_words() -> None:
    assert query_terms("What is the database of the databases?") == ["databas"]
    assert query_terms("how are you") == []


@pytest.mark.parametrize("word", ["什么", "哪个", "怎么样", "多少", "如何"])
def test_chinese_words_that_ask_count_only_alone(word: str) -> None:
    assert query_terms(f"数据库是{word}？") == query_terms("数据库是")
    assert query_terms(word)


def test_one_character_is_a_term() -> None:
    assert query_terms("库") == ["库"]
    assert query_terms("C") == ["c"]


@given(st.text())
def test_terms_are_safe_to_search_for_and_stay_the_same_terms(text: str) -> None:
    terms = segment(text)
    for term in terms:
        assert term
        assert not re.search(r"[\s\"*()\x00-\x1f\ud800-\udfff]", term)
        assert len(term) <= 66
    assert segment(text.upper().lower()) == segment(text.lower())


def test_a_long_word_is_cut() -> None:
    assert max(map(len, segment("x" * 100_000))) == 64


def test_stems_are_those_of_sqlite() -> None:
    found: set[str] = set(STOP_WORDS)
    for path in [PROJECT / "app" / "text" / "en.toml", *(PROJECT / "app" / "agent").glob("*.py")]:
        found |= set(re.findall("[a-z]{3,30}", path.read_text("utf-8").lower()))
    found |= {
        "relational",
        "vietnamization",
        "hopefulness",
        "sensibiliti",
        "adoption",
        "controlled",
    }
    words = sorted(found)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter ascii')")
        database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
        database.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", list(enumerate(words)))
        theirs = dict(database.execute("SELECT doc, term FROM v").fetchall())
    assert len(words) > 1_000
    assert {word: stem(word) for word in words} == {
        word: theirs[number] for number, word in enumerate(words)
    }


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("Which Java do builds use?", "Builds run on Java 17", ("Java", "builds")),
        (
            "数据库连接用什么？javax 的版本",
            "数据库是 PostgreSQL；javax.servlet 版本 4",
            ("数据库", "javax", "版本"),
        ),
        ("readOldFile fails", "the old file", ("readOldFile",)),
        ("我要茶", "喝茶", ("茶",)),
        ("What is it?", "it is what it is", ()),
        ("什么", "什么都行", ("什么",)),
        ("Java, java, JAVA", "Java", ("Java",)),
        (
            "red blue pink gold grey teal",
            "teal grey gold pink blue red",
            ("red", "blue", "pink", "gold", "grey"),
        ),
    ],
)
def test_words_that_hit(query: str, text: str, found: tuple[str, ...]) -> None:
    assert hit_words(query, text) == found
