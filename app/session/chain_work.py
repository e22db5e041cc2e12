"""What is known of the work of the open chain: followed, asked, changed by the user."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from app.archive.recorder import Recorder
from app.compaction.known import Known
from app.compaction.recovery import Recovery, recovery_events
from app.conversation.by_hand import NOT_BY_HAND, ByHand
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, Part, TextPart, ToolCall, WorkPart, is_injected
from app.conversation.window import nearest_count
from app.conversation.work import NOTHING, Progress, Stamp, Touch, Work
from app.conversation.work_state import Elsewhere, LoadedWork
from app.events import WorkNoted
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.work_progress import heeding, updated, with_list
from app.memory.work_query import answer
from app.memory.work_ranking import NOTED, nearest
from app.memory.worklog import Worklog
from app.ports import Clock, Publish
from app.session.by_hand_told import by_hand_text, changed_entries
from app.session.context import SessionContext
from app.session.other_turns import other_turns_text
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
        names: Callable[[], Awaitable[None]],
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
            names: sees that the index has those of the past.
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
        self._names = names
        self._looking = asyncio.Lock()
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
        self._finished: tuple[str, ...] = ()
        self._shown_by = ""
        self._slot_then = recorder.history.recovery

    def begin_step(self) -> None:
        """The agent made another step."""
        self.log.next_step()
        self._finished, self._shown_by = (), ""

    async def of_user(
        self, message_id: str, parts: tuple[Part, ...]
    ) -> tuple[Work, tuple[WorkPart, ...]]:
        """What a message of the user adds, by their own words, before it is written down.

        Returns:
            What it adds; and what it tells of what they changed by hand since the agent was told,
            and of files that turns outside this conversation changed.

        Raises:
            StorageError: what an older version wrote can't be kept.
        """
        await self.keep_older()
        own = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        history, changed = self._recorder.history, self._by_hand
        others = self.log.unheard
        texts = [await asyncio.to_thread(self._of_others, others, history)] if others else []
        in_slot = changed.taken and history.recovery is None  # there it is told (`tell_taken`)
        if not in_slot:
            # Where the slot is in use, what was sent with it must stay as it is.
            told = self._taken((await self.recovery.told(history)).text) if changed.taken else ""
            texts.append(told or by_hand_text(changed, self.log, self._words))
        work = self.log.of_user(message_id, own)
        if self.log.untold and not in_slot:
            work = replace(work, told=True)
        if others:
            work = replace(work, heard=max(one.at for one in others))
        text = "\n\n".join(filter(None, texts))
        return work, (WorkPart(text),) if text else ()

    async def tell_taken(self) -> None:
        """Before a call: what was taken up is told once, at the newest message, which is unsent.

        So is what other turns changed, where the agent goes on without a message of the user.

        Raises:
            StorageError: it can't be written down.
        """
        history = self._recorder.history
        if self.log.unheard and history.recovery is None:
            await self._tell_others(history)
        if not self._by_hand.taken or history.recovery is not None:
            return
        told = await self.recovery.told(history)
        slot = self.recovery.slot(history, told)
        if slot is not None:
            await self._recorder.set_recovery(replace(slot, text=self._taken(told.text)))
        kept = await self._recorder.work(Work(told=True))
        self.log.apply(kept, at=self._recorder.written)
        if slot is not None:
            for event in recovery_events(told, slot.message_id, self._words):
                self._publish(event)

    async def _tell_others(self, history: History) -> None:
        others = self.log.unheard
        text = await asyncio.to_thread(self._of_others, others, history)
        sent = (one for one in reversed(history) if not one.discarded)
        newest = next(one for one in sent if one.role in ("user", "tool"))
        if text:
            await self._recorder.set_recovery(RecoverySlot(newest.id, text))
            self._slot_then = self._recorder.history.recovery  # it tells nothing else
        kept = await self._recorder.work(Work(heard=max(one.at for one in others)))
        self.log.apply(kept, at=self._recorder.written)

    def _of_others(self, changed: tuple[Elsewhere, ...], history: History) -> str:
        return other_turns_text(self._root, changed, history.messages, self._words)

    def _taken(self, told: str) -> str:
        """What is known, told as what was taken up; "" for nothing."""
        return f"{self._words('by_hand.taken')}\n\n{told}" if told else ""

    @property
    def _by_hand(self) -> ByHand:
        """What was changed by hand and isn't told yet: a tier that tells what is known tells it."""
        slot = self._recorder.history.recovery
        return self.log.untold if slot is None or slot == self._slot_then else NOT_BY_HAND

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
        self._count(work, "")
        self.tell()

    def admitted(self, work: Work, message: str) -> None:
        """The same, told when the user's message it came with is.

        Args:
            work: what it adds.
            message: id of that message.
        """
        self._count(work, message)

    def _count(self, work: Work, message: str) -> None:
        if not work:
            return
        # What is asked first is no news.
        goal = work.goal is not None and self.log.goal is not None
        # The row's own time, so that what is loaded of it is the same.
        self.log.apply(work, at=self._recorder.written, result=not message)
        if work.rules or work.revoked or work.restored or work.progress or goal:
            self._untold.append((work, message))

    def tell(self) -> None:
        """Tells what came with the messages that just joined the history."""
        untold, self._untold = self._untold, []
        for work, message in untold:
            self._tell(work, message)

    async def change(self, work: Work, *, taken_from: str = "", taken: bool = False) -> None:
        """What the user changes by hand; the agent is told of it with their next message.

        Args:
            work: what it adds.
            taken_from: the chain whose unfinished work goes on here; "" for none.
            taken: the work is that chain's: all that is known is to be told.

        Raises:
            StorageError: it can't be written down; nothing changed.
        """
        by_hand = replace(self.log.by_hand(work), taken=taken)
        told = bool(self.log.untold) and not self._by_hand
        work = replace(work, by_hand=by_hand, told=told)
        kept = await self._recorder.work(work, taken_from=taken_from)
        self.log.apply(kept, at=self._recorder.written)
        self._slot_then = self._recorder.history.recovery
        self._tell(kept)

    async def take_up(self, loaded: LoadedWork, chain: str) -> None:
        """The work of another chain is known here: goal, rules, list, changed files.

        What the user has put on the list here stays on it.

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
        here = {rule.text for rule in self.log.rules}
        rules = (replace(one, message="", turn=0) for one in other.rules if one.text not in here)
        goal = other.goal and replace(other.goal, message="", turn=0)
        progress = with_list(self.log.progress, other.progress)
        work = Work(touches=touches, rules=tuple(rules), goal=goal, progress=progress)
        await self.change(work, taken_from=chain, taken=True)

    async def keep_older(self) -> None:
        """Touches that only the messages of an older version tell are written down once.

        Raises:
            StorageError: they can't be.
        """
        await self._look_back()
        if self._unkept:
            await self._recorder.work(self._unkept)
            self._unkept = NOTHING

    def updated(self, todo: tuple[str, ...] | None, done: tuple[str, ...]) -> Progress:
        """The progress as it is with the agent's list, which it isn't yet (`WorkAccess`).

        What another call of the same step said is done stays done: this list was written beside
        it, so it doesn't take anything up again.
        """
        progress = self.log.progress
        left = progress.todo if todo is None else todo
        self._finished += done
        self._shown_by = self.log.verified_by or self._shown_by
        told = updated(progress, left, self._finished, by=self._shown_by)
        unheard = changed_entries(self._by_hand, progress)
        return heeding(told, progress, unheard) if unheard else told

    def answer(self, query: str) -> str:
        """What is known, asked by the agent (`WorkAccess`)."""
        return answer(self.log, query, words=self._words)

    async def _look_back(self) -> None:
        """What an older version wrote counts too; looked for once, when it is first needed.

        Whoever needs it waits for it, and one who is stopped meanwhile leaves it to the next.
        """
        async with self._looking:
            if self._older is not None:
                self._unkept = self._spelt(await self._older())
                self._older = None
                self.log.apply(self._unkept, at="")

    def _spelt(self, work: Work) -> Work:
        """Files by the one name each has, as an older version kept what the model called them."""
        names = ((one, self.log.paths.name(one.name)) for one in work.touches)
        return replace(work, touches=tuple(replace(one, name=name) for one, name in names if name))

    async def known(self) -> Known:
        """What is told when a tier rewrites the history; changed files are looked at."""
        await self._look_back()
        await self._names()
        log, history = self.log, self._recorder.history
        changed = log.changed
        outside = await asyncio.to_thread(changed_outside, self._root, changed)
        outside |= {one.entity.name for one in log.elsewhere}
        goal, first = log.goal, log.first_goal
        ranking = Ranking(self.index, "" if goal is None else goal.text)
        count = nearest_count(self._context.window.marks.window, self._top_n())
        return Known(
            goal=goal,
            first=None if first is None or first == goal else first,
            rules=log.rules,
            ended=log.ended,
            changed=changed,
            outside=outside,
            nearest=nearest(log, ranking, _request(history), count, told=log.changed[:NOTED]),
            forgotten=log.forgotten,
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
