"""The window of the model in use: set, told, known or assumed, and what the user hears about it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from app.agent.overflow import Grade
from app.config import Settings
from app.conversation.window import (
    SetBy,
    Thresholds,
    Window,
    WindowError,
    choose_window,
    thresholds,
)
from app.errors import HaimaError
from app.llm.discover import USUAL
from app.llm.live_window import LiveWindow, live_window, stated_window
from app.llm.model_table import find_model
from app.llm.place import is_private
from app.llm.served import SMALL_WINDOW, Kind
from app.ports import ChatModel
from app.session.choices import CURES
from app.session.learned import LearnedLimits
from app.text import Key, Words

_TINY = 8_000
"""Tokens; below, all marks shrink in proportion, and the cure is said (DESIGN 4)."""

SMALLEST = 1_000
"""Tokens; a limit below is no window, whatever the endpoint meant by it."""

_NAMES: Mapping[Kind, str] = {candidate.kind: candidate.name for candidate in USUAL}


class WindowNotice(HaimaError):  # noqa: N818
    """Something about the window that the user should hear once.

    Attributes:
        server: the local program whose cure follows the sentence.
    """

    code = "window"

    def __init__(self, key: Key, /, *, server: Kind | None = None, **values: object) -> None:
        super().__init__(key, **values)
        self.server = server

    def sentence(self, words: Words) -> str:
        """The sentence, and what to do about this server in the same language."""
        said = super().sentence(words)
        if self.server is None:
            return said
        gap = "" if words.language == "zh" else " "
        return f"{said}{words('window.stop')}{gap}{words(CURES[self.server])}"


@dataclass(frozen=True, slots=True)
class _Limit:
    """What an overflow told.

    Attributes:
        tokens: of the window.
        grade: how sure that is (`agent.overflow.Grade`).
        live: the window that the endpoint told of itself then.
    """

    tokens: int
    grade: Grade
    live: int | None


class ModelWindow:
    """The window that holds for the model in use; knows one at once, and better after `ask`.

    Attributes:
        live: what the endpoint told; None before it was asked, or where it tells nothing.
    """

    def __init__(
        self, model: ChatModel, settings: Settings, limits: LearnedLimits | None = None
    ) -> None:
        """For this model, as it is set; nothing is asked or read yet.

        Args:
            model: the one in use.
            settings: where its window may be set.
            limits: keeps what is learned; None: nobody does.
        """
        self._told: set[tuple[str, str, Key]] = set()
        self._limits = limits
        self.use(model, settings)

    def use(self, model: ChatModel, settings: Settings) -> None:
        """Another model, or other settings: what was told and chosen is forgotten."""
        self._model, self._settings = model, settings
        self._chosen: int | None = None
        self._limit: _Limit | None = None
        self._before: _Limit | None = None
        self._recalled = False
        self.live = None if model.base_url else LiveWindow(stated_window(model))

    @property
    def window(self) -> Window:
        """The window now."""
        return window_of(
            self._model.name,
            self._model.base_url,
            self._settings,
            chosen=self._chosen,
            live=self.live,
            learned=self._limit.tokens if self._limit else None,
        )

    @property
    def marks(self) -> Thresholds:
        """Its marks."""
        return self.marks_at(self.window.effective)

    def marks_at(self, window: int) -> Thresholds:
        """The marks of any window, by the settings."""
        compaction = self._settings.compaction
        return thresholds(window, clear_at=compaction.clear_at, min_gain=compaction.min_gain)

    @property
    def pending(self) -> bool:
        """Whether the server tells only once the model is loaded: ask after the first answer."""
        return self.live is not None and self.live.window is None

    def recall(self) -> tuple[HaimaError, ...]:
        """Takes up what was learned of this model in an earlier process; once a model.

        Returns:
            Why it can't be read.
        """
        if self._recalled or self._limits is None or not self._model.base_url:
            return ()
        self._recalled = True
        try:
            known = self._limits.find(self._model.base_url, self._model.name)
        except HaimaError as error:
            return (error,)
        if known is not None and self._limit is None:
            self._limit = _Limit(known.limit, known.source, known.live)
        return ()

    async def keep(self) -> tuple[HaimaError, ...]:
        """Keeps what is learned of this model for later processes, or that nothing is.

        Returns:
            Why it can't be written.
        """
        limits, limit, model = self._limits, self._limit, self._model
        if limits is None or not model.base_url:
            return ()
        url, name = self._endpoint
        try:
            if limit is None:
                await asyncio.to_thread(limits.forget, url, name)
            elif limit.grade != "suspected":
                await asyncio.to_thread(
                    limits.keep, url, name, limit.tokens, limit.grade, limit.live
                )
        except HaimaError as error:
            return (error,)
        return ()

    async def ask(self) -> tuple[HaimaError, ...]:
        """Asks the endpoint, for at most 2 s, and says what the user should hear and hasn't yet."""
        model = self._model
        if model.base_url:
            key = self._settings.model.api_key
            live = await live_window(model.base_url, model.name, key)
            if self._model is not model:  # exchanged meanwhile: the answer is of another
                return ()
            self.live = live or self.live
        problems = await self._drop_stale()
        return (*problems, *self._new(self._notice()))

    async def _drop_stale(self) -> tuple[HaimaError, ...]:
        """A server that tells another window than it did was started anew: believe it."""
        limit, live = self._limit, self.live
        if limit is None or limit.grade == "suspected" or live is None or live.window is None:
            return ()
        if limit.live == live.window or (limit.live is None and live.server is None):
            return ()
        self._limit = None
        return await self.keep()

    def set_window(self, size: int | None) -> Window:
        """The user's choice for this session; forgets what an overflow told.

        Args:
            size: tokens; None: what is set, told or known.

        Raises:
            WindowError: zero or negative; nothing changed.
        """
        if size is not None and size <= 0:
            raise WindowError("window.not_positive", window=f"{size:,}")
        self._chosen, self._limit, self._before = size, None, None
        self._recalled = True
        return self.window

    def learn(self, limit: int, grade: Grade = "stated") -> tuple[WindowNotice, ...]:
        """An overflow told the limit; says so where it lies below the window (PROVIDERS 1.3).

        A figure that the endpoint gives takes the place of a guess, also of a lower one.

        Args:
            limit: tokens.
            grade: how sure it is; a suspected one counts, but isn't said, until `believe`.
        """
        known, before = self._limit, self.window
        if grade == "stated" and known is not None and known.grade != "stated":
            before = replace(before, learned=None)
        if limit < SMALLEST:
            return ()
        if limit >= before.effective:
            if before.learned is None:
                self._limit = None
            return ()
        if grade == "suspected" and not self.suspects:
            self._before = known
        self._limit = _Limit(limit, grade, self.live.window if self.live else None)
        return self._new(self._learned_notice(before))

    @property
    def suspects(self) -> bool:
        """Whether what was learned last is only suspected."""
        return self._limit is not None and self._limit.grade == "suspected"

    def believe(self) -> tuple[WindowNotice, ...]:
        """What was only suspected is proved; says so."""
        limit = self._limit
        if limit is None or limit.grade != "suspected":
            return ()
        before = self._before.tokens if self._before else None
        self._limit, self._before = replace(limit, grade="guessed"), None
        return self._new(self._learned_notice(replace(self.window, learned=before)))

    def doubt(self) -> None:
        """What was only suspected is forgotten."""
        if self.suspects:
            self._limit, self._before = self._before, None

    def _learned_notice(self, before: Window) -> WindowNotice | None:
        """What was learned, and instead of what; None while it is only suspected."""
        limit = self._limit
        if limit is None or limit.grade == "suspected":
            return None
        return WindowNotice(
            "window.learned" if limit.grade == "stated" else "window.learned_about",
            host=urlsplit(self._model.base_url).netloc.rpartition("@")[2],
            model=self._model.name,
            limit=f"{limit.tokens:,}",
            window=f"{before.effective:,}",
        )

    def _recalled_notice(self) -> WindowNotice | None:
        """A window that the user set doesn't hold, as an earlier process learned."""
        limit, window = self._limit, self.window
        told = {key for url, name, key in self._told if (url, name) == self._endpoint}
        if limit is None or not told.isdisjoint(("window.learned", "window.learned_about")):
            return None
        if _configured(self._settings) is None or limit.tokens >= window.size:
            return None
        return self._learned_notice(replace(window, learned=None))

    @property
    def _endpoint(self) -> tuple[str, str]:
        return self._model.base_url, self._model.name

    def _notice(self) -> WindowNotice | None:
        """The most important thing to say about the window, if there is one."""
        window, live, model = self.window, self.live, self._model.name
        server = live.server if live else None
        if live and live.window and server == "ollama":
            wanted = window.effective
            if live.window < wanted:
                return self._ollama("window.loaded_less", live.window, wanted=f"{wanted:,}")
            if live.window < SMALL_WINDOW:
                return self._ollama("window.loaded", live.window)
        if (recalled := self._recalled_notice()) is not None:
            return recalled
        if window.effective < _TINY:
            size = f"{window.effective:,}"
            return WindowNotice("window.small", server=server, window=size)
        if not window.certain and not self.pending:
            return WindowNotice("window.unknown", model=model, window=f"{window.size:,}")
        return None

    def _ollama(self, key: Key, loaded: int, **values: object) -> WindowNotice:
        """It drops the oldest messages and says nothing (PROVIDERS 1.3)."""
        size, name = f"{loaded:,}", _NAMES["ollama"]
        model = self._model.name
        return WindowNotice(key, server="ollama", program=name, model=model, window=size, **values)

    def _new(self, notice: WindowNotice | None) -> tuple[WindowNotice, ...]:
        """The notice, unless it was told for this model already."""
        if notice is None:
            return ()
        told = (*self._endpoint, notice.key)
        if told in self._told:
            return ()
        self._told.add(told)
        return (notice,)


