"""How many pieces there are."""

from orders.models import Order


class OutOfStock(Exception):
    """There are fewer pieces than were ordered."""


class Stock:
    """Pieces by product; an order is taken whole or not at all."""

    def __init__(self, **pieces: int) -> None:
        self.pieces = pieces

    def take(self, order: Order) -> None:
        """Takes an order's pieces out."""
        left = dict(self.pieces)
        for line in order.lines:
            left[line.product] = left.get(line.product, 0) - line.pieces
            if left[line.product] < 0:
                raise OutOfStock(line.product)
        self.pieces = left
