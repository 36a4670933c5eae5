"""One run of pytest: its temporary folder, which all its workers share, and the processes it started.

A small shell watches over both. When pytest is gone, killed or not, it kills what is left and removes the folder.
"""

import atexit
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

VARIABLE = "ARTIFACTR_TEST_FOLDER"
SECRET_KEY = "a key for tests only, which is long enough to be taken"

WATCH = """
while kill -0 "$1" 2>/dev/null; do sleep 1; done
for file in "$2"/pids/*; do [ -e "$file" ] && kill -9 "${file##*/}" 2>/dev/null; done
rm -rf "$2"
"""


def folder() -> Path:
    """The run's folder: made by the first process that asks, told to its workers by the environment."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = made()
    return Path(os.environ[VARIABLE])


def made() -> str:
    path = tempfile.mkdtemp(prefix="artifactr-tests-")
    Path(path).chmod(0o711)  # PostgreSQL, as a user of its own, has to reach its part
    Path(path, "pids").mkdir()
    atexit.register(clean_up, path, os.getpid())
    return path


def clean_up(path: str, pid: int) -> None:
    if os.getpid() == pid:
        for file in Path(path, "pids").iterdir():
            subprocess.run(["kill", "-9", file.name], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(path, ignore_errors=True)


def watch() -> None:
    """Called once a run by its first process, before it starts any other."""
    detached(["sh", "-c", WATCH, "watch", str(os.getpid()), str(folder())])


def detached(command: Sequence[str | Path], output: IO[bytes] | None = None, **options: Any) -> int:
    """Start a process that nobody waits for; its id. Options are Popen's."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output or subprocess.DEVNULL,
        stderr=output or subprocess.DEVNULL,
        start_new_session=True,
        **options,
    )
    process.returncode = 0  # or Python complains that it still runs
    return process.pid


def started(pid: int) -> None:
    """Remember a process that must not outlive the run."""
    (folder() / "pids" / str(pid)).touch()


def ended(pid: int) -> None:
    (folder() / "pids" / str(pid)).unlink(missing_ok=True)


@contextmanager
def turn(name: str) -> Iterator[None]:
    """Workers that want the same thing made take turns."""
    with (folder() / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def database_url(kind: str, name: str) -> str:
    """The address of a database of this run, made or not yet."""
    if kind == "sqlite":
        return f"sqlite:///{quote(str(folder() / name))}.sqlite3"
    return f"postgresql://postgres@{quote(str(folder() / 'postgresql'), safe='')}/{name}"
