"""The providers the first-run screen offers (mock 11), in its order."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider.

    Attributes:
        id: for settings and tests.
        name: as people call it.
        base_url: where chat requests go (PROVIDERS 1.1).
        key_variables: environment variables in which its key is looked for, the usual one first.
        model: offered first.
    """

    id: str
    name: str
    base_url: str
    key_variables: tuple[str, ...]
    model: str

    def key_variable(self, environ: Mapping[str, str]) -> str | None:
        """The variable that holds a key for this provider, None where none does."""
        return next((name for name in self.key_variables if environ.get(name, "").strip()), None)


# Addresses and models: PROVIDERS 1.1. Variables: as models.dev lists them (`env` of each provider),
# for GLM and Qwen the ones their own SDKs read as well.
PROVIDERS: tuple[Provider, ...] = (
    Provider(
        id="deepseek",
        name="DeepSeek",
        base_url="https://api.deepseek.com",
        key_variables=("DEEPSEEK_API_KEY",),
        model="deepseek-v4-flash",
    ),
    Provider(
        id="glm",
        name="Zhipu GLM",
        base_url="https://open.bigmodel.cn/api/paas/v4",
        key_variables=("ZHIPU_API_KEY", "ZHIPUAI_API_KEY"),
        model="glm-5.2",
    ),
    Provider(
        id="moonshot",
        name="Moonshot",
        base_url="https://api.moonshot.cn/v1",
        key_variables=("MOONSHOT_API_KEY",),
        model="kimi-k2.6",
    ),
    Provider(
        id="qwen",
        name="Qwen",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_variables=("DASHSCOPE_API_KEY", "DASHSCOPE_CN_API_KEY"),
        model="qwen3.6-plus",
    ),
    Provider(
        id="openai",
        name="OpenAI",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        # With tools 5.6 can't reason over /chat/completions (PROVIDERS 1.6); 5.5 can.
        model="gpt-5.5",
    ),
    Provider(
        id="openrouter",
        name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        model="deepseek/deepseek-v4-flash",
    ),
    Provider(
        id="stepfun",
        name="StepFun",
        base_url="https://api.stepfun.com/v1",
        key_variables=("STEPFUN_API_KEY",),
        model="step-3.7-flash",
    ),
)


def provider_at(host: str) -> Provider | None:
    """The provider with this host, if it is one of the table's."""
    return next((one for one in PROVIDERS if urlsplit(one.base_url).hostname == host), None)
