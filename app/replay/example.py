"""The recording that comes with Haima: a made-up one, for the demo, the tests and the curious.

`example.jsonl` is in OpenAI's chat format; where a result says `generate`, its long output is made
by code (`example_logs`) and what it holds stands behind that. `tests.replay.make_example` writes
the file.
"""

from collections.abc import Iterator
from pathlib import Path

from app.replay.building import Builder
from app.replay.example_logs import example_log
from app.replay.importers import openai
from app.replay.importers.lines import Value, json_lines
from app.replay.recording import Recording
from app.storage import StorageError
from app.text import Words

EXAMPLE = "example"
"""What it is called on the command line."""

ROOT = "/code/order-service"
"""Where its project would be."""

FILE = Path(__file__).with_name("example.jsonl")


def example_recording(words: Words) -> Recording:
    """The example.

    Args:
        words: the language of the notes of a recording; its own is English.

    Raises:
        StorageError: it can't be read; the installation is broken.
    """
    builder = Builder("openai", EXAMPLE, words)
    builder.root = ROOT
    try:
        openai.read(_whole(), builder)
    except OSError as error:
        raise StorageError.from_os(FILE, error) from error
    return builder.finish()


def _whole() -> Iterator[Value]:
    """The messages, long outputs made."""
    for value in json_lines(FILE):
        match value and value.get("generate"):
            case {"kind": str() as kind, "lines": int() as lines} if value is not None:
                end = value.get("content", "")
                yield {**value, "content": f"{example_log(kind, lines)}{end}"}
            case _:
                yield value
