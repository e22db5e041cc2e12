"""Long pastes of the prompt go to files of the open chain; what fails is said and stays whole."""

from app.errors import HaimaError
from app.session.incoming import pastes_of
from app.session.session import Session
from app.workbench.app import Workbench


class PromptPastes:
    """Keeps the pastes of one session's prompt; a `widgets.pasting.PasteKeeper`."""

    def __init__(self, app: Workbench, session: Session) -> None:
        """Keeps nothing yet.

        Args:
            app: says what fails.
            session: whose chain they belong to.
        """
        self._app = app
        self._session = session
        self._pastes = pastes_of(lambda: session.parts)

    async def keep(self, text: str) -> str | None:
        """The mark for a long paste; None: it stays in the prompt."""
        try:
            return await self._pastes.keep(text, self._session.chain)
        except HaimaError as error:
            self._app.toast("paste.not_moved", error.sentence(self._app.words), "warn")
            return None

    async def whole(self, path: str) -> str | None:
        """What a mark stands for; None: its file is gone."""
        try:
            return await self._pastes.whole(path)
        except HaimaError as error:
            self._app.toast("paste.gone_title", error.sentence(self._app.words), "warn")
            return None
