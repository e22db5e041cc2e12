"""An endpoint refuses a request as too long: what is learned, what is tried, and where it ends.

All over HTTP; the refusals are those of `error_vectors.json` and PROVIDERS 1.3.
What is done by force is clearing here (`compaction.auto = "clear"`): no summary is asked for.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.config import CompactionSettings, ModelSettings, Settings
from app.events import ContextMeasured, Notice, Retry
from app.llm.client import OpenAIModel
from app.paths import Paths
from app.session.learned import LearnedLimits
from tests.endpoint import DONE, Call, Endpoint, Gate, Raw, Say, Status, Step, Tokens, delta, event
from tests.llm.support import EN, MADE, FakeClock
from tests.llm.test_classify import VECTORS, openai
from tests.session.support import Recorded, make_session, until

pytestmark = pytest.mark.usefixtures("closing")

HUGE = 2_000_000
WINDOW = 16_000
OVERFLOWS = [one for one in VECTORS if one["kind"] == "overflow"]
LINES = "".join(f"line {number} of the file\n" for number in range(120))


def model_at(endpoint: Endpoint, settings: Settings, **others: Any) -> OpenAIModel:
    model = OpenAIModel(
        "scripted",
        endpoint.base_url,
        clock=FakeClock(),
        words=EN,
        max_tokens=settings.model.max_tokens,
        chance=lambda: 0.5,
        **others,
    )
    MADE.append(model)
    return model


def with_window(
    window: int | None, *, auto: Any = "clear", clear_at: int | None = None, **model: Any
) -> Settings:
    return Settings(
        model=ModelSettings(window=window, **model),
        compaction=CompactionSettings(auto=auto, clear_at=clear_at),
    )


def half_full() -> Settings:
    """A window that the files fill by more than half, while nothing is cleared by itself."""
    return with_window(WINDOW, clear_at=WINDOW)


def begin(
    tmp_path: Path, endpoint: Endpoint, settings: Settings, *, language: Any = "en"
) -> Recorded:
    (tmp_path / "project").mkdir(exist_ok=True)
    for number in range(6):
        (tmp_path / "project" / f"{number}.txt").write_text(LINES)
    model = model_at(endpoint, settings)
    return make_session(tmp_path, model, settings=settings, language=language)


READS = Say("", [Call("read_file", {"path": f"{number}.txt"}) for number in range(6)])
"""Six results; the three oldest can be cleared in the next turn."""


async def talk(recorded: Recorded, words: int = 0) -> None:
    """A turn that leaves something to clear, begun by a message with so many words more."""
    await recorded.session.open()
    outcome = await recorded.session.run("Read the files." + " word" * words)
    assert outcome.ok


def of(recorded: Recorded, code: str) -> list[str]:
    found = [one for one in recorded.events if isinstance(one, Notice) and one.code == code]
    return [one.text for one in found]


def kept(tmp_path: Path, endpoint: Endpoint) -> tuple[int, str] | None:
    """What lies on the disk of this endpoint's model."""
    known = LearnedLimits(Paths(tmp_path / "haima").limits_file).find(endpoint.base_url, "scripted")
    return (known.limit, known.source) if known else None


def refusal(vector: dict[str, Any]) -> Step:
    """A vector as the answer it came with; without a status it came inside a stream."""
    if vector["status"] is not None:
        return Status(vector["status"], vector["body"])
    return Raw([event({"error": vector["body"]}), DONE])


def window_of(recorded: Recorded) -> tuple[int, str]:
    window = recorded.session.context.window.window
    return window.effective, window.source


def size(body: dict[str, Any]) -> int:
    return len(json.dumps(body["messages"]))


def bytes_only(vector: dict[str, Any]) -> bool:
    """Whether it tells nothing of the window: the size of the body, or a proxy's 413."""
    return vector["status"] == 413 or "total message size" in str(vector["body"])


