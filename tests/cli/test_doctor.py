"""`haima doctor` from the outside."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.kept import ELSEWHERE, FORK, ID, OTHER, Kept
from tests.cli.support import Haima, haima, imported, records


def test_the_doctor_without_an_endpoint_imports_no_client_and_no_screen() -> None:
    assert imported("doctor", "--json") & {"textual", "openai", "httpx2"} == set()


def test_the_doctor_reports_as_text_and_as_records() -> None:
    text = haima("doctor")
    assert "Python" in text.stdout
    assert records(haima("doctor", "--json").stdout)[-1]["type"] == "doctor"
    assert text.returncode in {0, 1}


def test_the_doctor_runs_with_wrong_settings_too() -> None:
    folder = Path(os.environ["HOME"]) / ".haima"
    folder.mkdir()
    (folder / "config.toml").write_text("nonsense = \n")
    ran = haima("doctor")
    assert ran.returncode == 1
    assert "config.toml" in ran.stdout


def test_a_rebuild_gives_the_same_database(haima_here: Haima, kept: Kept) -> None:
    assert haima_here("sessions", "list").code == 0
    ran = haima_here("doctor", "--rebuild", "--json")
    assert (ran.code, ran.err) == (0, "")
    (record,) = ran.records
    assert (record["type"], record["same"], record["ledgers"]) == ("rebuild", True, 4)
    assert record["tables"]["nodes"] == 4
    assert record["rows"] == sum(
        len(kept.ledger(name).read_text().splitlines()) for name in (ID, FORK, OTHER, ELSEWHERE)
    )
    assert {path.name for path in kept.paths.home.glob("haima.db*")} <= {
        "haima.db",
        "haima.db-wal",
        "haima.db-shm",
    }
    assert haima_here("sessions", "list", "--json").ids == [FORK, ID, OTHER]


def test_a_rebuild_says_what_was_another(haima_here: Haima, kept: Kept) -> None:
    assert haima_here("sessions", "list").code == 0
    database = sqlite3.connect(kept.paths.database)
    database.execute("UPDATE nodes SET title = 'forged' WHERE id = ?", (FORK,))
    database.execute("DELETE FROM failures")
    database.execute("DELETE FROM usage WHERE node = ?", (OTHER,))
    database.commit()
    database.close()
    ran = haima_here("doctor", "--rebuild", "--json")
    assert ran.code == 1
    differences = {record["table"]: record for record in ran.records[:-1]}
    assert set(differences) == {"nodes", "usage"}
    assert (differences["nodes"]["changed"], differences["nodes"]["examples"]) == (1, [FORK])
    assert differences["usage"]["second_only"] == 1
    assert ran.records[-1]["same"] is False
    assert haima_here("sessions", "show", FORK, "--json").records[0]["title"] == "try GraalVM"
    assert haima_here("doctor", "--rebuild").code == 0, "it agrees from now on"


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "The database is what the ledgers say."), ("zh", "数据库与账本一致。")],
)
def test_a_rebuild_in_words(haima_here: Haima, kept: Kept, language: str, words: str) -> None:
    with kept.ledger(OTHER).open("ab") as file:
        file.write(b"nonsense\n")
    ran = haima_here("doctor", "--rebuild", "--lang", language)
    assert ran.code == 0
    *_, passed_over, last = ran.out.splitlines()
    assert last == words
    assert "1" in passed_over
    assert f"  {'the same' if language == 'en' else '相同'}" in ran.out


def test_a_rebuild_waits_for_no_one_in_vain(
    haima_here: Haima, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else sets the file up or rebuilds it: one sentence, and nothing has changed."""
    import app.archive.opening

    assert haima_here("sessions", "list").code == 0
    monkeypatch.setattr(app.archive.opening, "PATIENCE", 0.1)
    with app.archive.opening.setup_lock(kept.paths.database):
        ran = haima_here("doctor", "--rebuild")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert haima_here("sessions", "list", "--json").ids == [FORK, ID, OTHER]
