"""The questions around going on with an earlier session."""

from collections.abc import Callable, Sequence
from typing import Literal

from app.text import Key, Words
from app.text.numbers import tokens
from widgets.dialogs.buttons import Button
from widgets.dialogs.choice import ChoiceDialog
from widgets.look import Look

Elsewhere = Literal["fork", "new"]
"""What to do about a session that another window has open."""

WayOut = Literal["compact", "model", "fork"]
"""How a history that no longer fits could be sent after all."""

_WAYS: dict[WayOut, tuple[str, Key, Key]] = {
    "compact": ("c", "resume_question.room_compact", "resume_question.room_compact_text"),
    "model": ("m", "resume_question.room_model", "resume_question.room_model_text"),
    "fork": ("f", "resume_question.room_fork", "resume_question.room_fork_text"),
}


def open_elsewhere(
    look: Look,
    node: str,
    *,
    at_start: bool,
    clock: Callable[[], float],
    typed_at: float | None = None,
) -> ChoiceDialog:
    """Asks for an `Elsewhere`; a fork, which disturbs nobody, has the focus.

    Args:
        look: words and glyphs.
        node: the session's id.
        at_start: nothing is open here yet, so Esc begins a new conversation as well.
        clock: seconds that only go forward.
        typed_at: when something was last typed; None: never.
    """

    def says(words: Words) -> list[str]:
        return [words("resume_question.elsewhere_text", node=node[:4])]

    fork = Button("fork", "f", "resume_question.fork")
    new = Button("new", "n", "resume_question.new")
    return ChoiceDialog(
        look,
        title="resume_question.elsewhere_title",
        says=says,
        buttons=(fork, new),
        esc="resume_question.new_esc" if at_start else "resume_question.stay",
        clock=clock,
        typed_at=typed_at,
        id="open-elsewhere",
    )


def no_room(
    look: Look,
    *,
    used: int,
    most: int,
    window: str,
    model: str,
    ways: Sequence[WayOut],
    clock: Callable[[], float],
    typed_at: float | None = None,
) -> ChoiceDialog:
    """Asks for a `WayOut` before the first message of a history that no longer fits is sent.

    Args:
        look: words and glyphs.
        used: tokens of the next request.
        most: tokens from which on it has to be summarised first.
        window: the window as people read it (`32k`).
        model: whose.
        ways: those that are open, the best first; at least one.
        clock: seconds that only go forward.
        typed_at: when something was last typed; None: never.
    """

    def says(words: Words) -> list[str]:
        sizes = {"tokens": tokens(used), "most": tokens(most), "window": window}
        return [words("resume_question.room_text", model=model, **sizes)]

    return ChoiceDialog(
        look,
        title="resume_question.room_title",
        says=says,
        ways=lambda words: [words(_WAYS[way][2]) for way in ways],
        buttons=tuple(Button(way, _WAYS[way][0], _WAYS[way][1]) for way in ways),
        esc="resume_question.room_esc",
        clock=clock,
        typed_at=typed_at,
        id="no-room",
    )
