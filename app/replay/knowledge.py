"""What code knows of the work in a replay, and tells when a tier rewrites the history.

The worklog, as a session follows it (`session.chain_work`); files aren't looked at, so nothing was
changed outside.
"""

from app.compaction.known import NOTHING_KNOWN, Known
from app.conversation.messages import ToolCall
from app.conversation.work import NOTHING, Work
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.work_ranking import NOTED, nearest
from app.memory.worklog import Worklog
from app.replay.recording import Recorded
from app.replay.rows_in_memory import AT


class Knowledge:
    """Follows a recording message by message."""

    def __init__(self, root: str, index: NameIndex, *, kept: bool, count: int) -> None:
        """Knows nothing yet.

        Args:
            root: the project's folder, "" where it isn't known.
            index: the names that the conversation held.
            kept: False: nothing is ever known (`no-worklog`).
            count: entities that are told with what was done to them.
        """
        self._log = Worklog(root)
        self._index = index
        self._kept = kept
        self._count = count
        self._request = ""

    def of_user(self, entry: Recorded) -> Work:
        """What a message of the user adds; it counts once it is `kept`."""
        self._request = entry.message.text
        if not self._kept or not entry.spoken:
            return NOTHING
        return self._log.of_user(entry.message.id, entry.message.text)

    def of_result(self, call: ToolCall, entry: Recorded) -> Work:
        """What a result adds; it counts once it is `kept`."""
        if not self._kept:
            return NOTHING
        return self._log.of_result(call, entry.message.text, ok=entry.ok)

    def kept(self, work: Work, *, result: bool = False) -> None:
        """The row that holds it is written: that of a call's result, or of the user's message."""
        if work:
            self._log.apply(work, at=AT, result=result)

    def next_step(self) -> None:
        """The agent's next message came."""
        self._log.next_step()

    async def known(self) -> Known:
        """What is known now (`compaction.known`)."""
        if not self._kept:
            return NOTHING_KNOWN
        log = self._log
        goal, first = log.goal, log.first_goal
        ranking = Ranking(self._index, "" if goal is None else goal.text)
        return Known(
            goal=goal,
            first=None if first is None or first == goal else first,
            rules=log.rules,
            ended=log.ended,
            changed=log.changed,
            nearest=nearest(log, ranking, self._request, self._count, told=log.changed[:NOTED]),
            progress=log.progress,
            ranking=ranking,
        )
