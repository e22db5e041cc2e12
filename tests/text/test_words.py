"""The words: both languages have the same keys and blanks, and the key list is current."""

import string

import pytest

from app.text import Words, preferred_language
from tests.text.write_keys import flat, sources


def blanks(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def keys(language: str) -> set[str]:
    words = flat(language)
    return {key for key in words if not (key.endswith("_one") and key[:-4] in words)}


def test_both_languages_have_the_same_keys() -> None:
    assert keys("en") == keys("zh")


def test_both_languages_fill_the_same_blanks() -> None:
    english, chinese = flat("en"), flat("zh")
    assert {key: blanks(english[key]) for key in keys("en")} == {
        key: blanks(chinese[key]) for key in keys("zh")
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_words_are_empty(language: str) -> None:
    assert [key for key, value in flat(language).items() if not value.strip()] == []


def test_the_key_list_is_current() -> None:
    for path, source in sources().items():
        assert path.read_text(encoding="utf-8") == source, "run python -m tests.text.write_keys"


def test_a_missing_blank_is_a_fault() -> None:
    with pytest.raises(KeyError):
        Words("en")("count.turns", wrong=1)


def test_one_of_a_thing_has_its_own_words() -> None:
    assert Words("en")("count.turns", n=1) == "1 turn"
    assert Words("en")("count.turns", n=2) == "2 turns"
    assert Words("zh")("count.turns", n=1) == "1 轮"


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_language_follows_the_locale(environ: dict[str, str], language: str) -> None:
    assert preferred_language(environ) == language