@pytest.mark.parametrize("number", range(len(OVERFLOWS)))
async def test_each_refusal_is_cured_once_and_its_limit_is_kept(
    tmp_path: Path, number: int
) -> None:
    vector = OVERFLOWS[number]
    script: list[Step] = [READS, Say("Read."), refusal(vector), Say("Here it is.")]
    settings = with_window(HUGE)
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, settings)
        await talk(recorded)
        tokens = recorded.contexts[-1].tokens
        outcome = await recorded.session.run("What do they say?")
        assert (outcome.ok, endpoint.left, endpoint.violations) == (True, 0, [])
        before, after = endpoint.requests[2:]
        lowered = "max_tokens" in after
        assert lowered == ("182387" in str(vector) or "160000" in str(vector))
        assert (size(after) < size(before)) != lowered
        (notice,) = of(recorded, "overflow")
        assert ("compacted" in notice) != lowered
        (again,) = recorded.of("retry")
        assert isinstance(again, Retry)
        assert (again.attempt, again.reason) == (2, "the request was too long")
        found = kept(tmp_path, endpoint)
        if bytes_only(vector):
            assert found is None
            assert window_of(recorded) == (HUGE, "config")
        elif (limit := vector["limit"]) is not None:
            assert found == (limit, "stated")
        else:
            assert found is not None
            assert found[1] == "guessed"
            assert 0.8 * tokens < found[0] < 0.9 * tokens
        assert len(of(recorded, "window")) == (found is not None)
        await recorded.session.close()
        if found is not None:
            await a_later_process(tmp_path, endpoint, found[0])


async def a_later_process(tmp_path: Path, endpoint: Endpoint, limit: int) -> None:
    """It knows the limit from the start, and `/window` forgets it for good."""
    settings = with_window(HUGE)
    later = begin(tmp_path, endpoint, settings)
    await later.session.open()
    assert window_of(later) == (limit, "learned")
    assert later.contexts[0].window == limit
    later.session.context.set_window(None)
    assert window_of(later) == (HUGE, "config")
    await later.session.close()
    assert kept(tmp_path, endpoint) is None
    last = begin(tmp_path, endpoint, settings)
    await last.session.open()
    assert window_of(last) == (HUGE, "config")
    await last.session.close()


@pytest.mark.parametrize("number", range(len(OVERFLOWS)))
async def test_a_refusal_that_stays_is_never_a_loop(tmp_path: Path, number: int) -> None:
    vector = OVERFLOWS[number]
    script: list[Step] = [READS, Say("Read."), *[refusal(vector)] * 9]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        outcome = await recorded.session.run("What do they say?")
        lowered = any("max_tokens" in body for body in endpoint.requests)
        assert len(endpoint.requests) == 2 + (3 if lowered else 2)
        assert (outcome.ok, outcome.code) == (False, "context_overflow")
        assert outcome.choices == ("cut", "model", "shorten", "fork")
        (failed,) = recorded.of("error")
        assert "was compacted, and the endpoint still refuses it" in failed.model_dump()["text"]
        assert len(recorded.of("cleared")) == 1
        assert recorded.session.history[-1].role == "user", "the history is valid, to go on from"
        await recorded.session.close()


@pytest.mark.parametrize("dialect", ["openai", "deepseek", "kimi", "glm"])
async def test_room_for_the_answer_that_is_counted_in_is_lowered(
    tmp_path: Path, dialect: str
) -> None:
    settings = with_window(None, max_tokens=30_000)
    script = [Say("One."), Say("Two."), Say("Three.")]
    async with Endpoint(script, dialect=dialect, window=32_768) as endpoint:
        recorded = begin(tmp_path, endpoint, settings)
        await recorded.session.open()
        for number in range(3):
            assert (await recorded.session.run(f"Question {number}?" + " word" * 2_000)).ok
        refused = len(endpoint.refusals)
        assert endpoint.violations == []
        assert not recorded.of("cleared")
        asked = [body["max_tokens"] for body in endpoint.requests]
        assert asked[:1] == [30_000]
        assert all(room < 30_000 for room in asked[-1:])
        assert 1 <= refused <= 3
        assert len(endpoint.requests) == 3 + refused
        assert len(of(recorded, "overflow")) == refused
        await recorded.session.close()


async def test_newer_vllms_text_teaches_the_window_and_the_room(tmp_path: Path) -> None:
    text = (
        "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context "
        "length is 32768 tokens and your request has 1500 input tokens"
    )
    settings = with_window(HUGE, max_tokens=32_000)
    async with Endpoint([Status(400, openai(text)), Say("Hello.")]) as endpoint:
        recorded = begin(tmp_path, endpoint, settings)
        await recorded.session.open()
        assert (await recorded.session.run("Hi")).ok
        assert [body["max_tokens"] for body in endpoint.requests] == [32_000, 31_268]
        assert kept(tmp_path, endpoint) == (32_768, "stated")
        await recorded.session.close()


