"""Where a summary cuts (DESIGN 4, tier 3; FACTS 1.7)."""

from hypothesis import given
from hypothesis import strategies as st

from app.compaction.cut import Cut, Place, places, plan_cut
from app.conversation.history import History
from app.conversation.messages import ImagePart, Message, SummaryPart, TextPart
from app.conversation.meter import Meter
from app.conversation.shares import Shares, TextLimit
from tests.compaction.histories import GENERIC, answer, step, user
from tests.compaction.summaries import Work, works

METER = Meter(GENERIC)
SYSTEM = Message("s", "system", (TextPart("You are Haima."),))
SUMMARY = Message("old", "user", (SummaryPart("what was"),))


def share(tail_min: int, tail_most: int) -> Shares:
    return Shares(
        room=10 * tail_most,
        block=4 * tail_most,
        tail_min=tail_min,
        tail_most=tail_most,
        user_words=0,
        summary_text=TextLimit(8_000, 1_000),
        references=0,
        rules=0,
        goal=0,
        files=0,
        progress=0,
        entities=0,
        target=7 * tail_most,
    )


def turn(number: int, size: int = 100) -> list[Message]:
    """A user's message of about so many tokens, and an answer."""
    text = "word " * size
    return [user(text, f"u{number}"), answer(f"Done {number}.", f"z{number}")]


def six_turns() -> list[Message]:
    return [SYSTEM, *(message for number in range(6) for message in turn(number))]


def cut_of(messages: list[Message], shares: Shares, **more: int | bool) -> Cut | None:
    return plan_cut(History(messages), METER, shares, **more)  # type: ignore[arg-type]


def test_the_last_three_turns_stay() -> None:
    cut = cut_of(six_turns(), share(10, 100_000))
    assert cut is not None
    assert (cut.end, cut.in_turn, cut.request) == (7, False, None)
    assert cut.replaced == ("u0", "z0", "u1", "z1", "u2", "z2")
    assert 250 < cut.tail < 350
    assert abs(cut.before - cut.tail) < 20


def test_compact_keeps_one_turn() -> None:
    cut = cut_of(six_turns(), share(10, 100_000), turns=1)
    assert cut is not None and cut.end == 11


def test_fewer_turns_than_should_stay_leave_nothing_to_replace() -> None:
    assert cut_of(six_turns()[:7], share(10, 100_000)) is None
    assert cut_of([SYSTEM], share(10, 100_000), turns=1) is None
    assert cut_of([], share(10, 100_000), turns=1) is None


def test_the_tail_is_extended_back_to_its_least() -> None:
    cut = cut_of(six_turns(), share(350, 100_000))
    assert cut is not None and cut.end == 5 and 350 <= cut.tail < 450
    assert cut_of(six_turns(), share(5_000, 100_000)) is None


def test_injected_messages_are_no_turns() -> None:
    messages = [SYSTEM, SUMMARY, answer("I go on.", "ack"), *six_turns()[1:7]]
    assert cut_of(messages, share(10, 100_000)) is None
    cut = cut_of(messages, share(10, 100_000), turns=2)
    assert cut is not None
    assert cut.replaced == ("old", "ack", "u0", "z0")


def test_a_summary_alone_is_not_summarised() -> None:
    messages = [SYSTEM, SUMMARY, answer("I go on.", "ack"), *turn(0, 4_000)]
    assert cut_of(messages, share(10, 100), turns=1) is None


def test_fewer_turns_stay_where_three_have_no_room() -> None:
    cut = cut_of(six_turns(), share(10, 250))
    assert cut is not None and (cut.end, cut.in_turn) == (9, False)


def big_turn() -> list[Message]:
    made = [SYSTEM, user("Fix the codec.", "u")]
    for number in range(6):
        made += step(number, "word " * 100, "word " * 100)
    return made


def test_a_turn_that_is_too_large_is_cut_between_its_steps() -> None:
    """FIELD 56, 77: one turn fills the window."""
    messages = big_turn()
    cut = cut_of(messages, share(300, 800))
    assert cut is not None
    assert (cut.in_turn, cut.request) == (True, "u")
    assert messages[cut.end].role == "assistant"
    assert 300 <= cut.tail <= 800
    assert cut_of(messages, share(300, 800), in_turn=False) is None


