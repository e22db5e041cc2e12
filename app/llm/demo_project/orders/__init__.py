"""Small orders: prices, stock, invoices."""
