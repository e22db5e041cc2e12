"""Before and after add up, whatever the history is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from app.compaction.balance import weighed
from app.compaction.kept import kept_by
from app.compaction.new_history import NoSummary
from app.compaction.replacement import Proposal, Rebuilt
from app.conversation.history import History
from app.conversation.standing import Standing
from app.view.compaction import Balance, Group, tokens_of
from tests.compaction.summaries import SUMMARY, Work, after, works


def balance_of(work: Work, pinned: frozenset[str], *, cut_only: bool) -> Balance | None:
    """The figures of a summary of it; None where nothing may leave."""
    cut = work.cut()
    if cut is None:
        return None
    new = work.build(cut, NoSummary() if cut_only else SUMMARY)
    history: History = after(work.history, new)
    bearer = next(one for one in new.messages if one.summary is not None)
    measure = work.meter.measure(work.history, "")
    return weighed(
        Proposal(work.history, measure, work.shares, cut),
        Rebuilt(new, bearer, history, kept_by(bearer, new.told, work.meter)),
        meter=work.meter,
        tools="",
        standings={one: Standing(pinned=True) for one in pinned},
    )


@settings(max_examples=60, deadline=None)
@given(works(), st.booleans(), st.data())
def test_the_rows_make_the_two_figures(work: Work, cut_only: bool, data: st.DataObject) -> None:
    ids = [one.id for one in work.history if one.role != "system"]
    pinned = frozenset(data.draw(st.sets(st.sampled_from(ids)))) if ids else frozenset()
    balance = balance_of(work, pinned, cut_only=cut_only)
    if balance is None:
        return
    before, later = balance.before, balance.after
    assert before.total == work.meter.measure(work.history, "").tokens
    stay = tokens_of(balance.staying)
    assert tokens_of(balance.leaving) + stay == before.total - before.system
    assert balance.summary + tokens_of(balance.carried) + stay == later.total - later.system
    rows: list[Group] = [*balance.leaving, *balance.staying]
    assert [row.first for row in rows[1:]] == [row.last + 1 for row in rows[:-1]]
    assert min([row.tokens for row in rows] + [row.tokens for row in balance.carried]) >= 0
    for group in rows:
        able = [one for one in group.messages if one in pinned]
        assert not group.pinned or able
