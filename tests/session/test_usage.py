"""Sums of usage over a chain, and what they cost."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.recorder import Recorder
from app.archive.rows import Row, read_rows
from app.conversation.history import History
from app.llm.model_table import Prices
from app.ports import Usage
from app.session.usage import ModelUsage, UsageSums, list_prices, sum_usage, usage_text
from app.text import Words

PRICES = {"dear": Prices(10.0, 1.0, 20.0), "cheap": Prices(1.0, 0.5, 2.0)}

_seq = count(1)


def row(kind: str, node: str = "n1", conversation: str = "main", **data: object) -> Row:
    return Row(next(_seq), "2026-11-29T10:00:00Z", kind, node, conversation, data)


def usage(prompt: object = 1000, node: str = "n1", who: str = "main", **more: object) -> Row:
    return row("usage", node, who, prompt=prompt, **more)


@pytest.fixture(autouse=True)
def numbering() -> Iterator[None]:
    global _seq  # noqa: PLW0603
    _seq = count(1)
    yield


def test_nothing() -> None:
    sums = sum_usage([])
    assert (sums.calls, sums.prompt, sums.cost, sums.unpriced) == (0, 0, 0.0, ())


def test_sums_and_cost_by_list_price() -> None:
    rows = [
        row("session", model="dear"),
        usage(1000, cached=400, completion=100, reasoning=60),
        usage(2000, cached=2000, completion=50),
    ]
    sums = sum_usage(rows, PRICES.get)
    assert (sums.calls, sums.prompt, sums.cached) == (2, 3000, 2400)
    assert (sums.completion, sums.reasoning) == (150, 60)
    assert sums.cost == pytest.approx((600 * 10 + 2400 * 1 + 150 * 20) / 1e6)


def test_what_the_provider_said_wins() -> None:
    sums = sum_usage([row("session", model="dear"), usage(cost=0.25), usage(cost=0)], PRICES.get)
    assert sums.cost == pytest.approx(0.25)
    assert sums.unpriced == ()


def test_unknown_price_is_unknown_not_zero() -> None:
    only = sum_usage([row("session", model="mine"), usage()], PRICES.get)
    assert only.cost is None
    assert only.unpriced == ("mine",)
    both = sum_usage(
        [row("session", model="mine"), usage(), row("session", model="cheap"), usage()], PRICES.get
    )
    assert both.cost == pytest.approx(0.001)
    assert both.unpriced == ("mine",)


def test_free_is_not_unknown() -> None:
    sums = sum_usage([row("session", model="free"), usage()], lambda _: Prices(0, 0, 0))
    assert sums.cost == 0.0
    assert sums.unpriced == ()


def test_a_summary_does_not_reset_the_cost() -> None:
    """FIELD 74: before, the summary's own call, and after; in another node, by another agent."""
    before = [row("session", model="dear"), usage(5000)]
    summary = [usage(90_000, completion=2000)]
    after = [usage(1000, node="n2"), row("session", "n2", "task-3", model="cheap")]
    agent = [usage(7000, node="n2", who="task-3")]
    whole = sum_usage([*before, *summary, *after, *agent], PRICES.get)
    alone = [
        (5000 * 10) / 1e6,
        (90_000 * 10 + 2000 * 20) / 1e6,
        (1000 * 10) / 1e6,
        (7000 * 1) / 1e6,
    ]
    assert whole.cost == pytest.approx(sum(alone))
    assert [one.model for one in whole.models] == ["dear", "cheap"]


def test_summaries_are_told_apart_and_count() -> None:
    rows = [
        usage(1000, model="dear", completion=10),
        usage(3000, model="dear", completion=20, purpose="summary"),
        usage(500, model="small", purpose="summary"),
        usage(2000, model="dear"),
    ]
    sums = sum_usage(rows, PRICES.get)
    assert [(one.model, one.purpose, one.calls, one.prompt) for one in sums.models] == [
        ("dear", "answer", 2, 3000),
        ("dear", "summary", 1, 3000),
        ("small", "summary", 1, 500),
    ]
    assert (sums.calls, sums.prompt, sums.unpriced) == (4, 6500, ("small",))
    assert [line.partition(":")[0] for line in usage_text(sums, Words("en")).splitlines()] == [
        *("dear", "dear, summaries", "small, summaries", "total"),
    ]
    assert "small，用于摘要：1 次调用" in usage_text(sums, Words("zh"))


