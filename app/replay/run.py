"""Plays recordings: before each of the agent's messages a policy says what would be sent.

Nothing is generated and no tool runs: what the recorded agent did next shows what it needed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app.boundary import one_line
from app.compaction.pointer import asked
from app.config import CompactionSettings
from app.conversation.messages import Message, WireMessage
from app.llm.families import coefficients_for
from app.replay.counting import Counter
from app.replay.haima import HaimaPolicy
from app.replay.judge import Judge
from app.replay.measures import SHRUNK, totals_of
from app.replay.policy import Conditions, Policy, PolicyName, Tuning
from app.replay.recording import Recording
from app.replay.replayed import Replayed, Step
from app.replay.simple import SIMPLE
from app.replay.stub_model import Summaries
from app.replay.truth import Moment, moments
from app.replay.validity import fault_of
from app.text import Words

CACHED = 0.1
"""What a token of the cache costs of one that isn't (REPLAY, "cost")."""

OnStep = Callable[[Step], None]
"""Hears each step."""

OnRequest = Callable[[tuple[WireMessage, ...]], None]
"""Gets each request as it would go out."""


class Player:
    """Plays one recording, through as many policies as are asked for."""

    def __init__(
        self,
        recording: Recording,
        *,
        window: int,
        words: Words,
        settings: CompactionSettings | None = None,
        summaries: Summaries = "worst",
    ) -> None:
        """Plays nothing yet.

        Args:
            recording: it.
            window: tokens.
            words: the language of what the model is told.
            settings: `[compaction]`, for `haima`.
            summaries: what summaries are like.
        """
        self._recording = recording
        self._window = window
        self._words = words
        self._settings = settings or CompactionSettings()
        self._summaries: Summaries = summaries
        self._counter = Counter(coefficients_for(recording.model))
        self._moments: tuple[Moment, ...] | None = None

    def conditions(self, tuning: Tuning | None = None) -> Conditions:
        """Under what policies are played."""
        return Conditions(
            window=self._window,
            words=self._words,
            counter=self._counter,
            settings=self._settings,
            summaries=self._summaries,
            root=self._recording.root,
            model=self._recording.model,
            tuning=tuning or Tuning(),
        )

    async def play(
        self,
        policy: PolicyName,
        *,
        tuning: Tuning | None = None,
        on_step: OnStep | None = None,
        on_request: OnRequest | None = None,
    ) -> Replayed:
        """Plays it to its end.

        Args:
            policy: which.
            tuning: other numbers, for `haima`.
            on_step: hears each step.
            on_request: gets each request.
        """
        conditions = self.conditions(tuning)
        judge = Judge()
        steps: list[Step] = []
        async for step in self._steps(policy, conditions, judge, on_request):
            steps.append(step)
            if on_step is not None:
                on_step(step)
        return Replayed(
            recording=self._recording,
            policy=policy,
            window=self._window,
            marks=conditions.marks,
            steps=tuple(steps),
            totals=totals_of(steps, self._window, judge.rules),
        )

    async def steps(self, policy: PolicyName) -> AsyncIterator[Step]:
        """Plays it step by step, for whoever looks on."""
        async for step in self._steps(policy, self.conditions(), Judge(), None):
            yield step

    async def _steps(
        self,
        name: PolicyName,
        conditions: Conditions,
        judge: Judge,
        on_request: OnRequest | None,
    ) -> AsyncIterator[Step]:
        recording, counter = self._recording, self._counter
        if self._moments is None:
            self._moments = await asyncio.to_thread(moments, recording, counter)
        ahead = iter(self._moments)
        with ExitStack() as stack:
            policy = make_policy(name, conditions, stack)
            before: tuple[WireMessage, ...] = ()
            peak = asked_before = last = number = 0
            since: int | None = None
            calls = {call.id: call for message in recording.messages for call in message.calls}
            for position, entry in enumerate(recording.entries):
                message = entry.message
                if message.role == "assistant":
                    request = await policy.request()
                    if on_request is not None:
                        on_request(request)
                    tokens, cached = counter.request(request), counter.shared(before, request)
                    policy.answered(tokens)
                    moment = next(ahead)
                    judged = judge.judge(request, moment)
                    asked_now = policy.summary_tokens
                    peak = max(peak, tokens)
                    if tokens < SHRUNK * last:
                        since = 0
                    elif since is not None:
                        since += 1
                    number += 1
                    yield Step(
                        number=number,
                        position=position,
                        at=entry.at,
                        calls=tuple(call.name for call in message.calls),
                        asked=_about(message),
                        tokens=tokens,
                        full=moment.full,
                        peak=peak,
                        cached=cached,
                        cost=tokens - cached + CACHED * cached + asked_now - asked_before,
                        over=tokens > self._window,
                        invalid=fault_of(request),
                        happened=policy.happened(),
                        needed=len(moment.needed),
                        needed_far=any(one.far for one in moment.needed),
                        needed_touched=any(one.touched for one in moment.needed),
                        missing=judged.missing,
                        misses=judged.misses,
                        kept=judged.kept,
                        since=since,
                    )
                    before, last, asked_before = request, tokens, asked_now
                call = calls.get(message.call_id or "")
                await policy.add(entry, call)


def make_policy(name: PolicyName, conditions: Conditions, stack: ExitStack) -> Policy:
    """A policy that has taken nothing yet.

    Args:
        name: which.
        conditions: under what it plays.
        stack: closes what it needs on the disk.
    """
    if name in SIMPLE:
        return SIMPLE[name](conditions)
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="haima-replay-"))).resolve()
    if name == "clear-only":
        settings = conditions.settings.model_copy(update={"auto": "clear", "on_failure": "stop"})
    else:  # nobody is asked here, so nothing can be chosen
        settings = conditions.settings.model_copy(update={"on_failure": "cut"})
    conditions = replace(conditions, settings=settings)
    return HaimaPolicy(conditions, folder, worklog=name != "no-worklog")


def _about(message: Message) -> str:
    """What a step's first call is about."""
    return one_line(asked(message.calls[0])) if message.calls else ""
