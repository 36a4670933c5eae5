"""How much of a long test runs: a share of it with every `make test`, the whole with `make stress`."""

import os

IS_STRESS = os.environ.get("ARTIFACTR_STRESS", "") not in {"", "0"}


def share(full: int, part: int) -> int:
    """`full` rounds under `make stress`, `part` otherwise; says which, for the log of the run."""
    count = full if IS_STRESS else part
    print(f"{count} rounds of {full}")
    return count
