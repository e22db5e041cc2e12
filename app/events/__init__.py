"""What the core tells whoever listens, and what it asks.

Events are frozen and JSON-able; `run --json` prints them one a line. Readers ignore types and
fields they don't know. A field marked `exclude` is for the screen only. The session stamps `at`,
`session`, `chain` and `conversation` when it publishes.
"""

from app.events.any import AnyEvent
from app.events.base import Event, Risk, Severity
from app.events.compaction import (
    Cleared,
    Expanded,
    Guarded,
    KeptBySummary,
    Offloaded,
    OffloadFailed,
    Paused,
    PicturesLeft,
    Restored,
    Summarised,
    SummaryFailed,
    SummaryProgress,
    SummaryStarted,
    SummaryUndone,
)
from app.events.context import ContextMeasured, ContextParts, UsageReported
from app.events.questions import ApprovalAnswer, ApprovalQuestion, Finding
from app.events.session import HistoryCleared, Queued, SessionForked, SessionStarted, Unqueued
from app.events.tools import (
    ApprovalAnswered,
    ApprovalRefused,
    ApprovalRequested,
    DiffLine,
    ToolFinished,
    ToolStarted,
)
from app.events.turn import (
    Cancelled,
    Failed,
    MessageFinished,
    Notice,
    Reasoning,
    Retry,
    Text,
    TurnFinished,
    TurnResumed,
    TurnStarted,
)

__all__ = [
    "AnyEvent",
    "ApprovalAnswer",
    "ApprovalAnswered",
    "ApprovalQuestion",
    "ApprovalRefused",
    "ApprovalRequested",
    "Cancelled",
    "Cleared",
    "ContextMeasured",
    "ContextParts",
    "DiffLine",
    "Event",
    "Expanded",
    "Failed",
    "Finding",
    "Guarded",
    "HistoryCleared",
    "KeptBySummary",
    "MessageFinished",
    "Notice",
    "OffloadFailed",
    "Offloaded",
    "Paused",
    "PicturesLeft",
    "Queued",
    "Reasoning",
    "Restored",
    "Retry",
    "Risk",
    "SessionForked",
    "SessionStarted",
    "Severity",
    "Summarised",
    "SummaryFailed",
    "SummaryProgress",
    "SummaryStarted",
    "SummaryUndone",
    "Text",
    "ToolFinished",
    "ToolStarted",
    "TurnFinished",
    "TurnResumed",
    "TurnStarted",
    "Unqueued",
    "UsageReported",
]
