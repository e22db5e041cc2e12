"""Changes of the facts: outcomes, bytes, other writers, failing disks, undo."""

import asyncio
import errno
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from app.memory.fact_disk import Stamp, set_aside
from app.memory.fact_keeper import journal_of, lock_of
from app.memory.fact_outcomes import (
    ChangedSince,
    Conflict,
    Deleted,
    Duplicate,
    Failed,
    NotFound,
    Outcome,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.fact_store import FactStore
from app.memory.facts import Fact
from app.storage import Locked
from app.storage.faults import FaultPoint, install
from app.storage.shared_lock import SharedLock
from tests.memory.fact_desk import HERE, THERE, SetClock, draft, put, store, text_of
from tests.stem.grown import grow

FOREIGN = """[ {
  "id" : "fact-0000aaaa",
  "content" : "project uses Java 17",
  "type" : "FACT",
  "timestamp" : "2026-01-02T03:04:05.123456789Z",
  "lastVerifiedAt" : "2026-01-02T03:04:05.123456789Z",
  "stars" : 1.50,
  "metadata" : {
    "source" : "auto_user_fact",
    "scope" : "project",
    "project" : "/code/here",
    "verification_pending" : "true",
    "mood" : "calm"
  },
  "tokenCount" : 999
}, 5, {
  "content" : "answers in Chinese",
  "id" : "fact-0000bbbb",
  "metadata" : { }
}, {
  "id" : "fact-0000cccc",
  "content" : "theirs",
  "metadata" : {
    "scope" : "project",
    "project" : "/code/there"
  }
} ]"""

A, B, C = "fact-0000aaaa", "fact-0000bbbb", "fact-0000cccc"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "memory" / "long_term_memory.json"


@pytest.fixture
def foreign(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text(FOREIGN)
    return path


@pytest.fixture
def fault() -> Iterator[Callable[[FaultPoint, BaseException], None]]:
    removals: list[Callable[[], None]] = []

    def arm(point: FaultPoint, error: BaseException) -> None:
        def hook(name: FaultPoint) -> None:
            if name == point:
                raise error

        removals.append(install(hook))

    yield arm
    for remove in removals:
        remove()


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()}


def stored(outcome: Outcome) -> Fact:
    assert isinstance(outcome, Stored), outcome
    return outcome.fact


def texts(kept: FactStore) -> list[str]:
    return [fact.content for fact in kept.facts]


async def test_reading_makes_nothing(path: Path) -> None:
    kept = store(path)
    assert await kept.refresh()
    assert not await kept.refresh()
    assert kept.facts == ()
    assert not path.parent.exists()


async def test_a_new_file_is_private_and_holds_the_fact(path: Path) -> None:
    kept = store(path)
    fact = stored(await kept.save(draft("tea 茶")))
    assert [mode(path), mode(path.parent)] == [0o600, 0o700]
    [entry] = json.loads(text_of(path))
    assert entry == fact.fields
    assert kept.get(fact.id) == fact
    again = store(path)
    await again.refresh()
    assert again.facts == (fact,)


async def test_a_foreign_file_keeps_every_byte_that_is_not_meant(foreign: Path) -> None:
    """FIELD 51."""
    kept = store(foreign)
    fact = stored(await kept.save(draft("new", "global")))
    added = text_of(foreign)
    assert added.startswith(FOREIGN[:-2] + ', {\n  "id" : "' + fact.id)
    assert isinstance(await kept.verify([A]), Verified)
    verified = text_of(foreign)
    now = "2026-11-30T12:00:00.000000Z"
    assert verified == added.replace(
        '"lastVerifiedAt" : "2026-01-02T03:04:05.123456789Z"', f'"lastVerifiedAt" : "{now}"', 1
    ).replace('    "verification_pending" : "true",\n', "")
    assert isinstance(await kept.edit(B, "answers in 中文"), Replaced)
    edited = text_of(foreign)
    assert edited == verified.replace(
        '"content" : "answers in Chinese",\n  "id" : "fact-0000bbbb",\n  "metadata" : { }',
        '"content" : "answers in 中文",\n  "id" : "fact-0000bbbb",\n  "metadata" : { },\n'
        f'  "lastVerifiedAt" : "{now}",\n  "tokenCount" : 13',
    )
    assert isinstance(await kept.delete([fact.id]), Deleted)
    assert text_of(foreign).endswith(FOREIGN[FOREIGN.index('}, {\n  "id" : "fact-0000cccc') :])


async def test_a_foreign_token_count_stays_until_the_content_changes(foreign: Path) -> None:
    kept = store(foreign)
    await kept.verify([A])
    assert kept.get(A).token_count == 999  # type: ignore[union-attr]
    await kept.edit(A, "Java 21")
    assert kept.get(A).token_count == len("Java 21")  # type: ignore[union-attr]


async def test_an_explicit_save_of_an_equal_fact_confirms_it_and_an_automatic_one_never(
    foreign: Path,
) -> None:
    clock = SetClock()
    kept = store(foreign, clock=clock)
    automatic = await kept.save(draft("PROJECT uses Java 17", who="extraction"), explicit=False)
    assert isinstance(automatic, Duplicate)
    assert not automatic.verified
    assert text_of(foreign) == FOREIGN
    outcome = await kept.save(draft("PROJECT uses Java 17"))
    assert isinstance(outcome, Duplicate)
    assert outcome.verified
    assert outcome.fact.verified == clock.time
    assert len(kept.facts) == 3


async def test_a_conflict_writes_nothing_and_lists_the_oldest_first(foreign: Path) -> None:
    kept = store(foreign)
    outcome = await kept.save(draft("project uses Java 21"))
    assert isinstance(outcome, Conflict)
    assert [(clash.fact.id, clash.kind) for clash in outcome.existing] == [(A, "values")]
    assert text_of(foreign) == FOREIGN
    assert isinstance(await kept.save(draft("project uses Java 21", project=THERE)), Stored)
    assert isinstance(await kept.keep_both(draft("project uses Java 21")), Stored)
    outcome = await kept.save(draft("project uses Java 25"))
    assert isinstance(outcome, Conflict)
    assert [clash.fact.content for clash in outcome.existing] == [
        "project uses Java 17", "project uses Java 21",
    ]  # fmt: skip


async def test_an_edit_that_nothing_tells_of_is_noticed_all_the_same(
    foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same file, size and tick: what is written is compared, and an answer is of what was read."""
    monkeypatch.setattr(Stamp, "seems_to_hold", lambda self, path: True)
    kept = store(foreign)
    assert isinstance(await kept.save(draft("first")), Stored)
    put(foreign, text_of(foreign).replace("project uses Java 17", "project uses Java 21"))
    assert isinstance(await kept.save(draft("PROJECT uses Java 21"), explicit=False), Duplicate)
    put(foreign, text_of(foreign).replace("first", "fifth"))
    assert isinstance(await kept.save(draft("second")), Stored)
    assert texts(kept)[-2:] == ["fifth", "second"]
    put(foreign, text_of(foreign).replace(A, "fact-1111aaaa"))
    assert isinstance(await kept.verify([A]), NotFound)
    assert [row["content"] for row in json.loads(text_of(foreign)) if row != 5] == texts(kept)


async def test_a_file_that_goes_after_a_save_is_noticed(foreign: Path) -> None:
    kept = store(foreign)
    await kept.save(draft("first"))
    await asyncio.to_thread(foreign.unlink)
    assert await kept.refresh()
    assert texts(kept) == []
    assert isinstance(await kept.save(draft("second")), Stored)
    assert texts(kept) == ["second"]


async def test_replace_keeps_place_and_scope_and_tells_the_old_one(foreign: Path) -> None:
    kept = store(foreign)
    outcome = await kept.replace(draft("project uses Java 21", "global"), A)
    assert isinstance(outcome, Replaced)
    assert outcome.fact.id != A
    assert (outcome.fact.scope, outcome.fact.project) == ("project", HERE)
    assert [fact.id for fact in outcome.old] == [A]
    assert texts(kept) == ["project uses Java 21", "answers in Chinese", "theirs"]


async def test_replace_looks_at_the_others_too(foreign: Path) -> None:
    kept = store(foreign)
    other = stored(await kept.keep_both(draft("project uses Java 21")))
    before = text_of(foreign)
    outcome = await kept.replace(draft("project uses Java 25"), A)
    assert isinstance(outcome, Conflict)
    assert [clash.fact for clash in outcome.existing] == [other]
    assert text_of(foreign) == before
    kept_both = await kept.replace(draft("project uses Java 25"), A, keep=[other.id])
    assert isinstance(kept_both, Replaced)
    both = await kept.replace(draft("project uses Java 8"), kept_both.fact.id, other.id)
    assert isinstance(both, Replaced)
    assert texts(kept)[0] == "project uses Java 8"
    assert len(both.old) == 2


async def test_a_replacement_that_is_there_already_takes_the_target_away(foreign: Path) -> None:
    kept = store(foreign)
    other = stored(await kept.keep_both(draft("project uses Java 21")))
    outcome = await kept.replace(draft("Project uses Java 21"), A)
    assert isinstance(outcome, Replaced)
    assert outcome.fact.id == other.id
    assert kept.get(A) is None
    same = await kept.replace(draft("PROJECT uses Java 21"), other.id)
    assert isinstance(same, Duplicate)
    assert same.verified


@pytest.mark.parametrize("target", [C, "fact-none", ""])
async def test_another_projects_fact_is_not_found(foreign: Path, target: str) -> None:
    kept = store(foreign)
    for outcome in (
        await kept.replace(draft("x"), target),
        await kept.replace(draft("x"), A, target),
        await kept.verify([target]),
        await kept.delete([target]),
        await kept.edit(target, "x"),
    ):
        assert isinstance(outcome, NotFound)
        assert outcome.ids == (target,)
    assert text_of(foreign) == FOREIGN
    if target == C:
        assert isinstance(await store(foreign, project=None).verify([C]), Verified)


async def test_some_of_many_may_be_missing(foreign: Path) -> None:
    kept = store(foreign)
    outcome = await kept.verify([B, "none", A])
    assert isinstance(outcome, Verified)
    assert [fact.id for fact in outcome.facts] == [A, B]
    assert outcome.missing == ("none",)
    gone = await kept.delete([A, "none", A])
    assert isinstance(gone, Deleted)
    assert ([fact.id for fact in gone.facts], gone.missing) == ([A], ("none",))


async def test_a_choice_counts_for_its_pair_once(foreign: Path) -> None:
    kept = store(foreign)
    new = draft("project uses Java 21", who="model")
    assert isinstance(await kept.replace(new, A, by_choice=True), Conflict)
    assert isinstance(await kept.keep_both(new, by_choice=True), Conflict)
    assert text_of(foreign) == FOREIGN
    assert await kept.record_choice("project  uses Java 21 ", A, "replace") is None
    assert isinstance(await kept.keep_both(new, by_choice=True), Conflict)
    assert isinstance(await kept.replace(draft("project uses Java 8"), A, by_choice=True), Conflict)
    other = store(foreign)
    outcome = await other.replace(new, A, by_choice=True)
    assert isinstance(outcome, Replaced)
    assert isinstance(await other.undo(), Restored)
    assert isinstance(await kept.replace(new, A, by_choice=True), Conflict)
    await kept.record_choice("project uses Java 21", A, "keep_both")
    assert isinstance(await kept.keep_both(new, by_choice=True), Stored)
    assert isinstance(await kept.delete([kept.facts[-1].id]), Deleted)
    assert isinstance(await kept.keep_both(new, by_choice=True), Conflict)


async def test_delete_replace_and_clear_come_back_byte_for_byte(foreign: Path) -> None:
    kept = store(foreign)
    changes: list[Callable[[], Awaitable[Outcome]]] = [
        lambda: kept.delete([B]),
        lambda: kept.delete([A, B]),
        lambda: kept.replace(draft("project uses Java 21"), A),
        kept.clear,
        lambda: kept.clear("global"),
        lambda: kept.edit(A, "Java 21"),
        lambda: kept.verify([A, B]),
        lambda: kept.save(draft("new")),
    ]
    for change in changes:
        await change()
        assert text_of(foreign) != FOREIGN
        undone = await kept.undo()
        assert isinstance(undone, Restored)
        assert json.loads(text_of(foreign)) == json.loads(FOREIGN)
        assert [f.id for f in kept.facts] == [A, B, C]
        raws = [piece in text_of(foreign) for piece in FOREIGN[3:-3].split("}, ")]
        assert all(raws)


async def test_undo_goes_back_step_by_step_and_can_be_undone(foreign: Path) -> None:
    kept = store(foreign)
    await kept.delete([A])
    await kept.delete([B])
    await kept.undo()
    second = await kept.undo()
    assert isinstance(second, Restored)
    assert texts(kept) == ["project uses Java 17", "answers in Chinese", "theirs"]
    assert isinstance(await kept.undo(), NotFound)
    assert isinstance(await kept.undo(second.change), Restored)
    assert texts(kept) == ["answers in Chinese", "theirs"]
    assert isinstance(await kept.undo(), Restored)
    assert texts(kept) == ["project uses Java 17", "answers in Chinese", "theirs"]


async def test_undo_leaves_what_others_did_since(foreign: Path) -> None:
    mine, others = store(foreign), store(foreign)
    deleted = await mine.delete([A])
    assert isinstance(deleted, Deleted)
    await others.save(draft("theirs too"))
    await others.delete([B])
    assert isinstance(await mine.undo(), Restored)
    assert texts(mine) == ["project uses Java 17", "theirs", "theirs too"]
    assert isinstance(await mine.undo(deleted.change), NotFound)
    edited = await mine.edit(A, "Java 21")
    assert isinstance(edited, Replaced)
    await others.verify([A])
    await others.edit(A, "Java 25")
    before = text_of(foreign)
    assert await mine.undo(edited.change) == ChangedSince((A,))
    assert text_of(foreign) == before


async def test_a_deleted_fact_is_restored_in_another_process_and_later(foreign: Path) -> None:
    await store(foreign).delete([A])
    await store(foreign).clear()
    kept = store(foreign)
    assert isinstance(await kept.restore(A), Restored)
    assert isinstance(await kept.restore(A), Duplicate)
    assert isinstance(await kept.restore("none"), NotFound)
    assert texts(kept)[0] == "project uses Java 17"
    await store(foreign, project=THERE).delete([C])
    assert isinstance(await kept.restore(C), NotFound)


async def test_the_history_follows_a_fact_back_through_its_replacements(foreign: Path) -> None:
    clock = SetClock()
    kept = store(foreign, clock=clock)
    first = stored(await kept.save(draft("JDK 17", who="model")))
    await clock.sleep(60)
    await kept.verify([first.id])
    outcome = await kept.replace(draft("JDK 21"), first.id)
    assert isinstance(outcome, Replaced)
    await kept.used([outcome.fact.id, A])
    await kept.used([outcome.fact.id])
    told = await store(foreign).history(outcome.fact.id)
    assert [(one.operation, one.by, one.before, one.after) for one in told] == [
        ("save", "model", None, "JDK 17"),
        ("verify", "you", "JDK 17", "JDK 17"),
        ("replace", "you", "JDK 17", "JDK 21"),
        ("use", "you", None, None),
        ("use", "you", None, None),
    ]
    assert (told[1].at - told[0].at) == timedelta(seconds=60)
    uses = await kept.uses()
    assert (uses[outcome.fact.id].count, uses[A].count) == (2, 1)
    assert "used" not in text_of(foreign)


async def test_deleted_everywhere_leaves_no_trace(foreign: Path) -> None:
    kept = store(foreign)
    first = stored(await kept.save(draft("secret 17")))
    outcome = await kept.replace(draft("secret 21"), first.id)
    assert isinstance(outcome, Replaced)
    await kept.delete([A])
    gone = await kept.delete_everywhere([outcome.fact.id])
    assert isinstance(gone, Deleted)
    assert (gone.change, gone.remains) == ("", ())
    assert [p.name for p in foreign.parent.iterdir() if b"secret" in p.read_bytes()] == []
    assert isinstance(await kept.restore(outcome.fact.id), NotFound)
    assert isinstance(await kept.restore(A), Restored)
    put(foreign, text_of(foreign).replace(" ]", ""))
    await kept.delete_everywhere([B])
    copy = next(foreign.parent.glob("*.corrupt-*"))
    again = await kept.delete_everywhere([A])
    assert isinstance(again, Deleted)
    assert again.remains == (copy,)


async def test_a_foreign_edit_of_the_same_size_in_the_same_tick_is_seen(foreign: Path) -> None:
    kept = store(foreign)
    await kept.refresh()
    version = kept.version
    before = os.stat(foreign)  # noqa: PTH116
    with foreign.open("r+") as file:
        file.write(FOREIGN.replace("Java 17", "Java 21"))
    os.utime(foreign, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert await kept.refresh()
    assert kept.version == version + 1
    assert texts(kept)[0] == "project uses Java 21"
    for number in range(30):
        put(foreign, FOREIGN.replace("Java 17", f"Java {number:02}"))
        await kept.refresh()
        assert texts(kept)[0] == f"project uses Java {number:02}"


async def test_the_file_is_not_read_again_without_need(
    foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store(foreign)
    await kept.refresh()
    monkeypatch.setattr("app.memory.fact_disk._TICK", -10_000_000_000)
    with monkeypatch.context() as patch:
        patch.delattr(Path, "read_bytes")
        assert not await kept.refresh()
        put(foreign, FOREIGN + "\n")
        with pytest.raises(AttributeError):
            await kept.refresh()
    assert await kept.refresh()


async def test_a_foreign_write_between_reading_and_replacing_is_taken_in(
    foreign: Path, fault: Callable[[FaultPoint, BaseException], None]
) -> None:
    """FIELD 55: edited by hand while we hold it; both changes are there."""
    kept = store(foreign)
    await kept.refresh()
    writes = iter(range(3))

    def hook(name: FaultPoint) -> None:
        if name == "fact_journaled" and (number := next(writes, None)) is not None:
            entries = json.loads(text_of(foreign))
            put(foreign, json.dumps([*entries, {"id": f"f{number}", "content": "foreign"}]))

    remove = install(hook)
    fact = stored(await kept.save(draft("ours")))
    remove()
    assert texts(kept)[-4:] == ["foreign", "foreign", "foreign", "ours"]
    assert [one.operation for one in await kept.history(fact.id)] == ["save"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("point", ["fact_before", "fact_journaled"])
async def test_a_failing_disk_leaves_the_old_file_and_is_told(
    foreign: Path, monkeypatch: pytest.MonkeyPatch, point: FaultPoint, number: int
) -> None:
    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    kept = store(foreign)
    with monkeypatch.context() as patch:

        def hook(name: FaultPoint) -> None:
            if name == point:
                patch.setattr(os, "write", fail)
                patch.setattr(os, "replace", fail)

        remove = install(hook)
        outcome = await kept.save(draft("new"))
        remove()
    assert isinstance(outcome, Failed)
    assert outcome.error.path in {foreign, journal_of(foreign)}
    assert str(outcome.error)
    assert text_of(foreign) == FOREIGN
    assert list(foreign.parent.glob(".haima-*")) == []
    assert isinstance(await kept.undo(), NotFound)
    fact = stored(await kept.save(draft("new")))
    assert len(await kept.history(fact.id)) == 1


@pytest.mark.parametrize("begin", [b"[", b"{"])
async def test_a_disk_that_fails_for_the_file_or_for_the_journal_leaves_the_old_file(
    foreign: Path, monkeypatch: pytest.MonkeyPatch, begin: bytes
) -> None:
    """Both are written at one time."""
    whole = os.write

    def write(descriptor: int, data: bytes) -> int:
        if bytes(data[:1]) == begin:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return whole(descriptor, data)

    kept = store(foreign)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        outcome = await kept.save(draft("new"))
    assert isinstance(outcome, Failed)
    assert outcome.error.path == (foreign if begin == b"[" else journal_of(foreign))
    assert text_of(foreign) == FOREIGN
    assert list(foreign.parent.glob(".haima-*")) == []
    assert isinstance(await kept.undo(), NotFound)
    fact = stored(await kept.save(draft("new")))
    assert len(await kept.history(fact.id)) == 1


async def test_a_fault_after_the_file_was_replaced_is_settled_by_the_file(
    foreign: Path, fault: Callable[[FaultPoint, BaseException], None]
) -> None:
    fault("fact_written", KeyboardInterrupt())
    kept = store(foreign)
    with pytest.raises(KeyboardInterrupt):
        kept._keeper.change(lambda plan: plan.delete([A]))
    assert A not in text_of(foreign)
    again = store(foreign)
    assert [one.operation for one in await again.history(A)] == ["delete"]


async def test_a_lock_file_that_a_dead_process_left_locks_nobody_out(foreign: Path) -> None:
    foreign.with_name(f"{foreign.name}.lock").write_text("4242\n")
    stored(await store(foreign).save(draft("new", "global")))


def test_copies_of_one_millisecond_do_not_collide(path: Path) -> None:
    path.parent.mkdir(parents=True)
    first, second = set_aside(path, b"[1", 7), set_aside(path, b"[2", 7)
    assert (first.read_bytes(), second.read_bytes()) == (b"[1", b"[2")
    assert set_aside(path, b"[1", 8) == first, "the same content is kept once"


async def test_a_lock_that_others_hold_is_a_clear_failure(foreign: Path) -> None:
    kept = store(foreign, lock_timeout=0.05)
    with SharedLock(lock_of(foreign), 1):
        outcome = await kept.save(draft("new"))
        assert isinstance(outcome, Failed)
        assert isinstance(outcome.error, Locked)
        assert isinstance(await kept.used([A]), Failed)
        assert await kept.refresh()
    assert text_of(foreign) == FOREIGN
    assert isinstance(await kept.save(draft("new")), Stored)


async def test_something_in_the_way_is_a_clear_failure(path: Path) -> None:
    os.makedirs(path)  # noqa: PTH103
    assert isinstance(await store(path).save(draft("x")), Failed)
    blocked = path.parent / "file"
    blocked.write_text("")
    assert isinstance(await store(blocked / "facts.json").save(draft("x")), Failed)


async def test_a_read_only_folder_is_a_clear_failure(foreign: Path) -> None:
    """In a process without the rights of root."""
    for place, right in zip(
        (foreign, *foreign.parents), (0o644, 0o555, *[0o755] * 3), strict=False
    ):
        os.chmod(place, right)  # noqa: PTH101
    process = await grow(
        "tests.memory.fact_writer",
        ["unprivileged", str(foreign)],
        cwd=foreign.parents[2],
        env=dict(os.environ),
    )
    out, err = await process.communicate()
    assert (out.decode().split(" ", 1)[0], process.returncode) == ("Failed", 0), err.decode()
    assert "can't be written" in out.decode()
    assert text_of(foreign) == FOREIGN


BROKEN = FOREIGN.replace("}, 5, {", "} 5 {")


async def test_a_corrupt_file_is_copied_aside_salvaged_and_told(foreign: Path) -> None:
    put(foreign, BROKEN)
    kept = store(foreign)
    await kept.refresh()
    assert [fact.id for fact in kept.facts] == [A, B, C]
    [report] = kept.take_reports()
    assert report.flaws[0].kind == "corrupt"
    assert (report.facts, report.from_memory, report.failure) == (3, 0, None)
    assert report.backup is not None
    assert text_of(report.backup) == BROKEN
    assert report.backup.name.startswith("long_term_memory.json.corrupt-")
    assert text_of(foreign) == BROKEN
    await store(foreign).refresh()
    await kept.save(draft("new"))
    assert len(list(foreign.parent.glob("*.corrupt-*"))) == 1
    assert [entry["content"] for entry in json.loads(text_of(foreign))][-1] == "new"
    assert len(json.loads(text_of(foreign))) == 4
    assert kept.take_reports() == ()
    put(foreign, BROKEN + "x")
    await kept.refresh()
    assert len(list(foreign.parent.glob("*.corrupt-*"))) == 2


@pytest.mark.parametrize("damage", ["", "null", "{}", FOREIGN[:500], "[ {", "garbage"], ids=len)
async def test_damage_in_mid_run_loses_nothing(foreign: Path, damage: str) -> None:
    kept = store(foreign)
    await kept.refresh()
    put(foreign, damage)
    await kept.refresh()
    assert {fact.id for fact in kept.facts} == {A, B, C}
    assert sum(report.from_memory for report in kept.take_reports()) >= 1
    assert isinstance(await kept.verify([B]), Verified)
    assert {entry["id"] for entry in json.loads(text_of(foreign))} == {A, B, C}


async def test_an_array_that_is_empty_or_a_file_that_is_gone_is_meant(foreign: Path) -> None:
    kept = store(foreign)
    await kept.refresh()
    put(foreign, "[]")
    await kept.refresh()
    assert kept.facts == ()
    put(foreign, FOREIGN)
    await kept.refresh()
    os.unlink(foreign)  # noqa: PTH108
    await kept.refresh()
    assert kept.facts == ()


async def test_ids_that_occur_twice_are_told_and_made_different(foreign: Path) -> None:
    put(foreign, FOREIGN.replace(B, A))
    kept = store(foreign)
    await kept.refresh()
    ids = [fact.id for fact in kept.facts]
    assert len(set(ids)) == 3
    assert kept.take_reports()[0].backup is not None
    assert isinstance(await kept.delete([A]), Deleted)
    assert [entry["id"] for entry in json.loads(text_of(foreign))[1:]] == ids[1:]
    assert isinstance(await kept.undo(), Restored)
    assert [fact.id for fact in kept.facts] == ids


async def test_a_bad_entry_stays_and_is_told_once(foreign: Path) -> None:
    kept = store(foreign)
    await kept.refresh()
    [report] = kept.take_reports()
    assert [(flaw.kind, flaw.count) for flaw in report.flaws] == [("bad_entry", 1)]
    await kept.save(draft("a"))
    await kept.clear()
    put(foreign, text_of(foreign) + "\n")
    await kept.refresh()
    assert kept.take_reports() == ()
    assert 5 in json.loads(text_of(foreign))


async def test_a_backup_that_cannot_be_made_stops_the_writing(
    foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(foreign, BROKEN)
    kept = store(foreign)
    real = os.open

    def on_full(name: Path, *rest: int, **more: int) -> int:
        if ".haima-" in str(name):
            raise OSError(errno.ENOSPC, "full")
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", on_full)
    outcome = await kept.save(draft("new"))
    assert isinstance(outcome, Failed)
    assert text_of(foreign) == BROKEN
    assert kept.take_reports()[0].failure is not None


async def test_two_instances_that_store_in_turn_keep_all(path: Path) -> None:
    """The article's own case."""
    first, second = store(path), store(path)
    for kept, text in ((first, "one"), (second, "two"), (first, "three")):
        stored(await kept.save(draft(text)))
    await second.refresh()
    assert texts(first) == texts(second) == ["one", "two", "three"]


async def test_the_same_fact_from_twelve_sides_is_one(path: Path) -> None:
    stores = [store(path) for _ in range(4)]
    outcomes = await asyncio.gather(*(kept.save(draft("one")) for kept in stores * 3))
    assert sum(isinstance(outcome, Stored) for outcome in outcomes) == 1
    [entry] = json.loads(text_of(path))
    assert entry["tokenCount"] == 3


async def test_a_cancelled_change_is_made_or_not_and_never_half(path: Path) -> None:
    kept = store(path)
    task = asyncio.create_task(kept.save(draft("one")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    names = files(path.parent)
    await asyncio.sleep(0.1)
    assert files(path.parent) == names
    assert json.loads(text_of(path))[0]["content"] == "one"
    assert isinstance(await kept.save(draft("two")), Stored)


async def test_times_are_utc(foreign: Path) -> None:
    kept = store(foreign)
    fact = stored(await kept.save(draft("new")))
    assert fact.timestamp is not None
    assert fact.timestamp.tzinfo is UTC


async def test_a_torn_line_of_the_journal_costs_that_line(foreign: Path) -> None:
    kept = store(foreign)
    first = await kept.delete([A])
    assert isinstance(first, Deleted)
    journal = journal_of(foreign)
    assert mode(journal) == 0o600
    with journal.open("ab") as file:
        file.write(b'{"change": "torn", "opera')
    again = store(foreign)
    assert isinstance(await again.delete([B]), Deleted)
    assert isinstance(await again.undo(first.change), Restored)
    assert isinstance(await again.restore(B), Restored)
    with journal.open("ab") as file:
        file.write(b'5\n{"operation":"later kind"}\n{"operation":"save"}\n\xff\n')
    assert isinstance(await store(foreign).delete([B]), Deleted)


async def test_who_took_whose_place(foreign: Path) -> None:
    kept = store(foreign)
    first = stored(await kept.save(draft("JDK 17"))).id
    other = stored(await kept.save(draft("another"))).id
    second = await kept.replace(draft("JDK 21"), first)
    assert isinstance(second, Replaced)
    third = await kept.replace(draft("JDK 25"), second.fact.id)
    assert isinstance(third, Replaced)
    await kept.edit(third.fact.id, "JDK 26")
    await kept.delete([other])
    ids = [first, second.fact.id, third.fact.id, other, "unknown"]
    assert await kept.successors(ids) == {
        first: third.fact.id,
        second.fact.id: third.fact.id,
    }
    assert await kept.ancestry([third.fact.id, other]) == {*ids} - {"unknown"}
    await kept.undo()
    await kept.undo()
    assert await kept.successors([third.fact.id]) == {}
    await kept.delete_everywhere([third.fact.id])
    assert await kept.successors(ids) == {}
