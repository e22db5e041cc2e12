"""A model that writes the same lines over and over is stopped (PROVIDERS 4, fault 17)."""

import asyncio
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.errors import RunsAway
from app.llm.runaway import Repetition
from tests.endpoint import Call, Endpoint, Say
from tests.llm.support import ask, cut_at, model_at

pytestmark = pytest.mark.usefixtures("closing")


def noticed(pieces: Iterable[str]) -> bool:
    repetition = Repetition()
    return any(repetition.feed(piece) for piece in pieces)


@pytest.mark.parametrize(
    "block",
    [
        "same\n",
        "same\n\n",
        "one\ntwo\n\n",
        "a\nb\nc\nd\n",
        "好的，继续。\n",
        "0\nnow\n",
        "Wait (again), now.\n",
    ],
)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_the_same_few_lines_are_noticed(block: str, size: int) -> None:
    cuts = range(0, 20_000, size)
    assert noticed(cut_at(f"It begins.\n{block * 450}", cuts))
    assert not noticed(cut_at(f"It begins.\n{block * 399}It ends.\n", cuts))


@given(st.sets(st.integers(0, 3_300)), st.sampled_from([395, 405]))
def test_wherever_it_is_cut(cuts: set[int], times: int) -> None:
    text = "It begins.\n" + "again.\n\n" * times
    assert noticed(cut_at(text, cuts)) == (times > 400)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 5_000,
        "x" * 100_000,
        "".join(f"line {number}\n" for number in range(2_000)),
        "\n".join(f"| {number % 7} | same |" for number in range(2_000)),
        ("a\nb\nc\nd\ne\n" * 500),
    ],
    ids=["blank", "one line", "different", "seven in turn", "five in turn"],
)
def test_other_long_texts_are_not(text: str) -> None:
    assert not Repetition().feed(text)


DATA = [
    "0\n",
    "0,0,0\n",
    "0x00,\n",
    "false,\n",
    '"N/A","N/A"\n',
    "| todo | not known yet |\n",
    "|        |\n",
    "    nop\n",
    "\tnop\n",
    "[\n0,\n0\n],\n",
]


@pytest.mark.parametrize("row", DATA)
def test_equal_rows_of_data_are_what_was_asked_for(row: str) -> None:
    assert not noticed(["Here it is:\n", row * 1_024, "That is all.\n"])
    assert noticed([row * 5_000])


@pytest.mark.parametrize(
    ("begin", "end"),
    [("```text", "```"), ("~~~", "~~~"), ("1.\n   ```", "   ```"), ("````\n```", "````")],
    ids=["fence", "tildes", "in a list", "within"],
)
def test_so_are_equal_lines_of_code(begin: str, end: str) -> None:
    """A log, for example, or ASCII art."""
    lines = "10:00 GET /health 200\n" * 1_024
    assert not noticed([f"{begin}\n{lines}{end}\nThat is all.\n"])
    assert noticed([f"{begin}\n{lines * 5}"])
    assert noticed([f"{begin}\nx\n{end}\n{lines}"]), "what comes after it is none"


async def test_arguments_of_a_call_are_not_looked_at() -> None:
    """A file of zeros, or of equal lines."""
    content = "the same line\n" * 5_000
    call = Call("write_file", {"path": "log.txt", "content": content})
    async with Endpoint([Say(calls=[call], chunk=500)]) as endpoint:
        (made,) = (await ask(model_at(endpoint.base_url))).calls
    assert made.arguments.count("the same line") == 5_000


@pytest.mark.parametrize("where", ["text", "reasoning"])
async def test_it_is_stopped_at_once_and_not_tried_again(where: str) -> None:
    never = asyncio.Event()
    again = "I will now check.\n" * 500
    say = (
        Say(again, chunk=90, hold=never, hold_after=90)
        if where == "text"
        else Say("", reasoning=again, chunk=90, hold=never, hold_after=90)
    )
    async with Endpoint([say, Say("never asked")]) as endpoint:
        with pytest.raises(RunsAway):
            await ask(model_at(endpoint.base_url))
        await endpoint.hung_up()
        assert endpoint.left == 1
