"""What can be wrong with a setting, said in one sentence with its place and key."""

from app.errors import HaimaError
from app.text import Key, Words


class ConfigError(HaimaError):
    """A setting is wrong, unknown, unreadable or not applied.

    Attributes:
        expected: words for what would be right; the blank `{expected}` of the sentence.
    """

    code = "config"

    def __init__(self, key: Key, /, *, expected: Key | None = None, **values: object) -> None:
        super().__init__(key, **values)
        self.expected = expected

    def sentence(self, words: Words) -> str:
        """The sentence, with what is expected in the same language."""
        if self.expected is None:
            return super().sentence(words)
        return words(self.key, **{**self.values, "expected": words(self.expected, **self.values)})
