"""`haima thresholds`: the marks, as records and as a table."""

import os
from pathlib import Path

import pytest

from tests.cli.support import cells, haima, imported, records


def marks(*arguments: str, **environ: str) -> list[dict[str, object]]:
    ran = haima("thresholds", "--json", *arguments, **environ)
    assert (ran.returncode, ran.stderr) == (0, "")
    return records(ran.stdout)


@pytest.mark.parametrize("written", ["200k", "200K", "200000", "200,000", "0.2m"])
def test_the_marks_of_one_window(written: str) -> None:
    (record,) = marks("--window", written)
    assert record == {
        "type": "thresholds",
        "window": 200_000,
        "safe": 200_000,
        "reserve": 20_000,
        "buffer": 13_000,
        "clear": 100_000,
        "precompute": 100_200,
        "warn": 140_000,
        "summary": 167_000,
        "min_gain": 10_000,
        "memory": 1_000,
        "offload": 32_000,
        "offload_shell": 8_000,
        "entities": 3_000,
        "pins": 20_000,
        "system": 14_000,
        "in_use": True,
        "source": "flag",
    }


def test_the_window_asked_for_counts_whatever_the_model() -> None:
    (record,) = marks("--window", "1m", "--model", "gpt-5.2", HAIMA_WINDOW="64k")
    assert record["window"] == 1_000_000


@pytest.mark.parametrize(
    ("arguments", "environ", "window", "source"),
    [
        ((), {}, 128_000, "default"),
        (("--base-url", "localhost:8000", "--model", "m"), {}, 32_768, "default"),
        (("--base-url", "https://api.example.com/v1", "--model", "m"), {}, 128_000, "default"),
        (("--model", "openai/gpt-5.2"), {}, 272_000, "table"),
        (("--model", "kimi-k2.6"), {"HAIMA_WINDOW": "64k"}, 64_000, "environment"),
    ],
)
def test_the_marks_of_the_window_in_use_and_of_the_four(
    arguments: tuple[str, ...], environ: dict[str, str], window: int, source: str
) -> None:
    first, *others = marks(*arguments, **environ)
    assert (first["window"], first["in_use"], first["source"]) == (window, True, source)
    usual = [size for size in (128_000, 200_000, 256_000, 1_000_000) if size != window]
    assert [other["window"] for other in others] == usual
    assert not any(other["in_use"] for other in others)


def test_a_window_of_the_settings_is_in_use() -> None:
    folder = Path(os.environ["HOME"]) / ".haima"
    folder.mkdir()
    (folder / "config.toml").write_text("[model]\nwindow = '8k'\n")
    first = marks()[0]
    assert (first["window"], first["summary"], first["source"]) == (8_000, 5_000, "config")


@pytest.mark.parametrize(("language", "words"), [("en", "summarise"), ("zh", "做摘要")])
def test_the_marks_as_a_table(language: str, words: str) -> None:
    ran = haima("thresholds", "--lang", language, "--model", "gpt-5.2")
    assert ran.returncode == 0
    about, longest, empty, head, *rows = ran.stdout.splitlines()
    assert ("400,000" in about, "272,000" in longest, empty) == (True, True, "")
    assert words in head
    figures = [" ".join(row.split()) for row in rows]
    assert figures[0] == "272,000 100,000 143,400 190,400 239,000 13,600 1,360"
    assert figures[1] == "128,000 57,000 57,000 89,600 95,000 6,400 640"
    assert len(rows) == 5
    assert len({cells(line) for line in (head, *rows)}) == 1


def test_the_marks_import_no_client_and_no_screen() -> None:
    assert imported("thresholds") & {"textual", "openai", "httpx2"} == set()


def test_a_clear_mark_of_ones_own_counts_in_every_window() -> None:
    rows = marks("--window", "200k", HAIMA_COMPACTION__CLEAR_AT="50k")
    assert [row["clear"] for row in rows] == [50_000]
    rows = marks(HAIMA_COMPACTION__CLEAR_AT="150k")
    clear = {row["window"]: (row["clear"], row["summary"]) for row in rows}
    assert clear[128_000] == (94_999, 95_000), "pulled below the summary mark"
    assert clear[200_000][0] == 150_000
