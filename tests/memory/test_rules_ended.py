"""What takes a standing rule back, in whole or in part, and what only looks like it."""

import pytest

from app.memory.rules_said import Said
from tests.memory.rules_changes import ENDED, STANDS, TAKEN_BACK
from tests.memory.rules_freed import FREED, UNFREED
from tests.memory.rules_heard import heard

NPM = "never use npm"
ALL_FREED = tuple(dict.fromkeys(rule for rule, _ in FREED))
BOTH = "Don't touch the API, and always run cargo test before you commit"


@pytest.mark.parametrize(("rule", "text"), TAKEN_BACK)
def test_taken_back(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule).revoked[-1:] == ("r1",)


@pytest.mark.parametrize(("rule", "text"), [*ENDED, *FREED])
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


@pytest.mark.parametrize(("rule", "text"), [*STANDS, *UNFREED])
def test_stands(rule: str, text: str) -> None:
    assert heard(text, rule).revoked == ()


def test_another_value_takes_the_place_of_the_old() -> None:
    assert heard("from now on use yarn", "use pnpm", NPM) == Said(
        (("rule", "from now on use yarn"),), ("r0",)
    )


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("max line length 100", "max line length is 120 from now on"),
        ("行宽最多 100", "行宽改为最多 120"),
        ("每行不超过 80 个字符", "每行改成不超过 100 个字符"),
    ],
)
def test_another_number_takes_the_place_of_the_old(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule) == Said((("rule", text),), ("r1",))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("删任何东西之前先问我", "不用再问我了"),
        ("没我同意不准重启", "不用再等我同意了"),
        ("Check with me before installing any package", "no need to check with me any more"),
        ("No restarts without my okay", "You no longer need to ask me first"),
    ],
)
def test_asking_ends_where_one_rule_asks_for_it(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule) == Said((), ("r1",))
    assert heard(text, "Show me each plan and ask me before merging", rule).revoked == ()
    assert heard(text, "keep the docs short").revoked == ()


@pytest.mark.parametrize("text", ["不用问我", "这次不用问我了", "No need to ask me"])
def test_not_to_be_asked_once_ends_nothing(text: str) -> None:
    assert heard(text, "删任何东西之前先问我", NPM).revoked == ()


def test_what_frees_from_a_norm_frees_from_no_other_one() -> None:
    """All are held together: only that one ends."""
    for _, text in FREED:
        own = {rule for rule, said in FREED if said == text}
        ended = {ALL_FREED[int(one[1:])] for one in heard(text, *ALL_FREED).revoked}
        assert ended == own


def test_ambiguous_lifting_lifts_nothing() -> None:
    held = (NPM, "npm must not be in the lockfile")
    assert heard("forget the rule about npm", *held).revoked == ()
    assert heard("forget all the rules", *held).revoked == ("r0", "r1")
