"""What was sent before, as the prompt's ↑ and ↓ walk through it."""

from dataclasses import dataclass, field

KEPT = 500
"""How many entries are kept; more than anyone walks back through."""


@dataclass(slots=True)
class PromptHistory:
    """Earlier prompts, newest last, and the draft that waits at the end of the walk."""

    entries: list[str] = field(default_factory=list)
    _at: int | None = None
    _draft: str = ""

    def add(self, text: str) -> None:
        """Keeps a prompt; an equal one right before it counts once."""
        if text.strip() and (not self.entries or self.entries[-1] != text):
            self.entries.append(text)
            del self.entries[:-KEPT]
        self.rest()

    def rest(self) -> None:
        """Ends the walk: the next ↑ starts from the newest entry."""
        self._at = None
        self._draft = ""

    def older(self, draft: str) -> str | None:
        """The entry before; `draft` is what stands in the prompt now. None: there is none."""
        if self._at is None:
            if not self.entries:
                return None
            self._at, self._draft = len(self.entries), draft
        if self._at == 0:
            return None
        self._at -= 1
        return self.entries[self._at]

    def newer(self) -> str | None:
        """The entry after, at the end the draft again. None: not walking."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self.entries):
            return self.entries[self._at]
        draft = self._draft
        self.rest()
        return draft

    def matching(self, query: str) -> list[str]:
        """Entries that contain `query` (case ignored), newest first, each once."""
        wanted = query.casefold()
        found = (entry for entry in reversed(self.entries) if wanted in entry.casefold())
        return list(dict.fromkeys(found))
