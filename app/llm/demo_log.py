"""The sample project's log of a night: big enough to become a file, with one thing to be found.

Made up, like the sample itself, but consistent: it is what counting this stock gives. A delivery is
booked with no pieces; hours later the orders that need them are refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

LOG = "logs/night.log"
"""Where the copy of the sample has it."""

_ORDERS = 230
_SHORT = ("pot", 48, 62)
"""The delivery that goes wrong: product, pieces expected, after which order."""

_STOCK = {"cup": 96, "pot": 67, "bowl": 80, "jug": 64, "tray": 72}
_REFILL = 48
"""Pieces of every other delivery; each comes when fewer than half of that are left."""


@dataclass(slots=True)
class _Night:
    """The state of the night, and its lines."""

    stock: dict[str, int] = field(default_factory=lambda: dict(_STOCK))
    second: int = 3_600
    number: int = 7
    delivery: int = 87
    lines: list[str] = field(default_factory=list)

    def some(self, most: int) -> int:
        """The next number from 0 on; the same in every copy."""
        self.number = (self.number * 1_103_515_245 + 12_345) % 2**31
        return (self.number >> 16) % most

    def say(self, level: str, text: str) -> None:
        """A line, some seconds after the one before."""
        self.second += 7 + self.some(25)
        hour, rest = divmod(self.second, 3_600)
        clock = f"{hour:02}:{rest // 60:02}:{rest % 60:02}"
        self.lines.append(f"2026-03-14 {clock} {level:<5} {text}")

    def deliver(self, product: str, expected: int, booked: int) -> None:
        """A delivery comes."""
        self.delivery += 1
        self.stock[product] += booked
        self.say("INFO", f"delivery DLV-{self.delivery} {product} {expected=} {booked=}")

    def order(self, number: int) -> None:
        """An order of one product: accepted, priced, then taken or refused."""
        product = tuple(self.stock)[self.some(len(self.stock))]
        pieces, price = 1 + self.some(4), 400 + 50 * self.some(40)
        name = f"ORD-{number}"
        self.say("INFO", f"{name} accepted: {pieces} x {product}, customer C-{self.some(900):04}")
        self.say("INFO", f"{name} priced: subtotal={pieces * price} discount=0")
        left = self.stock[product]
        if pieces > left:
            self.say("ERROR", f"{name} refused: OutOfStock({product!r}), {left} left")
            return
        self.stock[product] = left - pieces
        self.say("INFO", f"{name} taken: stock of {product} {left} -> {left - pieces}")


def night_log() -> str:
    """The log, more than 32,000 characters; the same at each call."""
    night = _Night()
    night.say("INFO", "night shift begins, stock counted: " + _counted(night))
    short, expected, after = _SHORT
    for count in range(_ORDERS):
        if count == after:
            night.deliver(short, expected, 0)
        for product in _due(night):
            night.deliver(product, _REFILL, _REFILL)
        night.order(20_417 + count)
    night.say("INFO", "night shift ends, stock: " + _counted(night))
    return "\n".join(night.lines) + "\n"


def _due(night: _Night) -> Iterator[str]:
    return (name for name, left in night.stock.items() if name != _SHORT[0] and 2 * left < _REFILL)


def _counted(night: _Night) -> str:
    return ", ".join(f"{product} {left}" for product, left in night.stock.items())
