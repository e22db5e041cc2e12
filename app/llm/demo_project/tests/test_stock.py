import unittest

from orders.models import Line, Order
from orders.stock import OutOfStock, Stock


class StockTest(unittest.TestCase):
    def test_an_order_is_taken_whole_or_not_at_all(self) -> None:
        stock = Stock(cup=5, pot=1)
        with self.assertRaises(OutOfStock):
            stock.take(Order(1, (Line("cup", 900, 2), Line("pot", 2500, 2))))
        self.assertEqual(stock.pieces, {"cup": 5, "pot": 1})
        stock.take(Order(2, (Line("cup", 900, 5),)))
        self.assertEqual(stock.pieces["cup"], 0)
