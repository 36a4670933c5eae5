"""Wiring only: settings, URLs, ASGI, the `serve` and `signin` commands. What artifactr does lives in the apps below."""
