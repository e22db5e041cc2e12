"""What the calls to models came to: sums over the usage rows of a chain, for `/usage`.

All nodes and agents of the chain count, so a summary (whose own call is a row like any other) or a
sub-agent never makes the sums begin afresh. What a provider said a call cost is taken as it is;
else it is worked out by list price; a model without one makes the cost incomplete, never zero.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from app.archive.rows import Row
from app.archive.usage import ModelCall, Purpose, purpose_from_data
from app.boundary import visible
from app.llm.model_table import Prices, find_model
from app.text import Words
from app.text.numbers import share, tokens

PricesOf = Callable[[str], Prices | None]
"""List prices by the model's name, None where they are unknown."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The calls to one model for one purpose.

    Attributes:
        model: its name; "" where the ledger doesn't say.
        calls: how many answers there were with a usage.
        prompt: tokens of the requests, those from the cache included.
        cached: of these, tokens from the cache.
        completion: tokens of the answers, reasoning included.
        reasoning: of these, tokens of reasoning.
        cost: US dollars of the calls whose price is known.
        unpriced: how many calls have no known price.
        purpose: what they were for: summaries are told apart.
    """

    model: str
    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    cost: float = 0.0
    unpriced: int = 0
    purpose: Purpose = "answer"


@dataclass(frozen=True, slots=True)
class UsageSums:
    """All calls, model by model in the order they were first used; the properties add them up.

    What a model was called for stands apart: one may be there twice.
    """

    models: tuple[ModelUsage, ...] = ()

    @property
    def calls(self) -> int:
        """How many answers there were with a usage."""
        return sum(one.calls for one in self.models)

    @property
    def prompt(self) -> int:
        """Tokens of the requests."""
        return sum(one.prompt for one in self.models)

    @property
    def cached(self) -> int:
        """Of these, tokens from the cache."""
        return sum(one.cached for one in self.models)

    @property
    def completion(self) -> int:
        """Tokens of the answers."""
        return sum(one.completion for one in self.models)

    @property
    def reasoning(self) -> int:
        """Of these, tokens of reasoning."""
        return sum(one.reasoning for one in self.models)

    @property
    def cost(self) -> float | None:
        """US dollars of the calls whose price is known; None where none is."""
        if self.calls and all(one.unpriced == one.calls for one in self.models):
            return None
        return sum(one.cost for one in self.models)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models with calls whose price isn't known; with any, `cost` is too low."""
        return tuple(dict.fromkeys(one.model for one in self.models if one.unpriced))


def list_prices(model: str) -> Prices | None:
    """The list prices of a model, None where they are unknown."""
    facts = find_model(model)
    return None if facts is None else facts.prices


def sum_usage(rows: Iterable[Row], prices_of: PricesOf = list_prices) -> UsageSums:
    """Adds up the usage rows of a ledger.

    Args:
        rows: of one chain, in any order; where they don't say which model answered, rows of other
            kinds do.
        prices_of: list prices by name.
    """
    return sum_calls(_calls(rows), prices_of)


def sum_calls(calls: Iterable[ModelCall], prices_of: PricesOf = list_prices) -> UsageSums:
    """Adds up calls, models in the order in which they come; one without a prompt is none.

    Args:
        calls: read once.
        prices_of: list prices by name.
    """
    sums: dict[tuple[str, Purpose], _Sums] = {}
    for call in calls:
        if call.prompt > 0:
            key = (call.model, call.purpose)
            if key not in sums:
                sums[key] = _Sums(prices_of(call.model))
            sums[key].add(call)
    return UsageSums(tuple(one.of(*key) for key, one in sums.items()))


def usage_text(sums: UsageSums, words: Words) -> str:
    """What `/usage` says: a line a model, one for its summaries, one for all where several are."""
    if not sums.models:
        return words("usage.nothing")
    lines = [
        _line(
            _name(one, words),
            one,
            _cost(None if one.unpriced == one.calls else one.cost, one.unpriced > 0, words),
            words,
        )
        for one in sums.models
    ]
    if len(sums.models) > 1:
        cost = _cost(sums.cost, bool(sums.unpriced), words)
        lines.append(_line(words("usage.total"), sums, cost, words))
    return "\n".join(lines)


def _name(one: ModelUsage, words: Words) -> str:
    name = visible(one.model) or words("usage.some_model")
    return words("usage.summaries", name=name) if one.purpose == "summary" else name


def _line(name: str, sums: ModelUsage | UsageSums, cost: str, words: Words) -> str:
    return words(
        "usage.line",
        name=name,
        calls=words("usage.calls", n=sums.calls),
        prompt=tokens(sums.prompt),
        cached=share(sums.cached, sums.prompt),
        completion=tokens(sums.completion),
        cost=cost,
    )


def _cost(dollars: float | None, incomplete: bool, words: Words) -> str:
    """A cost in dollars and cents, and whether calls of unknown price come on top."""
    if dollars is None or (incomplete and not dollars):
        return words("usage.no_price")
    cost = f"${dollars:,.2f}" if dollars >= 0.005 or not dollars else "< $0.01"
    return words("usage.at_least", cost=cost) if incomplete else cost


@dataclass(slots=True)
class _Sums:
    """One model's sums while they grow."""

    prices: Prices | None
    calls: int = 0
    tokens: dict[str, int] = field(default_factory=dict)
    cost: float = 0.0
    unpriced: int = 0

    def add(self, call: ModelCall) -> None:
        cached = min(call.prompt, call.cached)
        found = {
            "prompt": call.prompt,
            "cached": cached,
            "completion": call.completion,
            "reasoning": min(call.completion, call.reasoning),
        }
        self.calls += 1
        self.tokens = {name: self.tokens.get(name, 0) + count for name, count in found.items()}
        if call.cost is not None and call.cost >= 0:
            self.cost += call.cost
        elif self.prices is not None:
            self.cost += self.prices.cost(
                prompt=call.prompt, cached=cached, completion=call.completion
            )
        else:
            self.unpriced += 1

    def of(self, model: str, purpose: Purpose) -> ModelUsage:
        return ModelUsage(
            model,
            self.calls,
            **self.tokens,
            cost=self.cost,
            unpriced=self.unpriced,
            purpose=purpose,
        )


def _calls(rows: Iterable[Row]) -> Iterator[ModelCall]:
    """The usage rows as calls."""
    models: dict[str, str] = {}
    latest = ""
    for row in sorted(rows, key=attrgetter("seq")):
        if row.kind in {"session", "node"}:
            latest = models[row.conversation] = str(row.data.get("model", ""))
        elif row.kind == "usage":
            told = row.data.get("cost")
            cost = None
            if isinstance(told, int | float) and not isinstance(told, bool):
                cost = float(told)
            yield ModelCall(
                model=str(row.data.get("model") or models.get(row.conversation, latest)),
                prompt=_tokens(row.data, "prompt"),
                cached=_tokens(row.data, "cached"),
                completion=_tokens(row.data, "completion"),
                reasoning=_tokens(row.data, "reasoning"),
                cost=cost,
                purpose=purpose_from_data(row.data.get("purpose")),
            )


def _tokens(data: Mapping[str, object], name: str) -> int:
    """A count out of a row, 0 where it isn't one."""
    value = data.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
