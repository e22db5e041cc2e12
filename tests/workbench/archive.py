"""Earlier sessions for tests of the workbench: what the archive would give, faked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from app.conversation.past import Cursor, Past, PastPage
from app.errors import HaimaError
from app.session.earlier import Earlier
from app.session.elsewhere import SessionOpenElsewhere
from app.view.sessions_view import SessionNode
from tests.view.pasts import page, talk
from tests.view.some_sessions import SOME


@dataclass
class FakeArchive:
    """Answers in the place of `Earlier`, and notes what was asked.

    Attributes:
        nodes: what there is.
        past: the past of whatever is open.
        open_elsewhere: nodes that another process has.
        fails: raised by whatever is asked next.
        done: what was asked.
    """

    nodes: Sequence[SessionNode] = SOME
    past: Sequence[Past] = field(default_factory=lambda: talk(300))
    open_elsewhere: frozenset[str] = frozenset()
    fails: HaimaError | None = None
    done: list[tuple[object, ...]] = field(default_factory=list)

    def put_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Takes its place."""
        archive = self

        async def resume(self: Earlier, node: str) -> None:
            archive.note("resume", node)
            if node in archive.open_elsewhere:
                raise SessionOpenElsewhere(node)

        async def fork(self: Earlier, message: str | None, node: str | None = None) -> None:
            archive.note("fork", message, node)

        async def past(self: Earlier, before: Cursor | None, limit: int) -> PastPage:
            archive.note("past", before and before.count, limit)
            return page(archive.past, before, limit)

        async def sessions(self: Earlier) -> Sequence[SessionNode]:
            return archive.nodes

        async def retitle(self: Earlier, node: str, title: str) -> None:
            archive.note("retitle", node, title)

        async def delete_chain(self: Earlier, chain: str) -> None:
            archive.note("delete", chain)
            archive.nodes = [node for node in archive.nodes if node.chain != chain]

        async def undelete_chain(self: Earlier, chain: str) -> None:
            archive.note("undelete", chain)
            archive.nodes = SOME

        for method in (resume, fork, past, sessions, retitle, delete_chain, undelete_chain):
            monkeypatch.setattr(Earlier, method.__name__, method)

    def note(self, *what: object) -> None:
        """Remembers what was asked, or fails."""
        self.done.append(what)
        if self.fails is not None:
            error, self.fails = self.fails, None
            raise error
