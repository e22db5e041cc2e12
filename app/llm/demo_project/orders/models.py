"""What an order is made of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """So many pieces of a product, at a price in cents."""

    product: str
    price: int
    pieces: int = 1


@dataclass(frozen=True)
class Order:
    """What a customer wants."""

    number: int
    lines: tuple[Line, ...]
