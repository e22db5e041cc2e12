"""`/model` against a real endpoint."""

from pathlib import Path

from tests.endpoint import Endpoint, Say, Status, Tokens
from tests.screens.stage import Stage, make_app, opened, until
from tests.widgets.desk import has_row, text
from widgets.dialogs.connect import ConnectDialog
from widgets.dialogs.models import ModelDialog


def at(tmp_path: Path, server: Endpoint) -> Stage:
    """Connected to the server, by its real client."""
    flags = {"model.name": "scripted", "model.base_url": server.base_url}
    return make_app(tmp_path, flags=flags)


async def test_a_real_endpoint_answers(tmp_path: Path) -> None:
    async with Endpoint([Say("Hello there.", usage=Tokens(10, 3))]) as server:
        app = at(tmp_path, server)
        async with app.run_test(size=(120, 36)) as pilot:
            await opened(pilot, app)
            await pilot.press(*"hi", "enter")
            await until(pilot, lambda: "Hello there." in text(app))
        assert server.violations == []


async def test_by_name_it_switches_at_once(tmp_path: Path) -> None:
    async with Endpoint([]) as server:
        app = at(tmp_path, server)
        async with app.run_test(size=(120, 36)) as pilot:
            await opened(pilot, app)
            await pilot.press(*"/model other-one", "enter")
            await until(pilot, lambda: "other-one answers from" in text(app))
            assert has_row(app, "≋ haima  order-service   other-one")
            assert not (tmp_path / "home/.haima/config.toml").exists()


async def test_from_the_list_and_kept(tmp_path: Path) -> None:
    async with Endpoint([], models=("a-small", "b-large", "scripted")) as server:
        app = at(tmp_path, server)
        async with app.run_test(size=(120, 36)) as pilot:
            await opened(pilot, app)
            await pilot.press(*"/model", "enter")
            await until(pilot, lambda: isinstance(app.screen, ModelDialog))
            assert has_row(app, "▸ scripted", "in use")
            assert has_row(app, "Ctrl+K use and keep")
            await pilot.press(*"large", "ctrl+k")
            await until(pilot, lambda: "b-large answers" in text(app))
            await until(pilot, (tmp_path / "home/.haima/config.toml").exists)
        assert (tmp_path / "home/.haima/config.toml").read_text().strip() == (
            '[model]\nname = "b-large"'
        )


async def test_another_address_from_the_list(tmp_path: Path) -> None:
    async with Endpoint([]) as first, Endpoint([], models=("elsewhere",)) as second:
        app = at(tmp_path, first)
        async with app.run_test(size=(120, 36)) as pilot:
            await opened(pilot, app)
            await pilot.press(*"/model", "enter")
            await until(pilot, lambda: isinstance(app.screen, ModelDialog))
            await pilot.press("ctrl+e")
            await until(pilot, lambda: isinstance(app.screen, ConnectDialog))
            dialog = app.screen
            assert isinstance(dialog, ConnectDialog)
            assert dialog.base_url.value == first.base_url
            dialog.base_url.value = second.base_url
            await pilot.press("enter")
            await until(pilot, lambda: "elsewhere answers" in text(app))
            assert app.session is not None
            assert app.session.settings.model.base_url == second.base_url


async def test_a_refused_key_can_be_corrected(tmp_path: Path) -> None:
    refused = Status(401, {"error": {"message": "Incorrect API key"}})
    async with Endpoint([], models=refused) as server:
        app = at(tmp_path, server)
        async with app.run_test(size=(120, 36)) as pilot:
            await opened(pilot, app)
            await pilot.press(*"/model", "enter")
            await until(pilot, lambda: isinstance(app.screen, ConnectDialog))
            await until(pilot, lambda: "wants a key" in text(app))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.chat)


async def test_the_demo_has_no_other_model(tmp_path: Path) -> None:
    app = make_app(tmp_path, demo=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"/model x", "enter")
        await until(pilot, lambda: "The demo has no other model" in text(app))
