"""What is pinned counts where a summary looks for its cut, also what an earlier one kept."""

from app.compaction.pinned import pinned_tokens
from app.conversation.messages import Message, RestoredPart, SummaryPart, TextPart
from app.conversation.meter import Meter
from app.conversation.standing import Standing
from tests.compaction.histories import GENERIC

PIN = RestoredPart("u1", "Pinned:\n" + "kept as it was\n" * 100)
BEARER = Message("s1", "user", (PIN, SummaryPart("What happened.", (), 1)))
USER = Message("u2", "user", (TextPart("kept too " * 100),))
ANSWER = Message("a2", "assistant", (TextPart("Noted."),))


def tokens(*messages: Message, pinned: tuple[str, ...] = (), budget: int = 10_000) -> int:
    standings = {one: Standing(pinned=True) for one in pinned}
    return pinned_tokens(messages, standings, Meter(GENERIC).message_tokens, budget)


def test_what_an_earlier_summary_carried_over_counts_without_the_summary() -> None:
    found = tokens(BEARER, ANSWER)
    assert found >= Meter(GENERIC).text_tokens(PIN.text)
    longer = Message("s1", "user", (PIN, SummaryPart("What happened. " * 100, (), 1)))
    assert tokens(longer, ANSWER) == found
    assert tokens(Message("s1", "user", (SummaryPart("What happened.", (), 1),)), ANSWER) == 0


def test_it_adds_to_what_is_pinned_since_within_the_budget() -> None:
    both = tokens(BEARER, ANSWER, USER, pinned=("u2",))
    assert both == tokens(BEARER) + tokens(USER, pinned=("u2",))
    assert tokens(BEARER, ANSWER, USER, pinned=("u2",), budget=100) == 100
    assert tokens(ANSWER, USER) == 0
