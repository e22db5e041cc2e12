"""Every outcome has words in both languages: what happened, to what, how it is meant."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.memory.fact_outcomes import (
    ChangedSince,
    Clash,
    Conflict,
    Deleted,
    Duplicate,
    Failed,
    Kept,
    NotFound,
    Outcome,
    Pinned,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.facts import Draft, Fact, FactScope, Provenance, new_fields, read_fact
from app.session.fact_said import fact_said
from app.storage import StorageError
from app.text import Words

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)


def fact(content: str, fact_id: str = "fact-1", scope: FactScope = "project") -> Fact:
    draft = Draft(content, scope, "/work", Provenance("you"))
    found = read_fact(new_fields(draft, fact_id, AT, len), fact_id, len)
    assert found is not None
    return found


A, B = fact("Java 17"), fact("Java 21", "fact-2")
MANY = tuple(fact(f"fact number {n}", f"fact-{n}") for n in range(4))
COPY = Path("/h/long_term_memory.json.corrupt-1")


@pytest.mark.parametrize(
    ("outcome", "severity", "sentence"),
    [
        (Stored(A, "c"), "ok", "Saved for this project: “Java 17”"),
        (Stored(fact("x", scope="global"), "c"), "ok", "Saved for all projects: “x”"),
        (Replaced(B, (A,), "c"), "ok", "Memory replaced: “Java 17” → “Java 21”"),
        (Replaced(B, MANY, "c"), "ok", "Memory replaced: 4 memories → “Java 21”"),
        (Replaced(fact("Java 11"), (A,), "c"), "ok", "Memory changed: “Java 17” → “Java 11”"),
        (Duplicate(A, verified=False), "info", "Known already: “Java 17”"),
        (Duplicate(A, verified=True), "ok", "Known already, verified now: “Java 17”"),
        (
            Conflict("Java 21", (Clash(A, "values"),)),
            "warn",
            "Contradicts a memory: “Java 21” against “Java 17”; nothing was written, your decision "
            "is needed",
        ),
        (
            Kept("Java 21", A),
            "info",
            "Existing memory kept: “Java 17” stands as it was; “Java 21” was not saved",
        ),
        (NotFound(("f1", "f2")), "warn", "No such memory here: f1, f2: nothing was changed"),
        (NotFound(()), "info", "Nothing to undo: no change of the memories was made here"),
        (Verified((A, B), "c"), "ok", "Verified: “Java 17”, “Java 21”"),
        (Verified(MANY, "c"), "ok", "Verified: 4 memories"),
        (Verified((A,), "c", ("f9",)), "ok", "Verified: “Java 17”; not found: f9"),
        (Pinned((A,), True, "c"), "ok", "Pinned: “Java 17”"),
        (Pinned((A,), False, "c", ("f9",)), "ok", "No longer pinned: “Java 17”; not found: f9"),
        (Deleted((A,), "c"), "ok", "Deleted: “Java 17”"),
        (Deleted((A,), ""), "ok", "Deleted everywhere: “Java 17”"),
        (
            Deleted((A,), "", remains=(COPY,)),
            "warn",
            f"Deleted everywhere: “Java 17”; the text still stands in {COPY}: delete these copies "
            "yourself",
        ),
        (Restored((A,), (), "c"), "ok", "Restored: “Java 17”"),
        (Restored((), (B,), "c"), "ok", "Undone: “Java 21” is gone again"),
        (Restored((), MANY, "c"), "ok", "Undone: 4 memories are gone again"),
        (
            ChangedSince(("fact-1",)),
            "warn",
            "Not undone: fact-1 changed since then; nothing was changed",
        ),
    ],
)
def test_an_outcome_in_words(outcome: Outcome, severity: str, sentence: str) -> None:
    said = fact_said(outcome, Words("en"))
    assert (said.severity, said.sentence) == (severity, sentence)
    assert said.sentence == f"{said.head}: {said.text}"
    chinese = fact_said(outcome, Words("zh"))
    assert chinese.severity == severity
    assert chinese.sentence == f"{chinese.head}：{chinese.text}"


def test_a_failure_says_what_to_do() -> None:
    said = fact_said(Failed(StorageError("storage.full", path=Path("/h/m.json"))), Words("en"))
    assert said.severity == "danger"
    assert said.sentence.startswith("Memories not changed: ")
    assert "/h/m.json" in said.text


def test_foreign_text_is_one_visible_line_that_is_cut_in_short() -> None:
    said = fact_said(Stored(fact("a\n\x1b[2J" + "长" * 200), "c"), Words("en"))
    assert said.text.startswith("“a \\x1b[2J长")
    assert said.text.endswith("…”")
    assert len(said.text) < 70
