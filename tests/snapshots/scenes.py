"""Screens worth a picture, brought about by real keys over a scripted model."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import Mock

from textual.pilot import Pilot

from app.conversation.past import PastMark
from app.events import Queued
from app.llm.discover import LocalServer
from app.ports import Reply, TextDelta
from app.screens.context import ContextScreen
from app.screens.doctor import DoctorScreen
from app.screens.memory import MemoryScreen
from app.screens.replay import ReplayScreen
from app.screens.sessions import SessionsScreen
from app.screens.viewer import ViewerScreen
from app.screens.work import WorkViewScreen
from app.view.facts_record import FactDetail, FactItem, Happened
from app.view.file_source import TextSource
from tests.screens import compacting, left, summed
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.screens.test_doctor_screen import REPORT
from tests.screens.test_first_run import BOTH
from tests.screens.test_memory_tab import ASKED as JAVAX
from tests.screens.test_memory_tab import facts, say, to_the_tab, write
from tests.screens.viewing import BLOCK, NAME
from tests.session.support import Piece, ScriptedModel, call, says
from tests.view.pasts import AT, answer, page, result, user
from tests.view.pasts import call as asks
from tests.view.some_facts import SOME as FACTS
from tests.view.some_replays import SOME as REPLAY
from tests.view.some_sessions import NOW, SOME
from tests.view.some_work import WORK
from tests.widgets.conflicts import CHINESE, QUESTION
from tests.widgets.desk import text
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.compaction import CompactionDialog
from widgets.dialogs.conflict import ConflictDialog
from widgets.dialogs.menu import MenuDialog
from widgets.dialogs.models import ModelDialog
from widgets.drawn import Drawn
from widgets.look import NORMAL

ANSWER = """Only **three** files still import `javax`; the rest already use `jakarta`.

1. `OrderCodec` relies on `sun.misc.Unsafe` — replace with `VarHandle`
2. `AuditFilter`，`javax.servlet` 换成 `jakarta.servlet` 即可

