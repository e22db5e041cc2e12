"""Summaries as the mocks have them (01c, 01d, 01e): events of a session that was summarised."""

from typing import Literal

from app.events import (
    Event,
    Expanded,
    KeptBySummary,
    MessageFinished,
    Paused,
    Summarised,
    SummaryFailed,
    SummaryProgress,
    SummaryStarted,
    SummaryUndone,
    Text,
    TurnFinished,
    TurnStarted,
)
from tests.screens.left import call, measured, offloaded

BEFORE, AFTER = 168_900, 56_100
KEPT = KeptBySummary(
    goal=True, rules=2, files=9, entities=15, recovery_tokens=1_900,
    said=5, pins=2, said_tokens=4_600,
)  # fmt: skip


def turn(number: int, asked: str, answer: str, *calls: list[Event]) -> list[Event]:
    """A turn that is over."""
    message = f"a{number}"
    return [
        TurnStarted(message=f"u{number}", text=asked),
        *(event for one in calls for event in one),
        Text(message=message, text=answer),
        MessageFinished(message=message),
        TurnFinished(ok=True, steps=1, seconds=1.0),
    ]


def started(
    by: Literal["mark", "user", "overflow"] = "mark", count: int = 42, calls: int = 1
) -> SummaryStarted:
    """Older messages are being summarised."""
    return SummaryStarted(messages=count, tokens=225_800, by=by, calls=calls)


def progress(done: int, pieces: int) -> SummaryProgress:
    """Some pieces are done."""
    return SummaryProgress(done=done, pieces=pieces)


def summarised(
    summary: str = "s1",
    *,
    how: Literal["model", "cut"] = "model",
    kept: KeptBySummary = KEPT,
    count: int = 42,
) -> Summarised:
    """It is done."""
    return Summarised(
        node=f"node-{summary}",
        parent=f"before-{summary}",
        summary=summary,
        messages=tuple(f"m{number}" for number in range(count)),
        tokens=1_204,
        tokens_before=BEFORE,
        tokens_after=AFTER,
        generation=1,
        how=how,
        in_turn=False,
        seconds=8.2,
        kept=kept,
    )


def failed(code: str = "headings", reason: str = "") -> SummaryFailed:
    """There is none."""
    said = reason or (
        "The summary lacked its four headings twice; nothing was changed. Try again (/compact), "
        "or set an auxiliary model for summaries (model.auxiliary)"
    )
    return SummaryFailed(code=code, reason=said, attempt=1)


def undone(summary: str = "s1") -> list[Event]:
    """It was taken back, and none is made by itself since."""
    return [
        SummaryUndone(
            node=f"before-{summary}",
            undone=f"node-{summary}",
            summary=summary,
            messages=42,
            tokens=BEFORE - AFTER,
        ),
        Paused(tier="summary", on=True),
    ]


def expanded(summary: str = "s1") -> list[Event]:
    """Its originals stand in its place again."""
    return [
        Expanded(
            node=f"wide-{summary}",
            parent=f"node-{summary}",
            summary=summary,
            messages=42,
            tokens=BEFORE - AFTER,
        ),
        Paused(tier="summary", on=True),
    ]


def at_the_mark() -> list[Event]:
    """Mock 01c, before it begins: a turn goes on, past mark 4."""
    return [
        TurnStarted(
            message="u1", text="先盘点 order-service 里残留的 javax.*，再把工具链升到 21。"
        ),
        *call("c3", "search_files", "javax\\.  **/*.java", 48_213, 1.1),
        offloaded("c3"),
        *call("c5", "execute_command", "mvn -q test -pl order-core", 6_310, 38.4),
        Text(message="a1", text="The core tests pass. Two integration tests are left."),
        MessageFinished(message="a1"),
        measured(168_500, 41_000),
    ]


def by_hand() -> list[Event]:
    """Mock 01e, before it is done: a turn is over."""
    return [
        *turn(
            1,
            "Run the core tests once more.",
            "All 214 pass. Next come the integration tests.",
            call("k1", "execute_command", "mvn -q test -pl order-core", 6_310, 38.4),
        ),
        measured(168_500 - 56_900, 41_000),
    ]


def smaller() -> Event:
    """The figures of mock 01e."""
    return measured(30_900, 8_900)
