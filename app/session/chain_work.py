"""What is known of the work of the open chain: followed, asked, changed by the user."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from app.archive.ledger import stamped
from app.archive.recorder import Recorder
from app.compaction.known import Known
from app.compaction.recovery import Recovery
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall, is_injected
from app.conversation.window import nearest_count
from app.conversation.work import NOTHING, Progress, Stamp, Touch, Work
from app.conversation.work_state import LoadedWork
from app.events import WorkNoted
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.work_progress import updated
from app.memory.work_query import answer
from app.memory.work_ranking import NOTED, nearest
from app.memory.worklog import Worklog
from app.ports import Clock, Publish
from app.session.context import SessionContext
from app.session.stamps import changed_outside, stamp_of
from app.session.work_seen import work_seen
from app.text import Words
from app.view.work_shown import WorkShown


class ChainWork:
    """The worklog of one chain, and what it needs of the world.

    Attributes:
        log: the worklog; to be read only.
        index: the names that the conversation held.
        recovery: says what of it is told.
    """

    def __init__(
        self,
        *,
        root: Path,
        loaded: LoadedWork,
        older: Callable[[], Awaitable[Work]],
        recorder: Recorder,
        context: SessionContext,
        top_n: Callable[[], int | None],
        clock: Clock,
        publish: Publish,
        words: Words,
    ) -> None:
        """Goes on with what is known.

        Args:
            root: the project's folder.
            loaded: what the archive knows.
            older: looks for what an older version's messages tell.
            recorder: writes down what changes it.
            context: measures the history, and says how much fits.
            top_n: the user's own number of entities that are told; None: as usual.
            clock: says when things happened.
            publish: gets `work`.
            words: the language of answers.
        """
        self.log = Worklog(str(root), resolve=_resolved)
        self.log.restore(loaded)
        self._older = older if loaded.older else None
        self._unkept = NOTHING
        self._root = root
        self._recorder = recorder
        self.index = NameIndex(str(root))
        self.recovery = Recovery(
            known=self.known,
            meter=context.meter,
            marks=lambda: context.window.marks,
            tools=lambda: context.tools,
            words=words,
        )
        self._context = context
        self._top_n = top_n
        self._clock = clock
        self._publish = publish
        self._words = words
        self._untold: list[tuple[Work, str]] = []

    def begin_step(self) -> None:
        """The agent made another step."""
        self.log.next_step()

    def of_user(self, message_id: str, parts: tuple[object, ...]) -> Work:
        """What a message of the user adds, by their own words, before it is written down."""
        own = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        return self.log.of_user(message_id, own)

    def of_result(self, call: ToolCall, text: str, *, ok: bool, more: Work = NOTHING) -> Work:
        """What a result adds, before it is written down.

        Args:
            call: the call.
            text: the whole result as the model gets it.
            ok: the call went well.
            more: what the tool itself says.
        """
        work = self.log.of_result(call, text, ok=ok, stamp=self._stamp)
        return work if not more else _together(work, more)

    def kept(self, work: Work) -> None:
        """It is written down: it counts from now on; rules and lists that changed are told."""
        self.admitted(work)
        self.tell()

    def admitted(self, work: Work, message: str = "") -> None:
        """The same, told when the message it came with is.

        Args:
            work: what it adds.
            message: id of the user's message; "" for none.
        """
        if not work:
            return
        self.log.apply(work, at=stamped(self._clock.now()))
        # What is asked first is no news.
        goal = work.goal is not None and work.goal.turn != 1
        if work.rules or work.revoked or work.restored or work.progress or goal:
            self._untold.append((work, message))

    def tell(self) -> None:
        """Tells what came with the messages that just joined the history."""
        untold, self._untold = self._untold, []
        for work, message in untold:
            self._tell(work, message)

    async def change(self, work: Work, *, taken_from: str = "") -> None:
        """What the user changes by hand.

        Args:
            work: what it adds.
            taken_from: the chain whose unfinished work goes on here; "" for none.

        Raises:
            StorageError: it can't be written down; nothing changed.
        """
        kept = await self._recorder.work(work, taken_from=taken_from)
        self.log.apply(kept, at=stamped(self._clock.now()))
        self._tell(kept)

    async def take_up(self, loaded: LoadedWork, chain: str) -> None:
        """The work of another chain is known here: goal, rules, list, changed files.

        Args:
            loaded: what is known of it.
            chain: its id; it isn't offered again.

        Raises:
            StorageError: it can't be written down; nothing changed.
        """
        other = Worklog(str(self._root), resolve=_resolved)
        other.restore(loaded)
        touches = tuple(
            Touch("file", one.name, one.changed or one.action, file=one.file, stamp=one.stamp)
            for one in reversed(other.changed)
        )
        # Messages and turns of another conversation can't be asked for here.
        rules = tuple(replace(one, message="", turn=0) for one in other.rules)
        goal = other.goal and replace(other.goal, message="", turn=0)
        work = Work(touches=touches, rules=rules, goal=goal, progress=other.progress)
        await self.change(work, taken_from=chain)

    async def keep_older(self) -> None:
        """Touches that only the messages of an older version tell are written down once.

        Raises:
            StorageError: they can't be.
        """
        await self._look_back()
        if self._unkept:
            await self._recorder.work(self._unkept)
            self._unkept = NOTHING

    def updated(self, todo: tuple[str, ...], done: tuple[str, ...]) -> Progress:
        """The progress as it is with the agent's list, which it isn't yet (`WorkAccess`)."""
        return updated(self.log.progress, todo, done, by=self.log.verified_by)

    def answer(self, query: str) -> str:
        """What is known, asked by the agent (`WorkAccess`)."""
        return answer(self.log, query, words=self._words)

    async def _look_back(self) -> None:
        """What an older version wrote counts too; looked for once, when it is first needed."""
        if self._older is not None:
            older, self._older = self._older, None
            self._unkept = self._spelt(await older())
            self.log.apply(self._unkept, at="")

    def _spelt(self, work: Work) -> Work:
        """Files by the one name each has, as an older version kept what the model called them."""
        names = ((one, self.log.paths.name(one.name)) for one in work.touches)
        return replace(work, touches=tuple(replace(one, name=name) for one, name in names if name))

    async def known(self) -> Known:
        """What is told when a tier rewrites the history; changed files are looked at."""
        await self._look_back()
        log, history = self.log, self._recorder.history
        changed = log.changed
        outside = await asyncio.to_thread(changed_outside, self._root, changed)
        goal, first = log.goal, log.first_goal
        ranking = Ranking(self.index, "" if goal is None else goal.text)
        count = nearest_count(self._context.window.marks.window, self._top_n())
        return Known(
            goal=goal,
            first=None if first is None or first == goal else first,
            rules=log.rules,
            changed=changed,
            outside=outside,
            nearest=nearest(log, ranking, _request(history), count, told=log.changed[:NOTED]),
            progress=log.progress,
            ranking=ranking,
            now=self._clock.now().astimezone().isoformat(),
        )

    async def shown(self, words: Words) -> WorkShown:
        """What is known, as it would be told now; for the screen, in its language."""
        history = self._recorder.history
        known = await self.known()
        told = await self.recovery.told(history, known=known)
        slot = "" if history.recovery is None else history.recovery.text
        return work_seen(self.log, known, told, words, slot=slot)

    def _stamp(self, name: str) -> Stamp | None:
        return stamp_of(self._root, name)

    def _tell(self, work: Work, message: str = "") -> None:
        progress = self.log.progress
        self._publish(
            WorkNoted(
                rules=tuple(rule.text for rule in work.rules),
                revoked=tuple(map(self.log.rule_text, work.revoked)),
                restored=tuple(map(self.log.rule_text, work.restored)),
                message=message,
                goal="" if work.goal is None else work.goal.text,
                todo=len(progress.todo),
                done=len(progress.done),
            )
        )


def _together(one: Work, other: Work) -> Work:
    return Work(
        touches=(*one.touches, *other.touches),
        rules=(*one.rules, *other.rules),
        revoked=(*one.revoked, *other.revoked),
        restored=(*one.restored, *other.restored),
        goal=other.goal or one.goal,
        progress=other.progress or one.progress,
        forgotten=(*one.forgotten, *other.forgotten),
    )


def _request(history: History) -> str:
    """The user's newest words."""
    newest: Message | None = next(
        (
            one
            for one in reversed(history.messages)
            if one.role == "user" and not is_injected(one) and one.text.strip()
        ),
        None,
    )
    return "" if newest is None else newest.text


def _resolved(path: str) -> str:
    """The path without symbolic links."""
    try:
        return str(Path(path).resolve())
    except (OSError, RuntimeError, ValueError):
        return path
