"""Secrets in a text: masked in facts, titles, exports, all that is derived (DESIGN 4, Trust).

Only what is surely one is masked: keys in the form their makers give them, passwords in addresses,
and values of names that say so, written as code writes them. A sentence about passwords stays.
"""

import re
from typing import Final

MASKED: Final = "‹secret›"
"""What stands in place of a secret."""

_FORMS: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?<![\w-])(?:"
    r"sk-[\w-]{16,}"  # OpenAI, Anthropic, DeepSeek, …
    r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|AIza[\w-]{30,}"
    r"|xox[abeoprs]-[\w-]{10,}"
    r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}"
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"
    r")",
    re.ASCII,
)

_ADDRESS: Final = re.compile(
    r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]*:)([^\s/@]+)(?=@)", re.IGNORECASE
)

_NAMED: Final = re.compile(
    r"""
    (
      (?<![A-Za-z0-9])  # `api-token` too; what stands before it isn't read, as that may be long
      (?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)
      ["']? (?:\s*=\s*|:\s*(?=["'])) ["']?
    )
    (?![$<{%‹]) ([^\s"'，。；;,]{6,})
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_secrets(text: str) -> str:
    """The text with its secrets masked; the same object where it has none."""
    text = _FORMS.sub(MASKED, text)
    # Both try every word; what they cannot do without is found at once.
    if "://" in text:
        text = _ADDRESS.sub(rf"\g<1>{MASKED}", text)
    if "=" in text or ":" in text:
        text = _NAMED.sub(rf"\g<1>{MASKED}", text)
    return text
