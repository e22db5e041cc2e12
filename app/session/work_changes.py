"""What a session's user sees of the work, and changes of what the agent is told."""

from abc import abstractmethod
from dataclasses import replace

from app.archive.work import Unfinished, load_work, unfinished
from app.conversation.work import NO_PROGRESS, EntityKey, Goal, Progress, Rule, Work
from app.errors import HaimaError
from app.memory.rules_sentences import LONGEST
from app.session.compacting import TakesBack
from app.session.parts import Parts
from app.view.work_shown import NO_WORK_SHOWN, WorkShown


class ChangesWork(TakesBack):
    """These actions, on the chain that is open (`session.Session`).

    Attributes:
        parts: what the session is made of.
    """

    parts: Parts

    @abstractmethod
    async def _caught_up(self) -> None:
        """Waits until the archive has what all ledgers tell; raises what `database` raises."""

    async def work_shown(self) -> WorkShown:
        """What is known of the work, as the agent would be told now."""
        return await self._open.work.shown(self.parts.words) if self.work_begun else NO_WORK_SHOWN

    @property
    def work_begun(self) -> bool:
        """Whether anything can be known: something was said, or put down by hand."""
        chain = self._open
        log = chain.work.log
        return bool(chain.history or log.goal or log.rules or log.progress != NO_PROGRESS)

    async def change_work(self, work: Work) -> None:
        """Changes what the agent is told; undone by the opposite change.

        Raises:
            StorageError: it can't be written down; nothing changed.
        """
        chain = self._open  # another one may be open by the time its first row is written
        await chain.begin()
        await chain.work.change(work)

    async def change_goal(self, text: str) -> None:
        """The user says what they want now; raises what `change_work` raises."""
        await self.change_work(Work(goal=Goal(text.strip())))

    async def add_rule(self, text: str) -> Rule:
        """Adds a standing rule; raises what `change_work` raises."""
        rule = Rule(self.parts.new_id(), " ".join(text.split())[:LONGEST])
        await self.change_work(Work(rules=(rule,)))
        return rule

    async def change_rule(self, rule: Rule, text: str) -> None:
        """Puts other words into a rule; raises what `change_work` raises."""
        await self.change_work(Work(rules=(replace(rule, text=" ".join(text.split())[:LONGEST]),)))

    async def revoke_rule(self, rule: Rule) -> None:
        """A rule doesn't hold any longer; raises what `change_work` raises."""
        await self.change_work(Work(revoked=(rule.id,)))

    async def restore_rule(self, rule: Rule) -> None:
        """A rule holds again; raises what `change_work` raises."""
        await self.change_work(Work(restored=(rule.id,)))

    async def change_progress(self, progress: Progress) -> None:
        """What is done and left, as the user has it; raises what `change_work` raises."""
        await self.change_work(Work(progress=progress))

    async def forget_entity(self, key: EntityKey) -> None:
        """It isn't told until it is touched again; raises what `change_work` raises."""
        await self.change_work(Work(forgotten=(key,)))

    async def unfinished(self) -> Unfinished | None:
        """The newest work in this project that isn't done, of another conversation.

        None where there is none, or the archive can't be asked.
        """
        chain, project = self._open.id, str(self.parts.project.root)
        try:
            await self._caught_up()
            return await self.database.run(lambda one: unfinished(one, project, but=chain))
        except HaimaError:
            return None

    async def take_up(self, work: Unfinished) -> None:
        """Goal, rules, list and changed files of that conversation are known here from now on.

        Raises:
            HaimaError: it can't be read or written; nothing changed.
        """
        chain = self._open
        loaded = await self.database.run(lambda one: load_work(one, work.chain, work.node))
        await chain.begin()
        await chain.work.take_up(loaded, work.chain)

    async def leave_unfinished(self, work: Unfinished) -> None:
        """It isn't offered again; raises what `change_work` raises."""
        chain = self._open
        await chain.begin()
        await chain.work.change(Work(), taken_from=work.chain)
