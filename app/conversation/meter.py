"""The token meter: how big the next request is, measured as far as it can be (DESIGN 4).

After an answer the provider's own count of the prompt is the **anchor**. What was added since is
estimated (`estimate`) and corrected by the running ratio of this endpoint and model
(`calibration`). An edit of what the anchor covers adjusts it and makes the figure an estimate until
the next usage; another model, other tools or another system message drop it, and the figure is the
estimate times the last whole prompt's ratio. Before the first answer it is the bare estimate.

The order of calls: `measure` at any time; `sent` when a request goes out; `answered` when the
answer has joined the history, or failed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.conversation.calibration import (
    ENOUGH,
    ErrorLog,
    MeterError,
    Ratios,
    Verdict,
)
from app.conversation.classes import Coefficients, estimate_text
from app.conversation.estimate import KINDS, Kind
from app.conversation.history import History, RecoverySlot
from app.conversation.measured import Item, Measure, Parts, Share, shared_out
from app.conversation.messages import Message
from app.conversation.tally import Tally

UNANCHORED_MARGIN = 1.1
"""For the question whether a request fits the window, while nothing is measured (DESIGN 4)."""

Endpoint = tuple[str, str]
"""Whose ratios they are: base URL and model."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A real count.

    Attributes:
        real: tokens of the prompt and the answer, adjusted by edits.
        estimate: ours of the same.
        length: how many messages it covers.
        count: `real` before any edit.
        edited: something of it was edited.
    """

    real: float
    estimate: float
    length: int
    count: float
    edited: bool = False


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request that is under way: what it was, and what the meter said of it."""

    endpoint: Endpoint
    history: History
    edits: int
    recovery: RecoverySlot | None
    tools: str
    estimate: float
    expected: float
    length: int
    anchor: _Anchor | None


