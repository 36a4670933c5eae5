"""The tests; `conftest.py` says what they stand on."""
