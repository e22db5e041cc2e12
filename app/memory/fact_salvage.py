"""What can still be read of a file of facts that is no JSON array."""

from app.memory.json_text import decode_at


def salvage(text: str) -> list[tuple[dict[str, object], str]]:
    """Every whole object in the text that looks like a fact, with its text, in order.

    So a file that was cut off, has a comma too many or too few, was written twice, or has its facts
    somewhere inside an object, loses only what is really broken.
    """
    found: list[tuple[dict[str, object], str]] = []
    at = text.find("{")
    while at >= 0:
        following = at + 1
        try:
            value, end = decode_at(text, at)
        except ValueError:
            pass
        else:
            if isinstance(value, dict) and _is_fact(value):
                found.append((value, text[at:end]))
                following = end
            elif not value:
                following = end
        at = text.find("{", following)
    return found


def _is_fact(value: dict[str, object]) -> bool:
    named = any(name in value for name in ("id", "type", "timestamp"))
    return named and isinstance(value.get("content"), str)
