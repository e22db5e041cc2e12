"""The questions around summaries: what becomes of an older one, what to do where nothing fits."""

from collections.abc import Callable, Sequence
from typing import Literal

from app.text import Key, Words
from widgets.dialogs.buttons import Button
from widgets.dialogs.choice import ChoiceDialog
from widgets.look import Look

SummaryWay = Literal["expand", "branch"]
"""What can become of a summary that something followed."""

RoomWay = Literal["compact", "cut", "model", "shorten", "fork"]
"""How a request that is larger than the window could be sent after all."""

_WAYS: dict[SummaryWay, tuple[str, Key, Key]] = {
    "expand": ("h", "summaries.expand", "summaries.expand_text"),
    "branch": ("f", "summaries.branch", "summaries.branch_text"),
}

_CHOICES: dict[RoomWay, tuple[str, Key, Key]] = {
    "compact": ("c", "resume_question.room_compact", "resume_question.room_compact_text"),
    "cut": ("x", "summaries.cut", "summaries.cut_text"),
    "model": ("m", "summaries.model", "resume_question.room_model_text"),
    "shorten": ("s", "summaries.shorten", "summaries.shorten_text"),
    "fork": ("f", "summaries.fork", "resume_question.room_fork_text"),
}


def summary_ways(
    look: Look,
    *,
    node: str,
    expand: bool,
    clock: Callable[[], float],
    typed_at: float | None = None,
) -> ChoiceDialog:
    """Asks for a `SummaryWay`.

    Args:
        look: words and glyphs.
        node: the session before the summary.
        expand: the summary is still in the context; else only a branch leads back.
        clock: seconds that only go forward.
        typed_at: when something was last typed; None: never.
    """
    ways: tuple[SummaryWay, ...] = ("expand", "branch") if expand else ("branch",)

    def says(words: Words) -> list[str]:
        return [words("summaries.ways_text" if expand else "summaries.ways_gone_text")]

    return ChoiceDialog(
        look,
        title="summaries.ways_title",
        says=says,
        ways=lambda words: [words(_WAYS[way][2], node=f"#{node[:4]}") for way in ways],
        buttons=tuple(Button(way, _WAYS[way][0], _WAYS[way][1]) for way in ways),
        esc="summaries.ways_esc",
        clock=clock,
        typed_at=typed_at,
        id="summary-ways",
    )


def too_large(
    look: Look,
    *,
    said: str,
    choices: Sequence[RoomWay],
    clock: Callable[[], float],
    typed_at: float | None = None,
) -> ChoiceDialog:
    """Asks for a `RoomWay` after a turn that ended for want of room.

    Args:
        look: words and glyphs.
        said: why, with what is largest.
        choices: those that are open, the best first; at least one.
        clock: seconds that only go forward.
        typed_at: when something was last typed; None: never.
    """
    return ChoiceDialog(
        look,
        title="summaries.too_large_title",
        says=lambda _: [said],
        ways=lambda words: [words(_CHOICES[one][2]) for one in choices],
        buttons=tuple(Button(one, _CHOICES[one][0], _CHOICES[one][1]) for one in choices),
        esc="summaries.too_large_esc",
        clock=clock,
        typed_at=typed_at,
        id="too-large",
    )
