"""Standing rules in many wordings beside a task, and what looks like them (FIELD class A)."""

import pytest

from app.memory.rules_chinese import RULES_ZH
from app.memory.rules_customs import CUSTOMS
from app.memory.rules_english import RULES
from app.memory.rules_marks import MARKED
from app.memory.rules_marks_zh import MARKED_ZH
from app.memory.rules_norms import NORMS
from app.memory.rules_norms_zh import NORMS_ZH
from app.memory.rules_own import masked
from app.memory.rules_sentences import sentences
from app.memory.rules_stated import STATED
from app.memory.rules_stated_zh import STATED_ZH
from app.memory.rules_terse import TERSE
from app.memory.rules_terse_zh import TERSE_ZH as FORMS_ZH
from tests.memory.rules_alike import ALIKE_EN, ALIKE_ZH
from tests.memory.rules_heard import heard, texts
from tests.memory.rules_rare import RARE_EN, RARE_ZH
from tests.memory.rules_terse import TERSE_EN, TERSE_ZH, UNTERSE_EN, UNTERSE_ZH
from tests.memory.rules_worded import WORDED_EN, WORDED_ZH

NEWER = (*MARKED, *NORMS, *CUSTOMS, *TERSE, *MARKED_ZH, *NORMS_ZH, *FORMS_ZH)
EVERY = (
    *(*RULES, *STATED, *MARKED, *NORMS, *CUSTOMS, *TERSE),
    *(*RULES_ZH, *STATED_ZH, *MARKED_ZH, *NORMS_ZH, *FORMS_ZH),
)


@pytest.mark.parametrize("text", [*WORDED_EN, *WORDED_ZH, *RARE_EN, *RARE_ZH, *TERSE_EN, *TERSE_ZH])
def test_one_rule_is_heard_beside_the_task(text: str) -> None:
    ((kind, shown),) = heard(text).rules
    assert kind == "rule" and shown in text


@pytest.mark.parametrize("text", [*ALIKE_EN, *ALIKE_ZH, *UNTERSE_EN, *UNTERSE_ZH])
def test_none_is_heard(text: str) -> None:
    assert heard(text).rules == ()


def test_quoted_it_is_no_rule() -> None:
    for text in (*WORDED_EN, *WORDED_ZH, *TERSE_EN, *TERSE_ZH):
        assert texts(f"“{text}”") == []


def test_every_pattern_compiles_and_has_a_key_in_what_it_finds() -> None:
    """A pattern is only looked for where a key of it stands: one without is never found."""
    for keys, pattern in EVERY:
        for text in (*WORDED_EN, *WORDED_ZH, *TERSE_EN, *TERSE_ZH):
            found = pattern.search(text)
            assert not found or any(key in text.lower() for key in keys), (keys, text)


def test_every_form_has_a_sentence() -> None:
    """A form that none of the sentences has may be one that nothing can have."""
    told = (*WORDED_EN, *WORDED_ZH, *RARE_EN, *RARE_ZH, *TERSE_EN, *TERSE_ZH)
    parts = [one.mask for text in told for one in sentences(masked(text))]
    for keys, pattern in NEWER:
        near = (one for one in parts if any(key in one.lower() for key in keys))
        assert any(map(pattern.search, near)), keys


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "The date picker is off by one. Leave the CSS files alone, design owns those.",
            "Leave the CSS files alone, design owns those",
        ),
        ("Steer clear of global state and build the session cache.", None),
        (
            "部署那一步超时了，找找原因。infra 下面的文件你没有权限修改。",
            "infra 下面的文件你没有权限修改",
        ),
        (
            "Let's add caching to the search. Nothing in src/generated is to be edited by hand.",
            "Nothing in src/generated is to be edited by hand",
        ),
    ],
)
def test_only_the_sentence_with_the_rule_stands(text: str, rule: str | None) -> None:
    assert texts(text) == [rule or text.rstrip(".")]
