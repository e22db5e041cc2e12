"""What a replay gives: figures of each step and of the whole, for whoever prints or plots them."""

from dataclasses import dataclass
from typing import Literal

from app.conversation.window import Thresholds
from app.replay.happened import Happened
from app.replay.policy import PolicyName
from app.replay.recording import Recording
from app.replay.references import RefKind
from app.replay.validity import Fault

MissClass = Literal["repeated_work", "wrong_state", "goal_drift"]
"""What a miss may come to: something touched is looked for or run again; a changed file or an
edited symbol isn't known; the goal or a rule isn't."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Something the agent's next calls name that stood before and isn't sent.

    Attributes:
        kind: path, symbol or command.
        text: as it was written.
        far: it was last named over 30 messages before.
        touched: the agent or the user had named it.
    """

    kind: RefKind
    text: str
    far: bool
    touched: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """What of goal, rules and changed files stands in a request.

    Attributes:
        goal: the goal, in full; None: there is none yet.
        rules: of the user's rules, how many.
        rules_all: how many there are.
        changed: of the files changed so far, how many are named.
        changed_all: how many there are.
    """

    goal: bool | None = None
    rules: int = 0
    rules_all: int = 0
    changed: int = 0
    changed_all: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One request, before one recorded message of the agent.

    Attributes:
        number: from 1.
        position: of the agent's message in the recording.
        at: when that was said; "" where it isn't recorded.
        calls: the tools it calls.
        asked: what its first call is about, on one line.
        tokens: of the request.
        full: of all that was said before it.
        peak: the largest request up to here.
        cached: of these tokens, those a provider's cache has.
        cost: in tokens: what isn't cached, a tenth of what is, and what summaries were asked of.
        over: the request is larger than the window.
        invalid: what a provider would refuse it for; None: nothing.
        happened: what was done before it.
        needed: earlier names that the agent's calls use.
        needed_far, needed_touched: whether one is far, or was named by agent or user.
        missing: those that aren't sent.
        misses: what kinds of misses these come to.
        kept: what else stands in it.
        since: steps since the last compaction; None: there was none.
    """

    number: int
    position: int
    at: str
    calls: tuple[str, ...]
    asked: str
    tokens: int
    full: int
    peak: int
    cached: int
    cost: float
    over: bool
    invalid: Fault | None
    happened: tuple[Happened, ...]
    needed: int
    needed_far: bool
    needed_touched: bool
    missing: tuple[Missing, ...]
    misses: frozenset[MissClass]
    kept: Kept
    since: int | None


@dataclass(frozen=True, slots=True)
class Measures:
    """Shares of steps that miss an earlier name (REPLAY); None where no step is of that sort.

    Attributes:
        a: of all steps that need one.
        b: of those past the window.
        c: of those past the window, counting only names that agent or user had named.
        d: of those within 5 steps after a compaction.
        e: of the compactions, those followed by a miss within 10 steps.
        f: of those that need a far one, counting only these.
    """

    a: float | None
    b: float | None
    c: float | None
    d: float | None
    e: float | None
    f: float | None


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of the whole.

    Attributes:
        steps: requests.
        tokens_sent: of all requests.
        peak: of the largest.
        cached: of the tokens sent, those a provider's cache has.
        cost: in tokens, see `Step.cost`.
        offloaded, cleared, summarized: results to files; clears; summaries, cuts among them.
        guarded: times the guard had to cut.
        rejected: summaries that weren't made.
        over: requests larger than the window.
        invalid: requests a provider would refuse.
        goal_kept: share of requests with the goal in full; None: there is none.
        rules_kept: share of requests with all rules; None: there are none.
        changed_named: share of requests that name all changed files; None: there are none.
        rules, rules_always: rules, and those that no request lacked.
        misses: steps with a miss, by what it comes to.
        measures: A to F.
    """

    steps: int
    tokens_sent: int
    peak: int
    cached: int
    cost: float
    offloaded: int
    cleared: int
    summarized: int
    guarded: int
    rejected: int
    over: int
    invalid: int
    goal_kept: float | None
    rules_kept: float | None
    changed_named: float | None
    rules: int
    rules_always: int
    misses: tuple[tuple[MissClass, int], ...]
    measures: Measures

    @property
    def cache_reuse(self) -> float:
        """Share of the tokens sent that a provider's cache has."""
        return self.cached / self.tokens_sent if self.tokens_sent else 0.0


@dataclass(frozen=True, slots=True)
class Replayed:
    """A recording, played through one policy.

    Attributes:
        recording: it.
        policy: which.
        window: tokens.
        marks: of the window; they hold for Haima's own policies.
        steps: each request.
        totals: of all.
    """

    recording: Recording
    policy: PolicyName
    window: int
    marks: Thresholds
    steps: tuple[Step, ...]
    totals: Totals
