"""`/clear`, `/export`, the draft in an editor: on the main screen, with what came of it."""

from collections.abc import Mapping

from app.errors import HaimaError
from app.screens.chat import ChatScreen
from app.workbench.app import Workbench
from app.workbench.editor import edit_text
from widgets.toasts import Toast


async def clear(chat: ChatScreen) -> None:
    """`/clear`: a new conversation; says what became of the old one."""
    words = chat.look.words
    if not chat.session.node:
        return
    try:
        await chat.session.clear()
    except HaimaError as error:
        chat.show_toast(Toast(words("chat.command_failed"), error.sentence(words), "warn"))
        return
    chat.show_state()
    chat.show_toast(Toast(words("chat.cleared"), words("chat.cleared_text"), "ok"))


async def export(chat: ChatScreen) -> None:
    """`/export`: says where the file is, or why there is none."""
    words = chat.look.words
    if not chat.session.node:
        return
    try:
        path = await chat.session.export()
    except HaimaError as error:
        chat.show_toast(Toast(words("chat.command_failed"), error.sentence(words), "warn"))
        return
    chat.show_toast(Toast(words("chat.exported"), path.name, "ok"))


async def edit(app: Workbench, chat: ChatScreen, environ: Mapping[str, str]) -> None:
    """The draft in the user's editor, and back."""
    text = await edit_text(app, chat.prompt.draft, environ)
    if text is None:
        app.toast("chat.editor_failed", app.words("chat.editor_failed_text"), "warn")
    else:
        chat.prompt.input.fill(text.rstrip("\n"))
