"""A plain client in a terminal: what the page does, without a browser, over the same Runner and the same commands."""
