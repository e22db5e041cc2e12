"""What each run begins with, done once on nothing in the stem, so that its copies need not."""

import ctypes  # noqa: F401  (what ends a run at a given point imports it)

from app.boundary import tool_result
from app.cli.commands import parse
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.wire import to_wire
from app.llm.connect import normalise_base_url
from app.llm.dialects import dialect_for
from app.llm.families import coefficients_for
from app.llm.model_table import find_model
from app.text import LANGUAGES, Words

_ADDRESS = "http://127.0.0.1:9/v1"
_LINE = ("run", "--base-url", _ADDRESS, "--model", "scripted", "--allow", "all", "--json", "Hello")


def rehearse() -> None:
    """Reads arguments, looks up a model, renders a call: a tenth of what a short run does.

    Only compiled patterns and tables of the program's own files stay; no file of a user is touched,
    and no network.
    """
    for language in LANGUAGES:
        parse(_LINE, Words(language))
    model, address = "scripted", normalise_base_url(_ADDRESS)
    dialect_for(address, model)
    coefficients_for(model)
    find_model(model)
    result = (TextPart(tool_result("read_file", "")),)
    to_wire(
        (
            Message("m1", "user", (TextPart(""),)),
            Message("m2", "assistant", calls=(ToolCall("c1", "read_file", "{}"),)),
            Message("m3", "tool", result, call_id="c1", tool="read_file"),
        )
    )
