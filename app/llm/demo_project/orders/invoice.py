"""The invoice as text."""

from orders.models import Order
from orders.pricing import discount, total


def invoice(order: Order) -> str:
    """One row a line, then the discount and the sum."""
    rows = [(f"{x.pieces} x {x.product}", x.price * x.pieces) for x in order.lines]
    if off := discount(order):
        rows.append(("discount", -off))
    rows.append(("total", total(order)))
    return "\n".join(f"{name:<20}{cents / 100:>10.2f}" for name, cents in rows)
