"""The window of the model in use: set, told, known or assumed, and what the user hears about it."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

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
from app.text import Key, Words

_TINY = 8_000
"""Tokens; below, all marks shrink in proportion, and the cure is said (DESIGN 4)."""

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


class ModelWindow:
    """The window that holds for the model in use; knows one at once, and better after `ask`.

    Attributes:
        live: what the endpoint told; None before it was asked, or where it tells nothing.
    """

    def __init__(self, model: ChatModel, settings: Settings) -> None:
        """For this model, as it is set; nothing is asked yet."""
        self._told: set[tuple[str, str, Key]] = set()
        self.use(model, settings)

    def use(self, model: ChatModel, settings: Settings) -> None:
        """Another model, or other settings: what was told, learned and chosen is forgotten."""
        self._model, self._settings = model, settings
        self._chosen: int | None = None
        self._learned: int | None = None
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
            learned=self._learned,
        )

    @property
    def marks(self) -> Thresholds:
        """Its marks."""
        return self.marks_at(self.window.effective)

    def marks_at(self, window: int) -> Thresholds:
        """The marks of any window, by the settings."""
        return thresholds(window, clear_at=self._settings.compaction.clear_at)

    @property
    def pending(self) -> bool:
        """Whether the server tells only once the model is loaded: ask after the first answer."""
        return self.live is not None and self.live.window is None

    async def ask(self) -> tuple[WindowNotice, ...]:
        """Asks the endpoint, for at most 2 s, and says what the user should hear and hasn't yet."""
        model = self._model
        if model.base_url:
            key = self._settings.model.api_key
            live = await live_window(model.base_url, model.name, key)
            if self._model is not model:  # exchanged meanwhile: the answer is of another
                return ()
            self.live = live or self.live
        return self._new(self._notice())

    def set_window(self, size: int | None) -> Window:
        """The user's choice for this session; forgets what an overflow told.

        Args:
            size: tokens; None: what is set, told or known.

        Raises:
            WindowError: zero or negative; nothing changed.
        """
        if size is not None and size <= 0:
            raise WindowError("window.not_positive", window=f"{size:,}")
        self._chosen, self._learned = size, None
        return self.window

    def learn(self, limit: int) -> tuple[WindowNotice, ...]:
        """An overflow told the limit; says so where it lies below the window (PROVIDERS 1.3)."""
        before = self.window
        if limit <= 0 or limit >= before.effective:
            return ()
        self._learned = limit
        host = urlsplit(self._model.base_url).netloc.rpartition("@")[2]
        notice = WindowNotice(
            "window.learned",
            host=host,
            model=self._model.name,
            limit=f"{limit:,}",
            window=f"{before.effective:,}",
        )
        return self._new(notice)

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
        told = (self._model.base_url, self._model.name, notice.key)
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
