"""What the first-run screen offers: servers found here, providers, any address, the demo."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.llm.discover import LocalServer
from app.llm.providers import PROVIDERS, Provider
from app.llm.served import SMALL_WINDOW, Kind
from app.text import Key, Words

CURES: Mapping[Kind, Key] = {
    "ollama": "first_run.cure_ollama",
    "lm_studio": "first_run.cure_lm_studio",
    "llama_cpp": "first_run.cure_llama_cpp",
    "vllm": "first_run.cure_vllm",
}
"""How to start each local server with a larger window."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to connect to.

    Attributes:
        kind: what it is.
        server: a server that was found.
        providers: the provider; those behind `more`.
    """

    kind: Literal["server", "provider", "more", "other", "demo"]
    server: LocalServer | None = None
    providers: tuple[Provider, ...] = ()


def small_window(server: LocalServer, words: Words) -> str:
    """What to say about a server whose window is too small for coding; "" when it isn't."""
    if server.window is None or server.window >= SMALL_WINDOW:
        return ""
    said = words("first_run.small", name=server.name, window=f"{server.window:,}")
    return f"{said} {words(CURES[server.kind])}"


def numbered(servers: tuple[LocalServer, ...], *, compact: bool) -> list[tuple[Choice, str]]:
    """The choices with their digits.

    A compact screen has nine rows, the demo's digit among them: providers beyond that stand behind
    `more`. Elsewhere all are listed; those beyond the digits are reached by the arrows.
    """
    found = [Choice("server", server) for server in servers]
    providers = [Choice("provider", providers=(one,)) for one in PROVIDERS]
    if not compact:
        first = max(0, 8 - len(found))
        digits = [str(n) for n in range(1, 10)]
        named = found + providers[:first]
        pairs = list(zip(named, digits, strict=False))
        pairs += [(choice, "") for choice in providers[first:]]
        return [*pairs, (Choice("other"), digits[len(named)]), (Choice("demo"), "0")]
    room = 7 - len(found)
    kept = providers
    if len(providers) > room:
        rest = tuple(choice.providers[0] for choice in providers[room - 1 :])
        kept = [*providers[: room - 1], Choice("more", providers=rest)]
    choices = [*found, *kept, Choice("other"), Choice("demo")]
    return [(choice, str(number)) for number, choice in enumerate(choices, 1)]
