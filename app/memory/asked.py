"""Whether the user's own words ask to remember something.

The model can't verify its own memories (DESIGN 1, 4): a fact it saves counts as the user's wish
only where the user's newest words ask for it. Looked for as words, in both languages; a question
whether something is remembered asks for nothing, and "don't remember" least of all.
"""

import re
import unicodedata

from app.memory.facts import Provenance

_ENGLISH = re.compile(
    r"\b(?:remember|memori[sz]e|"
    r"(?:keep|bear|have)\s+(?:\w+\s+){0,2}in\s+mind|"
    r"(?:make|take)\s+(?:a\s+)?(?:mental\s+)?note|note\s+(?:that|down|this|it)\b|"
    r"don't\s+(?:you\s+)?(?:ever\s+)?forget|do\s+not\s+forget|never\s+forget|"
    r"(?:save|store|add|put|write|commit)\b[^.!?\n]{0,80}\bmemory|"
    r"for\s+(?:the\s+)?(?:next\s+time|future|later\s+sessions)|from\s+now\s+on|"
    r"in\s+(?:the\s+)?future\b)"
)
_CHINESE = re.compile(
    r"记(?:住|一下|下|得|着|牢|好|到|一记|录一?下|上)|牢记|谨记|"
    r"(?:别|勿|不要|不能|不许)忘|(?:存|写|放|加|录|保存)[^。！？\n]{0,20}记忆|"
    r"(?:以后|今后|往后|从现在起|从今以后)(?:都|就|请|要|不要|别|记|一律|统一)"
)
_NOT = re.compile(
    r"\b(?:don't|do\s+not|never|no\s+need\s+to|needn't|stop|without)\s+(?:\w+\s+)?"
    r"(?:remember|memori[sz]|sav|stor|not(?:e|ing)\s)|"
    r"\b(?:do|did|can|could|does)\s+(?:you|i|we|it)\s+(?:still\s+|even\s+)?remember|"
    r"\b(?:i|we|you)\s+(?:don't\s+|can't\s+|still\s+|do\s+)?remember\b|\bas\s+i\s+remember|"
    r"(?:不用|不必|不要|别|无需|不需要|无须|甭|不)(?:再)?(?:帮我)?记|"
    r"还记得|记不记得|(?:你|您|我|我们)?记得[^。！？\n]{0,30}(?:吗|么|[?？])|我(?:还)?记得|我记不"
)


def asks_to_remember(text: str) -> bool:
    """Whether a message of the user's asks to remember something.

    Args:
        text: the user's own words, without quoted or recalled blocks.
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    rest = _NOT.sub(" ", plain)
    return bool(_ENGLISH.search(rest) or _CHINESE.search(rest))


def was_asked_for(origin: Provenance) -> bool:
    """Whether a fact was written because the user wanted it: a model also saves what nobody asked.

    Told by the user's words that are kept with it.
    """
    return origin.who != "model" or asks_to_remember(origin.quote)


def asking_words(text: str, limit: int) -> str:
    """The piece of a message that asks, word for word: a source that can be read at a glance.

    Args:
        text: the user's own words.
        limit: characters at most.

    Returns:
        The message where it is short; else the first line that asks, else its beginning.
    """
    plain = text.strip()
    if len(plain) <= limit:
        return plain
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    line = next((one for one in lines if asks_to_remember(one)), lines[0])
    return line[:limit].rstrip()
