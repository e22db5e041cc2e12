"""What leads the app once it is loaded; all that the app itself knows of it."""

from typing import Protocol

from widgets.dialogs.entry import Entry
from widgets.requests import Request


class Conducts(Protocol):
    """What leads the app once it is loaded (`conductor.Conductor`)."""

    @property
    def has_begun(self) -> bool:
        """Whether there is something to lose by quitting."""
        ...

    def begin(self) -> None:
        """Shows the first real screen."""
        ...

    async def take(self, request: Request) -> None:
        """Does what a screen or dialog asks for."""
        ...

    def show_help(self) -> None:
        """Keys and help, or back from it."""
        ...

    def show_memory(self) -> None:
        """What is remembered, or back from it."""
        ...

    def show_sessions(self) -> None:
        """Earlier sessions, or back from them."""
        ...

    def show_replay(self) -> None:
        """A session played through two policies, or back from it."""
        ...

    def show_doctor(self) -> None:
        """The doctor."""
        ...

    def show_context(self) -> None:
        """To the gauge; on it, all of the context."""
        ...

    def edit_draft(self) -> None:
        """The draft in the user's editor."""
        ...

    def speak(self) -> None:
        """The app's language changed."""
        ...

    def entries_here(self) -> tuple[Entry, ...]:
        """What the screen can do now."""
        ...

    def entries(self) -> tuple[Entry, ...]:
        """Everything that can be done now."""
        ...

    def run_command(self, line: str) -> None:
        """Runs a command as if it had been typed."""
        ...

    def stop_run(self) -> bool:
        """Stops the agent; False: it doesn't work."""
        ...

    def set_draft_aside(self) -> bool:
        """Clears the prompt and keeps what stood there; False: it was empty."""
        ...

    def keep_draft(self) -> None:
        """Writes down at once what stands in the prompt."""
        ...

    async def put_away(self) -> None:
        """Closes everything."""
        ...
