"""Standing rules, acceptance, what takes rules back, new goals: in the user's own text.

FIELD rows 3 (a remark is no task), 5 and 12 (rules and constraints, word for word).
"""

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.rules_own import CUT, MOST, masked
from app.memory.rules_said import MOST_RULES, Said, said
from app.memory.rules_sentences import LONGEST
from tests.growth import GENEROUS, growth
from tests.memory.rules_cases import ACCEPTANCE_EN, ACCEPTANCE_ZH, RULES_EN, RULES_ZH
from tests.memory.rules_changes import GOALS, REMARKS
from tests.memory.rules_heard import heard, rules, texts
from tests.memory.rules_nothing import NOTHING_EN, NOTHING_ZH

NPM = "never use npm"


def in_the_fields(text: str) -> str:
    """The text without the marks that a sentence is shown without."""
    return text.removeprefix("- ").removeprefix("1. ").strip("*").rstrip(".!。")


@pytest.mark.parametrize("text", [*RULES_EN, *RULES_ZH])
def test_standing_rule(text: str) -> None:
    ((kind, shown),) = heard(text).rules
    assert kind == "rule"
    assert shown in text and shown.strip("*.!。?") in in_the_fields(text)


@pytest.mark.parametrize("text", [*ACCEPTANCE_EN, *ACCEPTANCE_ZH])
def test_acceptance(text: str) -> None:
    assert heard(text).rules == (("acceptance", text.rstrip(".。")),)


@pytest.mark.parametrize("text", [*NOTHING_EN, *NOTHING_ZH])
def test_no_rule(text: str) -> None:
    assert heard(text).rules == ()


@pytest.mark.parametrize("text", GOALS)
def test_new_goal(text: str) -> None:
    goal = heard(text).goal
    assert goal and goal in text and text.endswith(goal)
    assert said(text, active=(), first=True).goal is None


@pytest.mark.parametrize("text", [*REMARKS, *NOTHING_EN, *NOTHING_ZH, *RULES_EN, *RULES_ZH])
def test_remark_is_no_goal(text: str) -> None:
    assert heard(text).goal is None


def test_tables_are_wide_enough() -> None:
    assert min(len(RULES_EN), len(RULES_ZH), len(NOTHING_EN), len(NOTHING_ZH)) >= 60


def test_field_5_and_12_sentences_of_a_long_request_word_for_word() -> None:
    text = (
        "Rework the landing page.\n\nWe need a hero, a pricing table and a footer. "
        "Do it without changing the concept. Use the existing colours; never use npm.\n"
        "- 不要改 schema\n- add a test\n\nDone when `make check` passes."
    )
    assert heard(text).rules == (
        ("rule", "Do it without changing the concept"),
        ("rule", "never use npm"),
        ("rule", "不要改 schema"),
        ("acceptance", "Done when `make check` passes"),
    )


def test_field_3_a_remark_is_neither_goal_nor_rule() -> None:
    assert heard("add timeouts") == Said()
    assert heard("顺便加上超时") == Said()


def test_goal_reaches_to_the_end_with_its_details() -> None:
    text = "Thanks, all good.\n\nNew task: write the importer.\n```sh\nmake import\n```\nIn Rust."
    assert heard(text).goal == text[text.index("New task") :]


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{NPM}\n```",
        f"```python\n# {NPM}\n",
        f"~~~\n{NPM}\n~~~",
        f"look:\n```\n{NPM}\n``` what does it mean",
        f"> {NPM}\n> 不要改 schema",
        f"<memory>\n{NPM}\n</memory>",
        f"<memory>\n{NPM}",
        f"<restored><memory>x</memory>\n{NPM}\n</restored>",
        f"<task-notification>\n{NPM}\n</task-notification>",
        f"It prints “{NPM}” twice",
        f"他说「{NPM}」",
        f'the rule "{NPM}" is in the README',
        f"`{NPM}` is in the README",
        f"`first line\n{NPM}` is there",
        f"Traceback (most recent call last):\n  File 'x'\n    {NPM}\nValueError: {NPM}",
        f"error: {NPM}",
        "npm ERR! you must not run this",
        f"2026-01-02 10:00:00 {NPM}",
        f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+{NPM}",
        f"It was:\n\n    {NPM}\n",
        "src/a.py:12:3: name must not be empty",
        "[pasted: never use npm .haima/pastes/abc/001-paste.txt, 9,000 characters]",
        "Base directory for this skill: /x\n\nnever use npm",
    ],
)
def test_what_is_not_the_users_own_says_nothing(text: str) -> None:
    assert heard(text, "always run the tests").rules == ()


