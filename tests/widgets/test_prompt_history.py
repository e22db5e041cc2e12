"""Walking through earlier prompts."""

from widgets.prompt_history import KEPT, PromptHistory


def history(*entries: str) -> PromptHistory:
    made = PromptHistory()
    for entry in entries:
        made.add(entry)
    return made


def test_the_draft_waits_at_the_end_of_the_walk() -> None:
    walk = history("first", "second")
    assert walk.older("draft") == "second"
    assert walk.older("second") == "first"
    assert walk.older("first") is None
    assert walk.newer() == "second"
    assert walk.newer() == "draft"
    assert walk.newer() is None


def test_nothing_to_walk() -> None:
    walk = history()
    assert walk.older("draft") is None
    assert walk.newer() is None


def test_a_repeated_or_blank_prompt_is_kept_once_or_not() -> None:
    assert history("a", "a", "  ", "b", "a").entries == ["a", "b", "a"]


def test_only_the_newest_are_kept() -> None:
    assert history(*(str(n) for n in range(KEPT + 3))).entries[0] == "3"


def test_search_finds_newest_first_each_once() -> None:
    walk = history("Run the tests", "read pom.xml", "run it", "Run the tests")
    assert walk.matching("RUN") == ["Run the tests", "run it"]
    assert walk.matching("") == ["Run the tests", "run it", "read pom.xml"]
