"""The base of every error that reaches the user: one clear sentence, by key.

Each layer raises its own subclass; what it says stands in `app/text`, so it can be said in either
language. The sentence names what failed and what to do.
"""

from app.text import Key, Words


class HaimaError(Exception):
    """An error with a sentence for the user.

    Attributes:
        code: a stable word for scripts (`error` events, `--json`).
        key: where the sentence stands in `app/text`.
        values: what fills the sentence's blanks.
    """

    code: str = "error"

    def __init__(self, key: Key, /, **values: object) -> None:
        super().__init__(key, values)
        self.key: Key = key
        self.values = values

    def sentence(self, words: Words) -> str:
        """What the user reads, in the language of `words`."""
        return words(self.key, **self.values)

    def __str__(self) -> str:
        return self.sentence(Words("en"))
