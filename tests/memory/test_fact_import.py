"""Memories of a file: each form that is read, and that nothing is overwritten or doubled."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.memory.chosen import write_chosen
from app.memory.fact_import import AT_ONCE, FactImportError, import_facts, read_import
from app.memory.fact_outcomes import Replaced
from app.memory.facts import Provenance
from tests.memory.fact_desk import SetClock
from tests.memory.memory_desk import memories, save, write
from tests.memory.test_memories import entry


@pytest.mark.parametrize(
    ("raw", "contents", "bad"),
    [
        ('["one", "二", "", 7]', ["one", "二"], 2),
        ('\ufeff[\r\n  {"id": "f1", "content": "one"}, {"content": " "}\r\n]', ["one"], 1),
        ('"one"\n\n{"content": "two"}\n', ["one", "two"], 0),
        ('{"content": "only one line"}', ["only one line"], 0),
        ('[{"id": 1, "content": "one"}, {"id": 2, "content": "two"}, {"cont', ["one", "two"], 0),
        ("[]", [], 0),
    ],
)
def test_each_form_is_read(raw: str, contents: list[str], bad: int) -> None:
    found, left = read_import(raw.encode())
    assert [one.content for one in found] == contents
    assert left == bad


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"plain text", b"[1, 2]", b"{}", b"\xff\x00", b"[" * 9999]
)
def test_what_holds_no_memories_is_refused(raw: bytes) -> None:
    with pytest.raises(FactImportError):
        read_import(raw)


async def test_what_is_new_is_unverified_and_what_contradicts_waits(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        await save(memory, "项目使用 JDK 17")
        await save(memory, "answers are short", "global")
        before = memory.find(memory.visible()[1].id)
        raw = json.dumps(
            [
                entry("a", "项目使用 JDK 21", scope="project", project="/another/machine"),
                entry("b", "Answers are short.", scope="global"),
                entry("c", "deploy with make ship", scope="project", project="/another/machine"),
                "the key is sk-abcdefghij0123456789",
                7,
            ]
        )
        done = await import_facts(memory, raw.encode())
        assert [fact.content for fact in done.stored] == [
            "deploy with make ship",
            "the key is ‹secret›",
        ]
        assert all(
            (fact.pending, fact.provenance, fact.project)
            == (True, Provenance("import"), memory.key)
            for fact in done.stored
        )
        assert done.known == (before,), "an equal one isn't confirmed by it"
        assert [one.draft.content for one in done.waiting] == ["项目使用 JDK 21"]
        assert (done.skipped, done.elsewhere, done.failure) == (1, 0, None)
        assert await memory.inbox.waiting(memory.key) == done.waiting
        again = await import_facts(memory, raw.encode())
        assert (again.stored, len(again.known)) == ((), 3)
        assert again.waiting == done.waiting, "the same conflict waits once"


async def test_of_several_projects_only_this_ones_are_taken(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        await save(memory, "there already", "global")
        entries = [
            entry("a", "ours", scope="project", project=memory.key),
            entry("b", "theirs", scope="project", project="/elsewhere"),
            entry("c", "everyone's", scope="global"),
        ]
        raw = json.dumps(entries).encode()
        done = await import_facts(memory, raw)
        assert [fact.content for fact in done.stored] == ["ours", "everyone's"]
        assert done.elsewhere == 1
        done = await import_facts(memory, raw, scope="global")
        assert [(fact.content, fact.scope) for fact in done.stored] == [
            ("ours", "global"),
            ("theirs", "global"),
        ]


async def test_an_export_comes_back_elsewhere(tmp_path: Path) -> None:
    write(tmp_path / "one", [entry("f1", "x y", scope="global"), entry("f2", "z", note="kept")])
    async with memories(tmp_path / "one") as old, memories(tmp_path / "two") as new:
        done = await import_facts(new, old.store.exported())
        assert [fact.content for fact in done.stored] == ["x y", "z"]


JANUARY, NOW = datetime(2026, 1, 5, 8, tzinfo=UTC), SetClock().now()


@pytest.mark.parametrize(
    ("dates", "written"),
    [
        ({"timestamp": "2026-01-05T16:00:00+08:00"}, JANUARY),
        ({"timestamp": "2026-01-05T08:00:00"}, JANUARY),
        ({"timestamp": 1_767_600_000_000}, JANUARY),
        ({"timestamp": JANUARY.isoformat(), "lastVerifiedAt": "2026-11-29T12:00:00Z"}, JANUARY),
        ({"timestamp": "once", "lastVerifiedAt": "2026-01-05T08:00:00Z"}, JANUARY),
        ({"timestamp": "2027-01-05T08:00:00Z"}, NOW),
        ({"timestamp": None}, NOW),
        ({}, NOW),
    ],
)
async def test_an_imported_fact_is_as_old_as_it_says_and_unverified(
    dates: dict[str, object], written: datetime, tmp_path: Path
) -> None:
    """Whoever confirmed it elsewhere, nobody did here: it isn't fresher than it is old."""
    async with memories(tmp_path / "home") as memory:
        await save(memory, "there already")
        mine = {"id": "a", "content": "deploy with make ship", "metadata": {}} | dates
        done = await import_facts(memory, json.dumps([mine]).encode())
        (fact,) = done.stored
        assert (fact.timestamp, fact.last_verified, fact.verified) == (written, written, None)
        (known,) = await memory.known([fact])
        assert known.state == ("stale" if written == JANUARY else "unverified")


