"""What a server without the right parser leaves in the text (PROVIDERS 1.8; 4, fault 17)."""

import re
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.messages import Reasoning
from app.llm.assemble import Assembler
from app.llm.dialects import UNKNOWN
from app.llm.errors import EmptyReply, LeakedCall, NoRoomToAnswer
from app.llm.leaks import leaked_call
from app.ports import (
    ModelRequest,
    ReasoningDelta,
    Reply,
    RequestedCall,
    Retrying,
    TextDelta,
    ToolSchema,
)
from tests.endpoint import Call, Endpoint, Say
from tests.llm.support import ask, cut_at, model_at, run

pytestmark = pytest.mark.usefixtures("closing")

TOOLS = ("read_file", "list_dir")
WITH_TOOLS = ModelRequest(
    messages=({"role": "user", "content": "Hi"},),
    tools=tuple(ToolSchema(name, "", {"type": "object", "properties": {}}) for name in TOOLS),
)
QWEN = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py"}}\n</tool_call>'
KIMI = "<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{}<|tool_call_end|>"

LEAKS = [
    QWEN,
    KIMI,
    f"Let me look.\n{QWEN}",
    f"我先看看。{QWEN}",
    f"{QWEN}\n{QWEN}\n",
    f"```ls``` lists.\n{QWEN}",
    "\n" * 40 + f"```\n</tool_call> ends it.\n```\n{QWEN}",
    f"```py\nimport os\n```\nNow the file.\n{QWEN}",
    '<tool_call>\n{"arguments": {"path": "`a`.py"}, "name": "read_file"}\n</tool_call><|im_end|>',
    "<tool_call>\n<function=list_dir>\n<parameter=path>\n.\n</parameter>\n</function>\n",
    "<function=read_file>\n<parameter=path>a.py</parameter>",
    "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n</tool_call>",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0"
    '<|tool_call_argument_begin|>{"path": "a.py"}<|tool_call_end|><|tool_calls_section_end|>',
    "I'll look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n"
    '```json\n{"path": "a.py"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n</｜DSML｜invoke>\n'
    "</｜DSML｜function_calls>",
    "<tool_calls>\n<tool_call>read_file\n```json\n{}\n```\n</tool_call>\n</tool_calls>",
    '[TOOL_CALLS][{"name": "read_file", "arguments": {}}]',
    '[TOOL_CALLS]read_file[ARGS]{"path": "a.py"}',
    '<minimax:tool_call>\n<invoke name="read_file">\n',
    '<|python_tag|>{"name": "read_file", "parameters": {}}',
    '<|channel|>commentary to=functions.read_file <|message|>{"path": "a.py"}',
]


@pytest.mark.parametrize("text", LEAKS)
def test_a_call_in_a_models_own_notation(text: str) -> None:
    assert leaked_call(text, TOOLS) in TOOLS


ABOUT = [
    "I use read_file for that.",
    "A `<tool_call>` names its tool, read_file for example.",
    "Qwen puts <tool_call> around it. In this project read_file is such a tool. See [read_file]",
    "模型先写 <tool_call>，再写 read_file，最后写 </tool_call>",
    "<tool_call> is the tag; what follows is JSON, for read_file too: {}",
    "<tool_call>read_file is how it begins.",
    f"It goes wrong like this:\n{QWEN}\nand nothing is run.",
    f"It goes wrong like this:\n{QWEN}\nand nothing is run, see {{docs}}",
    f"Kimi writes `{KIMI}`, see [docs]",
    f"Kimi writes `` a `tick` and {KIMI} ``, see [docs]",
    f"Qwen writes:\n\n```xml\n{QWEN}\n```\n\nThat is read_file.",
    f"The template:\n\n````md\n```xml\n{QWEN}\n```\n{KIMI}\n````\n[]",
    f"```\n```xml\n{KIMI}\n```\n[]",
    f"1. Like so:\n\n     ```\n     {KIMI}\n     ```\n   []",
    f"- ```\n  {KIMI}\n  ```\n\n[]",
    f"> ```\n> {KIMI}\n> ```\n\n[]",
    f"It goes on:\n\n```\n{QWEN}",
    f"As indented code:\n\n{indent(QWEN, ' ' * 4)}",
    '<tool_call>{"name": "reread_file_2"}',
    "",
]


@pytest.mark.parametrize("text", ABOUT)
def test_text_about_calls_is_none(text: str) -> None:
    assert leaked_call(text, TOOLS) == ""


