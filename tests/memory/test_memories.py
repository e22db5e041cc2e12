"""The memory of a project as everyone uses it: what it shows, finds, knows and gives a prompt."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.errors import HaimaError
from app.memory.fact_outcomes import Conflict, Deleted, Duplicate, Pinned, Stored, Verified
from app.memory.facts import Fact, Provenance
from app.memory.memories import FactAmbiguous, FactNotFound, Memories
from app.paths import Paths
from app.text import Words
from tests.memory.fact_desk import SetClock, text_of
from tests.memory.memory_desk import memories, save, write


async def saved(memory: Memories, *contents: str) -> list[Fact]:
    found = []
    for content in contents:
        outcome = await save(memory, content)
        assert isinstance(outcome, Stored)
        found.append(outcome.fact)
    return found


def entry(name: str, content: str, **metadata: object) -> dict[str, object]:
    at = "2026-11-29T12:00:00Z"
    return {"id": name, "content": content, "timestamp": at, "metadata": metadata}


# What a project sees


async def test_two_projects_share_the_file_and_only_what_is_global(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as here:
        await save(here, "the port is 8080")
        await save(here, "answers are short", "global")
        async with memories(tmp_path / "home", project="there") as there:
            assert [fact.content for fact in there.visible()] == ["answers are short"]
            assert len(there.visible(every=True)) == 2
            assert (await there.search("port")).facts == ()
            assert not isinstance(await save(there, "the port is 9090"), Conflict)
            assert await here.refresh()
            assert len(here.visible()) == 2


@pytest.mark.parametrize("project", [".", "", "here", "~/here", "here\0", 7, None])
async def test_a_project_that_is_no_absolute_path_is_nobodys(
    tmp_path: Path, project: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    write(home, [entry("f1", "the port is 8080", scope="project", project=project)])
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    async with memories(home) as memory:
        assert memory.visible() == ()
        assert len(memory.visible(every=True)) == 1
        assert (await memory.search("port")).facts == ()


async def test_a_project_that_was_renamed_leaves_its_facts_where_they_were(tmp_path: Path) -> None:
    async with memories(tmp_path / "home", project="before") as memory:
        await saved(memory, "the port is 8080")
        (tmp_path / "before").rename(tmp_path / "after")
    async with memories(tmp_path / "home", project="after") as memory:
        assert memory.visible() == ()
        assert [fact.content for fact in memory.visible(every=True)] == ["the port is 8080"]


async def test_a_link_to_the_project_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to("here")
    write(tmp_path / "home", [entry("f1", "x", scope="project", project=str(tmp_path / "link"))])
    async with memories(tmp_path / "home") as memory:
        assert len(memory.visible()) == 1


# Finding one


async def test_a_fact_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    names = {"fact-1a2b": "one", "fact-1a3c": "two", "fact-1a": "three", "1a2": "four"}
    write(
        tmp_path / "home",
        [entry(name, text) for name, text in names.items()]
        + [entry("fact-9", "x", scope="project", project="/elsewhere")],
    )
    async with memories(tmp_path / "home") as memory:
        for prefix, content in (
            ("fact-1a2b", "one"),
            ("fact-1a3", "two"),
            ("1a3", "two"),
            ("#1a3c", "two"),
            ("fact-1a", "three"),
            ("1a2", "four"),
        ):
            assert memory.find(prefix).content == content
        for prefix in ("", "fact-2", "fact-9", "-"):
            with pytest.raises(FactNotFound):
                memory.find(prefix)
        assert memory.find("fact-9", every=True).content == "x"
        with pytest.raises(FactAmbiguous) as several:
            memory.find("fact-1")
        assert [fact.content for fact in several.value.candidates] == ["one", "two", "three"]
        assert "fact-1a2b “one”" in str(several.value)


# What is known


async def test_the_states_and_their_order(tmp_path: Path) -> None:
    clock = SetClock()
    async with memories(tmp_path / "home", clock=clock) as memory:
        root = memory.project.root
        (root / "pom.xml").write_text("<project/>")
        (root / ".python-version").write_text("3.12\n")
        (stale,) = await saved(memory, "releases are cut on Fridays")
        clock.time += timedelta(days=30)
        assert (await memory.known([stale]))[0].state == "fresh", "strictly over thirty days"
        clock.time += timedelta(seconds=1)
        facts = await saved(memory, "we use Python 3.9 here", "the port is 8080")
        draft = memory.draft("maybe tabs", None, Provenance("extraction"), pending=True)
        unsure = await memory.store.save(draft, explicit=False)
        assert isinstance(unsure, Stored)
        waiting = await memory.inbox.add(
            memory.draft("the port is 9090", None, Provenance("model")), [facts[1].id]
        )
        known = await memory.known([stale, *facts, unsure.fact])
        assert [one.state for one in known] == [
            "stale",
            "contradicted",
            "conflicting",
            "unverified",
        ]
        assert known[1].evidence.place == ".python-version:1"
        assert known[2].waiting == (waiting,)
        assert [one.use for one in known] == [None] * 4
        await memory.store.used([stale.id])
        (again,) = await memory.known([stale])
        assert again.use is not None
        assert again.use.count == 1


async def test_this_projects_files_say_nothing_about_another_projects_fact(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home, [entry("f1", "we use Python 3.9 here", scope="project", project="/elsewhere")])
    async with memories(home) as memory:
        (memory.project.root / ".python-version").write_text("3.12\n")
        (known,) = await memory.known(memory.visible(every=True))
        assert known.evidence.kind == "silent"


async def test_staleness_can_be_switched_off(tmp_path: Path) -> None:
    clock = SetClock()
    async with memories(tmp_path / "home", clock=clock, stale_days=0) as memory:
        (fact,) = await saved(memory, "x y z")
        clock.time += timedelta(days=4_000)
        assert (await memory.known([fact]))[0].state == "fresh"


# Into a prompt


async def test_a_prompt_gets_what_it_makes_one_think_of(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        port, deploy, tabs = await saved(
            memory, "端口是 8080", "deploy with make ship", "indent with tabs"
        )
        given = await memory.inject("how do we deploy?", budget=1_000, shown=(), switched_off=())
        assert [one.fact for one in given.taken] == [deploy]
        assert "- deploy with make ship · project · written 2026-" in given.text
        assert given.unmatched == 2
        assert await memory.store.pin([tabs.id], True)
        given = await memory.inject("端口 deploy", budget=1_000, shown=(), switched_off=(port.id,))
        assert [(one.fact.id, one.pinned) for one in given.taken] == [
            (tabs.id, True),
            (deploy.id, False),
        ]
        assert [(one.fact, one.why) for one in given.left] == [(port, "switched_off")]
        given = await memory.inject("deploy", budget=1_000, shown=(deploy.id,), switched_off=())
        assert [one.why for one in given.left] == ["shown"]
        for blank in ("", " \n"):
            given = await memory.inject(blank, budget=1_000, shown=(), switched_off=())
            assert (given.text, given.unmatched) == ("", 3)


async def test_no_fact_is_left_out_unsaid(tmp_path: Path) -> None:
    """FIELD 47: 400 facts, room for a few: the newest and the pinned are there, all are told of."""
    home, begin = tmp_path / "home", datetime(2025, 1, 1, tzinfo=UTC)
    write(
        home,
        (
            entry(f"f{n}", f"deploy rule {n}", scope="global")
            | {"timestamp": (begin + timedelta(days=n)).isoformat()}
            for n in range(400)
        ),
    )
    async with memories(home) as memory:
        assert isinstance(await memory.store.pin(["f0"], True), Pinned)
        given = await memory.inject("deploy rule", budget=700, shown=(), switched_off=())
        taken = [one.fact.id for one in given.taken]
        assert taken[:3] == ["f0", "f399", "f398"]
        assert 3 <= len(taken) < 10
        assert all(one.fact.content in given.text for one in given.taken)
        assert {one.why for one in given.left} <= {"budget", "count"}
        assert len(taken) + len(given.left) + given.more + given.unmatched == 400


async def test_an_old_fact_about_a_file_that_is_gone(tmp_path: Path) -> None:
    """FIELD 49: 90 days old it is stale, and confirming it doesn't bring the file back."""
    clock = SetClock()
    async with memories(tmp_path / "home", clock=clock) as memory:
        file = memory.project.root / "scripts" / "deploy.sh"
        file.parent.mkdir()
        file.write_text("ship\n")
        (fact,) = await saved(memory, "we deploy with scripts/deploy.sh")
        clock.time += timedelta(days=90)
        (known,) = await memory.known([fact])
        assert known.state == "stale"
        file.unlink()
        (known,) = await memory.known([fact])
        assert (known.state, known.freshness.stale) == ("contradicted", True)
        (finding,) = known.evidence.findings
        assert (finding.file, finding.reason) == ("scripts/deploy.sh", "no_file")
        given = await memory.inject("how do we deploy?", budget=1_000, shown=(), switched_off=())
        assert "possibly stale · contradicted by scripts/deploy.sh" in given.text
        assert isinstance(await memory.store.verify([fact.id]), Verified)
        (known,) = await memory.known(memory.visible())
        assert (known.state, known.freshness.stale) == ("contradicted", False)