async def test_one_that_waited_is_as_old_as_it_said_and_confirmed_by_the_choice(
    tmp_path: Path,
) -> None:
    async with memories(tmp_path / "home") as memory:
        await save(memory, "项目使用 JDK 17")
        mine = entry("a", "项目使用 JDK 21") | {"timestamp": JANUARY.isoformat()}
        await import_facts(memory, json.dumps([mine]).encode(), scope="project")
        (waiting,) = await memory.inbox.waiting(memory.key)
    async with memories(tmp_path / "home") as memory:
        assert await memory.inbox.waiting(memory.key) == (waiting,), "as it is read again"
        chosen = await write_chosen(memory.store, waiting.draft, replaced=waiting.existing, kept=())
        assert isinstance(chosen, Replaced)
        assert (chosen.fact.timestamp, chosen.fact.verified) == (JANUARY, NOW)


WHOLE: list[dict[str, object]] = [
    entry("f1", "the port is 8080", scope="project", project="/code/here")
    | {"lastVerifiedAt": "2026-11-30T08:00:00Z", "note": {"by": "another tool"}, "type": "FACT"},
    entry("f2", "the port is 9090", scope="project", project="/code/there", odd="kept")
    | {"type": "SUMMARY", "tokenCount": 12345},
    entry("f3", "the port is 8081", scope="project", project="/code/here"),
    entry("f4", "我喜欢简短的回答", verification_pending="true", author="extraction", quote="简短"),
    entry("f5", "nobody's", scope="project"),
]
"""Of several projects; two contradict each other, by choice."""


@pytest.mark.parametrize("indent", [None, 2])
async def test_an_export_of_everything_comes_back_whole_in_an_empty_home(
    tmp_path: Path, indent: int | None
) -> None:
    write(tmp_path / "one", [])
    async with memories(tmp_path / "one") as old, memories(tmp_path / "two") as new:
        old.store.path.write_text(json.dumps(WHOLE, ensure_ascii=False, indent=indent), "utf-8")
        await old.refresh()
        done = await import_facts(new, old.store.exported())
        assert (len(done.stored), done.waiting, done.elsewhere, done.skipped) == (5, (), 0, 0)
        assert new.store.facts == old.store.facts
        assert json.loads(new.store.path.read_bytes()) == WHOLE
        again = await import_facts(new, old.store.exported())
        assert [fact.content for fact in again.stored] == ["nobody's"], "like any other file now"
        assert (len(again.known), again.elsewhere) == (1, 3)
        await new.store.undo()
        assert len(new.store.facts) == 5
        await new.store.undo()
        assert list(new.store.facts) == []


async def test_an_export_of_the_only_project_becomes_this_ones_and_keeps_the_rest(
    tmp_path: Path,
) -> None:
    async with memories(tmp_path / "home") as memory:
        mine = [WHOLE[0], WHOLE[3] | {"content": "the key is sk-abcdefghij0123456789"}]
        await import_facts(memory, json.dumps(mine).encode())
        here = WHOLE[0] | {"metadata": {"scope": "project", "project": memory.key}}
        masked = mine[1] | {"content": "the key is ‹secret›"}
        assert json.loads(memory.store.path.read_bytes()) == [here, masked]


async def test_many_are_written_a_batch_at_a_time_and_compared_with_each_other(
    tmp_path: Path,
) -> None:
    texts = [f"module {chr(97 + n % 26)}{chr(97 + n // 26)} has an owner" for n in range(AT_ONCE)]
    texts[10:10] = ["项目使用 JDK 17", "项目使用 JDK 21", "项目使用 JDK 17。"]
    async with memories(tmp_path / "home") as memory:
        version = memory.store.version
        done = await import_facts(memory, json.dumps(texts).encode())
        assert memory.store.version == version + 2, "two batches, two writes"
        assert (len(done.stored), done.failure) == (AT_ONCE + 1, None)
        assert [fact.content for fact in done.known] == ["项目使用 JDK 17"]
        assert [one.draft.content for one in done.waiting] == ["项目使用 JDK 21"]
        assert done.waiting[0].existing == (done.known[0].id,)
        happened = await memory.store.history(done.stored[7].id)
        assert [(one.operation, one.by, one.after) for one in happened] == [
            ("save", "import", texts[7])
        ]
        await memory.store.undo(happened[0].change)
        assert len(memory.store.facts) == AT_ONCE, "each can be taken back alone"


async def test_a_save_that_fails_ends_it_and_says_so(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        await memory.store.refresh()
        memory.store.path.parent.mkdir(parents=True, exist_ok=True)
        memory.store.path.with_name(f"{memory.store.path.name}.lock").mkdir()
        done = await import_facts(memory, b'["one", "two"]')
        assert (done.stored, done.failure is not None) == ((), True)
