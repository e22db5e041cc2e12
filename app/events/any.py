"""All events as one type."""

from typing import Annotated

from pydantic import Field

from app.events.compaction import (
    Cleared,
    Expanded,
    Guarded,
    Offloaded,
    OffloadFailed,
    Paused,
    PicturesLeft,
    RecoveryTold,
    Restored,
    Summarised,
    SummaryFailed,
    SummaryProgress,
    SummaryStarted,
    SummaryUndone,
    WorkNoted,
)
from app.events.context import ContextMeasured, UsageReported
from app.events.memory import (
    FactConflict,
    FactDeleted,
    FactDuplicate,
    FactReplaced,
    FactRestored,
    FactSaved,
    FactVerified,
    MemoryInjected,
)
from app.events.session import HistoryCleared, Queued, SessionForked, SessionStarted, Unqueued
from app.events.tools import (
    ApprovalAnswered,
    ApprovalRefused,
    ApprovalRequested,
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

AnyEvent = Annotated[
    SessionStarted
    | SessionForked
    | TurnStarted
    | TurnResumed
    | Queued
    | Unqueued
    | Text
    | Reasoning
    | MessageFinished
    | ToolStarted
    | ToolFinished
    | ApprovalRequested
    | ApprovalAnswered
    | ApprovalRefused
    | UsageReported
    | ContextMeasured
    | Notice
    | Retry
    | Failed
    | Cancelled
    | HistoryCleared
    | TurnFinished
    | Offloaded
    | OffloadFailed
    | Cleared
    | RecoveryTold
    | WorkNoted
    | Expanded
    | Summarised
    | SummaryFailed
    | SummaryProgress
    | SummaryStarted
    | SummaryUndone
    | PicturesLeft
    | Guarded
    | Restored
    | Paused
    | MemoryInjected
    | FactSaved
    | FactDuplicate
    | FactReplaced
    | FactConflict
    | FactVerified
    | FactDeleted
    | FactRestored,
    Field(discriminator="type"),
]
"""Any event this version publishes."""
