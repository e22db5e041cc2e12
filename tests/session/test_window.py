"""The window of the model in use: who says what it is, and what the user hears about it."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from app.config import ModelSettings, Settings, load_settings
from app.conversation.window import WindowError
from app.errors import HaimaError
from app.paths import Paths
from app.ports import ModelChunk, ModelRequest
from app.session.learned import LearnedLimits
from app.session.window import ModelWindow
from app.text import Words
from tests.endpoint import Endpoint
from tests.llm.test_discover import LLAMA_CPP_PAGES, serving


class Named:
    """A model that only has a name and a place."""

    def __init__(self, name: str, base_url: str = "https://api.example.com/v1") -> None:
        self.name = name
        self.base_url = base_url

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Never used."""
        raise NotImplementedError
        yield


def fixed(size: int | None = None) -> Settings:
    return Settings(model=ModelSettings(window=size))


def said(notices: tuple[HaimaError, ...]) -> list[str]:
    for notice in notices:
        assert notice.code == "window"
        assert re.search(r"[一-鿿]", notice.sentence(Words("zh")))
    return [notice.sentence(Words("en")) for notice in notices]


def ollama(loaded: int | None, model: str = "qwen3:8b") -> Endpoint:
    running = [{"name": model, "context_length": loaded}] if loaded else []
    return serving({"/api/tags": {"models": [{"name": model}]}, "/api/ps": {"models": running}})


async def test_the_endpoint_is_asked_and_counts_more_than_the_table() -> None:
    models: list[Any] = [{"id": "gpt-4o", "context_length": 65_536}]
    async with Endpoint(models=models) as endpoint:
        window = ModelWindow(Named("gpt-4o", endpoint.base_url), fixed())
        assert (window.window.size, window.window.source) == (128_000, "table")
        assert said(await window.ask()) == []
    assert (window.window.size, window.window.source) == (65_536, "live")
    assert window.marks.window == 65_536


async def test_a_failed_question_forgets_nothing() -> None:
    models: list[Any] = [{"id": "m", "context_length": 65_536}]
    async with Endpoint(models=models) as endpoint:
        window = ModelWindow(Named("m", endpoint.base_url), fixed())
        await window.ask()
    assert said(await window.ask()) == []
    assert window.window.size == 65_536


async def test_an_unknown_window_is_said_once() -> None:
    async with Endpoint(models=["m"]) as endpoint:
        window = ModelWindow(Named("m", endpoint.base_url), fixed())
        (text,) = said(await window.ask())
        assert said(await window.ask()) == []
    assert "32,768 tokens are assumed" in text
    assert "model.window" in text
    assert not window.window.certain


def test_the_defaults_before_anyone_is_asked() -> None:
    assert ModelWindow(Named("m"), fixed()).window.size == 128_000
    assert ModelWindow(Named("m", "http://192.168.1.7:8000/v1"), fixed()).window.size == 32_768


async def test_the_demo_has_a_window_and_nothing_to_say() -> None:
    window = ModelWindow(Named("demo", ""), fixed())
    assert (window.window.size, window.window.certain) == (128_000, True)
    assert said(await window.ask()) == []


@pytest.mark.parametrize(
    ("environ", "flags", "source"),
    [
        ({}, {}, "config"),
        ({"HAIMA_WINDOW": "256k"}, {}, "environment"),
        ({"HAIMA_MODEL__WINDOW": "256k"}, {}, "environment"),
        ({"HAIMA_WINDOW": "64k"}, {"model.window": "256k"}, "flag"),
    ],
)
async def test_what_the_user_set_wins_and_is_known_by_its_place(
    tmp_path: Path, environ: dict[str, str], flags: dict[str, str | None], source: str
) -> None:
    paths = Paths(tmp_path)
    paths.config_file.write_text("[model]\nwindow = '256k'\n")
    settings = load_settings(environ=environ, paths=paths, flags=flags)
    async with Endpoint(models=[{"id": "m", "context_length": 65_536}]) as endpoint:
        window = ModelWindow(Named("m", endpoint.base_url), settings)
        assert said(await window.ask()) == []
    assert (window.window.effective, window.window.source) == (256_000, source)
    assert window.window.largest == 65_536


async def test_the_longest_prompt_counts() -> None:
    window = ModelWindow(Named("gpt-5.2"), fixed(400_000))
    assert (window.window.size, window.marks.window) == (400_000, 272_000)


async def test_ollamas_small_window_is_told_with_its_cure() -> None:
    async with ollama(4_096) as endpoint:
        window = ModelWindow(Named("qwen3:8b", endpoint.base_url), fixed())
        (text,) = said(await window.ask())
        assert said(await window.ask()) == []
    assert "Ollama has loaded qwen3:8b with a window of 4,096 tokens and silently drops" in text
    assert "OLLAMA_CONTEXT_LENGTH=65536" in text
    assert (window.window.effective, window.marks.summary) == (4_096, 2_560)


