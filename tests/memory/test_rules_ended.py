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
    said = heard("you can touch src now", rule)
    assert (said.revoked, said.longer) == ((), ())


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (NPM, "you may use npm for the docs again, but not for the app"),
        (NPM, "npm is fine for the docs now, just not for the app"),
        (NPM, "npm is fine after all in the docs build"),
        ("No new dependencies", "New dev dependencies are fine again, runtime ones still aren't"),
        ("Never touch src and lib", "You can touch lib again"),
        (
            "Comments and commit messages in English",
            "Comments may be in German again, commit messages stay English",
        ),
        (
            "All new code has to be typed",
            "New code no longer has to be typed in the scripts folder, only in app/",
        ),
        ("不要用 npm", "文档里可以再用 npm，但应用里还是不行"),
        (NPM, "you may use npm for the docs again — just not for the app"),
        ("不要改 src 和 lib", "lib 可以改了，src 还是别动"),
        ("禁止新依赖", "测试里可以加新依赖了，正式代码仍然不行"),
    ],
)
def test_one_half_lifted_is_kept_beside_the_rule(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule) == Said((("rule", text),))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (NPM, "you can use npm in the docs folder"),
        (NPM, "you can use npm for the docs this time"),
        ("Never touch src and lib", "src is fine now, lib fails"),
        (NPM, "Can you use npm for the docs again?"),
        (NPM, "He said you can use npm for the docs again"),
        (NPM, "you can open the dialog again, but not close it"),
        ("always use tabs", "You no longer have to use the tabs widget in the sidebar"),
        ("Your answers must be in French", "The error message no longer has to be in French"),
        ("不要用 npm", "首页可以打开了，但是详情页还是不行"),
        ("不要自动提交", "自动提交的表单可以恢复了"),
        ("不要用 npm", "这次文档里可以用 npm 了"),
    ],
)
def test_what_lifts_no_half_is_not_kept(rule: str, text: str) -> None:
    assert heard(text, rule) == Said()


def test_what_lifted_a_half_ends_with_its_rule_or_when_the_half_is_forbidden_again() -> None:
    half = "you may use npm for the docs again, but not for the app"
    assert heard("you can use npm now", NPM, half) == Said((), ("r0", "r1"))
    again = "never use npm for the docs"
    assert heard(again, NPM, half) == Said((("rule", again),), ("r1",))


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
        ("Never keep more than 3 backups", "Never keep more than 5 backups"),
        ("Don't deploy after 17:00", "Don't deploy after 18:30"),
        ("不要超过 80 列", "不要超过 100 列"),
        ("Always use port 8080", "Always use port 8081"),
    ],
)
def test_another_number_takes_the_place_of_the_old(rule: str, text: str) -> None:
    assert heard(text, "keep the docs short", rule) == Said((("rule", text),), ("r1",))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("Don't edit migration 0012", "Don't edit migration 0013"),
        ("Never touch table orders_v1", "Never touch table orders_v2"),
        ("Never push to release-1.2", "Never push to release-1.3"),
        ("Never use port 8080", "Never use port 8081"),
        ("不要改 0012 这个迁移", "不要改 0013 这个迁移"),
        ("不要动 8080 端口", "不要动 8081 端口"),
        ("禁止修改 orders_v1 表", "禁止修改 orders_v2 表"),
    ],
)
def test_what_is_forbidden_of_one_thing_ends_nothing_of_another(rule: str, text: str) -> None:
    """FIELD C4.1: the first of two such prohibitions was told as taken back."""
    assert heard(text, rule) == Said((("rule", text),))
    assert heard(rule, text) == Said((("rule", rule),))


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
