"""What can be set: one frozen model, a section a concern. Only keys that work exist."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    field_validator,
)

from app.config.errors import ConfigError
from app.config.secrets import mask, secrets_among
from app.text import Language
from app.text.sizes import parse_size

Theme = Literal["auto", "dark", "light"]
Glyphs = Literal["auto", "unicode", "ascii"]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


def _size(value: object) -> object:
    """A size as people write it, `128k`; anything else is left for the type to judge."""
    size = parse_size(value) if isinstance(value, str) else None
    return value if size is None else size


Variable = Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")]
"""The name of an environment variable, or ""."""

Size = Annotated[int, BeforeValidator(_size), Field(ge=1, le=100_000_000)]
"""Tokens: a whole number, or `128k`, `1m`."""


class Section(BaseModel):
    """A section of the settings: frozen, nothing unknown, nothing converted on the quiet."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        str_strip_whitespace=True,
        hide_input_in_errors=True,
    )


class EndpointSettings(Section):
    """Which model, where, and by which key; the sections that have these extend it.

    Attributes:
        name: as the endpoint calls it.
        base_url: of an OpenAI-compatible endpoint, without `/chat/completions`.
        api_key: the key that goes to `base_url`; None where the endpoint wants none.
        api_key_env: the environment variable that holds that key.
    """

    name: str = ""
    base_url: str = ""
    api_key: SecretStr | None = None
    api_key_env: Variable = ""

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        """Refuses what no request could go to; without a scheme, `host:port` and `host.name` pass.

        `llm.connect.normalise_base_url` makes of it what is asked; `port` raises on a wrong one.
        """
        if value:
            bare = "://" not in value
            parts = urlsplit(f"//{value}" if bare else value)
            host, port = parts.hostname or "", parts.port
            wrong = bare and not (port or "." in host or host == "localhost")
            if wrong or not (bare or parts.scheme in {"http", "https"}) or port == 0:
                raise ValueError("not an address")
            if not host or any(sign.isspace() for sign in value):
                raise ValueError("not an address")
        return value.rstrip("/")

    @field_validator("api_key")
    @classmethod
    def _is_key(cls, value: SecretStr | None) -> SecretStr | None:
        """A key goes into a header: ASCII, no spaces. An empty one is none."""
        text = value.get_secret_value().strip() if value is not None else ""
        if text and not (text.isascii() and text.isprintable() and " " not in text):
            raise ValueError("not a key")
        return SecretStr(text) if text else None


class AuxiliarySettings(EndpointSettings):
    """`[model.auxiliary]`: the model that writes summaries; none: the one that answers does.

    Attributes:
        name: as its endpoint calls it; "" for none.
        base_url: its endpoint; "" for that of `[model]`, with its key.
        api_key: the key that goes there. Another endpoint never gets the key of `[model]`.
        api_key_env: the environment variable that holds it; none by default.
    """


class ModelSettings(EndpointSettings):
    """`[model]`: which model, where, and how patiently.

    Attributes:
        name: as the endpoint calls it; "" while none is chosen.
        base_url: of an OpenAI-compatible endpoint, without `/chat/completions`; "" while none is.
        api_key: the key that goes to `base_url`; None where the endpoint wants none.
        api_key_env: the environment variable that holds the key of the file's `base_url`, so that
            such a key need not be copied. Another name than the default, or "", keeps the
            `OPENAI_API_KEY` of another endpoint from being sent to this one.
        temperature: sent only when set (issue 2).
        max_tokens: longest answer, in tokens; sent only when set (issue 2).
        window: tokens of the model's window; None: what the endpoint tells, the model table, or a
            cautious default (DESIGN 4).
        images: whether the model is shown pictures; `auto`: where the model table says that it
            takes them.
        connect_timeout: seconds to connect (issue 2: 10).
        idle_timeout: seconds without a byte of the stream (issue 2: 120).
        tries: how often a call is tried in all (issue 2: 4).
        auxiliary: the model that writes summaries.
    """

    api_key_env: Variable = "OPENAI_API_KEY"
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    window: Size | None = None
    images: Literal["auto", "on", "off"] = "auto"
    connect_timeout: Seconds = 10
    idle_timeout: Seconds = 120
    tries: Annotated[int, Field(ge=1, le=20)] = 4
    auxiliary: AuxiliarySettings = AuxiliarySettings()