async def test_ollama_drops_what_the_user_believes_to_fit() -> None:
    async with ollama(40_960) as endpoint:
        window = ModelWindow(Named("qwen3:8b", endpoint.base_url), fixed(128_000))
        (text,) = said(await window.ask())
    assert "40,960 tokens, not 128,000" in text
    assert "OLLAMA_CONTEXT_LENGTH" in text
    assert window.window.effective == 128_000


async def test_ollama_with_room_enough_is_silent() -> None:
    async with ollama(65_536) as endpoint:
        window = ModelWindow(Named("qwen3:8b", endpoint.base_url), fixed())
        assert said(await window.ask()) == []
    assert window.window.size == 65_536


async def test_before_ollama_loads_the_model_nothing_is_believed() -> None:
    # The table's 131,072 would be the model's largest, not what Ollama gives it.
    async with ollama(None, "gpt-oss:20b") as endpoint:
        window = ModelWindow(Named("gpt-oss:20b", endpoint.base_url), fixed())
        assert said(await window.ask()) == []
    assert window.pending
    assert (window.window.size, window.window.certain) == (32_768, False)


async def test_a_tiny_window_of_another_server_is_told_with_its_cure() -> None:
    small = {"/props": {"default_generation_settings": {"n_ctx": 4_096}}}
    async with serving({**LLAMA_CPP_PAGES, **small}) as endpoint:
        window = ModelWindow(Named("model.gguf", endpoint.base_url), fixed())
        (text,) = said(await window.ask())
    assert "4,096 tokens" in text
    assert "Start it with -c 65536" in text


async def test_a_tiny_window_that_was_set_is_told() -> None:
    async with Endpoint(models=["m"]) as endpoint:
        window = ModelWindow(Named("m", endpoint.base_url), fixed(7_999))
        (text,) = said(await window.ask())
        assert "7,999 tokens" in text
        enough = ModelWindow(Named("m", endpoint.base_url), fixed(8_000))
        assert said(await enough.ask()) == []


def test_the_users_choice_for_this_session_comes_first_and_can_be_taken_back() -> None:
    window = ModelWindow(Named("kimi-k2.6"), fixed(200_000))
    assert window.set_window(1_000_000).effective == 1_000_000
    assert window.window.largest == 262_144
    assert window.set_window(None).effective == 200_000


@pytest.mark.parametrize("size", [0, -1])
def test_no_window_at_all_changes_nothing(size: int) -> None:
    window = ModelWindow(Named("kimi-k2.6"), fixed())
    window.learn(100_000)
    with pytest.raises(WindowError):
        window.set_window(size)
    assert window.window.effective == 100_000


def test_a_learned_limit_is_said_once_and_forgotten_by_the_users_choice() -> None:
    window = ModelWindow(Named("m", "https://me:secret@api.example.com/v1"), fixed())
    (text,) = said(window.learn(65_536))
    assert "api.example.com takes only 65,536 tokens of m, not 128,000" in text
    assert "secret" not in text
    assert said(window.learn(60_000)) == []
    assert (window.window.effective, window.window.source) == (60_000, "learned")
    window.set_window(128_000)
    assert window.window.effective == 128_000


@pytest.mark.parametrize("limit", [0, -5, 128_000, 1_000_000])
def test_a_limit_that_is_none_is_not_learned(limit: int) -> None:
    window = ModelWindow(Named("m"), fixed())
    assert said(window.learn(limit)) == []
    assert window.window.learned is None


async def test_another_model_starts_afresh() -> None:
    models: list[Any] = [{"id": "a", "context_length": 65_536}, "b"]
    async with Endpoint(models=models) as endpoint:
        window = ModelWindow(Named("a", endpoint.base_url), fixed())
        await window.ask()
        window.learn(50_000)
        window.set_window(40_000)
        window.use(Named("b", endpoint.base_url), fixed())
        assert (window.window.size, window.window.source) == (32_768, "default")
        (text,) = said(await window.ask())
        assert "The window of b isn't known" in text
        window.use(Named("a", endpoint.base_url), fixed())
        assert said(await window.ask()) == []
    assert window.window.size == 65_536


async def test_an_answer_about_a_model_that_was_exchanged_meanwhile_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models: list[Any] = [{"id": "a", "context_length": 65_536}]
    async with Endpoint(models=models) as endpoint:
        window = ModelWindow(Named("a", endpoint.base_url), fixed())
        from app.llm.live_window import live_window

        async def slow(*arguments: Any) -> Any:
            found = await live_window(*arguments)
            window.use(Named("b"), fixed())
            return found

        monkeypatch.setattr("app.session.window.live_window", slow)
        assert said(await window.ask()) == []
    assert window.window.size == 128_000


URL = "https://api.example.com/v1"


def known_in(tmp_path: Path, limit: int, source: Any = "stated", live: int | None = None) -> Any:
    """A limit that an earlier process learned."""
    limits = LearnedLimits(tmp_path / "limits.json")
    limits.keep(URL, "m", limit, source, live)
    return limits


