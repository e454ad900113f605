"""One PostgreSQL server: make its cluster, start it, see whether it answers, stop it."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from ldpsite.embedded.account import Account
from ldpsite.embedded.places import NAME, PORT, EmbeddedDatabaseError, Places
from ldpsite.log_files import open_log

MARK = f"cluster_name={NAME}-embedded"
"""On the command line of every server started here; one that was started by hand is not ours to stop."""

DISCREET = ("log_min_error_statement=panic", "log_error_verbosity=terse")
"""An error's line in the log has a time: not beside it the statement, nor the detail that repeats a row's values."""

PATIENCE = 120.0
"""Seconds. Starting takes 0.1 s; recovery after a crash of the machine can take long."""

NOT_DURABLE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass
class Server:
    places: Places
    account: Account
    programs: Path
    durable: bool = True
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def ensure_running(self) -> None:
        """Start the server unless it runs, and wait until it answers. The caller holds the turn lock."""
        if not self.places.cluster.exists():
            self._make_cluster()
        deadline, tries = time.monotonic() + PATIENCE, 3
        while not self._answers():
            if self._process is not None and self._process.poll() is not None:
                # Processes of a killed server may take a moment to notice, and it waits for none of them.
                self._process, tries = None, tries - 1
                if tries:
                    time.sleep(0.3)
                    continue
                raise EmbeddedDatabaseError(f"PostgreSQL did not start; {self.places.log} says:\n{self._last_words()}")
            # One whose command was killed may still be starting, or stopping: then it is waited for.
            if self._process is None and server_process(self.places) is None:
                self._start()
            if time.monotonic() > deadline:
                raise EmbeddedDatabaseError(f"PostgreSQL does not answer; see {self.places.log}.")
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop the server, if it runs and was started here. The caller is its last user."""
        pid = server_process(self.places)
        if pid is None or MARK not in self.places.cluster.joinpath("postmaster.opts").read_text(encoding="utf-8"):
            return
        # "Fast" first: ends the sessions and leaves a clean cluster. "Immediate" if it hangs: recovery at next start.
        for how, patience in ((signal.SIGINT, 20.0), (signal.SIGQUIT, 10.0)):
            os.kill(pid, how)
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline:
                if not self.places.pid_file.exists():
                    if self._process is not None:
                        self._process.wait()
                    return
                time.sleep(0.005)
        raise EmbeddedDatabaseError(f"PostgreSQL (process {pid}) does not stop; see {self.places.log}.")

    def _make_cluster(self) -> None:
        # Renamed when it is complete, so that a killed first start leaves no half cluster behind.
        new = self.places.cluster.with_name("cluster.new")
        shutil.rmtree(new, ignore_errors=True)
        command: list[str | Path] = [self.programs / "initdb", "--pgdata", new, "--username", NAME]
        command += ["--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-instructions"]
        command += [] if self.durable else ["--no-sync"]
        made = subprocess.run(command, capture_output=True, text=True, check=False, **self.account.process_options)
        if made.returncode != 0:
            raise EmbeddedDatabaseError(f"initdb failed:\n{made.stderr or made.stdout}")
        new.rename(self.places.cluster)

    def _start(self) -> None:
        self._disown_lock_files()
        folder = str(self.places.socket_dir).replace('"', '""')
        options = [MARK, "listen_addresses=", f'unix_socket_directories="{folder}"', "unix_socket_permissions=0700"]
        options += [f"port={PORT}", "max_connections=100", "logging_collector=off", *DISCREET]
        options += [] if self.durable else NOT_DURABLE
        command: list[str | Path] = [self.programs / "postgres", "-D", self.places.cluster]
        command += [part for option in options for part in ("-c", option)]
        with open_log(self.places.log) as log:
            # A session of its own: Ctrl-C is for the command, which then stops the server in good order.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self.account.process_options,
            )

    def _disown_lock_files(self) -> None:
        """Let a start succeed over the files of a crash, whose process number may be another's by now.

        The cluster's file stays, for the shared memory it names is how PostgreSQL sees that processes of a killed
        server still work on the files. It takes the number of its own parent (us) for a stale one.
        """
        self.places.socket.with_name(f"{self.places.socket.name}.lock").unlink(missing_ok=True)
        pid_file = self.places.pid_file
        if pid_file.exists():
            _, _, rest = pid_file.read_text(encoding="utf-8").partition("\n")
            pid_file.write_text(f"{os.getpid()}\n{rest}", encoding="utf-8")

    def _answers(self) -> bool:
        if not self.places.socket.exists():
            return False
        # Here and not at the top: it loads while the server starts.
        import psycopg

        try:
            with psycopg.connect(self.places.url("postgres"), autocommit=True, connect_timeout=10) as connection:
                there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone()
                if there is None:
                    connection.execute(f"CREATE DATABASE {NAME}".encode())
        except psycopg.OperationalError:
            return False
        return True

    def _last_words(self) -> str:
        return "\n".join(self.places.log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])


def server_process(places: Places) -> int | None:
    """Return the process that runs this cluster, if one does; the file alone may be a dead server's."""
    try:
        pid = int(places.pid_file.read_text(encoding="utf-8").split()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return pid if str(places.cluster) in _command_line(pid) else None


def _command_line(pid: int) -> str:
    proc = Path("/proc") / str(pid)
    if proc.parent.joinpath("self").exists():
        try:
            return proc.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    return subprocess.run(["ps", "-p", str(pid), "-o", "args="], capture_output=True, text=True, check=False).stdout