async def test_it_never_runs_and_the_step_is_tried_once_more() -> None:
    call = Say(calls=[Call("read_file", {"path": "a.py"})])
    async with Endpoint([Say(QWEN), call]) as endpoint:
        *_, retrying, reply = await run(model_at(endpoint.base_url), WITH_TOOLS)
    assert isinstance(retrying, Retrying)
    assert retrying.reason == "a tool call was written as text"
    assert getattr(reply, "calls", None) == (RequestedCall("read_file", '{"path": "a.py"}'),)


async def test_written_as_text_again_it_is_an_error() -> None:
    async with Endpoint([Say(QWEN)] * 3) as endpoint:
        with pytest.raises(LeakedCall):
            await ask(model_at(endpoint.base_url), WITH_TOOLS)
        assert endpoint.left == 1


async def test_beside_a_real_call_or_without_tools_it_is_text() -> None:
    both = Say(QWEN, calls=[Call("read_file", {"path": "a.py"})])
    async with Endpoint([both, Say(QWEN)]) as endpoint:
        model = model_at(endpoint.base_url)
        assert len((await ask(model, WITH_TOOLS)).calls) == 1
        assert (await ask(model)).text == QWEN


@pytest.mark.parametrize("chunk", [1, 3, 8, 1_000])
@pytest.mark.parametrize("lead", ["", "\n "])
async def test_thoughts_at_the_start_are_reasoning(chunk: int, lead: str) -> None:
    text = f"{lead}<think>\nIs it 4 < 5? </thin no\n</think>\n\nYes: <think> is a tag."
    async with Endpoint([Say(text, chunk=chunk)]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
        reply = chunks[-1]
    thought = "".join(one.text for one in chunks if isinstance(one, ReasoningDelta))
    assert thought == "Is it 4 < 5? </thin no\n"
    assert getattr(reply, "text", None) == "Yes: <think> is a tag."
    assert getattr(reply, "reasoning", None) == Reasoning(thought, "reasoning_content", send=False)


@pytest.mark.parametrize(
    ("finish", "error"), [("stop", EmptyReply), ("length", NoRoomToAnswer)], ids=["stop", "length"]
)
async def test_thoughts_alone_are_no_answer(finish: str, error: type[Exception]) -> None:
    async with Endpoint([Say("<think>\nHm", finish=finish)] * 4) as endpoint:
        with pytest.raises(error):
            await ask(model_at(endpoint.base_url))


TAGS = st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think>", "x", "\n", " "]))


@given(TAGS.map("".join), st.sets(st.integers(0, 100)))
def test_wherever_it_is_cut_the_parts_are_the_same(text: str, cuts: set[int]) -> None:
    assembler = Assembler(UNKNOWN)
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in cut_at(text, cuts)]
    deltas = [delta for chunk in chunks for delta in assembler.feed(chunk)]
    deltas += assembler.rest()
    opened = re.fullmatch(r"\s*<think>\s*(.*?)(?:</think>\s*(.*))?", text, re.DOTALL)
    thought, said = (opened[1], opened[2] or "") if opened else ("", text)
    assert "".join(one.text for one in deltas if isinstance(one, ReasoningDelta)) == thought
    assert "".join(one.text for one in deltas if isinstance(one, TextDelta)) == said


async def test_an_empty_thought_is_none() -> None:
    """Qwen's models write one where they don't think."""
    async with Endpoint([Say("<think>\n\n</think>\n\nYes.", chunk=5)]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert [type(chunk) for chunk in chunks if not isinstance(chunk, TextDelta)] == [Reply]
    assert getattr(chunks[-1], "reasoning", None) is None


async def test_where_the_server_tells_reasoning_apart_the_tag_is_text() -> None:
    """An answer about the tag itself, which may stand alone."""
    text = "\n<think> is the tag that opens a thought."
    async with Endpoint([Say(text, reasoning="Which tag?", chunk=1)]) as endpoint:
        reply = await ask(model_at(endpoint.base_url))
    assert reply.text == text
    assert reply.reasoning == Reasoning("Which tag?", "reasoning_content", send=False)


def test_blank_lines_before_it_stay_in_their_place() -> None:
    assembler = Assembler(UNKNOWN)
    pieces = [("content", "\n"), ("reasoning_content", "Hm"), ("content", "<think>")]
    chunks = [{"choices": [{"delta": {field: piece}}]} for field, piece in pieces]
    deltas = [delta for chunk in chunks for delta in assembler.feed(chunk)]
    assert [*deltas, *assembler.rest()] == [ReasoningDelta("Hm"), TextDelta("\n<think>")]
