"""A picture as the result of a call: shown to a model that sees it, else a text that says why not.

Providers take no pictures in results; `conversation.wire` sends them in a message after those of
the step. Where the model or its endpoint takes none, the result is text alone.
"""

from pathlib import Path

from app.conversation.images import SIGNATURE, Unseen, image_kind, picture, pictures, told
from app.conversation.messages import ImagePart, Message
from app.project import ProjectError
from app.text import Key
from app.text.sizes import human_size
from app.tools.base import ToolContext, ToolOutput

_NAMES = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WebP"}

_WHY: dict[Unseen, Key] = {
    "blind": "tool_result.image_blind",
    "unknown": "tool_result.image_unknown",
}


def read_picture(context: ToolContext, path: Path, given: str) -> ToolOutput | None:
    """Reads a resolved path as a picture; None where it is none, or can't be read.

    Blocks; a picture that isn't shown isn't read but for its beginning.

    Args:
        context: of the tools.
        path: resolved.
        given: as the model wrote it, for the sentence.
    """
    sight = context.sight()
    try:
        with context.project.open(path) as file:
            start = file.read(SIGNATURE)
            kind = image_kind(start)
            if kind is None:
                return None
            size = file.seek(0, 2)
            if not sight.results:
                key = "tool_result.image_results" if sight.user else _WHY[sight.unseen]
                return context.failed(
                    key,
                    reason="tool_result.image_short",
                    path=given,
                    kind=_NAMES[kind],
                    size=human_size(size),
                )
            if size > sight.largest():
                return context.failed(
                    "tool_result.image_large",
                    reason="tool_result.image_large_short",
                    path=given,
                    size=human_size(size),
                    most=human_size(sight.largest()),
                )
            file.seek(0)
            made = picture(context.project.relative(path), file.read(size))
    except (OSError, ProjectError):
        return None
    if made is None:  # it changed in this moment
        return None
    text = context.shown(context.words("tool_result.image", image=told(made)))
    return ToolOutput(text, pictures=(made,))


def shown_again(context: ToolContext, message: Message) -> tuple[ImagePart, ...]:
    """The pictures of an earlier message, as far as the model sees them and they fit."""
    sight = context.sight()
    if sight.results:
        return pictures(message.parts)
    return ()
