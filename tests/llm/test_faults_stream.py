"""Faults 4 to 15 and 22 of PROVIDERS part 4: what can go wrong inside a stream."""

import asyncio
import json
from typing import Any

import pytest

from app.llm.errors import (
    BrokenStream,
    CallError,
    ContentFiltered,
    ContextOverflow,
    EmptyReply,
    NoRoomToAnswer,
    NotAnEndpoint,
    ServerFailed,
    TimedOut,
    TruncatedCall,
)
from app.llm.waits import Timeouts
from app.ports import RequestedCall, Usage
from tests.endpoint import (
    DONE,
    Close,
    Endpoint,
    Gate,
    Pause,
    Raw,
    Reset,
    Say,
    Status,
    delta,
    event,
    finish,
)
from tests.endpoint.script import Piece, Step
from tests.llm.support import ASK, FakeClock, ask, model_at, retries, run, shown

pytestmark = pytest.mark.usefixtures("closing")

OK = Say("Hi")
CALL = delta(
    tool_calls=[{"index": 0, "id": "a", "function": {"name": "read", "arguments": '{"a": 1}'}}]
)
HALF_CALL = delta(
    tool_calls=[{"index": 0, "id": "a", "function": {"name": "read", "arguments": '{"a": '}}]
)


def one(chunk: dict[str, Any]) -> bytes:
    """A chunk with everything around it left out."""
    return event(chunk)


async def reply_to(*pieces: Piece, **options: Any) -> Any:
    """The reply to one answer, byte for byte, which has to do without another try."""
    async with Endpoint([Raw(pieces)]) as endpoint:
        return await ask(model_at(endpoint.base_url, tries=1, **options))


# Fault 4: errors and nothing at all behind a status of 200.

