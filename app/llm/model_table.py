"""What is known of models by name: windows, longest prompts and answers, prices.

A hint, not the truth: lists disagree on windows by up to a fifth (PROVIDERS 1.1), so settings and
what an endpoint tells come first. Each row of `model_table.json` names its sources and its date.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Prices:
    """List prices in US dollars per million tokens.

    Attributes:
        prompt: tokens of the request that weren't cached.
        cached: tokens of the request from the cache; as `prompt` where no other price is listed.
        completion: tokens of the answer.
        above: a prompt of more tokens costs `beyond` instead, all of it; None: it never does.
        beyond: those prices.
    """

    prompt: float
    cached: float
    completion: float
    above: int | None = None
    beyond: "Prices | None" = None

    def cost(self, *, prompt: int, cached: int = 0, completion: int = 0) -> float:
        """What one call costs in US dollars.

        Args:
            prompt: tokens of the request, those from the cache included.
            cached: of these, how many came from the cache.
            completion: tokens of the answer.
        """
        if self.above is not None and self.beyond is not None and prompt > self.above:
            return self.beyond.cost(prompt=prompt, cached=cached, completion=completion)
        fresh = max(0, prompt - cached)
        total = fresh * self.prompt + cached * self.cached + completion * self.completion
        return total / 1_000_000


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the table says of a model.

    Attributes:
        name: in the table.
        window: tokens of prompt and answer together.
        max_input: the longest prompt where it is less than the window, else None.
        max_output: the longest answer, None where unknown.
        prices: at the model's maker, where it charges least by time of day; None: unknown.
        images: whether it takes pictures.
        source: the lists it is from.
        date: when they were read.
    """

    name: str
    window: int
    max_input: int | None
    max_output: int | None
    prices: Prices | None
    source: str
    date: date
    images: bool = False


_FREE = Prices(0, 0, 0)

_DATE = re.compile(r"[-@](20\d{2}-\d{2}-\d{2}|20\d{6}|\d{4}|\d{6})$")
"""The day of a release, as makers write it: `-2025-08-07`, `@20250929`, `-0731`."""

_VARIANT = re.compile(r"-(latest|preview|exp|free|fp8|fp4|nvfp4|awq|gptq|gguf|bf16|maas)$")
"""Endings that name a state, an offer or a quantisation of the same model."""


def find_model(name: str) -> ModelFacts | None:
    """What is known of a model, None where nothing is.

    `OpenAI/gpt-5.5-2026-04-23:free` is `gpt-5.5`, but `gpt-5.5-mini` is another model: never is a
    beginning taken for the whole. Of a variant (`:free` apart, which costs nothing) the prices are
    unknown, as it may be sold for others.
    """
    plain = _plain(name)
    base, _, variant = plain.partition(":")
    for candidate in _candidates(plain.replace(":", "-"), base):
        if (facts := _table().get(candidate)) is not None:
            if variant == "free" or base.endswith("-free"):
                return replace(facts, prices=_FREE)
            same = candidate == plain or not (variant or _VARIANT.search(base))
            return facts if same else replace(facts, prices=None)
    return None


def _candidates(*names: str) -> Iterator[str]:
    """Each name, then what is left of it without its endings."""
    for name in names:
        rest = name
        while rest:
            yield rest
            shorter = _VARIANT.sub("", _DATE.sub("", rest))
            rest = shorter if shorter != rest else ""


def _plain(name: str) -> str:
    """A name without its maker, in the spelling of the table's keys."""
    return name.strip().lower().rpartition("/")[2].replace(".", "-")


@cache
def _table() -> Mapping[str, ModelFacts]:
    """The rows by plain name."""
    raw = json.loads(resources.files("app.llm").joinpath("model_table.json").read_bytes())
    return {_plain(row["name"]): _facts(row, raw["sources"]) for row in raw["models"]}


def _facts(row: Mapping[str, Any], sources: Mapping[str, str]) -> ModelFacts:
    return ModelFacts(
        name=row["name"],
        window=row["window"],
        max_input=row.get("max_input"),
        max_output=row.get("max_output"),
        prices=_prices(row),
        source="; ".join(sources[key] for key in row["from"].split(",")),
        date=date.fromisoformat(row["date"]),
        images=bool(row.get("sees")),
    )


def _prices(row: Mapping[str, Any]) -> Prices | None:
    if "prices" not in row:
        return None
    plain = _three(*row["prices"])
    if "long" not in row:
        return plain
    above, *beyond = row["long"]
    return replace(plain, above=above, beyond=_three(*beyond))


def _three(prompt: float, cached: float | None, completion: float) -> Prices:
    return Prices(prompt, prompt if cached is None else cached, completion)
