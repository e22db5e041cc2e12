"""The limits of the model in use, for the agent: what is known of them, and where it is learned."""

from collections.abc import Iterable

from app.agent.overflow import Grade
from app.errors import HaimaError
from app.session.context import SessionContext


class SessionLimits:
    """Implements `agent.overflow.Limits` on a session's context."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context

    @property
    def endpoint(self) -> tuple[str, str]:
        """Address and model."""
        return self._context.meter.endpoint

    @property
    def window(self) -> int:
        """Tokens of the window."""
        return self._context.window.window.effective

    @property
    def tokens(self) -> int:
        """The size of the next request."""
        context = self._context
        return context.meter.measure(context.prospect, context.tools).tokens

    async def learn(self, limit: int, grade: Grade) -> None:
        """A smaller window, perhaps: says so, keeps it for later, and tells the new marks."""
        known = self.window
        notices = self._context.window.learn(limit, grade)
        if self.window != known:
            await self._learned(notices, keep=grade != "suspected")

    async def believe(self) -> None:
        """A limit that is only suspected counts from now on."""
        if self._context.window.suspects:
            await self._learned(self._context.window.believe(), keep=True)

    def doubt(self) -> None:
        """A limit that is only suspected is forgotten."""
        known = self.window
        self._context.window.doubt()
        if self.window != known:
            self._context.tell()

    async def _learned(self, notices: Iterable[HaimaError], *, keep: bool) -> None:
        problems = await self._context.window.keep() if keep else ()
        self._context.say((*notices, *problems))
        self._context.tell()
