"""The scripts behind the Makefile, in folders with spaces in their names."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.forked import CHECKOUT

pytestmark = pytest.mark.processes


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A checkout's scripts alone, in a folder with spaces."""
    folder = tmp_path / "a folder with spaces"
    shutil.copytree(CHECKOUT / "bin", folder / "bin")
    return folder


def python(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run(script: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([script], env=environment, capture_output=True, text=True, check=False)


def test_a_python_on_the_path_is_tried_before_it_is_believed(elsewhere: Path, tmp_path: Path) -> None:
    python(tmp_path / "shims" / "python3.14", "exit 127")
    python(tmp_path / "shims" / "python3.13", f'exec "{sys.executable}" "$@"')
    found = run(elsewhere / "bin" / "python", PATH=f"{tmp_path}/shims:/usr/bin:/bin", HOME=str(tmp_path))
    assert found.stdout.strip() == f"{tmp_path}/shims/python3.13"


def test_a_python_of_pyenv_is_found(elsewhere: Path, tmp_path: Path) -> None:
    root = tmp_path / "py env"
    for name in ("python3.14", "python3.13", "python3.12", "python3"):
        python(tmp_path / "shims" / name, "exit 127")
    python(root / "versions" / "3.11.7" / "bin" / "python", "exit 1")
    python(root / "versions" / "3.13.0" / "bin" / "python", f'exec "{sys.executable}" "$@"')
    found = run(elsewhere / "bin" / "python", PATH=f"{tmp_path}/shims:/usr/bin:/bin", PYENV_ROOT=str(root))
    assert found.stdout.strip() == f"{root}/versions/3.13.0/bin/python"


def test_a_machine_without_python_is_told_what_to_install(elsewhere: Path, tmp_path: Path) -> None:
    for name in ("python3.14", "python3.13", "python3.12", "python3"):
        python(tmp_path / "shims" / name, "exit 127")
    (elsewhere / "uv.lock").touch()
    told = run(elsewhere / "bin" / "setup", PATH=f"{tmp_path}/shims:/usr/bin:/bin", PYENV_ROOT=str(tmp_path))
    assert told.returncode == 1
    assert "install it" in told.stderr


def test_a_set_up_that_was_done_is_not_done_again(elsewhere: Path) -> None:
    python(elsewhere / ".venv" / "bin" / "python", "exit 0")
    (elsewhere / "uv.lock").write_text("the lock")
    (elsewhere / ".venv" / "installed-run.lock").write_text("the lock")
    done = run(elsewhere / "bin" / "setup", PATH="/usr/bin:/bin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_laptop_keeps_one_secret_key_to_itself(elsewhere: Path) -> None:
    show = 'case "$1" in -c) exec "$REAL" "$@";; *) echo "$ARTIFACTR_SECRET_KEY $ARTIFACTR_ORIGINS $*";; esac'
    python(elsewhere / ".venv" / "bin" / "python", show)
    ask = [str(elsewhere / "bin" / "manage"), "signin"]
    environment = {"PATH": "/usr/bin:/bin", "REAL": sys.executable, "PORT": "8123"}
    first, second = (
        subprocess.run(ask, env=environment, capture_output=True, text=True, check=True) for _ in "12"
    )
    assert first.stdout == second.stdout
    key, origins, *command = first.stdout.split()
    assert len(key) >= 50
    assert origins == "http://127.0.0.1:8123,http://localhost:8123"
    assert command == ["manage.py", "signin"]
    assert stat.S_IMODE((elsewhere / "var" / "secret-key").stat().st_mode) == 0o600


def test_what_the_environment_says_stands(elsewhere: Path) -> None:
    python(elsewhere / ".venv" / "bin" / "python", 'echo "$ARTIFACTR_SECRET_KEY $ARTIFACTR_ORIGINS"')
    environment = {"ARTIFACTR_SECRET_KEY": "mine", "ARTIFACTR_ORIGINS": "https://mine"}
    said = run(elsewhere / "bin" / "manage", PATH="/usr/bin:/bin", **environment)
    assert said.stdout == "mine https://mine\n"
    assert not (elsewhere / "var" / "secret-key").exists()


def test_no_script_names_a_place_where_packages_come_from() -> None:
    for path in [*(CHECKOUT / "bin").iterdir(), CHECKOUT / "Makefile", CHECKOUT / ".ci" / "run"]:
        assert "://pypi" not in path.read_text()
        assert os.access(path, os.X_OK) or path.name == "Makefile"
