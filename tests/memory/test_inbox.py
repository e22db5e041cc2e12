"""Conflicts that wait: none is lost, none is listed twice, what settled itself is gone."""

import asyncio
import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from app.memory.facts import Draft, Fact, Provenance, new_fields, read_fact
from app.memory.inbox import Inbox, Pending
from tests.memory.fact_desk import HERE, THERE, SetClock, draft, tokens

CLOCK = SetClock()
DAY = timedelta(days=1)


def fact(name: str, content: str, project: str = HERE, days: int = -1) -> Fact:
    made = draft(content, "project" if project else "global", project)
    found = read_fact(new_fields(made, name, CLOCK.now() + days * DAY, tokens), name, tokens)
    assert found
    return found


@dataclass
class Known:
    """The facts there are, and who took whose place."""

    facts: tuple[Fact, ...] = (fact("f1", "JDK 17"),)
    heirs: dict[str, str] = field(default_factory=dict)

    async def successors(self, ids: Collection[str]) -> Mapping[str, str]:
        return {one: self.heirs[one] for one in ids if one in self.heirs}


def inbox(path: Path, known: Known | None = None) -> Inbox:
    return Inbox(path / "inbox.json", known or Known(), SetClock())


def copies(folder: Path) -> list[Path]:
    return list(folder.glob("inbox.json.corrupt-*"))


async def test_what_was_put_in_comes_out_as_it_was(tmp_path: Path) -> None:
    origin = Provenance("model", "n1", "m1", "升到 21 了，记一下", ("fetched.html",))
    asked = Draft("JDK 21", "project", HERE, origin, pending=True)
    added = await inbox(tmp_path).add(asked, ["f1"])
    other = inbox(tmp_path)
    assert await other.waiting(HERE) == (added,)
    assert added == Pending(added.id, asked, ("f1",), CLOCK.now())
    assert await other.take(added.id) == added
    assert await other.take(added.id) is None
    assert await inbox(tmp_path).waiting(HERE) == ()


async def test_a_project_sees_its_own_and_the_global_ones(tmp_path: Path) -> None:
    known = Known((fact("f1", "JDK 17"), fact("g", "tabs", ""), fact("t", "npm", THERE)))
    box = inbox(tmp_path, known)
    mine = await box.add(draft("JDK 21"), ["f1"])
    everyones = await box.add(draft("spaces", "global"), ["g"])
    theirs = await box.add(draft("pnpm", project=THERE), ["t"])
    assert await box.waiting(HERE) == (mine, everyones)
    assert await box.waiting(THERE) == (everyones, theirs)
    assert await box.waiting(None) == (mine, everyones, theirs)


async def test_the_same_text_waits_once(tmp_path: Path) -> None:
    box = inbox(tmp_path, Known((fact("f1", "JDK 17"), fact("f2", "JDK 11"))))
    first = await box.add(draft("JDK 21"), ["f1"])
    again = await box.add(draft("jdk  21."), ["f2"])
    assert again == replace(first, existing=("f1", "f2"))
    assert await box.waiting(HERE) == (again,)
    elsewhere = await box.add(draft("JDK 21", "global"), ["f1"])
    assert elsewhere.id != first.id


async def test_what_settled_itself_is_no_longer_listed(tmp_path: Path) -> None:
    known = Known()
    box = inbox(tmp_path, known)
    await box.add(draft("JDK 21"), ["f1"])
    known.facts = ()
    assert await box.waiting(HERE) == ()
    known.facts = (fact("f1", "JDK 17"), fact("f2", "JDK 21.", days=1))
    assert await box.waiting(HERE) == (), "somebody saved it meanwhile"
    known.facts = (fact("f1", "JDK 17"), fact("f2", "JDK 21", THERE, days=1))
    assert len(await box.waiting(HERE)) == 1, "another project's fact says nothing here"
    known.facts, known.heirs = (fact("f3", "JDK 18"),), {"f1": "f3"}
    (left,) = await box.waiting(HERE)
    assert left.existing == ("f3",), "what took the place of a fact has its conflicts"