def window_of(
    name: str,
    base_url: str,
    settings: Settings,
    *,
    chosen: int | None = None,
    live: LiveWindow | None = None,
    learned: int | None = None,
) -> Window:
    """The window of a model (DESIGN 4, Numbers); asks nobody.

    Args:
        name: the model's.
        base_url: of its endpoint, "" while there is none.
        settings: where `model.window` may be set.
        chosen: the user's choice for this session, before everything else.
        live: what the endpoint told. Of a model that a local server will load with a window of its
            own choice, the table knows nothing.
        learned: what an overflow told.
    """
    facts = find_model(name)
    unloaded = live is not None and live.window is None
    window = choose_window(
        configured=(chosen, "flag") if chosen is not None else _configured(settings),
        live=live.window if live else None,
        table=facts.window if facts and not unloaded else None,
        max_input=facts.max_input if facts else None,
        learned=learned,
        private=bool(base_url) and is_private(urlsplit(base_url).hostname or ""),
    )
    return window if base_url else replace(window, largest=None)  # the demo takes any


def _configured(settings: Settings) -> tuple[int, SetBy] | None:
    """`model.window`, and by what it was set."""
    size = settings.model.window
    if size is None:
        return None
    place = settings.origins.get("model.window", "")
    if place == "--window":
        return size, "flag"
    return size, "environment" if place.startswith("HAIMA_") else "config"
