"""What the model may ask and say of the work that the open session did."""

from typing import Protocol

from app.conversation.work import Progress


class WorkAccess(Protocol):
    """The worklog of the open session, as far as tools use it."""

    def updated(self, todo: tuple[str, ...] | None, done: tuple[str, ...]) -> Progress:
        """The progress as it is with this list, which it isn't yet.

        Args:
            todo: what is left; None: what was left, but for what is done.
            done: what is done; earlier ones needn't be said again.
        """
        ...

    def answer(self, query: str) -> str:
        """What is known of the work: `changed`, `failed`, `rules`, or words to look for.

        Args:
            query: what follows `work:`.
        """
        ...
