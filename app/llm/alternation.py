"""An answer between results and the user, where roles must alternate (PROVIDERS 1.7).

A turn that was stopped or failed after its results ends with them, and pictures of a result follow
it in a user message. Most take that; Hunyuan, Mistral and some templates want the assistant to have
spoken before the user does. It follows from the messages alone, so bytes already sent to such an
endpoint stay the same.
"""

from collections.abc import Sequence

from app.conversation.messages import WireMessage

_SPOKEN: WireMessage = {"role": "assistant", "content": "…"}
"""An assistant message may not be empty."""


def alternating(messages: Sequence[WireMessage]) -> tuple[WireMessage, ...]:
    """The messages, with as good as nothing said wherever the user follows a result."""
    spoken: list[WireMessage] = []
    for message in messages:
        if message.get("role") == "user" and spoken and spoken[-1].get("role") == "tool":
            spoken.append(_SPOKEN)
        spoken.append(message)
    return tuple(spoken)