```xml
<properties>
  <maven.compiler.release>21</maven.compiler.release>
</properties>
```
"""
POM = "<project>\n  <java.version>17</java.version>\n</project>\n"
OLD = (
    user("u0", "Hello"),
    answer("a0", "Hello."),
    user("u1", "Swap the Dockerfile base image."),
    answer(
        "a1", "I look first.", asks("c1", path="Dockerfile"), asks("c2", "list_dir", path="src")
    ),
    result("c1"),
    result("c2", state="cleared", tool="list_dir"),
    PastMark("summary", "c41d", "6b91", AT, count=42),
    PastMark("fork", "8e10", "6b91", AT, turn=84),
    user("u2", "并用中文写发布说明。"),
    answer("a2", "", asks("c3", "execute_command", command="mvn -q test")),
)
ASKED = "先盘点 order-service 里残留的 javax.*，再把工具链升到 Java 21。"

Play = Callable[[Stage, Pilot[int]], Awaitable[None]]


@dataclass(frozen=True)
class Scene:
    """A screen.

    Attributes:
        play: what is done until it stands there.
        answers: what the model says; None: no model is connected.
        found: servers on this machine.
    """

    play: Play
    answers: Callable[[], list[list[Piece]]] | None = None
    found: tuple[LocalServer, ...] = ()


def task() -> list[list[Piece]]:
    """A turn with cards of every state but a running one."""
    read, missing = call("read_file", path="pom.xml"), call("read_file", path="gone.xml")
    edit = call(
        "edit_file",
        path="pom.xml",
        old="<java.version>17</java.version>",
        new="<java.version>21</java.version>",
    )
    return [
        says("I'll list what is left, then move the toolchain.", read, missing),
        says("", edit),
        says(ANSWER),
    ]


def endless() -> list[list[Piece]]:
    """An answer that is never over."""
    return [
        [
            TextDelta("The core tests pass. Two integration tests are left.\n\n"),
            asyncio.Event(),
            Reply("x"),
        ]
    ]


async def talk(app: Stage, pilot: Pilot[int]) -> None:
    """A finished turn with an approved edit."""
    await opened(pilot, app)
    assert app.chat is not None
    app.chat.run_line(ASKED)
    await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
    clock_of(app).seconds += 5
    await pilot.press("y")
    await until(pilot, lambda: app.session is not None and not app.session.busy)
    await until(pilot, lambda: "maven.compiler.release" in text(app))
    await pilot.pause()


async def context(app: Stage, pilot: Pilot[int]) -> None:
    """What that turn filled the window with."""
    await talk(app, pilot)
    assert app.chat is not None
    app.chat.run_line("/context")
    await until(pilot, lambda: isinstance(app.screen, ContextScreen))


async def approval(app: Stage, pilot: Pilot[int]) -> None:
    """The question before the edit."""
    await opened(pilot, app)
    assert app.chat is not None
    app.chat.run_line(ASKED)
    await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
    await until(pilot, lambda: "java.version" in text(app))


async def conflict(app: Stage, pilot: Pilot[int]) -> None:
    """Two memories that contradict each other."""
    await opened(pilot, app)
    question = CHINESE if app.words.language == "zh" else QUESTION
    asking = asyncio.create_task(app.lead.broker.resolve_conflict(question))
    await until(pilot, lambda: isinstance(app.screen, ConflictDialog) and "pom.xml" in text(app))
    assert not asking.done()


async def queued(app: Stage, pilot: Pilot[int]) -> None:
    """Two messages wait for a running turn."""
    await opened(pilot, app)
    await pilot.press(*"go", "enter")
    await until(pilot, lambda: "integration tests" in text(app))
    assert app.chat is not None
    app.chat.run_line("Then swap the Dockerfile base image too.")
    app.chat.run_line("并用中文写发布说明。")
    await until(pilot, lambda: "发布说明" in text(app))


async def toasts(app: Stage, pilot: Pilot[int]) -> None:
    """Three at once, over an empty conversation."""
    await opened(pilot, app)
    app.toast("chat.copied", severity="ok")
    app.toast("chat.not_kept", "~/.haima/config.toml is not writable; check its rights", "warn")
    app.toast("chat.command_failed", "/modle is no command; did you mean /model?", "danger")
    await pilot.pause()


async def commands(app: Stage, pilot: Pilot[int]) -> None:
    """The list of commands over the prompt."""
    await opened(pilot, app)
    await pilot.press("/", "down")
    await pilot.pause()


async def leader(app: Stage, pilot: Pilot[int]) -> None:
    """Ctrl+G waits."""
    await opened(pilot, app)
    await pilot.press("ctrl+g")
    await pilot.pause()


async def palette(app: Stage, pilot: Pilot[int]) -> None:
    """All actions."""
    await opened(pilot, app)
    await pilot.press("ctrl+g", "p")
    await until(pilot, lambda: isinstance(app.screen, MenuDialog))


async def help_screen(app: Stage, pilot: Pilot[int]) -> None:
    """Keys and help, asked for in the prompt."""
    await opened(pilot, app)
    await pilot.press("f1")
    await pilot.pause()


async def doctor(app: Stage, pilot: Pilot[int]) -> None:
    """A report with one of each."""
    await opened(pilot, app)

    async def check() -> object:
        return REPORT

    assert app.chat is not None
    await app.push_screen(DoctorScreen(app.look, app.chat.state, check=check))  # type: ignore[arg-type]
    await until(pilot, lambda: "Python" in text(app))


async def viewer(app: Stage, pilot: Pilot[int]) -> None:
    """A log of 16,000 lines, in the middle, with hits."""
    await opened(pilot, app)
    assert app.chat is not None
    source = TextSource(NAME, BLOCK * 1_000)
    screen = ViewerScreen(app.look, app.chat.state, source, at_line=12_005, clock=app.seconds)
    await app.push_screen(screen)
    await until(pilot, lambda: screen.view.is_ready and screen.view.page.cursor_number == 12_005)
    screen.view.find("OrderCodec")
    await until(pilot, lambda: screen.view.is_ready and screen.view.finder.finding.at)


async def sessions(app: Stage, pilot: Pilot[int]) -> None:
    """The sessions of mock 05."""
    await opened(pilot, app)
    assert app.chat is not None
    screen = SessionsScreen(
        app.look, app.chat.state, SOME, now=lambda: NOW, ask=app.desk.ask, clock=app.seconds
    )
    await app.push_screen(screen)
    await until(pilot, lambda: "Java 21" in text(app))
    await pilot.press("up")
    await pilot.pause()


async def memory(app: Stage, pilot: Pilot[int]) -> None:
    """The facts of mock 02."""
    await opened(pilot, app)
    assert app.chat is not None
    vars(app.lead.remembers)["_feed"] = Mock()  # these are nobody's, and stay

    async def detail(item: FactItem) -> FactDetail:
        at = item.written or NOW
        history = (Happened(item.verified or at, "verified"), Happened(at, "written", item.source))
        return FactDetail(item, "Bootstrap CI", True, history)

    screen = MemoryScreen(
        app.look,
        app.chat.state,
        now=lambda: NOW,
        ask=app.desk.ask,
        detail=detail,
        clock=app.seconds,
    )
    await app.push_screen(screen)
    screen.table.undoable = True
    screen.show(FACTS, len({one.id for fact in FACTS for one in fact.waits}))
    await until(pilot, lambda: "Java 17" in text(app))
    await until(pilot, lambda: app.size.width < NORMAL or "Bootstrap CI" in text(app))


async def replay(app: Stage, pilot: Pilot[int]) -> None:
    """The replay of mock 08, on its step 70."""
    await opened(pilot, app)
    assert app.chat is not None
    screen = ReplayScreen(app.look, app.chat.state, clock=app.seconds)
    await app.push_screen(screen)
    screen.begin(REPLAY.steps, REPLAY.window, example=True)
    screen.show_pane("a", REPLAY.a)
    screen.show_pane("b", REPLAY.b)
    await pilot.press("home", *["shift+right"] * 7, "left")
    await until(pilot, lambda: screen.view.at == 70)


async def replay_numbers(app: Stage, pilot: Pilot[int]) -> None:
    """The same on a small screen, its numbers."""
    await replay(app, pilot)
    await pilot.press("tab")
    await pilot.pause()


async def recalled(app: Stage, pilot: Pilot[int]) -> None:
    """The memory tab: three facts went along with a message (mock 01b)."""
    await opened(pilot, app)
    root = app.lead.launch.project.root
    write(root.parents[2], *facts(root))
    await say(app, pilot, JAVAX)
    await to_the_tab(app, pilot)
    await until(pilot, lambda: "1 other" in text(app) or "1 条" in text(app))


async def work_tab(app: Stage, pilot: Pilot[int]) -> None:
    """The Work tab in focus (mock 01b)."""
    await opened(pilot, app)
    chat = app.chat
    assert chat is not None
    app.lead.items.refresh = lambda: None  # type: ignore[method-assign]
    vars(app.lead.working.feed)["_session"] = lambda: None  # this is nobody's, and stays
    await pilot.pause(0.1)
    for event in (*left.work(), left.measured(117_400, 35_200)):
        chat.take(event)
    chat.side.model.show(left.lists(chat.now()))
    chat.side.model.show_work(WORK)
    chat.side.model.choose("work")
    chat.panel.list.focus()
    if app.size.width >= NORMAL:
        await until(pilot, lambda: chat.panel.work.has_focus and "OrderCodec.java" in text(app))
        await pilot.press("down", "down")


async def work_view(app: Stage, pilot: Pilot[int]) -> None:
    """All of it (mock 10)."""
    await work_tab(app, pilot)
    app.lead.working.show(("rule", "r2"))
    await until(pilot, lambda: isinstance(app.screen, WorkViewScreen) and "Flyway" in text(app))
    await pilot.pause()


async def past(app: Stage, pilot: Pilot[int]) -> None:
    """A resumed conversation, its earliest line in view."""
    await opened(pilot, app)
    assert app.chat is not None
    app.chat.show_past(page(OLD, limit=len(OLD) - 2))
    await pilot.press("tab", "home")
    await until(pilot, lambda: "Enter" in text(app) and app.chat and app.chat.transcript.has_focus)


async def left_context(app: Stage, pilot: Pilot[int]) -> None:
    """What left the context (mocks 01, 01f): nine results were just cleared, one is in a file."""
    await opened(pilot, app)
    chat = app.chat
    assert chat is not None
    app.lead.items.refresh = lambda: None  # type: ignore[method-assign]
    await pilot.pause(0.1)

    async def peek(_path: str) -> tuple[str, ...]:
        return left.PREVIEW

    chat.side.held._peek = app.lead.windows._peek = peek
    for event in (
        *left.work(),
        *left.many(),
        left.cleared(*left.ids()),
        left.measured(58_600, 14_900, clearable=8_000),
    ):
        chat.take(event)
    chat.side.model.show(left.lists(chat.now()))
    await until(pilot, lambda: "38.2k" in text(app))
    await until(pilot, lambda: app.size.width < NORMAL or "AuditFilter" in text(app))


async def summarised(app: Stage, pilot: Pilot[int]) -> None:
    """Summaries (mocks 01c, 01e): an older one, one that failed, one that runs; two queued."""
    await opened(pilot, app)
    chat = app.chat
    assert chat is not None
    app.lead.items.refresh = lambda: None  # type: ignore[method-assign]
    await pilot.pause(0.1)
    for event in (
        *summed.by_hand(),
        summed.summarised(),
        *summed.turn(2, "Go on.", "Both failures come from the container clock."),
        summed.failed(),
        left.measured(168_500, 41_000),
        summed.started("user", calls=7),
        summed.progress(2, 7),
        Queued(id="q1", text="Then swap the Dockerfile base image too."),
        Queued(id="q2", text="并用中文写发布说明。"),
    ):
        chat.take(event)
    await until(pilot, lambda: "发布说明" in text(app) and "Esc" in text(app))


async def left_list(app: Stage, pilot: Pilot[int]) -> None:
    """The same with the list in focus (mocks 01b and 09b)."""
    await left_context(app, pilot)
    await pilot.press("f5", "right")
    await until(pilot, lambda: "src/m" in text(app) and "git st" in text(app))


async def first_run(app: Stage, pilot: Pilot[int]) -> None:
    """Two servers were found."""
    await until(pilot, lambda: "Ollama" in text(app) and ":1234" in text(app))


async def models(app: Stage, pilot: Pilot[int]) -> None:
    """A server with three models was chosen."""
    await first_run(app, pilot)
    await pilot.press("1")
    await until(pilot, lambda: isinstance(app.screen, ModelDialog))


async def connect(app: Stage, pilot: Pilot[int]) -> None:
    """Another address."""
    await first_run(app, pilot)
    await pilot.press("9" if app.size.width >= 100 else "8", "enter")
    await pilot.pause()


async def compaction(app: Stage, pilot: Pilot[int]) -> None:
    """The preview of a compaction (mock 04)."""
    await opened(pilot, app)
    shown = compacting.preview(app.look.words.language)
    gauge = compacting.gauge()
    dialog = CompactionDialog(app.look, shown, gauge, clock=app.seconds)
    app.desk.open(dialog, lambda _: None)
    await until(pilot, lambda: app.screen is dialog)
    clock_of(app).seconds += 5
    await pilot.press("down", "down")


async def compaction_edit(app: Stage, pilot: Pilot[int]) -> None:
    """The same, its second section edited."""
    await compaction(app, pilot)
    await pilot.press("right", "enter")
    await pilot.pause()
    await pilot.press("tab")


SCENES: dict[str, Scene] = {
    "talk": Scene(talk, task),
    "context": Scene(context, task),
    "approval": Scene(approval, task),
    "conflict": Scene(conflict, list),
    "queued": Scene(queued, endless),
    "toasts": Scene(toasts, list),
    "commands": Scene(commands, list),
    "leader": Scene(leader, list),
    "palette": Scene(palette, list),
    "help": Scene(help_screen, list),
    "doctor": Scene(doctor, list),
    "viewer": Scene(viewer, list),
    "sessions": Scene(sessions, list),
    "memory": Scene(memory, list),
    "replay": Scene(replay, list),
    "replay_numbers": Scene(replay_numbers, list),
    "recalled": Scene(recalled, lambda: [says("Done.")]),
    "work_tab": Scene(work_tab, list),
    "work_view": Scene(work_view, list),
    "past": Scene(past, list),
    "left": Scene(left_context, list),
    "left_list": Scene(left_list, list),
    "summarised": Scene(summarised, list),
    "compaction": Scene(compaction, list),
    "compaction_edit": Scene(compaction_edit, list),
    "first_run": Scene(first_run, found=BOTH),
    "models": Scene(models, found=BOTH),
    "connect": Scene(connect, found=BOTH),
}


async def perform(name: str, app: Stage, pilot: Pilot[int]) -> None:
    """Plays a scene; what is drawn a few times a second is drawn as it stands at the end."""
    await SCENES[name].play(app, pilot)
    for screen in app.screen_stack:
        for widget in screen.query(Drawn):
            widget.draw_now()
    await pilot.pause()


def build(
    name: str, tmp_path: Path, *, theme: str = "dark", language: str = "en", glyphs: str = "unicode"
) -> Stage:
    """The app of a scene, in a project that is always called the same."""
    scene = SCENES[name]
    root = tmp_path / "home" / "code" / "order-service"
    root.mkdir(parents=True)
    (root / "pom.xml").write_text(POM)

    async def find() -> tuple[LocalServer, ...]:
        return scene.found

    return make_app(
        tmp_path,
        ScriptedModel(*scene.answers()) if scene.answers else None,
        language=language,
        environ={
            "DEEPSEEK_API_KEY": "sk-1234567890",
            "HAIMA_UI__THEME": theme,
            "HAIMA_UI__GLYPHS": glyphs,
            "HAIMA_UI__MOTION": "false",
        },
        find=find,
        root=root,
    )
