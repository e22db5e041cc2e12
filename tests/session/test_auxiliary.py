"""The model set apart for summaries: its settings, key and client, and what the doctor says."""

import os
from pathlib import Path

import pytest

from app.config import PROJECT_KEYS, ConfigError, Settings, load_settings
from app.paths import Paths, project_config
from app.ports import ModelRequest, Reply
from app.project import Project
from app.session.auxiliary import Auxiliary
from app.session.clock import SystemClock
from app.session.doctor import run_checks
from app.session.doctor.report import Finding
from app.session.endpoint import NotConnected
from app.text import LANGUAGES, Words
from tests.endpoint import Call, Endpoint, Say, Tokens

EN = Words("en")
MAIN, OTHER = "sk-main-0123456789", "sk-other-0123456789"
NEAR = "http://127.0.0.1:1/v1"


def load(
    folder: Path, user: str = "", *, project: str = "", environ: dict[str, str] | None = None
) -> Settings:
    paths = Paths(folder / "haima")
    paths.home.mkdir(exist_ok=True)
    paths.config_file.write_text(user, encoding="utf-8")
    paths.config_file.chmod(0o600)
    root = folder / "project"
    project_config(root).parent.mkdir(parents=True, exist_ok=True)
    project_config(root).write_text(project, encoding="utf-8")
    return load_settings(environ=environ or {}, paths=paths, project_root=root)


def main(address: str = NEAR, more: str = "") -> str:
    return f"[model]\nname = 'main'\nbase_url = '{address}'\napi_key = '{MAIN}'\n{more}"


def auxiliary(**values: str) -> str:
    lines = "".join(f"{name} = '{value}'\n" for name, value in values.items())
    return f"[model.auxiliary]\n{lines}"


def refusal(folder: Path, user: str, **layers: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(folder, user, environ=dict(layers))
    assert caught.value.sentence(Words("zh")) != str(caught.value)
    return str(caught.value)


class TestSettings:
    def test_none_is_set_by_default(self, tmp_path: Path) -> None:
        settings = load(tmp_path, main())
        assert settings.model.auxiliary == Settings().model.auxiliary
        assert Auxiliary(SystemClock(), EN).model(settings) is None

    def test_file_and_variables(self, tmp_path: Path) -> None:
        environ = {"HAIMA_MODEL__AUXILIARY__NAME": "from-variable", "AUX_KEY": OTHER}
        user = main(more=auxiliary(name="small", base_url=f"{NEAR}/x", api_key_env="AUX_KEY"))
        small = load(tmp_path, user, environ=environ).model.auxiliary
        assert (small.name, small.base_url) == ("from-variable", f"{NEAR}/x")
        assert small.api_key is not None
        assert small.api_key.get_secret_value() == OTHER

    def test_the_project_may_not_set_it(self, tmp_path: Path) -> None:
        settings = load(
            tmp_path, main(), project=auxiliary(name="x", base_url="http://evil.test/v1")
        )
        assert settings.model.auxiliary.name == ""
        assert [notice.values["key"] for notice in settings.notices] == [
            "model.auxiliary.base_url",
            "model.auxiliary.name",
        ]
        assert not any("auxiliary" in key for key in PROJECT_KEYS)

    def test_its_keys_are_credentials(self, tmp_path: Path) -> None:
        user = main(
            more=auxiliary(name="x", base_url="http://u:hunter2hunter2@h.test/v1", api_key=OTHER)
        )
        settings = load(tmp_path, user)
        assert set(settings.credentials) == {MAIN, OTHER, "hunter2hunter2"}
        assert settings.mask(f"a {OTHER} b") == "a ‹key› b"
        assert OTHER not in repr(settings)
        by_name = main(more=auxiliary(name="x", base_url=NEAR, api_key_env="AUX_KEY"))
        assert OTHER in load(tmp_path, by_name, environ={"AUX_KEY": OTHER}).credentials

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("name = 3", "model.auxiliary.name is 3, but must be text"),
            ("api_key = 'two words'", "model.auxiliary.api_key must be the key alone"),
            ("base_url = 'nowhere'", "model.auxiliary.base_url must be an address"),
            ("api_key_env = 'sk-1'", "model.auxiliary.api_key_env must be the name of an environ"),
            (
                "nam = 'x'",
                "there is no setting model.auxiliary.nam; did you mean model.auxiliary.n",
            ),
        ],
    )
    def test_what_is_wrong_is_named(self, tmp_path: Path, line: str, said: str) -> None:
        assert f": {said}" in refusal(tmp_path, f"[model.auxiliary]\n{line}\n")

    def test_a_section_is_a_section(self, tmp_path: Path) -> None:
        said = refusal(tmp_path, "[model]\nauxiliary = 'x'\n")
        assert "model.auxiliary must be a section, [model.auxiliary]" in said

    def test_a_variable_that_is_not_set_is_said(self, tmp_path: Path) -> None:
        user = main(more=auxiliary(name="x", base_url=NEAR, api_key_env="AUX_KEY"))
        (notice,) = load(tmp_path, user).notices
        assert notice.key == "config.no_variable"

    def test_a_files_variable_belongs_to_the_files_address(self, tmp_path: Path) -> None:
        user = main(more=auxiliary(name="x", base_url=NEAR, api_key_env="AUX_KEY"))
        environ = {"AUX_KEY": OTHER, "HAIMA_MODEL__AUXILIARY__BASE_URL": "http://else.test/v1"}
        assert load(tmp_path, user, environ=environ).model.auxiliary.api_key is None