class ToolSettings(Section):
    """`[tools]`: what the model is offered.

    Attributes:
        exclude: names of tools that are not offered; a project can only add to the user's.
        command_timeout: seconds a command may run unless the model asks for more
            (issue 2: 120, at most 600).
    """

    exclude: Annotated[tuple[str, ...], Field(strict=False)] = ()
    command_timeout: Annotated[int, Field(ge=1, le=600)] = 120


class CompactionSettings(Section):
    """`[compaction]`: what leaves the model's view by itself (DESIGN 4).

    Attributes:
        auto: `all`; `clear`: old results are cleared, nothing is summarised; `off`: only warned.
        clear_at: tokens from which old results are cleared, instead of the mark of the window;
            pulled below the summary mark.
        min_gain: tokens that a clear frees at least, instead of the window's.
        top_n: entities that are told with what was done to them when a tier rewrote the history,
            instead of 15, or 25 from 200K on.
        keep_tools: tools whose results are never cleared, beside those that never are; a project
            can only add to the user's.
        on_failure: where nothing brings a request under the window and nobody is asked
            (`haima run`): `stop` ends with an error; `cut`: the older part is cut off without a
            summary.
    """

    auto: Literal["all", "clear", "off"] = "all"
    clear_at: Size | None = None
    min_gain: Size | None = None
    top_n: Annotated[int, Field(ge=1, le=100)] | None = None
    keep_tools: Annotated[tuple[str, ...], Field(strict=False)] = ()
    on_failure: Literal["stop", "cut"] = "stop"


class MemorySettings(Section):
    """`[memory]`: what is remembered across sessions (DESIGN 4, "Facts").

    Attributes:
        enabled: whether conversations recall and save.
        stale_days: days after which an unconfirmed memory counts as possibly stale; 0: never.
    """

    enabled: bool = True
    stale_days: Annotated[int, Field(ge=0, le=36_500)] = 30


class UiSettings(Section):
    """`[ui]`: the screen.

    Attributes:
        language: None follows the locale.
        theme: `auto` asks the terminal.
        glyphs: `auto` looks at the terminal and its encoding.
        motion: whether anything moves (STYLE 12).
    """

    language: Language | None = None
    theme: Theme = "auto"
    glyphs: Glyphs = "auto"
    motion: bool = True


class Settings(Section):
    """All settings as they hold after all layers (`load_settings`), with where they came from."""

    model: ModelSettings = ModelSettings()
    tools: ToolSettings = ToolSettings()
    compaction: CompactionSettings = CompactionSettings()
    memory: MemorySettings = MemorySettings()
    ui: UiSettings = UiSettings()

    _notices: tuple[ConfigError, ...] = PrivateAttr(default=())
    _origins: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _secrets: tuple[str, ...] = PrivateAttr(default=())

    @property
    def notices(self) -> tuple[ConfigError, ...]:
        """What the user should hear at the start: keys that were found but not applied."""
        return self._notices

    @property
    def origins(self) -> Mapping[str, str]:
        """Where each key that isn't a default was set: `model.name` → file, variable or option."""
        return self._origins

    @property
    def credentials(self) -> tuple[str, ...]:
        """Haima's own secrets of every layer, used or not; longest first."""
        found = list(self._secrets)
        for endpoint in (self.model, self.model.auxiliary):
            if endpoint.api_key is not None:
                found.append(endpoint.api_key.get_secret_value())
            if password := urlsplit(endpoint.base_url).password:
                found.append(password)
        return secrets_among(found)

    def mask(self, text: str) -> str:
        """`text` with every credential replaced by `‹key›`."""
        return mask(text, self.credentials)

    def noting(
        self,
        *,
        notices: tuple[ConfigError, ...],
        origins: Mapping[str, str],
        secrets: tuple[str, ...],
    ) -> Self:
        """A copy that remembers what its layers said beside the values."""
        noted = self.model_copy()
        noted._notices, noted._origins, noted._secrets = notices, dict(origins), secrets
        return noted
