"""The recovery block after a clear (DESIGN 4, "Worklog and recovery"; NAMES 4.6, 8)."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.archive.rows import Kind, Row
from app.compaction.known import Known
from app.compaction.recovery_lines import clock, entity_line
from app.conversation.history import RecoverySlot
from app.conversation.messages import Message
from app.conversation.window import thresholds
from app.conversation.work import Done, Goal, Progress, Rule
from app.conversation.work_state import Entity
from app.events import Notice, RecoveryTold
from app.storage import StorageError
from app.text import Words
from tests.compaction.desk import Desk
from tests.compaction.histories import answer, step, user
from tests.conversation.strict import broken

GOAL = "Move the service to Java 21 and keep the tests green."
KNOWN = Known(
    goal=Goal(GOAL, "u0", 1),
    rules=(Rule("r1", "never use npm", message="u0", turn=1), Rule("r2", "不要改 schema")),
    changed=(
        Entity("file", "pom.xml", "edited", changed="edited", changed_at="2026-11-30T11:48:00Z"),
        Entity("file", "src/Old.java", "deleted", changed="deleted", at="2026-11-29T09:00:00Z"),
    ),
    outside=frozenset({"pom.xml"}),
    nearest=(
        Entity("command", "mvn -q verify", "ran", detail="exit 1", ok=False, failed=3),
        Entity("symbol", "decode", "edited", file="src/OrderCodec.java"),
    ),
    progress=Progress(("run the integration tests", "Dockerfile"), (Done("compiles", "mvn -v"),)),
    now="2026-11-30T12:00:00+00:00",
)


def body(number: int) -> str:
    """A long result with names that stand nowhere else."""
    seen = "".join(
        f"src/deep/part{number}/only{at}.py has only_here_{number}_{at}\n" for at in range(60)
    )
    return seen + "word " * 600


def work(steps: int = 10, first: str = GOAL) -> list[Message]:
    messages = [user(first, "u0")]
    for number in range(steps):
        messages += step(number, body(number))
    return [*messages, answer(), user("Go on.", "u1")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, work(), known=KNOWN)


def told(desk: Desk) -> str:
    slot = desk.history.recovery
    assert slot is not None
    return slot.text


class TestAfterAClear:
    async def test_it_stands_once_at_the_newest_message(self, desk: Desk) -> None:
        desk.at(1)
        sent = await desk.call()
        slot = desk.history.recovery
        assert slot is not None
        assert (slot.message_id, slot.first) == ("u1", False)
        assert sent.count("<recovery>") == 1
        assert sent.index("<recovery>") > sent.index("Go on.")

    async def test_it_says_all_that_is_known(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        sections = told(desk).split("\n\n")
        assert sections[0].splitlines()[1:] == ["- never use npm", "- 不要改 schema"]
        assert sections[1].splitlines()[1:] == [
            "- pom.xml (edited, 11:48, changed outside since)",
            "- src/Old.java (deleted, 11-29 09:00)",
        ]
        assert sections[2].splitlines()[1:] == [
            "- `mvn -q verify` (failed 3 times, exit 1)",
            "- decode (edited, src/OrderCodec.java)",
        ]
        assert sections[3].splitlines()[1].startswith("Paths: src/deep/part")
        assert sections[4].splitlines()[1:] == ["- compiles (checked by `mvn -v`)"]
        assert sections[5].splitlines()[1:] == ["- run the integration tests", "- Dockerfile"]
        assert "needs no second check, except" in sections[6]

    async def test_what_ended_stands_behind_the_rules_the_newest_of_it(self, desk: Desk) -> None:
        """The goal and older words are word for word, with rules that hold no longer."""
        desk.known = replace(KNOWN, ended=tuple(f"end {at}" for at in range(20)))
        desk.at(1)
        await desk.call()
        rules, ended, *_ = told(desk).split("\n\n")
        assert rules.endswith("- 不要改 schema")
        assert ended.splitlines() == [
            "The user has taken these back, whatever older words say; only the standing rules "
            "count:",
            *(f"- end {at}" for at in range(19, 11, -1)),
        ]

    async def test_the_goal_is_told_where_it_stands_nowhere_else(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        assert GOAL not in told(desk)

    async def test_a_goal_that_left_is_told_in_full(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, work(first="Another one."), known=KNOWN)
        desk.at(1)
        await desk.call()
        assert told(desk).split("\n\n")[0].splitlines()[1] == GOAL

    async def test_no_name_stands_elsewhere_in_the_request(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        listed = told(desk).split("Also part of the work so far:\n")[1].split("\n\n")[0]
        names = [
            name for line in listed.splitlines() for name in re.split(", | ", line.split(": ")[1])
        ]
        desk.history.set_recovery(None)
        assert len(names) > 20
        assert not [name for name in names if name in desk.request]

    async def test_names_keep_within_their_tokens(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        listed = told(desk).split("Also part of the work so far:\n")[1].split("\n\n")[0]
        assert desk.meter.text_tokens(listed) <= desk.marks.entities

    async def test_it_is_told_to_whoever_listens(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        event = desk.events[-1]
        assert isinstance(event, RecoveryTold)
        assert (event.message, event.goal, event.rules, event.files) == ("u1", False, 2, 2)
        assert (event.entities, event.outside) == (2, ("pom.xml",))
        assert event.names > 20
        assert event.tokens == pytest.approx(desk.meter.text_tokens(told(desk)), rel=0.1)

    async def test_the_older_block_goes_in_the_same_rewrite(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        first = told(desk)
        more = [one for number in range(20, 30) for one in step(number, body(number))]
        await desk.add(answer("So.", "z2"), *more)
        sent = await desk.call()
        slot = desk.history.recovery
        assert slot is not None and slot.message_id == "r29.0"
        assert sent.count("<recovery>") == 1 and slot.text != first

    async def test_between_points_nothing_is_written_again(self, desk: Desk) -> None:
        desk.at(1)
        await desk.call()
        slot = desk.history.recovery
        await desk.add(answer("So.", "z2"), user("And now?", "u2"))
        await desk.call()
        assert desk.history.recovery == slot

    async def test_undo_puts_the_old_one_back(self, desk: Desk) -> None:
        old = RecoverySlot("u0", "as it was")
        await desk.recorder.set_recovery(old)
        before = desk.request
        desk.at(1)
        assert await desk.call() != before
        assert await desk.compactor.undo()
        assert desk.request == before and desk.history.recovery == old

    async def test_a_clear_that_frees_less_than_is_told_is_none(self, desk: Desk) -> None:
        long = "word " * 400
        desk.known = replace(KNOWN, rules=tuple(Rule(f"r{at}", f"{at} {long}") for at in range(40)))
        desk.at(1, min_gain=1)
        before = await desk.call()
        assert desk.history.recovery is None and not desk.events
        assert await desk.call() == before, "and isn't tried again"

    async def test_where_nothing_is_known_nothing_is_told(self, tmp_path: Path) -> None:
        plain = [user("Go.", "u0"), *(one for at in range(8) for one in step(at, "a " * 3_000))]
        desk = Desk(tmp_path, [*plain, answer()], known=Known())
        desk.at(1)
        assert "[Cleared" in await desk.call()
        assert desk.history.recovery is None

    async def test_it_is_there_before_the_first_result_is_gone(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever dies half way: no clear without what makes up for it."""
        kinds: list[str] = []
        write = desk.ledger.write

        def failing(kind: Kind, *args: Any, **more: Any) -> Row:
            kinds.append(kind)
            if len(kinds) == 2:
                raise StorageError("storage.full", path=desk.path)
            return write(kind, *args, **more)

        monkeypatch.setattr(desk.ledger, "write", failing)
        desk.at(1)
        with pytest.raises(StorageError):
            await desk.call()
        assert kinds == ["recovery", "replace"]
        assert desk.history.recovery is not None
        assert not broken(desk.history.messages)

    async def test_a_file_without_a_note_is_marked_where_somebody_else_changed_it(
        self, tmp_path: Path
    ) -> None:
        changed = tuple(
            Entity("file", f"src/file{at}.py", "edited", changed="edited") for at in range(30)
        )
        known = replace(KNOWN, changed=changed, outside=frozenset({"src/file25.py"}))
        desk = Desk(tmp_path, work(12), known=known)
        desk.at(1)
        await desk.call()
        assert "src/file25.py (changed outside since), src/file26.py" in told(desk)
        assert "read them again" in told(desk)

    @pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 200_000])
    async def test_every_window_holds_it(self, tmp_path: Path, window: int) -> None:
        changed = tuple(
            Entity("file", f"src/package/file{at}.py", "edited", changed="edited")
            for at in range(2_000)
        )
        known = replace(KNOWN, changed=changed, nearest=KNOWN.nearest * 40)
        desk = Desk(tmp_path, work(12), marks=thresholds(window), known=known)
        desk.at(1)
        await desk.call()
        if desk.history.recovery is not None:
            assert desk.meter.text_tokens(told(desk)) < window // 2
            assert "- never use npm" in told(desk)


