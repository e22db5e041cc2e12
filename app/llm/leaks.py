"""What a server without the right parser leaves in the text: thoughts, tool calls. Pure.

`<think>` at the start of an answer is reasoning (vLLM, llama.cpp and proxies without a reasoning
parser). A call in the model's own notation never runs (PROVIDERS 1.8): what it means is the
server's business, and text may be about calls.
"""

import re
from collections.abc import Iterable, Iterator

from app.llm.fences import Fence

_OPEN, _CLOSE = "<think>", "</think>"


class Thoughts:
    """Parts a text into reasoning and answer as it streams."""

    def __init__(self) -> None:
        self._blank: list[str] = []
        self._held = ""
        self._inside: bool | None = None
        self._trim = False

    def skip(self) -> None:
        """The server told reasoning apart itself: a text that only begins now is all answer."""
        if self._inside is None:
            self._inside = False
            self._held = self._all_held()

    def feed(self, text: str) -> Iterator[tuple[bool, str]]:
        """Pieces in order, each with whether it is reasoning; what may be a tag is held back."""
        self._held += text
        if self._inside is None and not self._begins():
            return
        self._trim_lead()
        if self._inside:
            thought, tag, rest = self._held.partition(_CLOSE)
            if not tag:
                thought, rest = _split_before(thought)
            self._held = rest
            if thought:
                yield True, thought
            if not tag:
                return
            self._inside, self._trim = False, True
            self._trim_lead()
        held, self._held = self._held, ""
        if held:
            yield False, held

    def finish(self) -> Iterator[tuple[bool, str]]:
        """What was held back."""
        held, self._held = self._all_held(), ""
        if held:
            yield bool(self._inside), held

    def _begins(self) -> bool:
        """Whether it is known by now what the text begins with; blanks before it tell nothing."""
        begun = self._held.lstrip()
        if not begun:
            self._blank.append(self._held)
            self._held = ""
            return False
        if len(begun) < len(_OPEN) and _OPEN.startswith(begun):
            return False
        self._inside = self._trim = begun.startswith(_OPEN)
        held = self._all_held()
        self._held = begun.removeprefix(_OPEN) if self._inside else held
        return True

    def _trim_lead(self) -> None:
        """The blank lines before a thought, and between it and the answer."""
        if self._trim:
            self._held = self._held.lstrip()
            self._trim = not self._held

    def _all_held(self) -> str:
        held = "".join((*self._blank, self._held))
        self._blank.clear()
        return held


def _split_before(text: str) -> tuple[str, str]:
    """The text before what may be the beginning of the closing tag, and that."""
    for length in range(len(_CLOSE) - 1, 0, -1):
        if text.endswith(_CLOSE[:length]):
            return text[:-length], text[-length:]
    return text, ""


_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
"""Code within a line."""

_TAG = r"(?:[a-z]+:)?(?:tool|function)_?calls?>"
"""Qwen, Hermes, GLM, MiniMax, StepFun."""

_OPENING = re.compile(
    # Tags stand at a line's start or after a sentence: a sentence about one has it within.
    rf"(?:^ {{0,3}}|[.!?…。！？] ?)(?:<{_TAG}|<function=|<invoke name=)"
    r"|<\|tool_calls?(?:_section)?(?:_begin)?\|>|<\|python_tag\|>"  # Kimi, Llama
    r"|<｜(?:tool▁calls?▁begin|DSML)｜"  # DeepSeek
    r"|\[TOOL_CALLS\]|<\|channel\|>commentary to=functions"  # Mistral, gpt-oss
)

_GOES_ON = re.compile(rf"(?:</{_TAG}|section_end\|>|calls▁end｜>)\s*[^\s<]")
"""Something is said after a call; whoever calls a tool waits for its result."""


def leaked_call(text: str, tools: Iterable[str]) -> str:
    """The tool that a text ends with a call of, in a model's own notation; "" for none.

    A text that explains or quotes a call has it in code, or goes on after it.

    Args:
        text: of an answer without calls.
        tools: the names on offer; without one of them in its place it is no call.
    """
    names = "|".join(map(re.escape, tools))
    call = _last_words(text) if names and text.rstrip().endswith((">", "}", "]")) else ""
    if not call or _GOES_ON.search(call):
        return ""
    before = r"\"name\"\s*:\s*\"|name=\"|function=|functions\.|[>\]]\s*"
    found = re.search(rf"(?:{before})({names})(?![\w-])", call)
    return found[1] if found else ""


def _last_words(text: str) -> str:
    """From the first opening of a call that isn't code on, "" without one."""
    fence, start = Fence(), 0
    for line in text.split("\n"):
        if not fence.feed(line):
            plain = _CODE.sub(lambda code: "`" * len(code[0]), line)
            if opening := _OPENING.search(plain):
                return text[start + opening.start() :]
        start += len(line) + 1
    return ""
