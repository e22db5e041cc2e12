"""The first-run screen: what is found, what can be chosen, where it leads."""

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.llm.discover import LocalServer
from app.screens.first_run import FirstRunScreen, shown_address
from app.session.choices import numbered
from tests.endpoint import Endpoint
from tests.screens.stage import Stage, make_app, opened, until
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.connect import ConnectDialog
from widgets.dialogs.menu import MenuDialog
from widgets.dialogs.models import ModelDialog

OLLAMA = LocalServer(
    kind="ollama",
    name="Ollama",
    address="127.0.0.1:11434",
    base_url="http://127.0.0.1:11434/v1",
    models=("qwen3:4b", "llama3.3:70b", "qwen3-coder:30b"),
    window=4096,
)
STUDIO = LocalServer(
    kind="lm_studio",
    name="LM Studio",
    address="127.0.0.1:1234",
    base_url="http://127.0.0.1:1234/v1",
    models=("gemma-3-12b",),
    window=32_768,
)
BOTH = (OLLAMA, STUDIO)


async def both() -> tuple[LocalServer, ...]:
    return BOTH


async def looked(pilot: Pilot[int], app: Stage) -> FirstRunScreen:
    await until(pilot, lambda: "no model" in text(app) and "usual ports" not in text(app))
    assert isinstance(app.screen, FirstRunScreen)
    return app.screen


async def test_what_was_found_stands_where_the_mock_has_it(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both, environ={"DEEPSEEK_API_KEY": "sk-1234567890"})
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        shown = rows(app)
        assert shown[0].startswith(" ≋ haima  order-service") and shown[0].endswith("no model")
        left = 22
        assert shown[5][left:] == "≋ haima   memory and context you can see"
        ollama = "▸ 1 Ollama        127.0.0.1:11434                 3 models    ! 4,096 loaded"
        assert shown[10][left:] == ollama
        assert has_row(app, "  2 LM Studio     127.0.0.1:1234", "1 model", "32k")
        assert has_row(app, "· llama.cpp :8080 and vLLM :8000 do not answer")
        assert has_row(app, "  3 DeepSeek      api.deepseek.com", "key in the environment")
        assert has_row(app, "  6 Qwen          dashscope.aliyuncs.com/…/v1")
        assert has_row(app, "  9 other         any OpenAI-compatible base URL")
        assert has_row(app, "  0 Open the demo runs offline, nothing is sent")
        assert has_row(app, "! Ollama has loaded its models with a window of 4,096 tokens.")
        assert has_row(app, "Start it with OLLAMA_CONTEXT_LENGTH=65536 for coding work.")
        assert has_row(app, "Kept in ~/.haima/config.toml. A key from the environment is not")
        assert shown[-1].startswith(" ↑ ↓ Choose  0–9 Pick  Enter Go on  r Look again  ^G l 中文")
        assert shown[-1].endswith("^C quit")


async def test_compact(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both, environ={"DEEPSEEK_API_KEY": "sk-1234567890"})
    async with app.run_test(size=(80, 24)) as pilot:
        await looked(pilot, app)
        shown = rows(app)
        assert shown[4] == "  ≋ haima   memory and context you can see"
        assert shown[5] == "  No model is connected yet. Nothing is sent before you choose one."
        assert shown[7] == "  Found on this machine"
        assert shown[8].startswith("  ▸ 1 Ollama")
        assert shown[16].startswith("    7 more          OpenAI, OpenRouter, StepFun")
        assert shown[17].startswith("    8 other")
        assert shown[19].startswith("    9 Open the demo runs offline")
        assert shown[-1].startswith(" ↑ ↓ Choose  1–9 Pick")


async def test_chinese(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both, language="zh")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "只加载 4,096" in text(app))
        assert has_row(app, "▸ 1 Ollama", "3 个模型", "! 只加载 4,096")
        assert rows(app)[-1].endswith("^C 退出")


