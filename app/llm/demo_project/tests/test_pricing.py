import unittest

from orders.invoice import invoice
from orders.models import Line, Order
from orders.pricing import discount, total


def pieces(count: int, price: int) -> Order:
    return Order(1, (Line("cup", price, count),))


class Pricing(unittest.TestCase):
    def test_no_discount_below_ten_pieces(self) -> None:
        self.assertEqual(discount(pieces(9, price=100)), 0)

    def test_discount_from_ten_pieces_on(self) -> None:
        self.assertEqual(discount(pieces(10, price=100)), 150)
        self.assertEqual(discount(pieces(10, price=103)), 155)  # 154.5, rounded up

    def test_total_is_less_the_discount(self) -> None:
        self.assertEqual(total(pieces(20, price=100)), 1700)

    def test_invoice_shows_the_discount(self) -> None:
        self.assertIn("-3.00", invoice(pieces(20, price=100)))
