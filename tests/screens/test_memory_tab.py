"""The memory's facts in the panel and under the user's message, by real keys on the real app."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from app.screens.context import ContextScreen
from app.session.launch import StartRequest
from app.view.items import UserItem
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.remembered import Entry, entry
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row, rows, text
from widgets.requests import EditFile, OpenMemory, Request

ASKED = "Move the javax imports, then Java 21."
POM = "<project>\n<properties>\n<java.version>21</java.version>\n</properties>\n</project>\n"


def facts(root: Path) -> tuple[Entry, ...]:
    """One that fits, one that is always there, one that is stale, one that fits nothing."""
    stale = entry("fact-jdk", "Java 17 is the toolchain", root)
    stale["timestamp"] = stale["lastVerifiedAt"] = "2026-08-25T09:00:00Z"
    return (
        entry("fact-javax", "Use jakarta.*, never javax.*", root),
        entry("fact-flyway", "Flyway scripts are append-only", root, pinned="true"),
        stale,
        entry("fact-redis", "Redis keeps idempotency keys only"),
    )


def file_of(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".haima" / "memory" / "long_term_memory.json"


def stored(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """The entries of the file, by id."""
    return {one["id"]: one for one in json.loads(file_of(tmp_path).read_text())}


def write(tmp_path: Path, *entries: Entry) -> None:
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries, ensure_ascii=False))


@asynccontextmanager
async def running(
    tmp_path: Path, *, size: tuple[int, int] = (120, 36), remembered: bool = True, **how: Any
) -> AsyncIterator[tuple[Stage, Pilot[int]]]:
    root = tmp_path / "order-service"
    root.mkdir(exist_ok=True)
    if remembered and not file_of(tmp_path).exists():
        write(tmp_path, *facts(root))
    app = make_app(tmp_path, ScriptedModel(*(says("Done.") for _ in range(4))), **how)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        yield app, pilot
    await app.lead.put_away()


async def say(app: Stage, pilot: Pilot[int], words: str) -> None:
    """Sends a message and waits for the end of its turn."""
    assert app.chat is not None and app.session is not None
    app.chat.run_line(words)
    await until(pilot, lambda: app.session is not None and app.session.busy)
    await until(pilot, lambda: app.session is not None and not app.session.busy)
    await pilot.pause()


def sent(app: Stage) -> str:
    """The newest message of the user, as it stands in the history."""
    assert app.session is not None
    return [one for one in app.session.history if one.role == "user"][-1].parts.__repr__()


async def to_the_tab(app: Stage, pilot: Pilot[int]) -> None:
    """F5 until the tab is shown, with the focus in it."""
    chat = app.chat
    assert chat is not None
    await until(pilot, lambda: chat.side.model.recalled.facts)
    await until(pilot, lambda: chat.side.model.recalled.facts[0].now is not None)
    await pilot.press("f5")
    assert chat.side.model.active == "memory" and chat.side.held.list.has_focus


async def test_what_went_along_is_said_under_the_message_and_listed(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        await until(pilot, lambda: has_row(app, "  ◆ 3 memories recalled  +", " tokens"))
        assert has_row(app, "Offloaded  Cleared  Work  Memory 3")
        await to_the_tab(app, pilot)
        await until(pilot, lambda: has_row(app, "injected", "3", " / ", "tokens"))
        shown = rows(app)
        flyway = next(n for n, row in enumerate(shown) if "✓ ◆ Flyway scripts are" in row)
        assert shown[flyway].endswith("project  ") or "project" in shown[flyway]
        assert "▸ always there" in shown[flyway + 1]
        assert has_row(app, "✓ Use jakarta.*, never javax.*", "project")
        assert has_row(app, "matches “javax” in your message")
        assert has_row(app, "~ Java 17 is the toolchain", "stale", "project")
        assert has_row(app, "matches “Java” · verified 96d ago")
        assert has_row(app, "1 other not matched")
        assert rows(app)[-1].startswith(" ↑ ↓ Move  ← → Tab  x Leave out  v Verify  p Pin")


async def test_x_leaves_one_out_of_the_next_message_and_again_takes_it_in(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        await to_the_tab(app, pilot)
        await pilot.press("x")
        await until(pilot, lambda: has_row(app, "left out from your next message on"))
        await pilot.press("escape")
        await say(app, pilot, "And the Flyway scripts?")
        assert "append-only" not in sent(app)
        await until(pilot, lambda: has_row(app, "left out by you, x takes it in again"))
        await pilot.press("f5", "home")
        chat = app.chat
        assert chat is not None
        while chat.panel.fact is None or chat.panel.fact.id != "fact-flyway":
            await pilot.press("down")
        await pilot.press("x")
        await until(pilot, lambda: has_row(app, "back from your next message on"))
        assert app.session is not None and not app.session.remembering.left_out("fact-flyway")


async def test_v_verifies_and_p_pins_the_one_under_the_cursor(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        await to_the_tab(app, pilot)
        chat = app.chat
        assert chat is not None
        while chat.panel.fact is None or chat.panel.fact.id != "fact-jdk":
            await pilot.press("down")
        await pilot.press("v")
        await until(pilot, lambda: has_row(app, "✓ Java 17 is the toolchain"))
        assert stored(tmp_path)["fact-jdk"]["lastVerifiedAt"].startswith("2026-11-29T12:00")
        assert "stale" not in text(app)
        await pilot.press("p")
        await until(pilot, lambda: has_row(app, "✓ ◆ Java 17 is the toolchain"))
        assert stored(tmp_path)["fact-jdk"]["metadata"]["pinned"] == "true"
        await pilot.press("p")
        await until(pilot, lambda: not has_row(app, "✓ ◆ Java 17 is the toolchain"))
        fact = chat.panel.fact
        assert fact is not None and fact.id == "fact-jdk"  # the cursor stays on it


async def test_o_opens_what_speaks_about_it_and_enter_all_memories(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        (tmp_path / "order-service" / "pom.xml").write_text(POM)
        await say(app, pilot, ASKED)
        await to_the_tab(app, pilot)
        chat = app.chat
        assert chat is not None
        asked: list[Request] = []
        take = app.lead.take

        async def watch(request: Request) -> None:
            asked.append(request)
            if not isinstance(request, OpenMemory):
                await take(request)

        edited: list[Request] = []

        def edit(request: Request) -> bool:
            edited.append(request)
            return True

        app.lead.take = watch  # type: ignore[method-assign]
        app.lead.files.take = edit  # type: ignore[method-assign]
        await until(pilot, lambda: has_row(app, "contradicted by pom.xml:3"))
        assert has_row(app, "✗ Java 17", "project")
        assert "o Open" not in rows(app)[-1]
        while chat.panel.fact is None or chat.panel.fact.id != "fact-jdk":
            await pilot.press("down")
        await until(pilot, lambda: "o Open" in rows(app)[-1])
        await pilot.press("o", "enter")
        await until(pilot, lambda: edited)
        (opens,) = edited
        assert isinstance(opens, EditFile) and (opens.path.name, opens.line) == ("pom.xml", 3)
        await until(pilot, lambda: [one for one in asked if isinstance(one, OpenMemory)])
        assert [one.fact for one in asked if isinstance(one, OpenMemory)] == ["fact-jdk"]


async def test_enter_on_the_line_lists_that_messages_facts(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        await say(app, pilot, "What about Redis?")
        chat = app.chat
        assert chat is not None
        await until(pilot, lambda: has_row(app, "◆ 1 memory recalled"))
        chat.transcript.focus()
        await pilot.press("home")
        await pilot.press("enter")
        await until(pilot, lambda: chat.side.held.list.has_focus)
        await until(pilot, lambda: has_row(app, "injected earlier", "3"))
        assert has_row(app, "✓ Use jakarta.*, never javax.*", "project")
        await pilot.press("escape")
        chat.transcript.focus()
        await pilot.press("end", "up", "enter")
        await until(pilot, lambda: has_row(app, "✓ Redis keeps idempotency keys", "global"))
        assert not has_row(app, "injected earlier")
        assert has_row(app, "an earlier message has it")


async def test_a_resumed_session_has_line_and_list_again(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        line = next(row for row in rows(app) if "◆ 3 memories recalled" in row)
    again: dict[str, Any] = {"start": StartRequest("continue"), "first_id": 100}
    async with running(tmp_path, **again) as (app, pilot):
        chat = app.chat
        assert chat is not None
        await until(pilot, lambda: has_row(app, "◆ 3 memories recalled"))
        assert line[:60] == next(row for row in rows(app) if "◆ 3 memories" in row)[:60]
        await to_the_tab(app, pilot)
        await until(pilot, lambda: has_row(app, "~ Java 17 is the toolchain", "stale", "project"))
        assert has_row(app, "verified 96d ago") and has_row(app, "injected", "3", "tokens")
        (user,) = [item for item in chat.store if isinstance(item, UserItem)]
        assert user.recalled == 3
        await pilot.press("v")
        await until(pilot, lambda: stored(tmp_path)["fact-flyway"]["lastVerifiedAt"] > "2026-11-29")


async def test_what_others_change_shows_when_someone_looks(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        await to_the_tab(app, pilot)
        await pilot.press("escape")
        changed = stored(tmp_path)
        changed["fact-javax"]["content"] = "Use jakarta only"
        write(tmp_path, *changed.values())
        await pilot.press("f5")
        await until(pilot, lambda: has_row(app, "✓ Use jakarta only", "project"))
        await pilot.press("f2")
        await until(pilot, lambda: app.screen is not app.chat)
        changed["fact-javax"]["metadata"]["pinned"] = "true"
        write(tmp_path, *changed.values())
        await pilot.press("escape")
        await until(pilot, lambda: has_row(app, "✓ ◆ Use jakarta only", "project"))


async def test_a_fact_that_is_gone_says_so(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await say(app, pilot, ASKED)
        await to_the_tab(app, pilot)
        assert app.session is not None
        await app.session.remembering.delete(("fact-javax",))
        await until(pilot, lambda: has_row(app, "∅ Use jakarta.*, never javax.*", "deleted"))
        await app.session.remembering.undo()
        await until(pilot, lambda: has_row(app, "✓ Use jakarta.*, never javax.*", "project"))


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_small_screen_has_the_tab_behind_f5(tmp_path: Path, language: str) -> None:
    async with running(tmp_path, size=(80, 24), language=language) as (app, pilot):
        await say(app, pilot, ASKED)
        said = "◆ 3 memories recalled" if language == "en" else "◆ 用到 3 条记忆"
        await until(pilot, lambda: has_row(app, said))
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        await until(pilot, lambda: has_row(app, "✓ ◆ Flyway scripts are append-only"))
        foot = "x Leave out  v Verify" if language == "en" else "x 本轮不用  v 核实"
        assert foot in rows(app)[-1]
        await pilot.press("x")
        out = "left out from your next" if language == "en" else "从你的下一条消息起不用"
        await until(pilot, lambda: has_row(app, out))
        await pilot.press("escape")
        chat = app.chat
        assert chat is not None
        await until(pilot, lambda: app.screen is chat)
        chat.transcript.focus()
        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))


async def test_a_long_list_opens_by_enter_on_its_last_row(tmp_path: Path) -> None:
    root = tmp_path / "order-service"
    write(
        tmp_path,
        *(entry(f"fact-{n}", f"Java note number {n} of the team", root) for n in range(14)),
    )
    async with running(tmp_path, size=(120, 24)) as (app, pilot):
        await say(app, pilot, ASKED)
        await to_the_tab(app, pilot)
        await until(pilot, lambda: has_row(app, "more  Enter opens all"))
        await pilot.press("end", "enter")
        await until(pilot, lambda: not has_row(app, "Enter opens all"))
        await pilot.press("end")
        await until(pilot, lambda: has_row(app, "nearer ones took the places"))


async def test_without_facts_and_without_memory_the_tab_says_so(tmp_path: Path) -> None:
    async with running(tmp_path, remembered=False) as (app, pilot):
        chat = app.chat
        assert chat is not None
        chat.side.model.choose("memory")
        await until(pilot, lambda: has_row(app, "No memories recalled yet."))
        await say(app, pilot, ASKED)
        assert "memories recalled" not in text(app).replace("No memories recalled", "")
    off = {"HAIMA_MEMORY__ENABLED": "false"}
    async with running(tmp_path, environ=off, first_id=100) as (app, pilot):
        await say(app, pilot, ASKED)
        assert app.chat is not None
        app.chat.side.model.choose("memory")
        await until(pilot, lambda: has_row(app, "Memory is off."))
        assert "memory.enabled turns it" in text(app)
        assert "recalled  +" not in text(app)
