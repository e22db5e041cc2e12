"""When the prompt offers something."""

import pytest

from widgets.completing import Candidate, Offer, Trigger, trigger


@pytest.mark.parametrize("opener", ["/", "／", "、"])
def test_a_slash_or_its_twin_at_the_start_asks_for_commands(opener: str) -> None:
    assert trigger(opener) == Trigger("command", "")
    assert trigger(f"{opener}mo") == Trigger("command", "mo")


@pytest.mark.parametrize("text", ["a/b", " /help", "/help me", "", "、 ", "see /help"])
def test_elsewhere_it_is_text(text: str) -> None:
    assert trigger(text) is None


def test_a_slash_before_other_words_is_text() -> None:
    assert trigger("/he", " later") is None
    assert trigger("/he", "  ") == Trigger("command", "he")


@pytest.mark.parametrize(
    ("text", "query", "start"),
    [
        ("@", "", 0),
        ("read @src/ma", "src/ma", 5),
        ("看看@pom", "pom", 2),
        ("(@a", "a", 1),
        ("two\nlines @x", "x", 10),
        ("看＠pom", "pom", 1),
    ],
)
def test_an_at_sign_asks_for_files(text: str, query: str, start: int) -> None:
    assert trigger(text) == Trigger("file", query, start)


@pytest.mark.parametrize("text", ["me@example.com", "@a b", "x @a\n", "@@"])
def test_an_address_is_no_file(text: str) -> None:
    assert trigger(text) is None


def test_the_cursor_comes_round() -> None:
    offer = Offer(Trigger("command", ""), (Candidate("/a"), Candidate("/b")))
    assert offer.move(-1).chosen == Candidate("/b")
    assert offer.move(1).move(1).chosen == Candidate("/a")
    assert not offer.moved and offer.move(1).moved
