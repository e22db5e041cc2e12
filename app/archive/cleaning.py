"""What is masked and mended in whatever is kept, so that history and ledger say the same."""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from app.config import mask, mask_bytes
from app.conversation.by_hand import ByHand
from app.conversation.history import RecoverySlot
from app.conversation.images import is_data
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Part,
    RestoredPart,
    SummaryPart,
    TextPart,
    WordsPart,
    WorkPart,
)
from app.conversation.outcome import ToolOutcome
from app.conversation.work import Done, EntityKey, Goal, Progress, Rule, Touch, Work


class Cleaner:
    """Masks Haima's own credentials; joins the halves of surrogate pairs, as JSON does."""

    def __init__(self, credentials: Iterable[str]) -> None:
        """Takes `Settings.credentials`."""
        self._credentials = tuple(credentials)

    def message(self, message: Message) -> Message:
        """The message as it may be kept."""
        reasoning = message.reasoning
        return replace(
            message,
            parts=tuple(map(self.part, message.parts)),
            calls=tuple(
                replace(call, arguments=self.text(call.arguments)) for call in message.calls
            ),
            reasoning=reasoning
            and replace(
                reasoning, text=self.text(reasoning.text), details=self.text(reasoning.details)
            ),
        )

    def part(self, part: Part) -> Part:
        """A part of a message."""
        match part:
            case ImagePart():
                # A data URL is Base64: no text of ours, and megabytes of it.
                url = part.url if is_data(part.url) else self.text(part.url)
                return replace(part, url=url, name=self.text(part.name))
            case TextPart() | MemoryPart() | CorrectionPart() | RestoredPart() | WorkPart():
                return replace(part, text=self.text(part.text))
            case SummaryPart():
                references = tuple(map(self.text, part.references))
                return replace(part, text=self.text(part.text), references=references)
            case WordsPart():
                said = tuple(replace(one, text=self.text(one.text)) for one in part.said)
                return replace(part, said=said)
            case _:
                assert_never(part)

    def slot(self, slot: RecoverySlot | None) -> RecoverySlot | None:
        """A recovery slot."""
        return slot and replace(slot, text=self.text(slot.text))

    def outcome(self, outcome: ToolOutcome) -> ToolOutcome:
        """How a call ended."""
        return replace(outcome, reason=self.text(outcome.reason))

    def work(self, work: Work) -> Work:
        """What a row adds to the worklog."""
        return replace(
            work,
            touches=tuple(map(self._touch, work.touches)),
            rules=tuple(map(self._rule, work.rules)),
            revoked=tuple(map(self.text, work.revoked)),
            restored=tuple(map(self.text, work.restored)),
            goal=work.goal and self._goal(work.goal),
            progress=work.progress and self._progress(work.progress),
            forgotten=tuple(EntityKey(one.kind, self.text(one.name)) for one in work.forgotten),
            by_hand=self._by_hand(work.by_hand),
        )

    def _by_hand(self, changed: ByHand) -> ByHand:
        if not changed:
            return changed
        return replace(
            changed,
            goal=changed.goal and self.text(changed.goal),
            rules=tuple((self.text(rule), self.text(was)) for rule, was in changed.rules),
            entries=tuple((self.text(entry), was) for entry, was in changed.entries),
        )

    def _touch(self, touch: Touch) -> Touch:
        name, detail, file = map(self.text, (touch.name, touch.detail, touch.file))
        return replace(touch, name=name, detail=detail, file=file)

    def _rule(self, rule: Rule) -> Rule:
        return replace(rule, id=self.text(rule.id), text=self.text(rule.text))

    def _goal(self, goal: Goal) -> Goal:
        return replace(goal, text=self.text(goal.text))

    def _progress(self, progress: Progress) -> Progress:
        done = (Done(self.text(one.text), self.text(one.by)) for one in progress.done)
        return Progress(tuple(map(self.text, progress.todo)), tuple(done))

    def raw(self, raw: bytes) -> bytes:
        """Bytes as they came."""
        return mask_bytes(raw, self._credentials)

    def text(self, text: str) -> str:
        """Any text."""
        text = mask(text, self._credentials)
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return text
