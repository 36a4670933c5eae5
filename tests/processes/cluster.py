"""Several processes of one installation, on a PostgreSQL and a Redis of their own."""

import json
import time
from pathlib import Path

from tests.processes.stage import APPENDED
from tests.processes.visitor import Visitor
from tests.services.forked import NOTHING, Forked
from tests.services.postgresql import PostgreSQL
from tests.services.redis import Redis
from tests.services.served import Served

SETTINGS = "tests.processes.many_settings"
RUNS, PAGES = "--runs-only", "--no-runs"


class Cluster:
    """The processes, and what they stand on. `appended` is the file to which their tools append."""

    def __init__(self, folder: Path, *, redis: bool = True) -> None:
        self.postgresql = PostgreSQL()
        self.redis = Redis() if redis else None
        self.appended = folder / "appended"
        self.appended.touch()
        self.processes: list[Served] = []
        self.editors: list[Forked] = []
        self.complaints = folder / "complaints"
        self.served().manage("migrate", "--verbosity", "0")

    def served(self, *arguments: str, **environment: str) -> Served:
        """A process that is not started."""
        shared = {"DJANGO_SETTINGS_MODULE": SETTINGS, APPENDED: str(self.appended)}
        if self.redis:
            shared["ARTIFACTR_REDIS_URL"] = self.redis.url
        return Served(self.postgresql.url, arguments=arguments, environment={**shared, **environment})

    def start(self, *arguments: str, wait: bool = True, **environment: str) -> Served:
        """A process, started."""
        served = self.served(*arguments, **environment)
        self.processes.append(served)
        served.start(wait=wait)
        return served

    def edit(self) -> None:
        """Let somebody edit a document that all threads follow, in a process of their own, from now on."""
        call = "from tests.processes import editor; editor.edit_for_ever()"
        files = (NOTHING, NOTHING, self.complaints)
        self.editors.append(self.served().command("shell", "--no-imports", "-c", call, files=files))

    def stop_editing(self) -> None:
        """They are gone, in the middle of whatever they did."""
        for editor in self.editors:
            assert editor.poll() is None, self.complaints.read_text()
            editor.kill()
            editor.wait()
        self.editors.clear()

    def visitor(self, at: Served, name: str = "alice", *, superuser: bool = False) -> Visitor:
        """Somebody's browser at one of the processes."""
        return Visitor(at.person(name, superuser=superuser))

    def close(self) -> None:
        for editor in self.editors:
            editor.kill()
            editor.wait()
        for served in self.processes:
            if served.process is not None and served.process.poll() is None:
                served.kill9()
        if self.redis:
            self.redis.stop()
        self.postgresql.stop()

    def logs(self) -> str:
        return "\n".join(
            f"== {served.arguments} {served.port}\n{served.log()[-3000:]}" for served in self.processes
        )

    def after(self, call: str) -> str:
        """What a function of `aftermath` prints."""
        return self.served().manage(
            "shell", "--no-imports", "-c", f"from tests.processes import aftermath; aftermath.{call}"
        )

    def wait_for_rest(self, seconds: float = 120) -> float:
        """The seconds until no thread has work any more."""
        began = time.monotonic()
        while self.postgresql.rows(AT_WORK):
            assert time.monotonic() - began < seconds, self.logs()
            time.sleep(0.1)
        return time.monotonic() - began

    def check(self) -> dict[str, object]:
        """Every promise of every thread; counts."""
        counts: dict[str, object] = json.loads(self.after(f"print_checked({str(self.appended)!r}, 60)"))
        return counts


AT_WORK = """
select thread.id from threads_thread thread left join threads_run run on run.id = thread.run_id
where thread.claim is not null or run.status in ('running', 'ready')
   or (thread.asked_seq > thread.taken_seq and (run.id is null or run.status <> 'paused'))
limit 1
"""
