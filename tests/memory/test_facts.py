"""One entry of the file, as it is read and written."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from app.memory.facts import Draft, Provenance, new_fields, project_key, read_fact, read_instant
from tests.memory.fact_desk import HERE, THERE, draft, tokens

NOW = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def test_a_draft_becomes_an_entry_with_the_fields_of_the_format() -> None:
    origin = Provenance("extraction", "n1", "m2", "JDK 可以保持 17", ("web_fetch", "curl x"))
    made = Draft("JDK 17", "project", HERE, origin, pending=True)
    assert new_fields(made, "fact-0a1b2c3d", NOW, tokens) == {
        "id": "fact-0a1b2c3d",
        "content": "JDK 17",
        "type": "FACT",
        "timestamp": "2026-11-30T12:00:00.123456Z",
        "lastVerifiedAt": "2026-11-30T12:00:00.123456Z",
        "metadata": {
            "source": "auto_user_fact",
            "scope": "project",
            "project": HERE,
            "verification_pending": "true",
            "external_context": "true",
            "external_context_sources": "web_fetch,curl x",
            "author": "extraction",
            "node": "n1",
            "message": "m2",
            "quote": "JDK 可以保持 17",
        },
        "tokenCount": 6,
    }


def test_what_was_written_is_read_back() -> None:
    origin = Provenance("extraction", "n1", "m2", "the words", ("web_fetch", "mcp__x"))
    made = Draft("JDK 17", "project", HERE, origin, pending=True)
    fact = read_fact(new_fields(made, "fact-1", NOW, tokens), "fact-1", tokens)
    assert fact is not None
    assert (fact.provenance, fact.scope, fact.project, fact.pending) == (
        origin, "project", HERE, True,
    )  # fmt: skip
    assert (fact.timestamp, fact.last_verified, fact.verified) == (NOW, NOW, None)


def test_what_is_missing_is_made_up_for() -> None:
    fact = read_fact({"content": "tea"}, "x", tokens)
    assert fact is not None
    assert (fact.type, fact.scope, fact.token_count, fact.timestamp) == ("FACT", "global", 3, None)
    assert fact.provenance == Provenance("you")
    fact = read_fact({"content": "tea", "timestamp": "2026-01-02T03:04:05Z"}, "x", tokens)
    assert fact is not None
    assert fact.last_verified == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize("content", [None, 5, "", " \n", ["a"], {"a": 1}])
def test_an_entry_without_content_is_no_fact(content: object) -> None:
    assert read_fact({"id": "x", "content": content}, "x", tokens) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-02T03:04:05.123456789Z", datetime(2026, 1, 2, 3, 4, 5, 123456, tzinfo=UTC)),
        ("2026-01-02T11:04:05+08:00", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (1767323045, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (1767323045000, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (1767323045.5, datetime(2026, 1, 2, 3, 4, 5, 500000, tzinfo=UTC)),
        ("yesterday", None), ("", None), (None, None), (True, None), ([], None),
        (1e300, None), (float("nan"), None), ("9999-99-99", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)  # fmt: skip
def test_instants_are_read_in_every_form_and_none_raises(
    value: object, expected: datetime | None
) -> None:
    assert read_instant(value) == expected


def test_instants_are_written_in_utc() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=8)))
    fields = new_fields(draft("x"), "i", here, tokens)
    assert fields["timestamp"] == "2026-11-30T12:00:00.123456Z"


@pytest.mark.parametrize(
    ("scope", "expected"),
    [("project", "project"), ("Project", "project"), (" PROJECT ", "project"), ("team", "global"),
     ("", "global"), (None, "global"), (5, "global")],
)  # fmt: skip
def test_only_the_word_project_is_the_scope_project(scope: object, expected: str) -> None:
    fields = {"content": "x", "metadata": {"scope": scope, "project": HERE}}
    fact = read_fact(fields, "x", tokens)
    assert fact is not None
    assert fact.scope == expected
    assert fact.visible_in(HERE)
    assert fact.visible_in(THERE) == (expected == "global")


def test_a_project_fact_without_a_project_is_visible_nowhere_and_equals_nothing() -> None:
    fact = read_fact({"content": "x", "metadata": {"scope": "project"}}, "x", tokens)
    assert fact is not None
    assert not fact.visible_in(HERE)
    assert not fact.visible_in("")
    assert fact.domain is None


def test_a_linked_project_is_the_same_project(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert project_key(str(tmp_path / "link") + "/") == project_key(str(real))
    assert project_key(str(real / "x" / "..")) == project_key(str(real))


@pytest.mark.parametrize("pending", ["true", "TRUE", True, "1"])
def test_a_pending_fact_is_not_verified(pending: object) -> None:
    metadata = {"verification_pending": pending}
    fact = read_fact({"content": "x", "timestamp": 1, "metadata": metadata}, "x", tokens)
    assert fact is not None
    assert fact.pending
    assert fact.verified is None


@pytest.mark.parametrize("metadata", [None, 5, [], "text", {"author": 5, "source": None}])
def test_metadata_of_any_kind_is_borne(metadata: object) -> None:
    fact = read_fact({"content": "x", "metadata": metadata, "tokenCount": "7"}, "x", tokens)
    assert fact is not None
    assert (fact.scope, fact.provenance.who, fact.token_count) == ("global", "you", 1)


def test_a_blank_or_homeless_draft_is_refused() -> None:
    with pytest.raises(ValueError, match="blank"):
        draft(" \n")
    with pytest.raises(ValueError, match="project"):
        draft("x", project="")