@pytest.mark.parametrize(
    "text",
    [
        f"```\nx\n```\n{NPM}",
        f"> quoted\n\n{NPM}",
        f"<memory>x</memory>\n{NPM}",
        f"Traceback (most recent call last):\n  File\nValueError: x\n{NPM}",
        f"a < b and List<int> x\n{NPM}",
        f"it's 5\" wide\n{NPM}",
        f"- one\n    - {NPM}",
        f"Some wrapped line that is long enough to be wrapped,\n{NPM}.",
    ],
)
def test_what_follows_is_the_users_own_again(text: str) -> None:
    assert [one[-len(NPM) :] for one in texts(text)] == [NPM]


def test_items_under_a_heading_are_rules() -> None:
    text = (
        "Rules:\n- British spelling\n- 80 columns\n\nPlease start.\n\n## 验收标准\n1. 页面能打开\n"
    )
    assert heard(text).rules == (
        ("rule", "British spelling"),
        ("rule", "80 columns"),
        ("acceptance", "页面能打开"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Rules:\n- British spelling. Colour, not color.\n- 80 columns",
        "## Rules\n\n* British spelling\n* 80 columns",
        "**Rules**\n- British spelling\n- 80 columns",
        "Rules\r\n1. British spelling\r\n2. 80 columns",
    ],
)
def test_a_list_of_rules_however_it_is_written(text: str) -> None:
    assert texts(text) == ["British spelling", "80 columns"]


def test_code_in_a_sentence_belongs_to_it() -> None:
    for text in ("never use ```npm``` here", "Don't use `rm\n-rf` here"):
        assert texts(text) == [text]


def test_repeated_rule_is_not_a_second_one() -> None:
    assert texts("Never use NPM!", NPM) == []
    assert texts("don't use npm", NPM) == []
    assert texts(f"{NPM}. {NPM}!") == [NPM]
    assert texts("never use npm in CI", NPM) == ["never use npm in CI"]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("Move order-service to Java 21 and keep the tests green.", "keep the tests green"),
        ("fix the login bug, but don't change the schema", "don't change the schema"),
        ("把登录页改好，但是别动后端", "别动后端"),
        ("Refactor the parser and make sure all tests pass", "make sure all tests pass"),
    ],
)
def test_clause_beside_a_task_is_the_rule(text: str, clause: str) -> None:
    assert texts(text) == [clause]


@pytest.mark.parametrize(
    "text",
    [
        "Always use tabs and never use spaces",
        "When you edit a file, run mypy and never commit",
        "Don't touch src, and keep the rest of it as is",
        "Rewrite the parser, and never use regex there",
        "重构一下解析器，不要改公共接口",
        "use yarn, and keep the tests green",
        "Use yarn and keep the tests green",
    ],
)
def test_clause_that_says_less_alone_stays_in_its_sentence(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    "text", ["never use npm.", "在docs/下 写一个美观的ppt ，内容一定要详尽便于理解"]
)
def test_the_first_message_as_a_whole_is_the_goal_and_no_rule(text: str) -> None:
    assert said(text, active=(), first=True) == Said()
    assert len(heard(text).rules) == 1
    more = said(f"Build the site. {NPM}.", active=(), first=True)
    assert more == Said((("rule", NPM),))


def test_what_a_short_goal_says_is_no_rule_beside_it() -> None:
    task = "写一个美观的ppt ，内容一定要详尽便于理解"
    assert said(task.replace("便", " 便 "), active=(), first=False, task=task) == Said()
    assert said("内容一定要详尽便于理解。", active=(), first=False, task=task) == Said()
    long = task + "，" + "字" * 400
    assert said("内容一定要详尽便于理解。", active=(), first=False, task=long).rules


def test_a_part_of_a_rule_adds_nothing_and_a_longer_one_takes_its_place() -> None:
    held = "keep it simple, and never use npm"
    assert heard(NPM, held) == Said()
    assert heard(held, NPM) == Said(longer=(("r0", held),))
    assert texts(NPM, "If the build fails, never use npm") == [NPM], "it holds more often"
    assert texts("never use npm in CI", NPM) == ["never use npm in CI"]


def test_long_sentence_is_cut_at_a_clause() -> None:
    for tail in (", and then some more words", "，然后继续做别的事情"):
        text = f"never use npm{tail * 40}"
        (shown,) = texts(text)
        assert len(shown) <= LONGEST and text.startswith(shown)
        assert text[len(shown)] in ", ，"
    late = "please look at all of these files, " * 12 + "but never use npm"
    assert texts(late) == ["never use npm"]