class Meter:
    """Measures one conversation's requests; the cost of `measure` is that of what is new."""

    def __init__(self, coefficients: Coefficients, endpoint: Endpoint = ("", "")) -> None:
        """Begins without an anchor.

        Args:
            coefficients: of the model's family (`llm.families.coefficients_for`).
            endpoint: base URL and model.
        """
        self._coefficients = coefficients
        self._endpoint = endpoint
        self._tally = Tally(coefficients)
        self._ratios: dict[Endpoint, Ratios] = {}
        self._last_whole: float | None = None
        self._anchor: _Anchor | None = None
        self._sent: _Sent | None = None
        self._errors = ErrorLog()

    @property
    def endpoint(self) -> Endpoint:
        """Base URL and model whose ratios hold now."""
        return self._endpoint

    @property
    def error(self) -> MeterError | None:
        """How far the meter was off in the last 20 calls; None before the first usage."""
        return self._errors.error

    def use(self, coefficients: Coefficients, endpoint: Endpoint) -> None:
        """Another model answers from now on; its own ratios are taken up where they are known."""
        if endpoint == self._endpoint and coefficients == self._coefficients:
            return
        self._coefficients, self._endpoint = coefficients, endpoint
        self._tally.use(coefficients)
        self._anchor = None

    def text_tokens(self, text: str) -> int:
        """The tokens of a text that might be added."""
        return round(self.piece_tokens(text))

    def piece_tokens(self, text: str) -> float:
        """The same for one of many pieces, so that their sum isn't one of rounded figures."""
        return estimate_text(text, self._coefficients) * self._ratio

    def message_tokens(self, message: Message) -> int:
        """The tokens of a message; not counted again where it is in the history."""
        return round(self._estimate(message) * self._ratio)

    @property
    def scale(self) -> float:
        """What makes tokens of `weight`: the running ratio of what is added."""
        return self._ratio

    def weight(self, message: Message) -> float:
        """The bare estimate of a message; not counted again where it is in the history."""
        return self._estimate(message)

    def measure(self, history: History, tools_text: str) -> Measure:
        """The size of the next request.

        Args:
            history: as it would be sent, with its recovery slot.
            tools_text: the tools on offer as the JSON that is sent; "" for none.
        """
        self._follow(history, tools_text)
        anchor = self._anchor
        exact = self._expected
        tokens = max(0, round(exact))
        return Measure(
            tokens=tokens,
            source="anchored" if anchor is not None and not anchor.edited else "estimated",
            parts=Parts.of(self._shares(tokens)),
            since=0 if anchor is None else tokens - round(anchor.count),
            ratio=self._ratio if anchor is not None else self._whole,
            at_most=tokens if anchor is not None else round(tokens * UNANCHORED_MARGIN),
        )

    def forecast(self, history: History, tools_text: str) -> int:
        """What `measure` will say of a history that isn't in use yet; nothing is forgotten.

        Args:
            history: as it would be sent, with its recovery slot.
            tools_text: as in `measure`.
        """
        return self.outlook(history, tools_text).total

    def outlook(self, history: History, tools_text: str) -> Parts:
        """The parts of that figure, which add up to it."""
        tally = Tally(self._coefficients, beside=self._tally)
        tally.follow(history, tools_text)
        tokens = max(0, round(tally.tokens * self._whole))
        return Parts.of(shared_out(tokens, [tally.of(kind) for kind in KINDS]))

    def sent(self, history: History, tools_text: str) -> None:
        """A request with this history and these tools goes out."""
        self._follow(history, tools_text)
        self._sent = _Sent(
            endpoint=self._endpoint,
            history=history,
            edits=history.edits,
            recovery=history.recovery,
            tools=tools_text,
            estimate=self._tally.tokens,
            expected=self._expected,
            length=self._tally.length,
            anchor=self._anchor,
        )

    def answered(
        self,
        history: History,
        message: Message | None,
        *,
        prompt: int | None,
        completion: int = 0,
        reasoning: int = 0,
    ) -> Verdict:
        """The request that was sent last has been answered, or has failed.

        Args:
            history: with the answer appended.
            message: the answer, None if it didn't join the history.
            prompt: tokens of the prompt by the provider's count; None if it sent no usage.
            completion: tokens of the answer, reasoning included.
            reasoning: of these, how many were reasoning.

        Returns:
            What became of the usage; `truncated` is worth telling the user.
        """
        sent, self._sent = self._sent, None
        if prompt is None:
            return "missing"
        if sent is None:
            return "late"
        ratios = self._ratios.setdefault(sent.endpoint, Ratios())
        before = sent.anchor
        added = (0.0, 0.0)
        if before is not None and not before.edited:
            added = (prompt - before.real, sent.estimate - before.estimate)
        verdict = ratios.judge(prompt, sent.expected, sent.estimate, added)
        if verdict == "truncated":
            self._anchor = None
        if verdict != "anchored":
            return verdict
        self._errors.add(sent.expected, prompt)
        if ratios.added is not None:
            ratios.learn_added(*added)
        ratios.learn_whole(prompt, sent.estimate)
        self._last_whole = ratios.whole
        if sent.endpoint != self._endpoint:
            return "late"
        self._anchor = self._anchored(sent, history, message, prompt, completion, reasoning)
        return "anchored"

    def take_up(
        self,
        history: History,
        tools_text: str,
        message: Message,
        *,
        prompt: int,
        completion: int = 0,
    ) -> None:
        """Anchors at an answer that was counted in an earlier process (a session is resumed).

        Args:
            history: as it was left; what the answer was asked with stands before it unchanged.
            tools_text: the tools on offer, the same as then.
            message: the answer.
            prompt: tokens of its prompt by the provider's count.
            completion: tokens of the answer.
        """
        self._follow(history, tools_text)
        place = history.index(message.id)
        later = sum(self._estimate(one) for one in history[place:] if not one.discarded)
        estimate = self._tally.tokens - later
        ratios = self._ratios.setdefault(self._endpoint, Ratios())
        if ratios.judge(prompt, estimate * self._whole, estimate, (0.0, 0.0)) != "anchored":
            return
        ratios.learn_whole(prompt, estimate)
        self._last_whole = ratios.whole
        answer = self._estimate(message)
        real = prompt + self._kept(message, answer, completion, 0)
        self._anchor = _Anchor(real, estimate + answer, place + 1, real)

    def composition(
        self, history: History, tools_text: str, marked: Mapping[str, Kind] | None = None
    ) -> tuple[Share, ...]:
        """What the next request is made of, all kinds in order; adds up to what `measure` says.

        Args:
            history: as in `measure`.
            tools_text: as in `measure`.
            marked: messages (by id) that count as another kind than their role tells: summaries,
                results that are pointers now.
        """
        measure = self.measure(history, tools_text)
        estimates = {kind: self._tally.of(kind) for kind in KINDS}
        items = {kind: self._tally.items(kind) for kind in KINDS}
        for message_id, kind in (marked or {}).items():
            message = history.get(message_id)
            for load in () if message is None else self._tally.loads(message):
                tokens = load.tokens(self._coefficients)
                estimates[load.kind] -= tokens
                estimates[kind] += tokens
                items[load.kind] -= load.items
                items[kind] += load.items
        shares = shared_out(measure.tokens, [max(0.0, estimates[kind]) for kind in KINDS])
        return tuple(map(Share, KINDS, items.values(), shares))

    def largest(self, history: History, most: int) -> tuple[Item, ...]:
        """The messages that cost most, the largest first; on the scale of the last `measure`."""
        estimate = self._tally.tokens
        scale = self._expected / estimate if estimate > 0 else 1.0
        found = [
            Item(message, round(self._estimate(message) * scale))
            for message in history
            if not message.discarded
        ]
        return tuple(sorted(found, key=lambda item: -item.tokens)[:most])

    @property
    def _whole(self) -> float:
        """The last whole prompt's ratio, of this model where known (DESIGN 4)."""
        own = self._ratios.get(self._endpoint)
        known = self._last_whole if own is None or own.whole is None else own.whole
        return 1.0 if known is None else known

    @property
    def _ratio(self) -> float:
        """The running ratio of what is added."""
        own = self._ratios.get(self._endpoint)
        return self._whole if own is None or own.added is None else own.added

    @property
    def _expected(self) -> float:
        """The size of the request that was followed last."""
        anchor, estimate = self._anchor, self._tally.tokens
        if anchor is None:
            return estimate * self._whole
        return anchor.real + self._ratio * (estimate - anchor.estimate)

    def _shares(self, tokens: int) -> list[int]:
        return shared_out(tokens, [self._tally.of(kind) for kind in KINDS])

    def _estimate(self, message: Message) -> float:
        loads = self._tally.loads(message)
        return sum(load.tokens(self._coefficients) for load in loads)

    def _follow(self, history: History, tools_text: str) -> None:
        """Brings the sums up to date, and the anchor with them."""
        change = self._tally.follow(history, tools_text)
        if change.tools or change.other:
            self._anchor = None
        anchor = self._anchor
        if anchor is None:
            return
        places = [at for at in (change.edited, change.recovery) if at is not None]
        if not places or min(places) >= anchor.length:
            return
        self._anchor = replace(
            anchor,
            real=anchor.real + anchor.real / max(1.0, anchor.estimate) * change.by,
            estimate=anchor.estimate + change.by,
            edited=True,
        )

    def _anchored(
        self,
        sent: _Sent,
        history: History,
        message: Message | None,
        prompt: int,
        completion: int,
        reasoning: int,
    ) -> _Anchor | None:
        """The new anchor: the prompt, and of the answer what goes back to the model."""
        self._follow(history, sent.tools)
        edited = (
            sent.history is not history
            or sent.edits != history.edits
            or sent.recovery != history.recovery
        )
        if edited or message is None or history.get(message.id) is None:
            return _Anchor(prompt, sent.estimate, sent.length, prompt, edited)
        answer = self._estimate(message)
        kept = self._kept(message, answer, completion, reasoning)
        return _Anchor(
            real=prompt + kept,
            estimate=sent.estimate + answer,
            length=history.index(message.id) + 1,
            count=prompt + kept,
        )

    def _kept(self, message: Message, estimate: float, completion: int, reasoning: int) -> float:
        """The real tokens of an answer that the next prompt will hold.

        Reasoning that isn't sent back is taken off, by our estimate where the provider doesn't
        count it. A figure that can't be this answer (none, summed up, hidden reasoning) gives way
        to the estimate.
        """
        mine = estimate * self._ratio
        kept: float = completion
        said = message.reasoning
        if said is None or not said.send:
            kept -= reasoning or (self.text_tokens(said.text) if said is not None else 0)
        return kept if mine / 2 - ENOUGH <= kept <= 2 * mine + ENOUGH and completion else mine