class TestItsClient:
    async def sent(self, settings: Settings, endpoint: Endpoint) -> str | None:
        """What it sends as its key."""
        auxiliary = Auxiliary(SystemClock(), EN)
        model = auxiliary.model(settings)
        assert model is not None
        assert auxiliary.model(settings) is model
        ask = ModelRequest(({"role": "user", "content": "Hi"},))
        chunks = [chunk async for chunk in model.stream(ask)]
        await auxiliary.close()
        assert isinstance(chunks[-1], Reply)
        assert endpoint.requests[-1]["model"] == model.name == "small"
        return endpoint.headers[-1].get("authorization")

    async def test_the_main_endpoint_gets_the_main_key(self, tmp_path: Path) -> None:
        async with Endpoint([Say("a"), Say("b"), Say("c")]) as endpoint:
            url = endpoint.base_url
            for more in (
                auxiliary(name="small"),
                auxiliary(name="small", base_url=url),
            ):
                settings = load(tmp_path, main(url, more))
                assert await self.sent(settings, endpoint) == f"Bearer {MAIN}"
            own = load(tmp_path, main(url, auxiliary(name="small", api_key=OTHER)))
            assert await self.sent(own, endpoint) == f"Bearer {OTHER}"

    async def test_another_endpoint_never_gets_the_main_key(self, tmp_path: Path) -> None:
        async with Endpoint([Say("a"), Say("b")]) as endpoint:
            at = {"name": "small", "base_url": endpoint.base_url}
            environ = {"OPENAI_API_KEY": MAIN}
            bare = load(tmp_path, main(more=auxiliary(**at)), environ=environ)
            assert MAIN not in (await self.sent(bare, endpoint) or "")
            keyed = load(tmp_path, main(more=auxiliary(**at, api_key=OTHER)), environ=environ)
            assert await self.sent(keyed, endpoint) == f"Bearer {OTHER}"

    async def test_limits_of_the_main_model_are_not_its_own(self, tmp_path: Path) -> None:
        more = "temperature = 1.5\nmax_tokens = 50\nimages = 'on'\n" + auxiliary(name="small")
        async with Endpoint([Say("a")]) as endpoint:
            await self.sent(load(tmp_path, main(endpoint.base_url, more)), endpoint)
        assert {"temperature", "max_tokens"} & endpoint.requests[0].keys() == set()

    @pytest.mark.parametrize(
        ("user", "key"),
        [
            (auxiliary(name="x"), "endpoint.no_address"),
            (
                main(more=auxiliary(name="x", base_url="https://api.deepseek.com")),
                "endpoint.no_auxiliary_key",
            ),
        ],
    )
    def test_what_is_missing(self, tmp_path: Path, user: str, key: str) -> None:
        with pytest.raises(NotConnected) as caught:
            Auxiliary(SystemClock(), EN).model(load(tmp_path, user))
        assert caught.value.key == key
        assert len({caught.value.sentence(Words(language)) for language in LANGUAGES}) == 2


class TestTheDoctor:
    async def found(self, folder: Path, user: str) -> Finding | None:
        load(folder, user)
        paths = Paths(folder / "haima")
        environ = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        report = await run_checks(
            environ=environ, paths=paths, project=Project(folder / "project"), words=EN
        )
        groups = [finding for group in report.groups for finding in group.findings]
        return next((one for one in groups if one.check == "auxiliary"), None)

    async def test_it_asks_where_one_is_set(self, tmp_path: Path) -> None:
        both = [Say(calls=[Call("echo", {"text": "ok"})], usage=Tokens(9, 2))] * 2
        async with Endpoint(both) as endpoint:
            found = await self.found(tmp_path, main(endpoint.base_url, auxiliary(name="small")))
            assert found is not None
            assert (found.state, found.label, found.value) == ("ok", "Summaries", endpoint.base_url)
            assert "small" in found.note
            assert {body["model"] for body in endpoint.requests} == {"main", "small"}

    async def test_it_says_what_is_wrong_without_the_key(self, tmp_path: Path) -> None:
        async with Endpoint(lambda _: Say("a"), api_key=MAIN) as endpoint:
            more = auxiliary(name="small", base_url=endpoint.base_url, api_key=OTHER)
            found = await self.found(tmp_path, main(endpoint.base_url, more))
        assert found is not None
        assert found.state == "fail"
        assert OTHER not in str(found)
        assert "key" in found.cure

    async def test_it_says_nothing_where_none_is_set(self, tmp_path: Path) -> None:
        async with Endpoint(lambda _: Say("a")) as endpoint:
            assert await self.found(tmp_path, main(endpoint.base_url)) is None