def test_a_call_belongs_to_the_model_that_was_set_before_it() -> None:
    rows = [
        row("session", model="cheap"),
        usage(10),
        row("session", model="dear"),
        usage(20),
        row("session", model="cheap"),
        usage(40),
    ]
    sums = sum_usage(reversed(rows), PRICES.get)
    assert {one.model: one.prompt for one in sums.models} == {"cheap": 50, "dear": 20}


def test_broken_rows_count_nothing() -> None:
    rows = [usage("many"), usage(-5), usage(True), usage(None), row("usage"), usage(7, cached=99)]
    sums = sum_usage(rows, PRICES.get)
    assert (sums.calls, sums.prompt, sums.cached) == (1, 7, 7)


async def test_rows_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    ledger = Ledger.open(path, now=lambda: datetime(2026, 11, 29, tzinfo=UTC))
    recorder = Recorder(History(), ledger, "n1")
    model = "deepseek-v4-flash"
    await recorder.usage(Usage(prompt=1_000_000, cached=0, completion=0), message="m1", model=model)
    await recorder.usage(Usage(prompt=10, cost=0.5), message=None, model="another")
    ledger.close()
    sums = sum_usage(read_rows(path))
    assert [one.model for one in sums.models] == [model, "another"]
    prices = list_prices(model)
    assert prices is not None
    assert sums.cost == pytest.approx(prices.prompt + 0.5)


def test_list_prices() -> None:
    assert list_prices("nobody-knows-this-one") is None


ONE = ModelUsage("deepseek-v4", calls=1, prompt=1_200, cached=0, completion=812, cost=0.123)
TWO = ModelUsage("glm-5", calls=12, prompt=168_900, cached=84_450, completion=4_000, cost=2.0)
MINE = ModelUsage("mine", calls=2, prompt=500, completion=20, unpriced=2)


def test_in_words_nothing_has_been_counted_yet() -> None:
    assert usage_text(UsageSums(), Words("en")) == "Nothing has been counted yet."
    assert usage_text(UsageSums(), Words("zh")) == "还没有计入任何用量。"


def test_in_words_one_model_has_no_total() -> None:
    assert usage_text(UsageSums((ONE,)), Words("en")) == (
        "deepseek-v4: 1 call, 1.2k prompt tokens (0% cached), 812 answer tokens, $0.12"
    )
    assert usage_text(UsageSums((TWO,)), Words("zh")) == (
        "glm-5：12 次调用，提示 168.9k tokens（缓存占 50%），回答 4.0k tokens，$2.00"
    )


def test_in_words_several_models_are_added_up() -> None:
    first, second, total = usage_text(UsageSums((ONE, TWO)), Words("en")).split("\n")
    assert first.startswith("deepseek-v4: 1 call,")
    assert second.startswith("glm-5: 12 calls,")
    assert total == "total: 13 calls, 170.1k prompt tokens (50% cached), 4.8k answer tokens, $2.12"


def test_in_words_an_unknown_price_is_said() -> None:
    lines = usage_text(UsageSums((ONE, MINE)), Words("en")).split("\n")
    assert [line.rpartition(", ")[2] for line in lines] == [
        "$0.12",
        "price unknown",
        "$0.12 and calls whose price is unknown",
    ]
    assert usage_text(UsageSums((MINE,)), Words("zh")).endswith("，价格未知")


@pytest.mark.parametrize(
    ("cost", "said"),
    [(0.0, "$0.00"), (0.004, "< $0.01"), (0.005, "$0.01"), (1234.5, "$1,234.50")],
)
def test_in_words_costs_are_dollars_and_cents(cost: float, said: str) -> None:
    text = usage_text(UsageSums((ModelUsage("m", 1, 10, cost=cost),)), Words("en"))
    assert text.rpartition("tokens, ")[2] == said


def test_in_words_a_models_name_is_foreign() -> None:
    names = (ModelUsage("", 1, 10), ModelUsage("a\x1b[2J", 1, 10))
    first, second, _ = usage_text(UsageSums(names), Words("en")).split("\n")
    assert first.startswith("unknown model: ")
    assert second.startswith("a\\x1b[2J: ")
