"""What plays a recording: it takes each message as it comes, and says what would be sent."""

from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, get_args

from app.config import CompactionSettings
from app.conversation.messages import ToolCall, WireMessage
from app.conversation.window import RULES, Rules, Thresholds, nearest_count, thresholds
from app.replay.counting import Counter
from app.replay.happened import Happened
from app.replay.recording import Recorded
from app.replay.stub_model import Booked, Summaries
from app.text import Words

PolicyName = Literal[
    "haima",
    "no-worklog",
    "clear-only",
    "summarise-80",
    "keep-10-turns-at-70",
    "head-tail-at-85",
    "truncate",
    "none",
]
"""The policies that can be played (DESIGN 5)."""

POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


@dataclass(frozen=True, slots=True)
class Tuning:
    """What `--suggest` tries; None: as the settings or the rules have it.

    Attributes:
        clear_at: tokens from which older results are cleared.
        min_gain: tokens that a clear frees at least.
        entities: tokens of names in the recovery block.
        top_n: entities in it that are told with what was done to them.
    """

    clear_at: int | None = None
    min_gain: int | None = None
    entities: int | None = None
    top_n: int | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what a recording is played.

    Attributes:
        window: tokens.
        words: the language of what the model is told.
        counter: counts what is sent.
        settings: `[compaction]`.
        summaries: what summaries are like.
        root: the project's folder, "" where it isn't known; never looked at.
        model: whose tokens are estimated.
        booked: hears what summaries are asked of.
        tuning: other numbers.
    """

    window: int
    words: Words
    counter: Counter
    settings: CompactionSettings = field(default_factory=CompactionSettings)
    summaries: Summaries = "worst"
    root: str = ""
    model: str = ""
    booked: Booked | None = None
    tuning: Tuning = Tuning()

    @property
    def nearest(self) -> int:
        """Entities that are told with what was done to them."""
        return nearest_count(self.window, self.tuning.top_n or self.settings.top_n)

    @property
    def rules(self) -> Rules:
        """The numbers behind the marks."""
        entities = self.tuning.entities
        if entities is None:
            return RULES
        return replace(RULES, entities=(entities, entities, RULES.entities[2]))

    @property
    def marks(self) -> Thresholds:
        """The marks of the window."""
        tuning = self.tuning
        clear_at = self.settings.clear_at if tuning.clear_at is None else tuning.clear_at
        gain = self.settings.min_gain if tuning.min_gain is None else tuning.min_gain
        return thresholds(self.window, clear_at=clear_at, min_gain=gain, rules=self.rules)


class Policy(Protocol):
    """Decides what is sent. Used by one replay, in one folder of its own."""

    async def add(self, entry: Recorded, call: ToolCall | None = None) -> None:
        """Takes the next recorded message.

        Args:
            entry: as it was recorded.
            call: of a result: what it answers.
        """
        ...

    async def request(self) -> tuple[WireMessage, ...]:
        """What is sent before the agent's next message."""
        ...

    def answered(self, tokens: int) -> None:
        """The request was counted, as a provider does; the next message taken is its answer."""
        ...

    def happened(self) -> tuple[Happened, ...]:
        """What was done since this was asked last."""
        ...

    @property
    def summary_tokens(self) -> int:
        """Tokens that summaries were asked of, so far."""
        ...
