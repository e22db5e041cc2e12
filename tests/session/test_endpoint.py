"""What is missing before a request can be sent, and what isn't."""

import pytest

from app.config import Settings, load_settings
from app.paths import Paths
from app.session.clock import SystemClock
from app.session.endpoint import NotConnected, connect, missing
from app.text import Words


@pytest.fixture
def settings(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Loads settings from an environment alone."""
    home = tmp_path_factory.mktemp("home")

    def load(**environ: str) -> Settings:
        return load_settings(environ=environ, paths=Paths(home))

    return load


LOCAL = {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
KEY = {"OPENAI_API_KEY": "sk-0123456789abcdef"}
MODEL = {"HAIMA_MODEL": "m"}


@pytest.mark.parametrize(
    ("environ", "key"),
    [
        ({}, "endpoint.no_address"),
        (MODEL, "endpoint.no_address"),
        (LOCAL, "endpoint.no_model"),
        (KEY, "endpoint.no_model"),
        ({**MODEL, "OPENAI_BASE_URL": "https://api.deepseek.com"}, "endpoint.no_key"),
        ({**LOCAL, **MODEL}, None),
        ({**KEY, **MODEL}, None),
        ({**MODEL, "OPENAI_BASE_URL": "https://gateway.example.com/v1"}, None),
        ({**MODEL, **KEY, "OPENAI_BASE_URL": "https://api.deepseek.com"}, None),
    ],
)
def test_what_is_missing(settings: object, environ: dict[str, str], key: str | None) -> None:
    assert callable(settings)
    lack = missing(settings(**environ))
    assert (lack.key if lack else None) == key
    if lack is not None:
        for language in ("en", "zh"):
            assert "\n" not in lack.sentence(Words(language))


def test_openais_own_variable_means_openais_own_address(settings: object) -> None:
    assert callable(settings)
    model = connect(settings(**KEY, **MODEL), clock=SystemClock(), words=Words("en"))
    assert model.base_url == "https://api.openai.com/v1"
    assert model.name == "m"


def test_connecting_without_an_endpoint_says_what_is_missing(settings: object) -> None:
    assert callable(settings)
    with pytest.raises(NotConnected, match="--base-url"):
        connect(settings(), clock=SystemClock(), words=Words("en"))
