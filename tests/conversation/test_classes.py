"""Characters by class, and the estimate of tokens (PROVIDERS 2.3; FIELD 62)."""

import base64
import hashlib
import json
import random
import statistics
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.classes import NOTHING, Counts, count_classes, estimate_text
from app.llm.families import Family, coefficients_of
from tests.benchmarks.token_sessions import FAMILIES, texts
from tests.conversation.expressions import counted
from tests.growth import GENEROUS, growth, on_texts

GENERIC = coefficients_of("generic")


def counts(**found: int) -> Counts:
    return NOTHING._replace(**found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", counts()),
        ("word", counts(word=1)),
        ("camelCaseWord", counts(word=3)),
        ("HTTPServer", counts(word=2)),
        ("understanding", counts(word=1, wlong=7)),
        ("two words", counts(word=2)),
        ("7", counts(dig3=1, digL=1)),
        ("1234567", counts(dig3=3, digL=7)),
        ("a, b", counts(word=2, prun=1, pchar=1)),
        ("a == b", counts(word=2, prun=1, pchar=2, ws=1)),
        ("a\n\n\nb", counts(word=2, nl=1)),
        ("a\r\nb", counts(word=2, nl=1)),
        ("    a", counts(word=1, ws=1)),
        ("a 1", counts(word=1, ws=1, dig3=1, digL=1)),
        ("\ta", counts(word=1)),
        ("слово слово", counts(cyr=10)),
        ("\u4e00", counts(han=1)),
        ("\u9fff", counts(han=1)),
        ("\u3400\uf900", counts(han=2)),
        ("\U00020000\U0002a6d6", counts(astralhan=2)),
        ("かなカナー", counts(kana=5)),
        ("한글", counts(hangul=2)),
        ("，。「」（）！？：；…—“”", counts(cjkp=14)),
        ("ＡＢｃ１ｶﾅ", counts(full=6)),
        ("Ελλάςéß", counts(cyr=7)),
        ("سلام ไทย", counts(cyr=7)),
        ("שלום", counts(hangul=4)),
        ("😀", counts(astral=1)),
        ("👩\u200d🔬", counts(astral=2, sym=1)),
        ("❤\ufe0f", counts(sym=2)),
        ("→ ×", counts(sym=2, ws=1)),
        ("\ue000", counts(other=1)),
        ("\x00\x1b\x7f\x85", counts(ctrl=4)),
        ("\ud83d", counts(other=1)),
        ("550e8400-e29b-41d4-a716-446655440000", counts(hexid=36)),
        ("deadbeef", counts(word=1, wlong=2)),
        ("3f2a91b0", counts(hexid=8)),
        ("12345678", counts(dig3=3, digL=8)),
    ],
)
def test_counts(text: str, found: Counts) -> None:
    assert count_classes(text) == found


def test_a_digest_is_one_run() -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    assert count_classes(f"sha256:{digest} ok").hexid == 64


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_dense(encode: Callable[[bytes], bytes]) -> None:
    text = encode(random.Random(1).randbytes(300)).decode()
    assert count_classes(text).dense >= 396


@pytest.mark.parametrize(
    "text",
    [
        "/usr/lib/python3/dist-packages/module/__init__",
        "test_that_a_message_is_measured_once",
        "AbstractSingletonProxyFactoryBean",
        "a" * 40,
        "=" * 40,
    ],
)
def test_names_and_paths_are_not_dense(text: str) -> None:
    assert count_classes(text).dense == 0


def test_a_rule_of_one_character_is_cheap() -> None:
    """80 of them are one or two tokens, ten at most, by every tokenizer that was measured."""
    for character in "=-#*._~─":
        assert 1 <= estimate_text(character * 80, GENERIC) <= 8


def test_a_text_is_never_negative_and_never_free() -> None:
    assert estimate_text("", GENERIC) == 0.0
    assert estimate_text("x", GENERIC) > 0


@given(st.text(st.characters(codec=None), max_size=200))
def test_every_character_is_counted_somewhere(text: str) -> None:
    found = count_classes(text)
    assert all(count >= 0 for count in found)
    if any(not character.isspace() for character in text):
        assert sum(found) > 0
    assert found.han + found.astralhan + found.kana <= len(text)


