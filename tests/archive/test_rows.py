"""Rows as lines: everything survives, and a bad line costs that line only."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive.rows import (
    BadLine,
    Row,
    decode_bytes,
    dump_row,
    encode_bytes,
    parse_row,
    read_rows,
)
from app.storage import StorageError
from app.text import Words


def row(seq: int, text: str = "") -> Row:
    return Row(seq, "2026-11-29T12:00:00.000Z", "message", "7f3a9c01d2e4", "main", {"text": text})


def joined(text: str) -> str:
    """Halves of a surrogate pair come back as the one character they are."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


ANY_TEXT = st.text(st.characters(codec=None, categories=None)).map(joined)
JSON_DATA = st.dictionaries(
    ANY_TEXT,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=3,
)


@given(JSON_DATA, st.integers(min_value=1), ANY_TEXT)
def test_a_row_comes_back_as_it_was(data: dict[str, object], seq: int, text: str) -> None:
    written = Row(seq, text, "message", text, text, data)
    line = dump_row(written)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert parse_row(line) == written


def test_what_json_libraries_lose_survives() -> None:
    data = {
        "surrogate": "\ud83d",
        "separator": "a\u2028b\x85c\rd",
        "big": 2**80,
        "nan": math.nan,
        "infinite": -math.inf,
    }
    back = parse_row(dump_row(Row(1, "", "x", "", "main", data))).data
    assert {key: back[key] for key in data if key != "nan"} == {
        key: value for key, value in data.items() if key != "nan"
    }
    assert math.isnan(float(str(back["nan"])))


@given(st.binary())
def test_raw_bytes_survive(raw: bytes) -> None:
    assert decode_bytes(json.loads(json.dumps(encode_bytes(raw)))) == raw


@pytest.mark.parametrize("value", [None, "x", {}, {"$bytes": 1}, {"$bytes": "%%"}])
def test_what_is_not_bytes_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not b"):
        decode_bytes(value)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"seq":1',
        b'{"seq":"1","kind":"x","data":{}}',
        b'{"seq":true,"kind":"x","data":{}}',
        b'{"seq":0,"kind":"x","data":{}}',
        b'{"seq":1,"kind":"x","data":[]}',
        b'{"seq":1,"data":{}}',
        b'{"seq":1,"kind":"x","data":{"a":"\xe4\xb8"}}',
        b"[" * 100_000,
        b'{"seq":' + b"9" * 5_000 + b',"kind":"x","data":{}}',
        b"\0" * 100,
    ],
)
def test_what_is_not_a_row_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        parse_row(line)


def test_rows_of_others_are_read() -> None:
    assert parse_row('\ufeff{"seq":1,"kind":"x","data":{"a":"海"}}\r\n'.encode()).data == {
        "a": "海"
    }
    assert parse_row(b"\0\0" + dump_row(row(2))) == row(2)
    assert parse_row(b'{"seq":1,"kind":"later","data":{},"more":1}').conversation == "main"


def read(path: Path) -> tuple[list[int], list[tuple[int, str]]]:
    bad: list[BadLine] = []
    return [row.seq for row in read_rows(path, bad.append)], [(b.line, b.fault) for b in bad]


def test_a_bad_line_costs_that_line_only(folder: Path) -> None:
    path = folder / "a.jsonl"
    lines = [
        dump_row(row(1)),
        b"\xff\xfe garbage\n",
        dump_row(row(2, "a\u2028b")),
        b"\n",
        dump_row(row(3)),
        dump_row(row(3)),
        dump_row(row(3, "another")),
        b'{"seq":4,"ki\n',
        dump_row(row(9)),
        dump_row(row(5)),
        b'{"seq":6',
    ]
    path.write_bytes(b"".join(lines))
    seqs, bad = read(path)
    assert seqs == [1, 2, 3, 3, 9, 5]
    assert bad == [
        (2, "unreadable"),
        (6, "repeated"),
        (7, "doubled"),
        (8, "unreadable"),
        (11, "torn"),
    ]


def test_bad_lines_are_told_in_both_languages(folder: Path) -> None:
    for fault in ("torn", "unreadable", "repeated", "doubled"):
        line = BadLine(folder / "7f3a.jsonl", 18204, fault)
        for language in ("en", "zh"):
            assert line.sentence(Words(language)).startswith("7f3a.jsonl:18204")


def test_no_file_has_no_rows_and_a_folder_is_an_error(folder: Path) -> None:
    assert read(folder / "none.jsonl") == ([], [])
    with pytest.raises(StorageError):
        read(folder)
