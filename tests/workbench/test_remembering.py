"""The memory browser in the real app, over a real file of facts, with real keys."""

import json
import os
from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from app.memory.facts import Provenance
from app.screens.memory import MemoryScreen
from app.screens.viewer import ViewerScreen
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.confirm import ConfirmDialog
from widgets.dialogs.conflict import ConflictDialog

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def entry(number: int, content: str, days: float, root: Path, **more: str) -> dict[str, object]:
    """A fact of the project, confirmed so many days ago."""
    at = (NOW - timedelta(days=days)).isoformat()
    place = {"scope": "project", "project": os.path.realpath(root), "source": "fact"}
    return {
        "id": f"fact-{number:08x}",
        "content": content,
        "type": "FACT",
        "timestamp": at,
        "lastVerifiedAt": at,
        "metadata": place | more,
        "tokenCount": 7,
    }


def facts_file(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".haima" / "memory" / "long_term_memory.json"


def write(tmp_path: Path, entries: Sequence[dict[str, object]]) -> None:
    path = facts_file(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")


def stored(tmp_path: Path) -> dict[str, dict[str, Any]]:
    return {one["content"]: one for one in json.loads(facts_file(tmp_path).read_text("utf-8"))}


def some(tmp_path: Path) -> list[dict[str, object]]:
    root = tmp_path / "order-service"
    contents = [
        "Use jakarta.*, never javax.*",
        "Flyway scripts are append-only",
        "Deploys on Monday",
    ]
    return [entry(n, content, 5 + n, root) for n, content in enumerate(contents)]


@asynccontextmanager
async def running(tmp_path: Path, *answers: Any, **how: Any) -> Any:
    size = how.pop("size", (120, 36))
    app = make_app(tmp_path, ScriptedModel(*answers), **how)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        yield app, pilot


async def browse(app: Stage, pilot: Pilot[int], *keys: str, count: int = 3) -> MemoryScreen:
    await pilot.press(*(keys or ("f2",)))
    await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
    screen = app.screen
    assert isinstance(screen, MemoryScreen)
    await until(pilot, lambda: len(screen.model.items) == count)
    return screen


@pytest.mark.parametrize(
    "keys",
    [("f2",), ("ctrl+g", "m"), ("ctrl+g", "1"), (*"/memory", "enter"), (*"/mem list", "enter")],
)
async def test_ways_there_and_back(tmp_path: Path, keys: tuple[str, ...]) -> None:
    write(tmp_path, some(tmp_path))
    async with running(tmp_path) as (app, pilot):
        await browse(app, pilot, *keys)
        assert has_row(app, "✓", "Use jakarta.*, never javax.*", "5d")
        await pilot.press("f2")
        await until(pilot, lambda: app.screen is app.chat)


async def test_ten_stale_facts_with_ten_keystrokes(tmp_path: Path) -> None:
    root = tmp_path / "order-service"
    old = [entry(n, f"Old fact number {n}", 31 + n, root) for n in range(10)]
    write(tmp_path, [*some(tmp_path), *old])
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot, *"/memory search is:stale", "enter", count=13)
        assert len(screen.model.rows) == 10
        await pilot.press(*"vvvvvvvvvv")
        await until(pilot, lambda: not screen.model.rows)
        assert {item.state for item in screen.model.items} == {"fresh"}
        now = stored(tmp_path)
        assert {now[f"Old fact number {n}"]["lastVerifiedAt"][:10] for n in range(10)} == {
            "2026-11-29"
        }


async def test_confirming_what_the_files_deny_says_so(tmp_path: Path) -> None:
    """FIELD 49: 90 days old, about a file that is gone."""
    write(tmp_path, [entry(1, "Deploy with scripts/x.sh", 90, tmp_path / "order-service")])
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot, count=1)
        assert screen.model.items[0].state == "contradicted"
        await pilot.press("v")
        await until(pilot, lambda: has_row(app, "Files say otherwise"))
        assert has_row(app, "scripts/x.sh is not there")
        assert stored(tmp_path)["Deploy with scripts/x.sh"]["lastVerifiedAt"][:10] == "2026-11-29"


async def test_delete_undo_pin_edit(tmp_path: Path) -> None:
    write(tmp_path, some(tmp_path))
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot)
        before = facts_file(tmp_path).read_bytes()
        await pilot.press("d")
        await until(pilot, lambda: len(screen.model.items) == 2)
        assert has_row(app, "Deleted") and "Use jakarta.*, never javax.*" not in stored(tmp_path)
        await pilot.press("u")
        await until(pilot, lambda: len(screen.model.items) == 3)
        assert facts_file(tmp_path).read_bytes() == before
        await until(pilot, lambda: screen.list.fact and screen.list.fact.id == "fact-00000000")
        await pilot.press("p")
        await until(pilot, lambda: screen.list.fact and screen.list.fact.pinned)
        assert has_row(app, "✓ ◆ Use jakarta")
        await pilot.press("e", "!", "enter")
        await until(pilot, lambda: "Use jakarta.*, never javax.*!" in stored(tmp_path))
        await until(pilot, lambda: has_row(app, "changed, was: Use jakarta"))