PART = "frontend/src/components/RemediationHistoryCard.tsx"


@pytest.mark.parametrize(
    ("entity", "en", "zh"),
    [
        (Entity("file", "a.py", "edited", ok=False), "a.py (an edit failed)", "a.py (编辑失败)"),
        (
            Entity("file", "a.py", "edited", ok=False, changed="created"),
            "a.py (created, later an edit failed)",
            "a.py (新建，之后编辑失败)",
        ),
        (Entity("file", "a.py", "read", ok=False), "a.py (reading failed)", "a.py (读取失败)"),
        (
            Entity("file", "a.py", "searched", detail="def x"),
            "a.py (searched for def x)",
            "a.py (搜索过 def x)",
        ),
        (
            Entity("symbol", "decode", "edited", file="src/OrderCodec.java"),
            "decode (edited, src/OrderCodec.java)",
            "decode (已编辑，src/OrderCodec.java)",
        ),
        (
            Entity("symbol", "Card", "edited", file=PART, changed="edited"),
            "Card (edited, …/components/RemediationHistoryCard.tsx)",
            "Card (已编辑，…/components/RemediationHistoryCard.tsx)",
        ),
        (
            Entity("symbol", "Card", "read", file=PART),
            f"Card (read, {PART})",
            f"Card (已读，{PART})",
        ),
        (
            Entity("command", "git add " + "src/a.py " * 15, "ran", ok=False, detail="exit 1"),
            "`git add " + "src/a.py " * 10 + "…` (failed, exit 1)",
            "`git add " + "src/a.py " * 10 + "…` (失败，exit 1)",
        ),
    ],
)
def test_a_line_reads_naturally(entity: Entity, en: str, zh: str) -> None:
    assert entity_line(entity, Words("en"), now="") == f"- {en}"
    assert entity_line(entity, Words("zh"), now="") == f"- {zh}"


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("2026-11-30T11:48:59Z", "19:48"),
        ("2026-11-29T11:48:59Z", "11-29 19:48"),
        ("", ""),
        ("yesterday", ""),
    ],
)
def test_times_are_the_users(at: str, shown: str) -> None:
    assert clock(at, "2026-11-30T20:00:00+08:00") == shown
    assert clock(at, "") == ""


async def test_rules_without_room_are_told_to_the_user(tmp_path: Path) -> None:
    """DESIGN 4: the user is asked which to switch off; the newest stay."""
    rules = tuple(Rule(f"r{at}", f"never touch folder {at} " + "x" * 200) for at in range(200))
    desk = Desk(tmp_path, work(20), marks=thresholds(32_000), known=replace(KNOWN, rules=rules))
    desk.at(1)
    await desk.call()
    (event,) = desk.of_type("recovery")
    notices = [one for one in desk.events if isinstance(one, Notice)]
    (notice,) = (one for one in notices if one.code == "rules_left")
    assert isinstance(event, RecoveryTold)
    assert event.rules > 5 and event.rules + event.rules_left == 200
    assert notice.severity == "warn"
    assert f"{event.rules_left} of your standing rules" in notice.text
    assert "never touch folder 199" in told(desk) and "never touch folder 0 " not in told(desk)
