"""Which programs the tests need, where they are, and how to get them.

Run as `python -m tests.services.needed` it sees to it that they are there: on Debian as root, or under CI, it installs
what is missing; elsewhere it says the one command that would. Without them their tests are skipped, and under CI fail.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "PostgreSQL": "postgresql",
    "Redis": "redis-server",
    "Chromium": "chromium",
}


class Missing(Exception):
    """A program that a test needs is not installed."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name} is not installed: {command_for([name])}")

    @property
    def is_optional(self) -> bool:
        """Whether only a drive or two need it."""
        return self.name not in PACKAGES


def postgresql_folder() -> Path:
    """Where `initdb` and `postgres` lie together. Raises Missing."""
    found = [Path(path).parent for path in [shutil.which("postgres")] if path]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    for folder in [*reversed(debian), *found]:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise Missing("PostgreSQL")


def redis_server() -> str:
    """Debian's is a link to a program that looks at its own name, so it is not resolved. Raises Missing."""
    return first("Redis", "redis-server", "valkey-server")


def pgbouncer() -> str:
    """Raises Missing. One drive alone needs it: it is not installed for that, and its want fails nothing."""
    return first("pgbouncer", "pgbouncer")


def chromium() -> str:
    """Raises Missing."""
    return first("Chromium", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def first(name: str, *programs: str) -> str:
    for program in programs:
        if path := shutil.which(
            program, path=f"{os.environ.get('PATH', '')}:/usr/bin:/usr/sbin:/usr/local/bin"
        ):
            return path
    raise Missing(name)


def missing() -> list[str]:
    names = []
    for find in (postgresql_folder, redis_server, chromium):
        try:
            find()
        except Missing as error:
            names.append(error.name)
    return names


def command_for(names: list[str]) -> str:
    return f"sudo apt-get install --yes {' '.join(PACKAGES.get(name, name) for name in names)}"


def is_ci() -> bool:
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


def install(names: list[str]) -> None:
    """By Debian's package manager, as root, or under CI with the root's rights it has."""
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    environment = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive"]
    packages = [PACKAGES[name] for name in names]
    subprocess.run([*environment, "apt-get", "update", "-q"], check=True)
    subprocess.run(
        [*environment, "apt-get", "install", "-q", "--yes", "--no-install-recommends", *packages], check=True
    )


def main() -> int:
    names = missing()
    if names and shutil.which("apt-get") and (os.geteuid() == 0 or is_ci()):
        print(f"Installing {', '.join(names)} for the tests.")
        install(names)
        names = missing()
    if names:
        print(f"{', '.join(names)} missing, so the tests that need them will not run. Install with:")
        print(f"    {command_for(names)}")
    return 1 if names and is_ci() else 0


if __name__ == "__main__":
    sys.exit(main())