async def test_enter_opens_the_demo_where_nothing_was_found(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("enter")
        await opened(pilot, app)
        assert "This is the demo" in text(app)


@pytest.mark.parametrize("key", ["escape", "0"])
async def test_esc_and_its_digit_open_the_demo(tmp_path: Path, key: str) -> None:
    app = make_app(tmp_path, find=both)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press(key)
        await opened(pilot, app)
        assert "This is the demo" in text(app)


async def test_ctrl_c_leaves_at_once(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("ctrl+c")
        await pilot.pause()
    assert app.return_value == 0


async def test_the_focus_goes_to_a_server_only_if_the_user_has_not_moved(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def late() -> tuple[LocalServer, ...]:
        await gate.wait()
        return BOTH

    app = make_app(tmp_path, find=late)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "looking on the usual ports" in text(app))
        assert has_row(app, "▸ 0 Open the demo")
        await pilot.press("up")
        gate.set()
        await until(pilot, lambda: "Ollama" in text(app))
        assert has_row(app, "▸ 9 other")


async def test_looking_again(tmp_path: Path) -> None:
    answers = [(), BOTH]

    async def find() -> tuple[LocalServer, ...]:
        return answers.pop(0)

    app = make_app(tmp_path, find=find)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        assert not has_row(app, "Ollama", "3 models")
        await pilot.press("r")
        await until(pilot, lambda: has_row(app, "▸ 1 Ollama", "3 models"))


async def test_the_language_changes_with_ctrl_g_l(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await looked(pilot, app)
        await pilot.press("ctrl+g", "l")
        await until(pilot, lambda: "还没有连接模型" in text(app))
        assert rows(app)[0].endswith("未连接模型")
        await pilot.press("enter")
        await opened(pilot, app)
        assert "这是演示" in text(app)


async def test_a_server_with_one_model_is_used_and_kept(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("2")
        await opened(pilot, app)
        assert has_row(app, "≋ haima  order-service   gemma-3-12b")
        await until(pilot, lambda: "Kept in ~/.haima/config.toml" in text(app))
    kept = (tmp_path / "home/.haima/config.toml").read_text()
    assert 'base_url = "http://127.0.0.1:1234/v1"' in kept
    assert 'name = "gemma-3-12b"' in kept
    assert 'api_key_env = ""' in kept and "api_key =" not in kept


async def test_a_server_with_several_asks_which(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ModelDialog))
        assert has_row(app, "Endpoint   127.0.0.1:11434   3 models here")
        await pilot.press(*"coder", "enter")
        await opened(pilot, app)
        assert has_row(app, "≋ haima", "qwen3-coder:30b")


async def test_leaving_the_list_of_models_leaves_everything_as_it_was(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, ModelDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, FirstRunScreen))
        assert app.session is None
        assert not (tmp_path / "home/.haima/config.toml").exists()


async def test_any_address_is_tried_before_it_counts(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with Endpoint([]) as endpoint, app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("8")
        await until(pilot, lambda: isinstance(app.screen, ConnectDialog))
        await pilot.press("enter")
        await until(pilot, lambda: "The base URL is empty" in text(app))
        await pilot.press(*"127.0.0.1:9/v1", "enter")
        await until(pilot, lambda: "✗" in text(app))
        assert app.session is None
        dialog = app.screen
        assert isinstance(dialog, ConnectDialog)
        dialog.base_url.value = endpoint.base_url
        dialog.key.value = "sk-secret-secret"
        await pilot.pause()
        assert "sk-secret" not in text(app) and "••••" in text(app)
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, ConnectDialog))
        if isinstance(app.screen, ModelDialog):
            await pilot.press("enter")
        await opened(pilot, app)
        await until(pilot, (tmp_path / "home/.haima/config.toml").exists)
        assert 'api_key = "sk-secret-secret"' in (tmp_path / "home/.haima/config.toml").read_text()
        assert endpoint.violations == []


async def test_a_provider_without_a_key_asks_for_it(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await looked(pilot, app)
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, ConnectDialog))
        assert has_row(app, "DeepSeek   https://api.deepseek.com")
        await pilot.press("enter")
        await until(pilot, lambda: "DeepSeek wants a key; paste it" in text(app))
        await pilot.press("tab", "space")
        await pilot.pause()
        assert has_row(app, "○ keep in ~/.haima/config.toml")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, FirstRunScreen))


async def test_what_had_no_room_stands_behind_more(tmp_path: Path) -> None:
    app = make_app(tmp_path, find=both)
    async with app.run_test(size=(80, 24)) as pilot:
        await looked(pilot, app)
        await pilot.press("7")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        await pilot.press(*"step", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConnectDialog))
        assert has_row(app, "StepFun   https://api.stepfun.com/v1")


@pytest.mark.parametrize("servers", range(5))
@pytest.mark.parametrize("compact", [False, True])
def test_digits_are_unique_and_the_demo_has_one(servers: int, compact: bool) -> None:
    pairs = numbered(BOTH[:1] * servers, compact=compact)
    digits = [digit for _, digit in pairs if digit]
    assert len(set(digits)) == len(digits)
    assert pairs[-1][0].kind == "demo" and pairs[-1][1] in ("0", "9", *"12345678")
    assert sum(choice.kind == "other" for choice, _ in pairs) == 1
    named = {one.id for choice, _ in pairs for one in choice.providers}
    assert len(named) == 7


def test_an_address_loses_its_scheme_and_its_middle() -> None:
    assert shown_address("https://api.deepseek.com", 31, "…") == "api.deepseek.com"
    long = "https://dashscope.aliyuncs.com/compatible-mode/v1"
    assert shown_address(long, 31, "…") == "dashscope.aliyuncs.com/…/v1"
