"""What a session's user has the agent do: send, stop, go on, wait."""

from app.agent.react import TurnOutcome
from app.session.queue import QueuedMessage
from app.session.turns import Turns


class Works:
    """These actions, on the chain that is open (`session.Session`)."""

    _turns: Turns

    @property
    def busy(self) -> bool:
        """Whether the agent works."""
        return self._turns.busy

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        """The messages that wait, oldest first."""
        return self._turns.queued

    @property
    def unwritten(self) -> tuple[QueuedMessage, ...]:
        """These, and the one that is on its way into the history."""
        return self._turns.unwritten

    @property
    def outcome(self) -> TurnOutcome:
        """How the last turn ended."""
        return self._turns.outcome

    @property
    def can_go_on(self) -> bool:
        """Whether `go_on` would do something."""
        return self._turns.can_go_on

    def send(self, text: str) -> None:
        """Starts a turn with the user's message, or queues it while the agent works."""
        self._turns.send(text)

    def go_on(self) -> bool:
        """Sends what waits; else lets the agent go on where it was stopped; whether it began to."""
        return self._turns.go_on()

    def take_back(self) -> str | None:
        """Takes the newest waiting message out of the queue, for the prompt."""
        return self._turns.take_back()

    def stop(self) -> bool:
        """Stops the agent; the history is closed in a moment (`wait_idle`). False when idle."""
        return self._turns.stop()

    async def wait_idle(self) -> None:
        """Returns when the agent has nothing more to do."""
        await self._turns.wait_idle()

    async def run(self, text: str) -> TurnOutcome:
        """Sends a message and waits for the end of its turn; cancelling it stops the turn.

        Raises:
            SessionBusy: the agent works already.
        """
        return await self._turns.run(text)