PIECES = st.sampled_from(
    [
        *(
            "a",
            "B",
            "Zf",
            "word",
            "HTTPServer",
            "9",
            "1234567",
            " ",
            "\t",
            "\n",
            "\r",
            "-",
            "=",
            "_",
            '"',
        ),
        *(
            "─",
            "━",
            "═",
            "中",
            "é",
            "ª",
            "²",
            "٣",
            "Αλ",
            "，",
            "！",
            "ａ",
            "ｶ",
            "한",
            "→",
            "😀",
            "𠀀",
        ),
        *("\0", "\x1f", "\x80", "\x85", "\ud83d", "\ue000", "deadbeef", "3f2a91b0", "12345678"),
        *("550e8400-e29b-41d4-a716-446655440000", "QmFzZTY0aXNhUnVu", "a_long/name-of+files="),
    ]
)
RUNS = st.tuples(PIECES, st.sampled_from([1, 1, 2, 3, 5, 9, 40])).map(lambda run: run[0] * run[1])


@given(st.lists(RUNS, max_size=25).map("".join))
def test_they_are_what_the_expressions_say(text: str) -> None:
    assert count_classes(text) == counted(text)


@pytest.mark.parametrize("name", sorted({one.kind for one in texts()}))
def test_they_are_what_the_expressions_say_of_real_texts(name: str) -> None:
    assert count_classes(kind(name)) == counted(kind(name))


def test_a_long_text_is_known_again_and_no_other_taken_for_it() -> None:
    long = "word " * 1_000
    for text in (long, long, f"{long}x", f"{long}\ud83d", long):
        assert count_classes(text) == counted(text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_two_texts_apart_come_to_about_as_much_as_together(one: str, other: str) -> None:
    apart = estimate_text(one, GENERIC) + estimate_text(other, GENERIC)
    assert abs(estimate_text(f"{one}\n{other}", GENERIC) - apart) <= 60


def kind(name: str) -> str:
    return "\n".join(one.text for one in texts() if one.kind == name)


def density(name: str, family: Family) -> float:
    """Real tokens a character."""
    found = [one for one in texts() if one.kind == name]
    return sum(one.counts[family] for one in found) / sum(len(one.text) for one in found)


@pytest.mark.parametrize("language", ["zh_prose", "ja", "ko"])
def test_100k_characters_of_cjk(language: str) -> None:
    """FIELD 62: within 15 % of what real tokenizers count, by family and generic."""
    text = (kind(language) + "\n") * 200
    text = text[:100_000]
    assert len(text) == 100_000
    real = {family: density(language, family) * len(text) for family in FAMILIES}
    for family in FAMILIES:
        assert estimate_text(text, coefficients_of(family)) == pytest.approx(real[family], rel=0.15)
    middle = statistics.mean(real.values())
    assert estimate_text(text, GENERIC) == pytest.approx(middle, rel=0.15)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "name", ["json_logs", "text_logs", "base64", "hex", "uuid", "traceback", "diff", "py_code"]
)
def test_what_tools_return(name: str, family: Family) -> None:
    """Within 12 % over all texts of the kind, with the family's coefficients."""
    found = [one for one in texts() if one.kind == name]
    real = sum(one.counts[family] for one in found)
    estimate = sum(estimate_text(one.text, coefficients_of(family)) for one in found)
    assert estimate == pytest.approx(real, rel=0.12)


def test_json_of_schemas() -> None:
    schema = json.dumps({"type": "object", "properties": {"path": {"type": "string"}}})
    assert 20 <= estimate_text(schema, GENERIC) <= 40


@pytest.mark.parametrize(
    ("piece", "end"),
    [*((one, "") for one in ("a", "1", "aB3", "a,", " ", "=", "-a", "中，")), ("0a", "g")],
)
def test_time_is_linear(piece: str, end: str) -> None:
    """No expression goes back and forth: a quadratic one would take minutes."""
    work = on_texts(count_classes, lambda length: piece * length + end)
    assert growth(work, 15_000, 150_000) < GENEROUS
