"""The model that writes summaries, where one is set apart (`[model.auxiliary]`)."""

import asyncio

from app.config import ModelSettings, Settings
from app.llm.client import OpenAIModel
from app.llm.connect import make_model
from app.ports import ChatModel, Clock
from app.session.endpoint import auxiliary_settings, close_model
from app.text import Words


class Auxiliary:
    """Makes it when it is first asked for, and anew when its settings changed."""

    def __init__(self, clock: Clock, words: Words) -> None:
        """Makes nothing yet."""
        self._clock = clock
        self._words = words
        self._made: tuple[ModelSettings, OpenAIModel] | None = None
        self._left: list[ChatModel] = []

    def model(self, settings: Settings) -> ChatModel | None:
        """The one that these settings name; None: none is set apart.

        Raises:
            NotConnected: something is missing; the sentence says what.
            BadAddress: the address is none.
        """
        wanted = auxiliary_settings(settings)
        if wanted is None:
            return None
        if self._made is None or self._made[0] != wanted:
            if self._made is not None:
                self._left.append(self._made[1])
            self._made = (wanted, make_model(wanted, clock=self._clock, words=self._words))
        return self._made[1]

    async def close(self) -> None:
        """Closes its connections."""
        models = [*self._left, *([self._made[1]] if self._made else [])]
        self._left, self._made = [], None
        await asyncio.gather(*map(close_model, models))