async def test_too_little_room_for_an_answer_is_cured_by_compacting(tmp_path: Path) -> None:
    text = (
        "This model's maximum context length is 32768 tokens. However, you requested 36668 tokens "
        "(32668 in the messages, 4000 in the completion)."
    )
    script: list[Step] = [READS, Say("Read."), Status(400, openai(text)), Say("Here.")]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        assert (await recorded.session.run("What do they say?")).ok
        assert "max_tokens" not in endpoint.requests[-1]
        assert len(recorded.of("cleared")) == 1
        await recorded.session.close()


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_switched_off_nothing_is_compacted_and_the_user_is_asked(
    tmp_path: Path, language: str
) -> None:
    """FIELD 61."""
    script: list[Step] = [READS, Say("Read."), refusal(OVERFLOWS[0]), Say("Here.")]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE, auto="off"), language=language)
        await talk(recorded)
        outcome = await recorded.session.run("What do they say?")
        assert (outcome.code, endpoint.left) == ("context_overflow", 1)
        assert outcome.choices == ("compact", "cut", "model", "shorten", "fork")
        (failed,) = recorded.of("error")
        text = failed.model_dump()["text"]
        assert "/compact" in text
        assert "9031 in the messages" in text, "the endpoint's own words"
        assert not recorded.of("cleared", "retry")
        assert kept(tmp_path, endpoint) == (8_192, "stated")
        await recorded.session.close()


async def test_with_nothing_to_compact_it_is_sent_once(tmp_path: Path) -> None:
    """FIELD 24: no result at all to clear."""
    async with Endpoint([refusal(OVERFLOWS[0])] * 3) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await recorded.session.open()
        outcome = await recorded.session.run("Hi")
        assert (outcome.code, len(endpoint.requests)) == ("context_overflow", 1)
        (failed,) = recorded.of("error")
        assert "nothing is left to compact" in failed.model_dump()["text"]
        assert of(recorded, "overflow") == [], "it isn't said to be compacted and sent once more"
        await recorded.session.close()


EMPTY: dict[str, Step] = {
    "an empty stream": Raw([]),
    "a stream that only ends": Raw([DONE]),
    "400 without a word": Status(400),
    "413 without a word": Status(413),
    "no room to answer": Say("", finish="length"),
}
"""PROVIDERS 1.3: LM Studio, llama-cpp-python, gateways, Cerebras, Mistral, llama.cpp."""


@pytest.mark.parametrize("kind", EMPTY)
async def test_a_refusal_without_a_word_counts_once_a_smaller_request_is_answered(
    tmp_path: Path, kind: str
) -> None:
    sizes: list[int] = []

    def answer(body: dict[str, Any]) -> Step:
        sizes.append(size(body))
        if len(sizes) == 1:
            return READS
        if len(sizes) == 2:
            return Say("Read.")
        return EMPTY[kind] if sizes[-1] >= sizes[2] else Say("Here it is.")

    async with Endpoint(answer) as endpoint:
        recorded = begin(tmp_path, endpoint, half_full())
        await talk(recorded, 4_800)
        assert WINDOW // 2 < recorded.contexts[-1].tokens < recorded.contexts[-1].summary
        outcome = await recorded.session.run("What do they say?")
        assert outcome.ok
        found = kept(tmp_path, endpoint)
        assert found is not None
        assert found[1] == "guessed"
        assert window_of(recorded) == (found[0], "learned")
        (said,) = of(recorded, "window")
        assert "seems to take about" in said
        retries = [one for one in recorded.events if isinstance(one, Retry)]
        assert all(" " in one.reason for one in retries), "words, not a code"
        await recorded.session.close()


@pytest.mark.parametrize("kind", EMPTY)
async def test_a_suspicion_that_proves_nothing_is_forgotten(tmp_path: Path, kind: str) -> None:
    script: list[Step] = [READS, Say("Read."), *[EMPTY[kind]] * 12]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, half_full())
        await talk(recorded, 4_800)
        outcome = await recorded.session.run("What do they say?")
        assert (outcome.ok, outcome.code) == (False, "context_overflow")
        assert window_of(recorded) == (WINDOW, "config")
        assert recorded.contexts[-1].window == WINDOW
        assert kept(tmp_path, endpoint) is None
        assert of(recorded, "window") == []
        await recorded.session.close()


