"""A pgbouncer of a test's own, before its PostgreSQL: each transaction may have another session."""

import os
import shutil
import subprocess
import uuid

from tests.services import needed, session
from tests.services.postgresql import PostgreSQL, as_postgres
from tests.services.redis import free_port, wait_for_port

CONFIGURATION = """
[databases]
{name} = host={home} dbname={name} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 500
server_reset_query =
"""


class PgBouncer:
    """Running; `url` is the database's address through it."""

    def __init__(self, postgresql: PostgreSQL) -> None:
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/{postgresql.name}"
        home = session.folder() / f"pgbouncer-{uuid.uuid4().hex[:8]}"
        home.mkdir(mode=0o755)
        text = CONFIGURATION.format(name=postgresql.name, home=postgresql.home, port=self.port)
        (home / "pgbouncer.ini").write_text(text)
        if os.geteuid() == 0:
            shutil.chown(home, "postgres", "postgres")
        with (home / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [needed.pgbouncer(), str(home / "pgbouncer.ini")], stdout=log, stderr=log, **as_postgres()
            )
        session.started(self.process.pid)
        wait_for_port(self.port, "pgbouncer")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        session.ended(self.process.pid)
