"""What a message says, with rules that hold already."""

from collections.abc import Sequence

from app.conversation.work import Rule
from app.memory.rules_said import Said, said


def heard(text: str, *held: str) -> Said:
    return said(text, active=rules(held), first=False)


def rules(texts: Sequence[str]) -> tuple[Rule, ...]:
    return tuple(Rule(f"r{place}", text) for place, text in enumerate(texts))


def texts(text: str, *held: str) -> list[str]:
    return [one for _, one in heard(text, *held).rules]
