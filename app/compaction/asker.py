"""Asks models for summaries: pays for what they say, and remembers which can't be offered tools."""

from app.archive.recorder import Recorder
from app.compaction.asking import Plan
from app.compaction.summarize import Progress, Summarizer, SummaryFailed, SummaryText
from app.ports import Publish


class Asker:
    """Asks for the summaries of one conversation, by themselves or for a preview."""

    def __init__(self, recorder: Recorder) -> None:
        """Asked nobody yet.

        Args:
            recorder: writes down what the calls cost.
        """
        self._recorder = recorder
        self._calls_tools = ""

    def may_offer_tools(self, summarizer: Summarizer) -> bool:
        """Whether its model wasn't the last that called tools where it should summarise."""
        return summarizer.model != self._calls_tools

    async def ask(
        self,
        summarizer: Summarizer,
        plan: Plan,
        progress: Progress,
        publish: Publish = lambda _event: None,
    ) -> SummaryText:
        """Asks as `Summarizer.ask`; what the calls cost goes to the ledger in any case (FIELD 74).

        Raises:
            SummaryFailed: there is none; after `calls` the next try offers no tools (FIELD 29).
            StorageError: what it cost can't be written down.
            asyncio.CancelledError: the user stopped it.
        """
        try:
            return await summarizer.ask(plan, progress, publish)
        except SummaryFailed as error:
            if error.code == "calls":
                self._calls_tools = summarizer.model
            raise
        finally:
            for usage in summarizer.usages:
                await self._recorder.usage(
                    usage, message=None, model=summarizer.model, purpose="summary"
                )
