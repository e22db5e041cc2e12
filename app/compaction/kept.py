"""What a summary's message keeps beside the summary, counted for the screen."""

from app.compaction.known import Told
from app.conversation.messages import Message, RestoredPart, WordsPart
from app.conversation.meter import Meter
from app.events import KeptBySummary


def kept_by(bearer: Message, told: Told, meter: Meter) -> KeptBySummary:
    """The figures.

    Args:
        bearer: the summary's message.
        told: in the recovery block at it.
        meter: estimates texts.
    """
    pins = [part.text for part in bearer.parts if isinstance(part, RestoredPart)]
    words = [part for part in bearer.parts if isinstance(part, WordsPart)]
    said = [one.text for part in words for one in part.said if one.text]
    part = bearer.summary
    return KeptBySummary(
        goal=bool(told.goals),
        rules=len(told.rules),
        files=told.files,
        entities=len(told.nearest),
        recovery_tokens=told.tokens,
        said=len(said),
        pins=len(pins),
        said_tokens=sum(map(meter.text_tokens, (*pins, *said))),
        references=0 if part is None else len(part.references),
    )