def recalled(limits: LearnedLimits, settings: Settings, base_url: str = URL) -> ModelWindow:
    window = ModelWindow(Named("m", base_url), settings, limits)
    assert window.recall() == ()
    return window


def test_a_stated_limit_takes_the_place_of_a_guess_also_of_a_lower_one() -> None:
    window = ModelWindow(Named("m"), fixed(200_000))
    (text,) = said(window.learn(60_000, "guessed"))
    assert "seems to take about 60,000 tokens there, not 200,000" in text
    assert said(window.learn(70_000, "guessed")) == []
    assert window.window.effective == 60_000
    assert len(said(window.learn(65_536))) == 1
    assert window.window.effective == 65_536
    assert said(window.learn(64_000, "guessed")) == []
    assert window.window.effective == 64_000
    assert said(window.learn(200_000)) == [], "the guess was wrong"
    assert (window.window.effective, window.window.learned) == (200_000, None)


def test_a_suspected_limit_counts_and_is_said_once_believed() -> None:
    window = ModelWindow(Named("m"), fixed(200_000))
    assert said(window.learn(60_000, "suspected")) == []
    assert window.window.effective == 60_000
    assert said(window.learn(50_000, "suspected")) == []
    (text,) = said(window.believe())
    assert "about 50,000 tokens there, not 200,000" in text
    assert said(window.believe()) == []
    window.learn(40_000, "suspected")
    window.doubt()
    assert window.window.effective == 50_000


@pytest.mark.parametrize("limit", [-1, 0, 1, 999])
def test_a_figure_that_no_window_has_is_not_learned(limit: int) -> None:
    window = ModelWindow(Named("m"), fixed())
    assert said(window.learn(limit)) == []
    assert window.window.learned is None


async def test_what_an_earlier_process_learned_holds(tmp_path: Path) -> None:
    window = recalled(known_in(tmp_path, 65_536), fixed(200_000))
    assert (window.window.effective, window.window.source) == (65_536, "learned")
    assert window.marks.window == 65_536


async def test_that_a_set_window_does_not_hold_is_said_once_a_process(tmp_path: Path) -> None:
    async with Endpoint(models=["m"]) as endpoint:
        limits = LearnedLimits(tmp_path / "limits.json")
        limits.keep(endpoint.base_url, "m", 20_000, "stated")
        window = recalled(limits, fixed(200_000), endpoint.base_url)
        (text,) = said(await window.ask())
        assert "only 20,000 tokens of m, not 200,000" in text
        assert said(await window.ask()) == []
        silent = recalled(limits, fixed(), endpoint.base_url)
        assert said(await silent.ask()) == [], "nothing was set"
        assert silent.window.certain


async def test_the_users_choice_forgets_on_the_disk_too(tmp_path: Path) -> None:
    limits = known_in(tmp_path, 65_536)
    window = recalled(limits, fixed(200_000))
    window.set_window(None)
    assert await window.keep() == ()
    assert limits.find(URL, "m") is None
    assert window.recall() == ()
    assert window.window.effective == 200_000


@pytest.mark.parametrize(("then", "holds"), [(65_536, True), (32_768, False), (None, True)])
async def test_a_server_that_tells_another_window_now_is_believed(
    tmp_path: Path, then: int | None, holds: bool
) -> None:
    """It was started anew with a larger one: that is the cure we told."""
    async with Endpoint(models=[{"id": "m", "context_length": 65_536}]) as endpoint:
        limits = LearnedLimits(tmp_path / "limits.json")
        limits.keep(endpoint.base_url, "m", 20_000, "stated", then)
        window = recalled(limits, fixed(), endpoint.base_url)
        assert said(await window.ask()) == []
        assert window.window.effective == (20_000 if holds else 65_536)
        assert (limits.find(endpoint.base_url, "m") is not None) == holds


async def test_a_local_server_that_had_not_told_then_is_believed_now(tmp_path: Path) -> None:
    async with ollama(65_536) as endpoint:
        limits = LearnedLimits(tmp_path / "limits.json")
        limits.keep(endpoint.base_url, "qwen3:8b", 4_096, "guessed")
        window = ModelWindow(Named("qwen3:8b", endpoint.base_url), fixed(), limits)
        assert window.recall() == ()
        assert window.window.effective == 4_096
        assert said(await window.ask()) == []
        assert window.window.effective == 65_536
        assert limits.find(endpoint.base_url, "qwen3:8b") is None


def test_a_broken_file_is_told_and_nothing_is_believed(tmp_path: Path) -> None:
    limits = LearnedLimits(tmp_path / "limits.json")
    limits.path.write_text("{")
    window = ModelWindow(Named("m"), fixed(), limits)
    (problem,) = window.recall()
    assert problem.code == "limits"
    assert window.recall() == ()
    assert window.window.learned is None


async def test_the_demo_learns_nothing_for_later(tmp_path: Path) -> None:
    limits = LearnedLimits(tmp_path / "limits.json")
    window = ModelWindow(Named("demo", ""), fixed(), limits)
    window.learn(20_000)
    assert await window.keep() == ()
    assert not limits.path.exists()