async def test_a_line_tells_what_is_against_its_fact(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        (memory.project.root / ".python-version").write_text("3.12\n")
        fact, *_ = await saved(memory, "we use Python 3.9 here")
        await memory.inbox.add(memory.draft("Python 3.11", None, Provenance("you")), [fact.id])
        given = await memory.inject("which python?", budget=1_000, shown=(), switched_off=())
        assert "contradicted by .python-version:1 · in conflict with another memory" in given.text


# Saving


async def test_a_pinned_fact_keeps_its_bytes_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home, [entry("f1", "x", mood="good"), {"id": "f2", "content": "y", "metadata": "odd"}])
    async with memories(home) as memory:
        before = text_of(memory.store.path)
        outcome = await memory.store.pin(["f1", "f2", "f3"], True)
        assert isinstance(outcome, Pinned)
        assert ([fact.id for fact in outcome.facts], outcome.missing) == (["f1"], ("f2", "f3"))
        assert memory.find("f1").pinned
        assert memory.find("f1").last_verified == outcome.facts[0].timestamp, "no confirmation"
        written = json.loads(text_of(memory.store.path))[0]["metadata"]
        assert written == {"mood": "good", "pinned": "true"}
        await memory.store.undo()
        assert text_of(memory.store.path) == before
        await memory.store.pin(["f1"], True)
        await memory.store.pin(["f1"], False)
        assert text_of(memory.store.path) == before


