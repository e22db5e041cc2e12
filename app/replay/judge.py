"""Judges requests by what the recorded agent did next (REPLAY, "Measures").

That a name stands in a request doesn't show that a model would use it; that one is missing means it
would have to be found again.
"""

from dataclasses import dataclass

from app.conversation.messages import Message, TextPart, WireMessage
from app.conversation.wire import to_wire
from app.replay.counting import content_of, said_by
from app.replay.replayed import Kept, MissClass, Missing
from app.replay.truth import Moment


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a request has of what is needed.

    Attributes:
        missing: of what the agent's calls need, what isn't sent.
        misses: what that may come to.
        kept: goal, rules and changed files.
    """

    missing: tuple[Missing, ...]
    misses: frozenset[MissClass]
    kept: Kept


class Judge:
    """Judges the requests of one replay, in order."""

    def __init__(self) -> None:
        """Nothing was judged yet."""
        self._lacked: set[str] = set()
        self._rules: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[int, int]:
        """The rules that hold in the end, and those of them that no request lacked."""
        return len(self._rules), sum(rule not in self._lacked for rule in self._rules)

    def judge(self, request: tuple[WireMessage, ...], moment: Moment) -> Judgement:
        """One request, by what there was before it."""
        said = "\n".join(map(said_by, request))
        missing = tuple(
            Missing(one.identifier.kind, one.identifier.forms[0], one.far, one.touched)
            for one in moment.needed
            if not one.identifier.stands_in(said)
        )
        kept = self._kept(said, moment)
        return Judgement(missing, _misses(missing, kept, moment), kept)

    def _kept(self, said: str, moment: Moment) -> Kept:
        lacking = [rule.id for rule in moment.rules if not _holds(said, rule.text)]
        self._lacked.update(lacking)
        self._rules = tuple(rule.id for rule in moment.rules)
        named = sum(any(form in said for form in forms) for forms in moment.changed)
        goal = moment.goal
        return Kept(
            goal=None if goal is None else _holds(said, goal.text),
            rules=len(moment.rules) - len(lacking),
            rules_all=len(moment.rules),
            changed=named,
            changed_all=len(moment.changed),
        )


def _misses(missing: tuple[Missing, ...], kept: Kept, moment: Moment) -> frozenset[MissClass]:
    found: set[MissClass] = set()
    if any(one.touched and one.kind in {"path", "command"} for one in missing):
        found.add("repeated_work")
    lost = any(one.kind == "symbol" and one.text in moment.edited for one in missing)
    if kept.changed < kept.changed_all or lost:
        found.add("wrong_state")
    if kept.goal is False or kept.rules < kept.rules_all:
        found.add("goal_drift")
    return frozenset(found)


def _holds(said: str, text: str) -> bool:
    """Whether words of the user stand in a request, as they were said or as they are sent."""
    if text in said:
        return True
    message = Message("said", "user", (TextPart(text),))
    return content_of(to_wire((message,))[0]) in said
