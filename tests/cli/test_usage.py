"""`haima usage`: what the calls of this project's conversations came to."""

import pytest

from tests.cli.kept import ID, Kept
from tests.cli.support import Haima, imported


def test_all_chains_of_the_project_count_once(haima_here: Haima) -> None:
    ran = haima_here("usage", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.records == [
        {
            "type": "usage",
            "model": "deepseek-v3.2",
            "calls": 4,
            "prompt": 4_000,
            "cached": 1_600,
            "completion": 200,
            "reasoning": 0,
            "cost": 1.0,
            "unpriced": 0,
            "purpose": "answer",
        }
    ], "the other project's is apart"


def test_in_words(haima_here: Haima) -> None:
    assert haima_here("usage").out == (
        "deepseek-v3.2: 4 calls, 4.0k prompt tokens (40% cached), 200 answer tokens, $1.00\n"
    )


def test_what_was_deleted_was_paid_for(haima_here: Haima) -> None:
    assert haima_here("sessions", "delete", ID).code == 0
    assert haima_here("usage", "--json").records[0]["calls"] == 4


def test_a_model_without_a_price_costs_an_unknown_sum(haima_here: Haima, kept: Kept) -> None:
    told = {"model": "some-model", "prompt": 10, "cached": 99, "completion": 1, "reasoning": 0}
    kept.talk("cccc000000aa", "Hi", usage=told)
    other = haima_here("usage", "--json").records[-1]
    assert (other["model"], other["cost"], other["unpriced"], other["cached"]) == (
        "some-model",
        None,
        1,
        10,
    )
    assert haima_here("usage").out.splitlines()[-1].startswith("total: 5 calls")


@pytest.mark.parametrize(("language", "words"), [("en", "Nothing"), ("zh", "还没有")])
def test_a_project_without_calls(
    haima_here: Haima, tmp_path_factory: pytest.TempPathFactory, language: str, words: str
) -> None:
    empty = str(tmp_path_factory.mktemp("empty"))
    assert haima_here("usage", "--project", empty, "--json").out == ""
    assert haima_here("usage", "--project", empty, "--lang", language).out.startswith(words)


def test_it_imports_no_client_and_no_screen() -> None:
    assert imported("usage") & {"textual", "openai", "httpx2"} == set()