async def test_the_footer_names_only_what_works(tmp_path: Path) -> None:
    """Nothing to take back, no conflict, no session: no key for it; each comes with its cause."""
    write(tmp_path, [*some(tmp_path), entry(9, "Java is 17", 2, tmp_path / "order-service")])
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot, count=4)
        assert rows(app)[-1].split("    ")[0] == (
            " v Verify  r Replace  e Edit  d Delete  a Add  p Pin  / Filter  Esc Back"
        )
        await pilot.press("d")
        await until(pilot, lambda: has_row(app, "a Add  u Undo  p Pin"))
        await pilot.press("u")
        await until(pilot, lambda: len(screen.model.items) == 4 and not has_row(app, "u Undo"))
        await pilot.press("a", *"Java is 21", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConflictDialog))
        clock_of(app).seconds += 60
        await pilot.press("pagedown")
        await until(pilot, lambda: has_row(app, "/ Filter  i Inbox  Esc Back"))


@pytest.mark.parametrize(
    ("language", "asked", "unasked"),
    [("en", "model on request", "model unasked"), ("zh", "模型应要求", "模型自行")],
)
async def test_what_nobody_asked_for_isnt_called_a_request(
    tmp_path: Path, language: str, asked: str, unasked: str
) -> None:
    """FIELD A7.1: the user's words beside a fact tell which it was."""
    root = tmp_path / "order-service"
    words = ("Remember: tabs, never spaces.", "Fix the build, then run it.")
    one, two = (
        entry(number, f"Fact {number}", 5 + number, root, author="model", quote=quote)
        for number, quote in enumerate(words)
    )
    write(tmp_path, [one, two])
    async with running(tmp_path, language=language, size=(160, 48)) as (app, pilot):
        await browse(app, pilot, count=2)

        def tells(quote: str) -> bool:
            return quote in text(app)

        for quote, label in zip(words, (asked, unasked), strict=True):
            await until(pilot, partial(tells, quote))
            assert has_row(app, f"{label}  2026-11-2")
            await pilot.press("down")


