"""Which pictures leave the context before a request, and what stands for them (FIELD 69)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.compaction.images import Edit, OldPictures, plan_images
from app.conversation.history import History
from app.conversation.images import picture, pictures, sent_bytes
from app.conversation.messages import ImagePart, Message, TextPart, ToolCall
from app.conversation.meter import Meter
from app.conversation.standing import Standing
from app.events import Event
from app.text import Words
from tests.conversation.metering import GENERIC
from tests.conversation.strategies import conversations
from tests.conversation.strict import broken

EN = Words("en")
PNG = b"\x89PNG\r\n\x1a\n"


def shot(name: str = "shot.png", size: int = 3_000) -> ImagePart:
    made = picture(name, PNG + bytes(size - len(PNG)))
    assert made is not None
    return made


def user(id: str, text: str, *images: ImagePart) -> Message:
    return Message(id, "user", (TextPart(text), *images))


def answer(id: str) -> Message:
    return Message(id, "assistant", (TextPart("I see."),))


def read(id: str, *images: ImagePart) -> list[Message]:
    return [
        Message(f"a{id}", "assistant", calls=(ToolCall(f"c{id}", "read_file", "{}"),)),
        Message(
            f"t{id}", "tool", (TextPart("[image]"), *images), call_id=f"c{id}", tool="read_file"
        ),
    ]


def watching(room: int = 10**9) -> OldPictures:
    """It only plans here; what it tells is tested in whole sessions."""

    def tell(event: Event) -> None:
        raise AssertionError(event)

    return OldPictures(EN, lambda: room, tokens=lambda: 0, publish=tell)


def plan(history: History, room: int = 10**9, **standings: Standing) -> tuple[Edit, ...]:
    return plan_images(history, standings, words=EN, room=room)


def test_pictures_stay_as_long_as_their_turn() -> None:
    history = History([user("u1", "Look", shot()), *read("1", shot("b.png"))])
    assert plan(history) == ()
    history.append(answer("z1"))
    assert plan(history) == ()


def test_at_the_next_turn_they_are_text_that_says_how_to_see_them_again() -> None:
    history = History([user("u1", "Look", shot()), *read("1", shot("图 b.png")), answer("z1")])
    history.append(user("u2", "And now?", shot("new.png")))
    assert plan(history) == (
        (
            "u1",
            (
                TextPart("Look"),
                TextPart(
                    "\n[The image shot.png 3.0 KB was shown here and has left the context. "
                    'read_file(path="shot.png") shows it again, it may have changed. '
                    'read_history(ref="u1") quotes what stood here.]'
                ),
            ),
        ),
        (
            "t1",
            (
                TextPart("[image]"),
                TextPart(
                    "\n[The image 图 b.png 3.0 KB was shown here and has left the context. "
                    'read_file(path="图 b.png") shows it again, it may have changed. '
                    'read_history(ref="t1") quotes what stood here.]'
                ),
            ),
        ),
    )


def test_messages_sent_together_are_one_turn() -> None:
    history = History([user("u1", "Look", shot()), user("u2", "and here", shot("b.png"))])
    assert plan(history) == ()
    half = Message("d", "assistant", (TextPart("Half"),), discarded=True)
    history = History([user("u1", "Look", shot()), half, user("u2", "again")])
    assert plan(history) == ()


def test_pinned_ones_stay_at_a_new_turn_but_not_beyond_what_the_provider_takes() -> None:
    history = History([user("u1", "Look", shot()), answer("z"), user("u2", "?")])
    pinned = Standing(pinned=True)
    assert plan(history, u1=pinned) == ()
    assert [id for id, _ in plan(history, room=3_999, u1=pinned)] == ["u1"]
    assert plan(history, room=4_000, u1=pinned) == ()


def test_an_address_without_a_name_is_told_without() -> None:
    old = user("u1", "Look", ImagePart("https://example.org/a.png"))
    ((_, parts),) = plan(History([old, answer("z"), user("u2", "?")]))
    assert parts[1] == TextPart(
        "\n[An image was shown here and has left the context. "
        'read_history(ref="u1") quotes what stood here.]'
    )


def test_thirty_screenshots_of_two_megabytes_stay_within_their_share() -> None:
    """FIELD 69. Each step reads one; what is due goes in few breaks, not at every step."""
    room = 15_000_000
    history = History([user("u", "Click through all pages")])
    big = shot(size=2_000_000)
    breaks = 0
    for number in range(30):
        for message in read(str(number), replace(big, name=f"{number}.png")):
            history.append(message)
        edits = plan(history, room)
        breaks += bool(edits)
        for id, parts in edits:
            history.replace(id, parts)
        seen = [part for message in history for part in pictures(message.parts)]
        assert sum(map(sent_bytes, seen)) <= room
        assert seen[-1].name == f"{number}.png"
    assert breaks <= 8
    assert all("read_file" in message.text for message in history if message.id == "t0")


def test_the_newest_message_keeps_as_many_as_fit() -> None:
    many = [shot(f"{number}.png") for number in range(5)]  # 4,000 bytes each on their way
    ((id, parts),) = plan(History([user("u", "All", *many)]), room=16_500)
    assert id == "u"
    assert [part.name for part in pictures(parts)] == ["1.png", "2.png", "3.png", "4.png"]


@given(conversations(), st.integers(0, 60), st.booleans(), st.data())
def test_any_history_stays_valid_and_nothing_grows(
    messages: list[Message], room: int, fresh: bool, data: st.DataObject
) -> None:
    history = History(messages)
    pins = data.draw(st.sets(st.sampled_from([m.id for m in messages]))) if messages else set()
    standings = {id: Standing(pinned=True) for id in pins}
    before = history.messages
    edits = plan_images(history, standings, words=EN, room=room)
    watch = watching(room)
    if not fresh:
        watch.plan(History(messages[: len(messages) // 2]), standings)
    assert watch.plan(history, standings) == edits
    meter = Meter(GENERIC)
    for id, parts in edits:
        old = before[history.index(id)]
        assert len(parts) == len(old.parts)
        changed = [(a, b) for a, b in zip(old.parts, parts, strict=True) if a is not b]
        assert changed
        assert all(isinstance(a, ImagePart) and isinstance(b, TextPart) for a, b in changed)
        history.replace(id, parts)
        assert meter.message_tokens(replace(old, parts=parts)) < meter.message_tokens(old)
    assert broken(history.messages) == []
    assert sum(sent_bytes(p) for m in history for p in pictures(m.parts)) <= room
    assert plan_images(history, standings, words=EN, room=room) == ()
    assert watch.plan(history, standings) == ()
    ids = [id for id, _ in edits]
    assert ids == [message.id for message in before if message.id in set(ids)]
    if room == 60:  # room enough: the present turn is whole
        turn = [m.id for m in before if not m.discarded]
        last = max((n for n, id in enumerate(turn) if _role(history, id) == "user"), default=None)
        assert last is None or not set(ids) & set(turn[last:])


def _role(history: History, id: str) -> str:
    message = history.get(id)
    assert message is not None
    return message.role


def test_what_comes_later_is_seen_also_after_an_edit() -> None:
    history = History([user("u", "Look", shot())])
    watch = watching()
    assert watch.plan(history, {}) == ()
    history.append(answer("z"))
    history.append(user("v", "?", shot("b.png")))
    assert [id for id, _ in watch.plan(history, {})] == ["u"]
    history.replace("u", (TextPart("Look"),))
    history.append(answer("y"))
    history.append(user("w", "?"))
    assert [id for id, _ in watch.plan(history, {})] == ["v"]
