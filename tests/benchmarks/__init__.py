"""Measures, as ratios: `make stress ARTIFACTR_STRESS=1`, or `pytest tests/benchmarks -m stress -rP` on their own."""
