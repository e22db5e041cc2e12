"""The screens over the main one that open and close with a key of their own."""

from app.session.session import Session
from app.workbench.overlays import Overlays
from app.workbench.remembering import Remembers
from app.workbench.replaying import Replaying
from app.workbench.resuming import Resuming


class Shows:
    """A part of the conductor.

    Attributes:
        session: what is talked to; None before a model is connected.
        overlays: help and doctor.
        remembers: what is remembered.
        resuming: earlier sessions.
        replaying: sessions played again.
    """

    session: Session | None
    overlays: Overlays
    remembers: Remembers
    resuming: Resuming
    replaying: Replaying

    def show_memory(self) -> None:
        """What is remembered, or back from it."""
        self.remembers.show()

    def show_sessions(self) -> None:
        """Earlier sessions, or back from them."""
        self.resuming.show()

    def show_replay(self) -> None:
        """A session played through two policies, or back from it."""
        self.replaying.show()

    def show_doctor(self) -> None:
        """What works and what doesn't."""
        self.overlays.doctor(lambda: self.session)
