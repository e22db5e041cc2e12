"""What takes a standing rule back, in whole or in part, and what only looks like it."""

import pytest

from app.memory.rules_said import Said
from tests.memory.rules_changes import ENDED, STANDS, TAKEN_BACK
from tests.memory.rules_heard import heard

NPM = "never use npm"
BOTH = "Don't touch the API, and always run cargo test before you commit"


@pytest.mark.parametrize(("rule", "text"), TAKEN_BACK)
def test_taken_back(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule).revoked[-1:] == ("r1",)


@pytest.mark.parametrize(("rule", "text"), ENDED)
def test_ended_and_nothing_new(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule) == Said((), ("r1",))


@pytest.mark.parametrize(
    ("rule", "text", "rest"),
    [
        (BOTH, "you can touch the API now", "always run cargo test before you commit"),
        (BOTH, "Stop running cargo test every time", "Don't touch the API"),
        (
            "don't touch the schema, and never use npm",
            "you can use npm now",
            "don't touch the schema",
        ),
        ("不要改接口，每次提交前跑测试", "接口可以改了", "每次提交前跑测试"),
        ("不要刪日誌，時間一律用 UTC", "日誌可以刪了", "時間一律用 UTC"),
    ],
)
def test_of_two_rules_in_one_sentence_the_other_stays_word_for_word(
    rule: str, text: str, rest: str
) -> None:
    assert heard(text, "keep the docs short", rule) == Said((("rule", rest),), ("r1",))


def test_both_rules_of_one_sentence_can_end_one_after_the_other() -> None:
    text = "You can touch the API now. Stop running cargo test every time."
    assert heard(text, BOTH) == Said((), ("r0",))


@pytest.mark.parametrize(
    "rule",
    [
        "Don't touch src, and keep the rest of it as is",
        "When you touch src, run mypy and never commit",
        "Never touch src and lib",
    ],
)
def test_a_rule_of_which_a_part_would_say_less_stays_whole(rule: str) -> None:
    assert heard("you can touch src now", rule) == Said()


@pytest.mark.parametrize(("rule", "text"), STANDS)
def test_stands(rule: str, text: str) -> None:
    assert heard(text, rule).revoked == ()


def test_another_value_takes_the_place_of_the_old() -> None:
    assert heard("from now on use yarn", "use pnpm", NPM) == Said(
        (("rule", "from now on use yarn"),), ("r0",)
    )


def test_ambiguous_lifting_lifts_nothing() -> None:
    held = (NPM, "npm must not be in the lockfile")
    assert heard("forget the rule about npm", *held).revoked == ()
    assert heard("forget all the rules", *held).revoked == ("r0", "r1")