@pytest.mark.parametrize("kind", ["an empty stream", "400 without a word", "no room to answer"])
async def test_a_small_request_is_never_suspected(tmp_path: Path, kind: str) -> None:
    script: list[Step] = [READS, Say("Read."), *[EMPTY[kind]] * 5]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        outcome = await recorded.session.run("What do they say?")
        assert outcome.code in {"empty_reply", "bad_request", "no_room"}
        assert not recorded.of("cleared")
        await recorded.session.close()


async def test_a_stop_while_a_limit_is_only_suspected_forgets_it(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: list[Step] = [READS, Say("Read."), Status(400), Raw([Gate(gate)])]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, half_full())
        await talk(recorded, 4_800)
        recorded.session.send("What do they say?")
        await endpoint.request_count(4)
        assert window_of(recorded)[1] == "learned"
        recorded.session.stop()
        await recorded.session.wait_idle()
        assert window_of(recorded) == (WINDOW, "config")
        gate.set()
        await recorded.session.close()


async def test_what_was_shown_before_the_refusal_is_discarded(tmp_path: Path) -> None:
    """llama.cpp, OpenRouter: the window fills while the answer streams."""
    broken = Raw(
        [
            delta(content="Half of an ans"),
            event({"error": {"code": 500, "message": "Context size has been exceeded."}}),
            DONE,
        ]
    )
    script: list[Step] = [READS, Say("Read."), broken, Say("The whole answer.")]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        assert (await recorded.session.run("What do they say?")).ok
        (again,) = recorded.of("retry")
        assert isinstance(again, Retry)
        assert again.discarded == len("Half of an ans")
        message = recorded.session.history.get(again.message)
        assert message is not None
        assert message.discarded
        assert recorded.session.history[-1].text == "The whole answer."
        assert "Half of" not in json.dumps(endpoint.requests[-1])
        await recorded.session.close()


async def test_glm_says_it_by_its_finish_reason(tmp_path: Path) -> None:
    full = Say("Half", finish="model_context_window_exceeded")
    async with Endpoint([READS, Say("Read."), full, Say("Whole.")], dialect="glm") as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        assert (await recorded.session.run("What do they say?")).ok
        assert recorded.session.history[-1].text == "Whole."
        assert kept(tmp_path, endpoint) is not None
        await recorded.session.close()


@pytest.mark.parametrize(
    ("prompt", "completion", "learned"),
    [
        (3_000, 1_096, 4_096),
        (3_000, 1_000, None),
        (3_000, 5_192, None),
        (1_000, 24, None),
        (3_700, 9, 3_709),
        (3_700, 16, None),
        (2_030, 9, None),
        (8_190, 9, None),
    ],
)
async def test_an_answer_cut_at_once_or_at_a_round_figure_tells_the_window(
    tmp_path: Path, prompt: int, completion: int, learned: int | None
) -> None:
    """PROVIDERS 1.3: prompt and completion together are exactly the window."""
    cut = Say("It begins", usage=Tokens(prompt, completion), finish="length")
    async with Endpoint([cut]) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(8_192))
        await recorded.session.open()
        assert (await recorded.session.run("Hi")).ok
        found = kept(tmp_path, endpoint)
        assert (found and found[0]) == learned
        await recorded.session.close()


@pytest.mark.parametrize("usage", [Tokens(3_072, 1_024), Tokens(3_072, 9)])
async def test_a_limit_of_the_answer_that_the_user_set_is_no_window(
    tmp_path: Path, usage: Tokens
) -> None:
    cut = Say("It begins", usage=usage, finish="length")
    async with Endpoint([cut]) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(32_000, max_tokens=1_024))
        await recorded.session.open()
        await recorded.session.run("Hi")
        assert kept(tmp_path, endpoint) is None
        await recorded.session.close()


