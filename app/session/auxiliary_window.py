"""The window of the model set apart for summaries, with what its refusals told of it.

Nobody sets it, and its endpoint isn't asked: without what was learned, each summary would pay a
refused request first.
"""

import asyncio
from urllib.parse import urlsplit

from app.config import Settings
from app.errors import HaimaError
from app.ports import ChatModel
from app.session.learned import LearnedLimits, Source
from app.session.window import SMALLEST, WindowNotice, window_of


class AuxiliaryWindow:
    """What is known of these windows in one session, by endpoint and model."""

    def __init__(self, limits: LearnedLimits | None) -> None:
        """Reads nothing yet.

        Args:
            limits: keeps what is learned; None: nobody does.
        """
        self._limits = limits
        self._learned: dict[tuple[str, str], int | None] = {}

    def of(self, model: ChatModel) -> int:
        """Tokens of a model's window; what was learned earlier is read once."""
        endpoint = model.base_url, model.name
        if endpoint not in self._learned:
            self._learned[endpoint] = self._found(*endpoint)
        learned = self._learned[endpoint]
        return window_of(model.name, model.base_url, Settings(), learned=learned).effective

    async def learn(self, model: ChatModel, limit: int, source: Source) -> tuple[HaimaError, ...]:
        """A refusal told a limit: it counts from now on, and is kept for later processes.

        Returns:
            What the user should hear: the limit; that it can't be kept.
        """
        known = self.of(model)
        if not SMALLEST <= limit < known:
            return ()
        self._learned[model.base_url, model.name] = limit
        told = WindowNotice(
            "window.learned" if source == "stated" else "window.learned_about",
            host=urlsplit(model.base_url).netloc.rpartition("@")[2],
            model=model.name,
            limit=f"{limit:,}",
            window=f"{known:,}",
        )
        if self._limits is None:
            return (told,)
        try:
            await asyncio.to_thread(self._limits.keep, model.base_url, model.name, limit, source)
        except HaimaError as error:
            return (told, error)
        return (told,)

    async def forget(self) -> tuple[HaimaError, ...]:
        """Forgets what was learned of the models that wrote summaries here, on the disk too.

        Returns:
            Why it can't be.
        """
        learned, self._learned = self._learned, {}
        problems: list[HaimaError] = []
        for endpoint, limit in learned.items():
            if limit is None or self._limits is None:
                continue
            try:
                await asyncio.to_thread(self._limits.forget, *endpoint)
            except HaimaError as error:
                problems.append(error)
        return tuple(problems)

    def _found(self, base_url: str, name: str) -> int | None:
        """What an earlier process learned; a file that can't be read costs one refused request."""
        try:
            known = self._limits and self._limits.find(base_url, name)
        except HaimaError:  # said when the session's own model was asked for
            return None
        return known.limit if known else None