async def test_a_conflict_is_asked_then_waits_then_is_decided(tmp_path: Path) -> None:
    root = tmp_path / "order-service"
    write(tmp_path, [entry(1, "Java is 17", 40, root)])
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot, count=1)
        before = facts_file(tmp_path).read_bytes()
        await pilot.press("a", *"Java is 21", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConflictDialog))
        clock_of(app).seconds += 60
        await pilot.press("pagedown")
        await until(pilot, lambda: screen.model.waiting == 1)
        assert facts_file(tmp_path).read_bytes() == before
        assert has_row(app, "≠ conflicting") and has_row(app, "Waits in the inbox")
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, ConflictDialog))
        clock_of(app).seconds += 60
        await pilot.press("left", "left", "enter")
        await until(pilot, lambda: screen.model.waiting == 0)
        assert list(stored(tmp_path)) == ["Java is 21"]
        await until(pilot, lambda: has_row(app, "replaced: Java is 17"))


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser looks at the facts again and again without waiting long."""
    monkeypatch.setattr("app.screens.memory.REFRESH_SECONDS", 0.1)


@pytest.mark.usefixtures("often")
async def test_what_another_program_writes_shows(tmp_path: Path) -> None:
    write(tmp_path, some(tmp_path))
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot)
        await pilot.press("down")
        here = screen.list.fact
        root = tmp_path / "order-service"
        write(tmp_path, [entry(9, "Written elsewhere", 1, root), *some(tmp_path)])
        await until(pilot, lambda: len(screen.model.items) == 4)
        assert has_row(app, "Written elsewhere")
        assert here is not None and screen.list.fact is not None
        assert screen.list.fact.id == here.id


async def test_evidence_opens_the_file(tmp_path: Path) -> None:
    root = tmp_path / "order-service"
    root.mkdir()
    (root / ".python-version").write_text("3.12\n")
    write(tmp_path, [entry(1, "This project uses Python 3.11", 2, root)])
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot, count=1)
        assert screen.model.items[0].state == "contradicted"
        assert has_row(app, "✗ .python-version:1", "says 3.12")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


async def test_enter_goes_to_the_message_it_is_from(tmp_path: Path) -> None:
    async with running(tmp_path, says("I see")) as (app, pilot):
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "I see" in text(app))
        session = app.session
        assert session is not None
        message = session.history.messages[1]
        root = tmp_path / "order-service"
        said = {"node": session.node, "message": message.id, "quote": "hi"}
        write(
            tmp_path,
            [
                entry(1, "From here", 1, root, **said),
                entry(2, "From nowhere", 2, root),
            ],
        )
        await browse(app, pilot, count=2)
        assert has_row(app, "Quote", "「hi」")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat)
        screen = await browse(app, pilot, count=2)
        await pilot.press("down", "enter")
        await until(pilot, lambda: has_row(app, "No source session"))
        assert app.screen is screen
        await pilot.press("escape")
        app.lead.run_command("/clear")
        await until(pilot, lambda: session.node != said["node"])
        await browse(app, pilot, count=2)
        await pilot.press("enter")
        await until(pilot, lambda: session.node == said["node"] and "I see" in text(app))
        assert app.screen is app.chat


async def test_deleted_everywhere_it_is_in_no_file(tmp_path: Path) -> None:
    write(tmp_path, some(tmp_path))
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot)
        await pilot.press("d")
        await until(pilot, lambda: len(screen.model.items) == 2)
        await pilot.press("u")
        await until(pilot, lambda: len(screen.model.items) == 3)
        await pilot.press("home", "D")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        clock_of(app).seconds += 60
        await pilot.press("left", "enter")
        await until(pilot, lambda: len(screen.model.items) == 2)
        await until(pilot, lambda: has_row(app, "Deleted everywhere"))
        folder = facts_file(tmp_path).parent
        kept = [one for one in folder.iterdir() if b"never javax" in one.read_bytes()]
        assert kept == []


async def test_save_and_memory_commands(tmp_path: Path) -> None:
    write(tmp_path, some(tmp_path))
    async with running(tmp_path) as (app, pilot):
        await pilot.press(*"/save --global 用中文", "enter")
        await until(pilot, lambda: has_row(app, "Saved for all projects"))
        assert stored(tmp_path)["用中文"]["metadata"]["scope"] == "global"
        app.lead.run_command("/memory delete nothing")  # before others stand in its toast's way
        await until(pilot, lambda: "nothing" in "".join(rows(app)[-12:]))
        app.lead.run_command("/memory delete 00000001")
        await until(pilot, lambda: "Flyway scripts are append-only" not in stored(tmp_path))
        app.lead.run_command("/memory verify 00000002")
        await until(
            pilot, lambda: stored(tmp_path)["Deploys on Monday"]["lastVerifiedAt"] > "2026-11-29"
        )
        app.lead.run_command("/memory replace 00000002 Deploys on Friday")
        await until(pilot, lambda: "Deploys on Friday" in stored(tmp_path))
        app.lead.run_command("/memory clear")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        clock_of(app).seconds += 60
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert len(stored(tmp_path)) == 3
        app.lead.run_command("/memory clear")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        clock_of(app).seconds += 60
        await pilot.press("left", "enter")
        await until(pilot, lambda: stored(tmp_path) == {})


async def test_memory_off_says_so(tmp_path: Path) -> None:
    write(tmp_path, some(tmp_path))
    async with running(tmp_path, environ={"HAIMA_MEMORY__ENABLED": "false"}) as (app, pilot):
        await browse(app, pilot)
        assert "memory.enabled" in text(app)


async def test_a_key_that_comes_between_two_conflicts_does_nothing(tmp_path: Path) -> None:
    root = tmp_path / "order-service"
    contents = ["The service builds on Java {}", "The gateway timeout is {} s"]
    write(tmp_path, [entry(n, one.format(17), 9, root) for n, one in enumerate(contents)])
    async with running(tmp_path) as (app, pilot):
        memories = app.session.remembering.memories
        await memories.refresh()
        for n, one in enumerate(contents):
            draft = memories.draft(one.format(21), "project", Provenance("you"))
            await memories.inbox.add(draft, (f"fact-{n:08x}",))
        screen = await browse(app, pilot, count=2)
        await until(pilot, lambda: screen.model.waiting == 2)
        await pilot.press("i", "d", "enter", "e")
        await until(pilot, lambda: isinstance(app.screen, ConflictDialog))
        clock_of(app).seconds += 60
        await pilot.press("pagedown", "d", "enter", "e")
        await until(pilot, lambda: isinstance(app.screen, ConflictDialog))
        clock_of(app).seconds += 60
        await pilot.press("pagedown")
        await until(pilot, lambda: "0 decided, 2 still wait" in text(app))
        assert app.screen is screen and len(stored(tmp_path)) == 2
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)


@pytest.mark.usefixtures("often")
async def test_what_cannot_be_read_is_said_in_the_lists_place_until_it_can(tmp_path: Path) -> None:
    path = facts_file(tmp_path)
    path.mkdir(parents=True)
    async with running(tmp_path) as (app, pilot):
        screen = await browse(app, pilot, count=0)
        await until(pilot, lambda: has_row(app, "✗ The memories can't be read."))
        assert "Reading memories" not in text(app) and "0 facts" not in text(app)
        assert has_row(app, "The chat goes on without them")
        path.rmdir()
        write(tmp_path, some(tmp_path))
        await until(pilot, lambda: len(screen.model.items) == 3)
        assert "can't be read" not in text(app) and has_row(app, "3 facts")


async def test_a_damaged_file_is_told_in_the_browser(tmp_path: Path) -> None:
    write(tmp_path, some(tmp_path))
    whole = facts_file(tmp_path).read_bytes()
    facts_file(tmp_path).write_bytes(whole[: len(whole) - 120])
    async with running(tmp_path) as (app, pilot):
        await browse(app, pilot, count=2)
        await until(pilot, lambda: has_row(app, "The memory file was damaged"))
        await pilot.press("escape")
        await until(pilot, lambda: has_row(app, "long_term_memory.json is damaged"))