async def test_secrets_are_masked_in_what_is_saved(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        origin = Provenance("you", quote="use hunter2 and sk-abcdefghij0123456789")
        draft = memory.draft(" the key is hunter2\n", None, origin)
        assert draft.content == "the key is ‹key›"
        assert draft.provenance.quote == "use ‹key› and ‹secret›"
        assert (draft.scope, draft.project) == ("project", memory.key)
        assert memory.draft("x", "global", origin).project == ""


async def test_what_is_only_near_is_stored_and_told(tmp_path: Path) -> None:
    """RECALL 3: near is worth a question, and claims no contradiction."""
    async with memories(tmp_path / "home") as memory:
        old, _ = await saved(
            memory, "Run the whole test suite before a push", "deploy with make ship"
        )
        outcome = await save(memory, "Run the whole test suite before merges")
        outcome = await memory.with_near(outcome)
        assert isinstance(outcome, Stored)
        assert outcome.near == (old,)
        outcome = await memory.with_near(await save(memory, "lunch is at noon"))
        assert isinstance(outcome, Stored)
        assert outcome.near == ()
        outcome = await save(memory, "Run the whole test suite before a merge", "global")
        assert (await memory.with_near(outcome)) == outcome, "in another scope both may hold"


async def test_only_facts_of_one_kind_and_one_place_are_compared(tmp_path: Path) -> None:
    """Another type, another scope, another project, or one of no project: no duplicate (1.10)."""
    home, text = tmp_path / "home", "the port is 8080"
    here = {"scope": "project", "project": str((tmp_path / "here").resolve())}
    write(
        home,
        [
            entry("f1", text, **here) | {"type": "PREFERENCE"},
            entry("f2", text, scope="global"),
            entry("f3", text, scope="project", project="/elsewhere"),
            entry("f4", text, scope="project"),
        ],
    )
    async with memories(home) as memory:
        assert isinstance(await save(memory, "The port is 8080."), Stored)
        assert isinstance(await save(memory, "The port is 8080!"), Stored | Duplicate)
        assert isinstance(await save(memory, "The port is 8080.", "global"), Duplicate)
        assert isinstance(await save(memory, "the port is 9090", "global"), Conflict)


async def test_saving_finds_duplicates_and_conflicts_without_being_told(tmp_path: Path) -> None:
    async with memories(tmp_path / "home") as memory:
        await saved(memory, "项目使用 JDK 17")
        assert isinstance(await save(memory, "项目使用JDK 17。"), Duplicate)
        conflict = await save(memory, "项目使用 JDK 21")
        assert isinstance(conflict, Conflict)
        assert [clash.kind for clash in conflict.existing] == ["values"]


# Gone for good, and what is broken


async def test_deleting_everywhere_leaves_no_byte(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with memories(home) as memory:
        fact, kept = await saved(memory, "the fiancee is called Xanthippe", "we deploy on Fridays")
        await memory.search("Xanthippe")
        await memory.inbox.add(memory.draft("not Xanthippe", None, Provenance("you")), [fact.id])
        assert isinstance(await memory.delete_everywhere([fact.id]), Deleted)
        assert memory.visible() == (kept,)
        assert (await memory.search("Xanthippe")).facts == ()
    left = holding(home, b"anthipp")
    assert left == []


def holding(home: Path, text: bytes) -> list[Path]:
    files = [path for path in Paths(home).memory.iterdir() if path.is_file()]
    assert len(files) > 3
    return [path for path in files if text in path.read_bytes()]


async def test_what_is_broken_is_told_once_in_both_languages(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home, [])
    Paths(home).facts_file.write_text('[{"id": "f1", "content": "x"}, {"id": "f2", "cont')
    Paths(home).inbox_file.write_text("{")
    async with memories(home) as memory:
        told = memory.take_reports()
        assert [one.code for one in told] == ["memory", "memory"]
        for language in ("en", "zh"):
            facts, inbox = (one.sentence(Words(language)) for one in told)
            assert ".corrupt-" in facts
            assert str(Paths(home).inbox_file) in inbox
        assert "1 memory could be read." in str(told[0])
        await memory.refresh()
        assert memory.take_reports() == ()


async def test_an_index_that_cannot_be_used_costs_nothing_but_a_notice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Paths(home).memory.mkdir(parents=True)
    Paths(home).recall_index.mkdir()
    async with memories(home) as memory:
        (fact,) = await saved(memory, "deploy with make ship")
        assert (await memory.search("deploy")).facts == (fact,)
        assert isinstance(await save(memory, "Deploy with make ship."), Duplicate)
        assert [one.code for one in memory.take_reports()] == ["recall_index"]
        assert memory.take_reports() == ()


async def test_facts_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Paths(home).facts_file.mkdir(parents=True)
    with pytest.raises(HaimaError):
        async with memories(home):
            pass
