"""Keeps keys meant for the prompt from answering a question that just opened (STYLE 8, point 4).

A question opens by itself, perhaps while someone types. So nothing but Esc acts until typing has
paused for a second; later a letter counts only when it stands alone. What was meant for the prompt
goes there: nothing typed is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

PAUSE = 1.0
"""Seconds without typing before anything but Esc acts (STYLE 8)."""

ALONE = 0.08
"""Seconds around a letter in which another printable key makes both of them text (STYLE 8)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a key.

    Attributes:
        does: `act` now, `wait` for `ALONE` seconds and then ask `settle`, or nothing.
        draft: what goes to the prompt's draft.
    """

    does: Literal["act", "wait", "nothing"] = "nothing"
    draft: str = ""


class KeyGuard:
    """Decides key by key.

    Attributes:
        clock: seconds that only go forward.
        typed_at: when something was last typed before the window opened; None: never.
    """

    def __init__(self, clock: Callable[[], float], typed_at: float | None = None) -> None:
        self._clock = clock
        self._opened = clock()
        self._typed = typed_at
        typing = typed_at is not None and self._opened - typed_at < PAUSE
        self._text = typed_at if typing else None
        self._held = ""

    @property
    def quiet(self) -> bool:
        """Whether typing has paused for long enough."""
        latest = self._opened if self._text is None else max(self._opened, self._text)
        return self._clock() - latest >= PAUSE

    def press(self, key: str, character: str, *, shortcut: bool) -> Verdict:
        """Judges one key.

        Args:
            key: its name (`escape`, `enter`, `y`).
            character: what it would type, "" for a key that types nothing.
            shortcut: whether it stands for a button or an action of the window; of what isn't
                ASCII only the full-width twin of a sign may.
        """
        if key == "escape":
            return Verdict("act")
        if not character:
            return self._press_control()
        now = self._clock()
        alone = self._typed is None or now - self._typed >= ALONE
        self._typed = now
        if self.quiet and shortcut and alone and not self._held:
            self._held = character
            return Verdict("wait")
        if not self.quiet and self._text is None and character.isdecimal():
            return Verdict()
        return self._as_text(character)

    def _press_control(self) -> Verdict:
        """A key that types nothing: Enter, Tab, an arrow."""
        if self._held:
            return self._as_text("")
        return Verdict("act" if self.quiet else "nothing")

    def _as_text(self, text: str) -> Verdict:
        held, self._held = self._held, ""
        self._text = self._clock()
        return Verdict(draft=held + text)

    def paste(self, text: str) -> Verdict:
        """Pasted text always goes to the draft."""
        return self._as_text(text)

    def settle(self) -> str:
        """The letter that stood alone for `ALONE` seconds; "" when another key came."""
        held, self._held = self._held, ""
        return held