async def test_a_refused_requests_own_count_is_taken_over(tmp_path: Path) -> None:
    """The endpoint counted it, so the meter needn't guess any longer."""
    script: list[Step] = [Say("Hello.")]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await recorded.session.open()
        await recorded.session.run("Hi" + " word" * 2_000)
        tokens = recorded.contexts[-1].tokens
        used = tokens + tokens // 5
        text = f"request ({used} tokens) exceeds the available context size ({used - 9} tokens)"
        script.append(Status(400, openai(text)))
        await recorded.session.run("And?")
        last = recorded.contexts[-1]
        assert isinstance(last, ContextMeasured)
        assert (last.tokens, last.source) == (used, "anchored")
        assert of(recorded, "silent_truncation") == []
        await recorded.session.close()


async def test_a_limit_that_cant_be_kept_is_told_and_the_turn_goes_on(tmp_path: Path) -> None:
    script: list[Step] = [READS, Say("Read."), refusal(OVERFLOWS[0]), Say("Here.")]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        Paths(tmp_path / "haima").limits_file.mkdir()
        assert (await recorded.session.run("What do they say?")).ok
        assert window_of(recorded) == (8_192, "learned")
        assert len(of(recorded, "window")) == 1
        assert len(of(recorded, "storage")) == 1
        await recorded.session.close()


async def test_another_model_knows_its_own_limit(tmp_path: Path) -> None:
    script: list[Step] = [READS, Say("Read."), refusal(OVERFLOWS[0]), Say("Here.")]
    settings = with_window(HUGE)
    async with Endpoint(script) as endpoint, Endpoint([]) as other:
        recorded = begin(tmp_path, endpoint, settings)
        await talk(recorded)
        await recorded.session.run("What do they say?")
        recorded.session.use_model(model_at(other, settings))
        assert window_of(recorded) == (HUGE, "config")
        recorded.session.use_model(model_at(endpoint, settings))
        assert window_of(recorded) == (8_192, "learned")
        await until(lambda: not recorded.session.busy)
        await recorded.session.close()


@pytest.mark.parametrize(
    ("status", "message", "limit"),
    [
        (400, "Input prompt (40000 tokens) is too long and exceeds limit of 32768", 32_768),
        (400, "This model's maximum context length is 8192 tokens. However, your messages resulted"
         " in 9000 tokens. Please reduce the length of the messages.", 8_192),
        (500, "no user query found in messages", None),
    ],
    ids=["vllm", "openai", "ollama cut the question away"],
)  # fmt: skip
async def test_other_words_of_providers(
    tmp_path: Path, status: int, message: str, limit: int | None
) -> None:
    refused = Status(status, openai(message))
    script: list[Step] = [READS, Say("Read."), refused, Say("Here it is.")]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await talk(recorded)
        assert (await recorded.session.run("What do they say?")).ok
        assert (endpoint.left, len(recorded.of("cleared"))) == (0, 1)
        found = kept(tmp_path, endpoint)
        assert found is not None
        assert found == (limit, "stated") if limit else found[1] == "guessed"
        await recorded.session.close()


async def test_a_server_that_drops_the_oldest_messages_is_noticed(tmp_path: Path) -> None:
    """PROVIDERS 1.3, Ollama: a count far below what was sent; no error, nothing learned."""
    script = [Say(f"Answer {n}.", usage=Tokens(2_048, 5)) for n in range(3)]
    async with Endpoint(script) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(HUGE))
        await recorded.session.open()
        for _ in range(3):
            assert (await recorded.session.run("Read this." + " word" * 3_000)).ok
        (text,) = of(recorded, "silent_truncation")
        assert "counted 2,048 tokens" in text
        assert recorded.contexts[-1].source == "estimated", "such a count is not believed"
        assert recorded.contexts[-1].tokens > 9_000
        assert kept(tmp_path, endpoint) is None
        assert not recorded.of("retry", "cleared")
        await recorded.session.close()


async def test_what_can_not_be_sent_at_all_ends_with_the_same_choices(tmp_path: Path) -> None:
    """FIELD 70: the largest is named, nothing goes out, and there is something to choose."""
    async with Endpoint([]) as endpoint:
        recorded = begin(tmp_path, endpoint, with_window(9_000))
        await recorded.session.open()
        outcome = await recorded.session.run("Read this." + " word" * 12_000)
        assert (outcome.ok, outcome.code) == (False, "too_large")
        assert outcome.choices == ("cut", "model", "shorten", "fork")
        assert endpoint.requests == []
        await recorded.session.close()
