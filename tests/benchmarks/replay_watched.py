"""A manager of the replay harness, watched: how much of what was recorded it sends as it was.

What NAMES calls verbatim: the tokens of recorded messages that stand whole in the request. The tags
around a result and what follows it aren't counted; the user's words count wherever they are quoted
whole. Measured in the same way for every manager.
"""

from types import ModuleType
from typing import Any

Wire = dict[str, Any]

_FEWEST = 3
"""Characters of the user's words that are looked for."""


class Watched:
    """A manager and what it sends.

    Attributes:
        verbatim: tokens so far.
    """

    def __init__(self, manager: Any, tools: ModuleType, session: Any) -> None:
        self.verbatim = 0
        self._manager = manager
        self._tools = tools
        self._known: dict[object, int] = {}
        self._whole = {tools.key(one) for one in session.msgs}
        self._results: dict[str, list[Wire]] = {}
        self._said: dict[str, int] = {}
        for one in session.msgs:
            if one["role"] == "tool":
                self._results.setdefault(one["tool_call_id"], []).append(one)
            elif one["role"] == "user" and isinstance(one["content"], str):
                text = one["content"].strip()
                if len(text) >= _FEWEST:
                    self._said[text] = tools.msg_tokens(one)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manager, name)

    async def prepare(self, history: list[Wire]) -> Any:
        out = await self._manager.prepare(history)
        for message in out[1] if isinstance(out, tuple) else out:
            key = self._tools.key(message)
            if key not in self._known:
                self._known[key] = self._tokens(message, key)
            self.verbatim += self._known[key]
        return out

    def _tokens(self, message: Wire, key: Any) -> int:
        role, rest, text = message["role"], key[1:], message.get("content") or ""
        same = {key, *((role, nothing, *rest[1:]) for nothing in ("", None) if not text)}
        if role == "user":  # what a program says later than at the beginning
            same |= {("system", *rest), ("developer", *rest)}
        if same & self._whole:
            return int(self._tools.msg_tokens(message))
        if role == "tool" and isinstance(text, str):
            for one in self._results.get(message["tool_call_id"], ()):
                if str(one["content"]).strip() in text:
                    return int(self._tools.msg_tokens(one))
        if role == "user" and isinstance(text, str):
            return sum(tokens for said, tokens in self._said.items() if said in text)
        return 0