FAILURES: dict[str, Raw | Status] = {
    "json body": Status(200, {"error": {"message": "Oops", "type": "server_error"}}),
    "json body under the stream's type": Status(
        200, {"error": {"message": "Oops"}}, {"content-type": "text/event-stream"}
    ),
    "empty stream": Raw([]),
    "only done": Raw([DONE]),
    "only comments": Raw([b": hello\n\n", b"\n\n"]),
    "error first": Raw([event({"error": {"message": "Oops", "code": 502}})]),
    "error in the middle": Raw([delta(content="ha"), event({"error": {"message": "Oops"}})]),
    "event error": Raw([b'event: error\ndata: {"detail": "Oops"}\n\n']),
    "error beside no choices": Raw(
        [event({"choices": [], "error": {"code": "502", "message": "O"}})]
    ),
    "error at the top": Raw([event({"object": "error", "message": "Oops", "code": 500})]),
    "finish error": Raw([delta(content="ha"), finish("error"), DONE]),
    "finish network_error": Raw([finish("network_error"), DONE]),
    "finish stop and nothing": Raw([finish("stop"), DONE]),
    "only reasoning": Raw([delta(reasoning_content="Hm"), finish("stop"), DONE]),
    "no finish": Raw([delta(content="ha"), DONE]),
    "no json": Raw([delta(content="ha"), b'data: {"choices": [\n\n', finish()]),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
async def test_a_failure_behind_200_is_tried_again(failure: Raw | Status) -> None:
    async with Endpoint([failure, OK]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert len(retries(chunks)) == 1
    assert shown(chunks) == "Hi"


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
async def test_a_failure_behind_200_is_never_an_empty_success(failure: Raw | Status) -> None:
    async with Endpoint(lambda _: failure) as endpoint:
        with pytest.raises((BrokenStream, EmptyReply, ServerFailed)):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 4


async def test_an_overflow_behind_200_is_an_overflow() -> None:
    text = "The number of tokens to keep is greater than the context length (n_keep: 13>= n_ctx: 9)"
    for step in (Status(200, {"error": text}), Raw([event({"error": text})])):
        async with Endpoint([step]) as endpoint:
            with pytest.raises(ContextOverflow) as caught:
                await run(model_at(endpoint.base_url))
        assert (caught.value.limit, caught.value.used) == (9, 13)


async def test_a_web_page_behind_200_is_no_model_server() -> None:
    page = Status(200, "<!DOCTYPE html><title>Welcome</title>", {"content-type": "text/html"})
    async with Endpoint([page]) as endpoint:
        with pytest.raises(NotAnEndpoint, match="no model server"):
            await run(model_at(endpoint.base_url))


async def test_other_json_behind_200_is_no_model_server() -> None:
    async with Endpoint([Status(200, {"status": "ok"})]) as endpoint:
        with pytest.raises(NotAnEndpoint):
            await run(model_at(endpoint.base_url))


async def test_what_was_shown_before_an_error_was_given_before_it() -> None:
    """Even where both come in one read: the reader sees it, then the mark that it is discarded."""
    both = delta(content="half") + event({"error": {"message": "Oops"}})
    async with Endpoint([Raw([both]), OK]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert [type(chunk).__name__ for chunk in chunks[:2]] == ["TextDelta", "Retrying"]


# Fault 5 and 6: the connection ends somewhere.

ENDS = {"fin": Close(), "rst": Reset()}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
async def test_cut_after_half_a_word_the_step_begins_afresh(end: Close | Reset) -> None:
    seen = asyncio.Event()
    async with Endpoint([Raw([delta(content="He"), Gate(seen), end]), OK]) as endpoint:
        chunks = []
        async for chunk in model_at(endpoint.base_url).stream(ASK):
            chunks.append(chunk)
            seen.set()
    assert [type(chunk).__name__ for chunk in chunks] == [
        "TextDelta",
        "Retrying",
        "TextDelta",
        "Reply",
    ]
    assert shown(chunks) == "Hi"


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
async def test_cut_before_a_byte_it_is_tried_again(end: Close | Reset) -> None:
    async with Endpoint([Raw([end], head=False), OK]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert len(retries(chunks)) == 1
    assert shown(chunks) == "Hi"


@pytest.mark.parametrize("end", [Close(), DONE], ids=["fin", "done"])
@pytest.mark.parametrize("call", [CALL, HALF_CALL], ids=["whole", "half"])
async def test_a_call_that_was_cut_is_tried_once_more_and_never_runs(
    call: bytes, end: Piece
) -> None:
    cut = Raw([call, end])
    async with Endpoint([cut, OK]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert len(retries(chunks)) == 1
    assert shown(chunks) == "Hi"
    async with Endpoint(lambda _: cut) as endpoint:
        with pytest.raises(TruncatedCall, match="was not run"):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
async def test_cut_after_the_answer_was_over_is_a_success(end: Close | Reset) -> None:
    gate = asyncio.Event()
    pieces: list[Piece] = [delta(content="Hi"), finish(), Gate(gate), end]
    async with Endpoint([Raw(pieces)]) as endpoint:
        chunks = []
        async for chunk in model_at(endpoint.base_url, tries=1).stream(ASK):
            chunks.append(chunk)
            asyncio.get_running_loop().call_later(0.01, gate.set)
    assert shown(chunks) == "Hi"


async def test_half_an_event_at_the_end_of_an_answer_that_was_over() -> None:
    reply = await reply_to(delta(content="Hi"), finish(), b'data: {"usage": {"prom')
    assert reply.text == "Hi"


async def test_an_error_after_the_answer_was_over_changes_nothing() -> None:
    late = event({"error": {"message": "late"}})
    assert (await reply_to(delta(content="Hi"), finish(), late)).text == "Hi"
    assert (await reply_to(delta(content="Hi"), finish() + late)).text == "Hi"


async def test_no_done_and_the_connection_stays_open() -> None:
    """A little patience for usage, less if it is there already; not the idle time."""
    forever = Gate(asyncio.Event())
    timeouts = Timeouts(after_finish=0.02, drain=3600.0)
    assert (await reply_to(delta(content="Hi"), finish(), forever, timeouts=timeouts)).text == "Hi"
    usage = one({"choices": [], "usage": {"prompt_tokens": 9}})
    timeouts = Timeouts(after_finish=3600.0, drain=0.02)
    reply = await reply_to(delta(content="Hi"), finish() + usage, forever, timeouts=timeouts)
    assert reply.usage == Usage(9)


async def test_no_done_at_all() -> None:
    assert (await reply_to(delta(content="Hi"), finish())).text == "Hi"


async def test_no_blank_line_after_the_last_event() -> None:
    assert (await reply_to(delta(content="Hi"), finish().rstrip())).text == "Hi"


async def test_finish_twice_and_data_after_done() -> None:
    reply = await reply_to(
        delta(content="Hi"), finish(), finish("length"), DONE, delta(content=" and more"), DONE
    )
    assert (reply.text, reply.truncated) == ("Hi", False)


async def test_a_body_that_never_ends_after_done() -> None:
    forever = Gate(asyncio.Event())
    timeouts = Timeouts(after_finish=3600.0, drain=0.02)
    pieces: list[Piece] = [delta(content="Hi"), finish(), DONE, forever]
    assert (await reply_to(*pieces, timeouts=timeouts)).text == "Hi"


# Fault 7: what belongs to the format but carries nothing.


async def test_comments_blank_lines_and_other_fields() -> None:
    noise = b": keep-alive\n\n\n\nid: 7\n\nretry: 3000\n\nevent: ping\n\n"
    reply = await reply_to(noise, delta(content="H"), noise, delta(content="i"), noise, finish())
    assert reply.text == "Hi"


async def test_line_ends_of_windows_and_no_space_after_the_colon() -> None:
    raw = b"".join([delta(content="Hi"), finish(), DONE]).replace(b"\n", b"\r\n")
    assert (await reply_to(raw.replace(b"data: ", b"data:"))).text == "Hi"


async def test_one_object_in_several_data_lines() -> None:
    text = json.dumps({"choices": [{"delta": {"content": "Hi"}}]}, indent=1)
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    assert (await reply_to(lines.encode() + b"\n", finish())).text == "Hi"


async def test_keep_alive_does_not_hide_a_dead_model_forever() -> None:
    clock = FakeClock()
    gates = [asyncio.Event() for _ in range(3)]
    pieces: list[Piece] = [p for gate in gates for p in (b": keep-alive\n\n", Gate(gate))]
    async with Endpoint([Raw([*pieces, Gate(asyncio.Event())])]) as endpoint:
        timeouts = Timeouts(keep_alive=600.0)
        running = asyncio.create_task(
            run(model_at(endpoint.base_url, clock=clock, tries=1, timeouts=timeouts))
        )
        await endpoint.request_count(1)
        for gate in gates:
            clock.advance(250.0)
            gate.set()
        with pytest.raises(TimedOut, match="nothing for 600 s"):
            await running
        await endpoint.hung_up()


async def test_keep_alive_is_waited_through() -> None:
    clock = FakeClock()
    gate = asyncio.Event()
    pieces: list[Piece] = [
        b": keep-alive\n\n",
        Gate(gate),
        b": keep-alive\n\n",
        delta(content="Hi"),
        finish(),
    ]
    async with Endpoint([Raw(pieces)]) as endpoint:
        running = asyncio.create_task(run(model_at(endpoint.base_url, clock=clock, tries=1)))
        await endpoint.request_count(1)
        clock.advance(599.0)
        gate.set()
        assert shown(await running) == "Hi"


async def test_whatever_comes_of_the_answer_counts_as_life() -> None:
    clock = FakeClock()
    seen = asyncio.Event()
    pieces: list[Piece] = [
        delta(content="H"),
        Gate(seen),
        b": keep-alive\n\n",
        delta(content="i"),
        finish(),
    ]
    async with Endpoint([Raw(pieces)]) as endpoint:
        chunks = []
        async for chunk in model_at(endpoint.base_url, clock=clock, tries=1).stream(ASK):
            chunks.append(chunk)
            clock.advance(700.0)
            seen.set()
    assert shown(chunks) == "Hi"


# Fault 8: characters cut anywhere.


async def test_one_byte_at_a_time_through_family_emoji_and_escapes() -> None:
    text = "你好 👩‍👩‍👧 é 🚀"
    raw = b"\xef\xbb\xbf" + b"".join(
        [
            delta(content=text),
            b'data: {"choices": [{"delta": {"content": " \\uD83D\\uDE80"}}]}\n\n',
            b'data: {"choices": [{"delta": {"content": "\\uD83D"}}]}\n\n',
            b'data: {"choices": [{"delta": {"content": "\\uDE80 \\uD83D"}}]}\n\n',
            finish(),
            DONE,
        ]
    )
    reply = await reply_to(*(raw[i : i + 1] for i in range(len(raw))))
    assert reply.text == f"{text} 🚀🚀 \\ud83d"


# Fault 9: much at once.


async def test_five_megabytes_in_one_delta() -> None:
    assert len((await reply_to(delta(content="x" * 5_000_000), finish(), DONE)).text) == 5_000_000


async def test_twenty_thousand_single_characters_are_few_deltas() -> None:
    raw = delta(content="x") * 20_000
    pieces = [raw[i : i + 65_536] for i in range(0, len(raw), 65_536)]
    async with Endpoint([Raw([*pieces, finish(), DONE])]) as endpoint:
        chunks = await run(model_at(endpoint.base_url, tries=1))
    assert shown(chunks) == "x" * 20_000
    assert len(chunks) < 2_000


# Fault 10: slowness.


@pytest.mark.parametrize(
    "pieces",
    [
        [Gate(asyncio.Event())],
        [delta(content="He"), Gate(asyncio.Event())],
    ],
    ids=["before anything", "in the middle"],
)
async def test_silence_ends_after_the_idle_time(pieces: list[Piece]) -> None:
    async with Endpoint([Raw(pieces), OK]) as endpoint:
        timeouts = Timeouts(idle=0.05)
        chunks = await run(model_at(endpoint.base_url, timeouts=timeouts))
        await endpoint.hung_up()
    assert [retry.reason for retry in retries(chunks)] == ["nothing came in time"]
    assert shown(chunks) == "Hi"


async def test_silence_before_the_headers() -> None:
    async with Endpoint([Raw([Gate(asyncio.Event())], head=False)]) as endpoint:
        with pytest.raises(TimedOut, match=r"sent nothing for 0\.05 s"):
            await run(model_at(endpoint.base_url, tries=1, timeouts=Timeouts(idle=0.05)))


async def test_silence_in_a_call_is_a_cut_call() -> None:
    silent = Raw([HALF_CALL, Gate(asyncio.Event())])
    async with Endpoint([silent, silent]) as endpoint:
        with pytest.raises(TruncatedCall):
            await run(model_at(endpoint.base_url, timeouts=Timeouts(idle=0.05)))
    assert len(endpoint.requests) == 2


async def test_slow_but_alive_is_no_failure() -> None:
    pieces = [piece for c in "Hello" for piece in (Pause(0.03), delta(content=c))]
    reply = await reply_to(*pieces, finish(), timeouts=Timeouts(idle=0.5))
    assert reply.text == "Hello"


# Fault 11: usage.


@pytest.mark.parametrize(
    "pieces",
    [
        [delta(content="a"), finish(), DONE],
        [event({"choices": [{"delta": {"content": "a"}}], "usage": None}), finish(), DONE],
        [
            delta(content="a"),
            finish(),
            one({"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 4}}),
        ],
        [
            delta(content="a"),
            finish(),
            one({"choices": [], "usage": {"prompt_tokens": 10**9, "completion_tokens": 4}}),
        ],
    ],
    ids=["none", "null", "zero", "absurd"],
)
async def test_no_usage_to_anchor_on(pieces: list[Piece]) -> None:
    assert (await reply_to(*pieces)).usage is None


# Faults 12 and 13: calls, whatever their shape; `test_calls` has all of them.


async def test_arguments_that_are_wrong_but_whole_reach_the_toolbox() -> None:
    wrong = '{"a": 1, "a": NaN,}'
    call = {"index": 0, "id": "a", "function": {"name": "No.Such tool", "arguments": wrong}}
    reply = await reply_to(delta(tool_calls=[call]), finish("tool_calls"), DONE)
    assert reply.calls == (RequestedCall("No.Such tool", wrong),)


# Fault 14: how an answer can end.


async def test_calls_with_finish_stop_are_calls() -> None:
    assert len((await reply_to(CALL, finish("stop"), DONE)).calls) == 1


@pytest.mark.parametrize("reason", ["length", "tool_calls"])
async def test_a_truncated_call_is_tried_once_more(reason: str) -> None:
    async with Endpoint(lambda _: Raw([HALF_CALL, finish(reason), DONE])) as endpoint:
        with pytest.raises(TruncatedCall):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 2


async def test_at_the_limit_arguments_must_be_valid_and_there() -> None:
    """What stands there may look whole by chance; elsewhere the model is told what is wrong."""
    odd = CALL.replace(b'{\\"a\\": 1}', b"{'a': 1}")
    bare = CALL.replace(b'{\\"a\\": 1}', b"")
    for call in (odd, bare):
        assert call != CALL
        assert len((await reply_to(call, finish("tool_calls"), DONE)).calls) == 1
        with pytest.raises(TruncatedCall):
            await reply_to(call, finish("length"), DONE)


async def test_a_truncated_call_does_not_use_up_the_other_tries() -> None:
    script: list[Step] = [Status(500), Raw([HALF_CALL, finish("length")]), Status(500), OK]
    async with Endpoint(script) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert len(retries(chunks)) == 3


async def test_text_cut_at_the_limit_is_kept_and_marked() -> None:
    reply = await reply_to(delta(content="half a w"), finish("length"), DONE)
    assert (reply.text, reply.truncated) == ("half a w", True)


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ([finish("length"), DONE], NoRoomToAnswer),
        ([delta(reasoning="Hm"), finish("length"), DONE], NoRoomToAnswer),
        ([finish("content_filter"), DONE], ContentFiltered),
        ([CALL, finish("sensitive"), DONE], ContentFiltered),
        ([delta(content="a"), finish("model_context_window_exceeded"), DONE], ContextOverflow),
    ],
)
async def test_ends_that_another_try_would_not_change(
    pieces: list[Piece], error: type[CallError]
) -> None:
    async with Endpoint([Raw(pieces)]) as endpoint:
        with pytest.raises(error):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 1


async def test_text_withheld_half_way_is_kept_and_marked() -> None:
    reply = await reply_to(delta(content="half"), finish("sensitive"), DONE)
    assert (reply.text, reply.stopped) == ("half", "sensitive")


async def test_a_refusal_in_its_own_field_is_the_answer() -> None:
    assert (await reply_to(delta(refusal="I won't."), finish(), DONE)).text == "I won't."


# Fault 15: ids say nothing.


async def test_the_same_id_twice_in_one_turn() -> None:
    twice = [
        delta(
            tool_calls=[
                {"index": i, "id": "read:0", "function": {"name": "read", "arguments": f"[{i}]"}}
            ]
        )
        for i in range(2)
    ]
    reply = await reply_to(*twice, finish("tool_calls"), DONE)
    assert [call.arguments for call in reply.calls] == ["[0]", "[1]"]


# Fault 22: fields that change or that nobody knows.


async def test_what_changes_or_is_unknown_is_ignored() -> None:
    pieces: list[Piece] = [
        one(
            {
                "id": f"id-{i}",
                "model": f"model-{i}",
                "created": 0,
                "object": "?",
                "surprise": {"deep": [1]},
                "choices": [{"index": 0, "delta": {"content": c, "mood": "good"}}],
            }
        )
        for i, c in enumerate("Hi")
    ]
    strange = [b"data: null\n\n", b"data: 5\n\n", b"data: []\n\n", one({}), one({"choices": None})]
    assert (await reply_to(*strange, *pieces, *strange, finish(), DONE)).text == "Hi"
