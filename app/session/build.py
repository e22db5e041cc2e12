"""Builds a session out of its parts; tests put in their own clock, ids, decisions and model."""

from collections.abc import Iterable, Mapping

from app.agent.approvals import Allowance
from app.agent.react import BeforeCall, no_hook
from app.config import Settings
from app.conversation.messages import IdFactory, random_id
from app.errors import HaimaError
from app.paths import Paths
from app.ports import ChatModel, Clock, Decisions
from app.project import Project
from app.session.auxiliary import Auxiliary
from app.session.clock import SystemClock
from app.session.parts import Parts
from app.session.session import Session
from app.text import Words


def build_session(
    *,
    settings: Settings,
    project: Project,
    paths: Paths,
    words: Words,
    decisions: Decisions,
    model: ChatModel,
    environ: Mapping[str, str],
    allowance: Allowance | None = None,
    clock: Clock | None = None,
    new_id: IdFactory = random_id,
    before_call: BeforeCall = no_hook,
    notices: Iterable[HaimaError] = (),
) -> Session:
    """A session that isn't open yet; nothing is read or written.

    Args:
        settings: after all layers.
        project: where the agent works.
        paths: Haima's home.
        words: the language, of the model's instructions too.
        decisions: answers questions (a `Broker`, a test's own); not asked with an allowance.
        model: answers.
        environ: what commands inherit; Haima's credentials are taken out.
        allowance: None: the user is asked; else what may be done without asking (`run --allow`).
        clock: the real one by default.
        new_id: ids of messages, calls and chains.
        before_call: runs before every call to the model.
        notices: told when the session opens, beside those of the settings.
    """
    clock = clock or SystemClock()
    parts = Parts(
        settings=settings,
        project=project,
        paths=paths,
        words=words,
        decisions=decisions,
        clock=clock,
        new_id=new_id,
        environ=environ,
        allowance=allowance,
        before_call=before_call,
        auxiliary=Auxiliary(clock, words),
    )
    return Session(parts, model, (*settings.notices, *notices))
