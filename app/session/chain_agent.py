"""The agent of a chain, out of the chain's own parts."""

from collections.abc import Callable

from app.agent.announced import AnnouncedDecisions
from app.agent.approvals import Approvals
from app.agent.overflow import Overflow
from app.agent.react import Agent, BeforeCall
from app.agent.results import Results
from app.archive.recorder import Recorder
from app.compaction.compactor import Compactor
from app.compaction.offload import Offloader
from app.ports import ChatModel, Publish
from app.session.chain_work import ChainWork
from app.session.context import SessionContext
from app.session.limits import SessionLimits
from app.session.originals import ChainOriginals
from app.session.parts import Parts
from app.tools.toolbox import Toolbox


def make_agent(
    *,
    chain: str,
    parts: Callable[[], Parts],
    model: ChatModel,
    toolbox: Toolbox,
    recorder: Recorder,
    context: SessionContext,
    originals: ChainOriginals,
    work: ChainWork,
    before_call: BeforeCall,
    compactor: Compactor,
    publish: Publish,
) -> Agent:
    """The agent; nothing is asked yet.

    Args:
        chain: the chain's id.
        parts: what the session is made of now.
        model: answers.
        toolbox: what it may call.
        recorder: of the chain.
        context: follows what goes out, and says how much fits.
        originals: the chain's earlier messages.
        work: what is known of its work.
        before_call: runs before every call to the model.
        compactor: makes the history smaller, where the endpoint refused it as too long.
        publish: gets its events.
    """
    made, tier = parts(), compactor.tier
    return Agent(
        model=model,
        toolbox=toolbox,
        approvals=Approvals(AnnouncedDecisions(made.decisions, publish), made.allowance),
        recorder=recorder,
        results=Results(
            recorder=recorder,
            offloader=Offloader(made.project.root, chain, made.words),
            meter=context.meter,
            marks=lambda: context.window.marks,
            tools=lambda: context.tools,
            index=work.index,
            originals=originals,
            publish=publish,
            work=work,
        ),
        publish=publish,
        clock=made.clock,
        new_id=made.new_id,
        words=made.words,
        log_file=str(made.paths.log_file),
        before_call=before_call,
        watch=context,
        overflow=Overflow(
            limits=SessionLimits(context),
            force=compactor.force,
            withheld=lambda: None if tier is None else tier.withheld,
            settings=lambda: parts().settings,
            publish=publish,
            words=made.words,
        ),
    )
