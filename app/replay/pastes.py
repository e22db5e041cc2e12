"""What a person pastes goes to a file where it is long, before it is sent (`session.pastes`)."""

from dataclasses import replace

from app.compaction.note import left_out, preview, read_call
from app.conversation.content import Content
from app.conversation.messages import Message, TextPart
from app.conversation.window import RULES, Rules
from app.text import Words


class ReplayedPastes:
    """The long messages of one replay.

    A recording doesn't tell what of a message was typed, so a long one counts as pasted, whole.
    """

    def __init__(self, words: Words, rules: Rules = RULES) -> None:
        """Has seen none.

        Args:
            words: the language of what stands in the place of a paste.
            rules: the numbers.
        """
        self._words = words
        self._rules = rules
        self._count = 0

    def sent(self, message: Message) -> Message:
        """A message of the user as it is sent: a paste's beginning and end in its place."""
        text, rules = message.text, self._rules
        if len(text) <= rules.paste:
            return message
        self._count += 1
        content = Content.of(text.encode("utf-8", "replace"))
        shown = preview(content, rules.note_head + rules.note_tail, sampled=0, rules=rules)
        head = self._words(
            "paste.head",
            characters=f"{content.characters:,}",
            lines=f"{content.lines:,}",
            call=read_call(f".haima/pastes/replay/{self._count:03}-paste.txt"),
        )
        middle = left_out(self._words, "tool_result.cut", shown.cut)
        end = self._words("paste.end")
        parts = (TextPart("\n".join((head, shown.head, middle, shown.tail, end))),)
        return replace(message, parts=parts)
