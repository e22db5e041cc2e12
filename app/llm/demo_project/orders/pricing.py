"""Prices of an order, in cents."""

from orders.models import Order

BULK_FROM = 10
BULK_PERCENT = 15


def subtotal(order: Order) -> int:
    """What all lines cost, without discount."""
    return sum(line.price * line.pieces for line in order.lines)


def discount(order: Order) -> int:
    """15 % off from 10 pieces on."""
    pieces = sum(line.pieces for line in order.lines)
    if pieces > BULK_FROM:
        return round(subtotal(order) * BULK_PERCENT / 100)
    return 0


def total(order: Order) -> int:
    """What the customer pays."""
    return subtotal(order) - discount(order)
