"""Keys that were meant for the prompt never answer a question."""

from dataclasses import dataclass, field

from widgets.dialogs.guard import ALONE, PAUSE, KeyGuard, Verdict


@dataclass
class Desk:
    """A guard, the time, and what came of the keys."""

    typed_at: float | None = None
    now: float = 100.0
    draft: str = ""
    acted: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.guard = KeyGuard(lambda: self.now, self.typed_at)

    def wait(self, seconds: float) -> "Desk":
        self.now += seconds
        if seconds >= ALONE and (letter := self.guard.settle()):
            self.acted.append(letter)
        return self

    def press(self, *keys: str) -> "Desk":
        for key in keys:
            character = key if len(key) == 1 else ""
            verdict = self.guard.press(key, character, shortcut=key in "yane123")
            self.draft += verdict.draft
            if verdict.does == "act":
                self.acted.append(key)
        return self


def test_nothing_but_esc_acts_before_the_pause() -> None:
    desk = Desk().press("enter", "tab", "1", "y", "escape")
    assert desk.acted == ["escape"]
    assert desk.draft == "y"


def test_after_the_pause_keys_act() -> None:
    desk = Desk().wait(PAUSE).press("enter", "tab").press("y").wait(ALONE)
    assert desk.acted == ["enter", "tab", "y"]
    assert desk.draft == ""


def test_typing_on_puts_the_moment_off() -> None:
    desk = Desk()
    for letter in "hello":
        desk.wait(0.6).press(letter)
    assert desk.draft == "hello"
    assert desk.wait(0.9).press("enter").acted == []
    assert desk.wait(0.1).press("enter").acted == ["enter"]


def test_a_word_that_came_at_once_presses_nothing() -> None:
    desk = Desk().wait(PAUSE).press("y", "e", "s").wait(ALONE)
    assert desk.acted == []
    assert desk.draft == "yes"


def test_a_letter_right_after_other_text_is_text() -> None:
    desk = Desk().wait(5).press("h").wait(0.2).press("e").wait(0.2).press("y").wait(ALONE)
    assert desk.acted == []
    assert desk.draft == "hey"


def test_chinese_and_pastes_go_to_the_draft() -> None:
    desk = Desk().wait(5).press("好")
    assert desk.draft == "好"
    assert desk.guard.paste("y") == Verdict(draft="y")
    assert desk.wait(0.5).press("enter").acted == []


def test_a_letter_with_enter_behind_it_is_text() -> None:
    desk = Desk().wait(5).press("y", "enter").wait(ALONE)
    assert desk.acted == []
    assert desk.draft == "y"


def test_a_digit_inside_a_sentence_is_kept() -> None:
    desk = Desk(typed_at=99.9).press("8", "0")
    assert desk.draft == "80"


def test_a_digit_without_typing_is_ignored_early_and_acts_later() -> None:
    desk = Desk().press("1")
    assert (desk.draft, desk.acted) == ("", [])
    assert desk.wait(PAUSE).press("3").wait(ALONE).acted == ["3"]


def test_typing_before_it_opened_counts() -> None:
    desk = Desk(typed_at=99.95).wait(0.97).press("n")
    assert (desk.draft, desk.acted) == ("n", [])