def test_only_the_beginning_of_a_very_long_message_is_read() -> None:
    filler = "Nothing of note here.\n"
    assert texts(filler * 800 + NPM) == [NPM]
    assert texts(filler * (MOST // len(filler) + 2) + NPM) == []
    for tail in (NPM, f"{NPM}\nand never use yarn", f"{NPM}。", f"Also\n{NPM} in CI"):
        text = "x" * (MOST - 12) + f".\n{tail}.\n{filler}"
        assert texts(text) == texts(tail), "a sentence is read to its end"
    assert texts(f"```\n{'x' * 3 * MOST}\n```\n{NPM}") == [NPM]
    assert len(texts("\n".join(f"never use tool{n}" for n in range(90)))) == MOST_RULES


PIECES = st.sampled_from(
    (
        *("\n", "\n\n", "```", "`", "> ", "<memory>", "</memory>", "<a>", "“", "”", '"', "'", " "),
        *("never use npm", "不要改 schema", "done when tests pass", "you can use npm now", "，"),
        *(
            "new task: x",
            "Rules:",
            "**",
            "    ",
            ".",
            "?",
            "\0",
            "👩‍👧",
            "e\u0301",
            "x" * 320,
            "- ",
        ),
        *(
            "forget the rule about npm",
            "1. ",
            "Error: ",
            "@@ -1 ",
            "\r\n",
            "新任务：甲",
            "字" * 320,
        ),
    )
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=14).map("".join)), st.booleans())
def test_whatever_is_said_it_is_word_for_word(text: str, first: bool) -> None:
    told = said(text, active=rules((NPM, "不要改 schema")), first=first)
    for _, one in told.rules:
        assert one and one in text and len(one) <= LONGEST
    assert set(told.revoked) <= {"r0", "r1"}
    assert told.goal is None or (told.goal in text and told.goal.strip() and not first)
    mask = masked(text)
    assert len(mask) <= len(text)


INSIDE = st.lists(
    st.sampled_from(
        [*RULES_EN[:20], *RULES_ZH[:20], *ACCEPTANCE_ZH, *GOALS, "you can use npm now"]
    ),
    min_size=1,
    max_size=4,
).filter(lambda lines: not any(sign in line for line in lines for sign in '`>"'))


@given(INSIDE, st.sampled_from(["fence", "tilde", "lines", "tag", "quote"]))
def test_quoted_and_fenced_text_yields_nothing(lines: list[str], how: str) -> None:
    body = "\n".join(lines)
    text = {
        "fence": f"```\n{body}\n```",
        "tilde": f"~~~text\n{body}\n~~~\n",
        "lines": "> " + body.replace("\n", "\n> "),
        "tag": f"<restored>{body}</restored>",
        "quote": f"“{body}”",
    }[how]
    assert heard(text, NPM, "不要改 schema") == Said()
    assert not masked(text).strip(CUT + "¤\n ")


@pytest.mark.parametrize(
    "piece",
    [
        "<a>",
        "`",
        "“x",
        "and never ",
        "不要",
        '"',
        "no ",
        "use a ",
        "> ",
        "~~~\n",
        "  ",
        "<a><b></b>",
        ", so no a",
        "all new code files must. ",
        "new code no longer has to be ",
        "每次改动文件里都要我。",
        "no new a ",
        "all new names are ",
        "every new file ",
        "only tabs ",
        "所有的时间都统一",
        "每个新模块都有",
        "you can use npm again, ",
        "可以再用 npm 了，",
        "no secrets in the new form, ",
        "you can't use npm in this, ",
        "除了其他的都",
        "停止添加",
    ],
)
def test_costs_what_the_text_is_long(piece: str) -> None:
    """Whatever opens and never closes: eight times the text costs nowhere near its square."""
    held = rules((NPM, "不要改 schema", "always run the tests", "keep lines under 80 characters"))

    def prepared(length: int) -> Callable[[], object]:
        text = piece * (length // len(piece))
        return lambda: said(text, active=held, first=False)

    prepared(1_000)()
    assert growth(prepared, 20_000, 160_000, enough=32) < 32


@pytest.mark.parametrize("piece", ["so, ok, ", "please please ", "from now on, ", "，还有"])
def test_a_sentence_costs_what_it_is_long(piece: str) -> None:
    """Words before what is asked for may stand in any number, at the front of any clause."""

    def prepared(length: int) -> Callable[[], object]:
        text = "no new a" + piece * (length // len(piece))
        return lambda: said(text, active=(), first=False)

    prepared(1_000)()
    assert growth(prepared, 100, 1_000) < GENEROUS


def test_loads_no_dictionary() -> None:
    code = "import sys, app.memory.rules_said; sys.exit('jieba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