def test_never_less_than_the_least_stays() -> None:
    """A newest step that is too large by itself stays whole."""
    messages = [*big_turn(), *step(9, "word " * 5_000)]
    cut = cut_of(messages, share(300, 800))
    assert cut is not None
    assert messages[cut.end].id == "a9" and cut.tail > 4_000


def test_the_request_that_is_said_again_counts() -> None:
    messages = big_turn()
    messages[1] = user("word " * 500, "u")
    cut = cut_of(messages, share(250, 800))
    assert cut is not None and cut.tail <= 800 - 500


def test_pins_count() -> None:
    free = cut_of(big_turn(), share(200, 900))
    pinned = cut_of(big_turn(), share(200, 900), pins=400)
    assert free is not None and pinned is not None
    assert pinned.tail <= 500 < free.tail


def test_messages_sent_together_are_one_turn() -> None:
    waiting = [user("word " * 100, f"q{number}") for number in range(3)]
    messages = [*six_turns(), *waiting, answer("Both done.", "zq")]
    assert cut_of(messages, share(10, 100_000), turns=1).end == 13  # type: ignore[union-attr]
    assert [place.end for place in places(messages)] == [1, 3, 5, 7, 9, 11, 13]


def test_a_request_of_an_earlier_cut_keeps_its_first_id() -> None:
    parts = (SummaryPart("what was", request="u"), TextPart("Fix the codec."))
    messages = [SYSTEM, Message("old", "user", parts), *big_turn()[2:]]
    cut = cut_of(messages, share(300, 800))
    assert cut is not None and (cut.in_turn, cut.request) == (True, "u")
    assert cut.replaced[0] == "old"


def test_discarded_text_belongs_to_the_step_after_it() -> None:
    half = Message("half", "assistant", (TextPart("Half a sen"),), discarded=True)
    messages = [*big_turn()[:5], half, *big_turn()[5:]]
    assert [place.end for place in places(messages)][:3] == [1, 5, 9]
    assert all("half" not in cut.replaced for cut in [cut_of(messages, share(10, 300))] if cut)


def test_there_is_no_place_inside_a_step_or_before_the_first_one() -> None:
    messages = big_turn()
    inside = [place for place in places(messages) if place.inside]
    assert [messages[place.end].id for place in inside] == ["a1", "a2", "a3", "a4", "a5"]
    assert {place.request.id for place in inside if place.request} == {"u"}
    assert places(messages)[0] == Place(1)


def test_a_picture_alone_is_a_turn() -> None:
    picture = Message("p", "user", (ImagePart("https://example.org/a.png"),))
    messages = [*six_turns(), picture, answer("Seen.", "zp")]
    assert cut_of(messages, share(1, 100_000), turns=1).end == 13  # type: ignore[union-attr]


@given(works(), st.sampled_from([1, 3]))
def test_a_cut_keeps_enough_and_as_little_as_it_should(work: Work, turns: int) -> None:
    history, shares = work.history, work.shares
    cut = work.cut(turns=turns)
    found = places(history.messages)
    sizes = [
        sum(work.meter.weight(one) for one in history[place.end :] if not one.discarded)
        for place in found
    ]
    room = shares.tail_most - sum(work.meter.text_tokens(pin.text) + 30 for pin in work.pins)
    if cut is None:
        # All of it has room, or each cut would keep too little.
        assert sizes[0] <= room or all(size < shares.tail_min for size in sizes[1:])
        return
    tail = [one for one in history[cut.end :] if not one.discarded]
    assert round(sum(map(work.meter.weight, tail))) == cut.tail >= shares.tail_min
    assert cut.replaced and set(cut.replaced).isdisjoint(one.id for one in tail)
    assert tail[0].role == ("assistant" if cut.in_turn else "user")
    again = 0.0
    if cut.in_turn:
        request = history.get(cut.request or "")
        assert request is not None and request.id in cut.replaced
        again = work.meter.weight(request)
    if cut.tail + again > room + 1:
        # No place would do: the newest that keeps enough was taken.
        enough = [place.end for place, size in zip(found, sizes, strict=True)]
        later = [end for end in enough if end > cut.end]
        assert all(
            sum(work.meter.weight(one) for one in history[end:] if not one.discarded)
            < shares.tail_min
            for end in later
        )
