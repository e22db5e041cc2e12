"""Haima's own credentials, replaced wherever text is kept or shown (DESIGN 4, Trust)."""

from collections.abc import Iterable

MASK = "‹key›"
"""What stands in place of a credential."""

_PLACEHOLDERS = frozenset({"lm-studio", "no-key-required", "not-needed", "placeholder"})
"""What local servers want in place of a key; masking these words would spoil plain text."""

_SHORTEST = 8


def secrets_among(candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates that are secrets, longest first so that one inside another is no trouble.

    Left out are words shorter than 8 characters and well-known placeholders: no provider gives
    out such keys, and they occur in plain text.
    """
    found = {
        candidate
        for candidate in candidates
        if len(candidate) >= _SHORTEST and candidate.lower() not in _PLACEHOLDERS
    }
    return tuple(sorted(found, key=lambda secret: (-len(secret), secret)))


def mask(text: str, credentials: Iterable[str]) -> str:
    """`text` with each of `credentials` replaced by `MASK`."""
    for credential in credentials:
        if credential in text:
            text = text.replace(credential, MASK)
    return text


def mask_bytes(raw: bytes, credentials: Iterable[str]) -> bytes:
    """The same for raw bytes, UTF-8."""
    for credential in credentials:
        raw = raw.replace(credential.encode("utf-8", "surrogateescape"), MASK.encode())
    return raw