async def test_a_fact_that_moved_to_another_project_is_not_shown_here(tmp_path: Path) -> None:
    known = Known((fact("f1", "JDK 17"), fact("f2", "JDK 11")))
    box = inbox(tmp_path, known)
    await box.add(draft("JDK 21"), ["f1", "f2"])
    known.facts = (fact("f1", "JDK 17", THERE), fact("f2", "JDK 11"))
    (left,) = await box.waiting(HERE)
    assert left.existing == ("f2",)
    known.facts = (fact("f1", "JDK 17", THERE), fact("f2", "JDK 11", THERE))
    assert await box.waiting(HERE) == ()


async def test_purging_takes_out_the_text_too(tmp_path: Path) -> None:
    box = inbox(tmp_path, Known((fact("f1", "JDK 17"), fact("f2", "tabs"))))
    await box.add(draft("JDK 21"), ["f1"])
    kept = await box.add(draft("spaces"), ["f2"])
    await box.add(draft("my name is Li"), ["f2"])
    await box.purge(["f1"], ["My name is Li"])
    assert await box.waiting(None) == (kept,)
    assert b"Li" not in box.path.read_bytes()


async def test_a_broken_inbox_is_copied_aside_and_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "inbox.json").write_text('[{"id": "ask')
    box = inbox(tmp_path)
    assert await box.waiting(HERE) == ()
    assert (box.take_broken(), box.take_broken()) == (True, False)
    await box.add(draft("JDK 21"), ["f1"])
    assert len(await box.waiting(HERE)) == 1
    (copy,) = copies(tmp_path)
    assert copy.read_text() == '[{"id": "ask'


async def test_rows_of_a_newer_version_stay(tmp_path: Path) -> None:
    path = tmp_path / "inbox.json"
    path.write_text('[{"kind": "question", "id": "q1"}, 7]')
    box = inbox(tmp_path)
    added = await box.add(draft("JDK 21"), ["f1"])
    assert json.loads(path.read_bytes())[:2] == [{"kind": "question", "id": "q1"}, 7]
    assert await box.waiting(HERE) == (added,)
    await box.take(added.id)
    assert json.loads(path.read_bytes()) == [{"kind": "question", "id": "q1"}, 7]


async def test_a_change_of_another_window_is_noticed(tmp_path: Path) -> None:
    one, other = inbox(tmp_path), inbox(tmp_path)
    await one.refresh()
    version = one.version
    await other.add(draft("JDK 21"), ["f1"])
    assert await one.refresh()
    assert one.version > version
    assert not await one.refresh()


WINDOW = """
import asyncio, sys
from pathlib import Path
from tests.memory.test_inbox import inbox
from tests.memory.fact_desk import draft

async def work(folder, name):
    box = inbox(Path(folder))
    for number in range(30):
        added = await box.add(draft(f"{name} {'abcdefghijklmnopqrstuvwxyz012345'[number]}"), ["f1"])
        if number % 3 == 0:
            assert await box.take(added.id)

asyncio.run(work(*sys.argv[1:]))
"""


async def test_two_windows_lose_nothing(tmp_path: Path) -> None:
    """Real processes on one inbox; a third reads all the time."""
    run = asyncio.create_subprocess_exec
    root = Path(__file__).parents[2]
    windows = [
        await run(sys.executable, "-c", WINDOW, str(tmp_path), name, cwd=root)
        for name in ("first", "second")
    ]
    reader = inbox(tmp_path)
    ended = asyncio.gather(*(window.wait() for window in windows))
    while not ended.done():
        for pending in await reader.waiting(None):
            assert pending.existing == ("f1",)
        await asyncio.sleep(0.01)
    assert await ended == [0, 0]
    assert not reader.take_broken()
    said = [pending.draft.content for pending in await reader.waiting(None)]
    assert len(said) == len(set(said)) == 40
