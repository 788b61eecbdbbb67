"""Dask clusters of processes, which tests can kill."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

CONFIGURATION = {
    # A worker that is gone is noticed soon.
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "20s",
    "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error",
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "0",
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Processes:
    """A scheduler and its workers, with one thread each."""

    def __init__(self, log: Path, workers: int) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._log = log.open("ab")
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(workers)]

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        scheduler = self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                assert scheduler.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            else:
                return scheduler

    def start_worker(
        self, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        return self._start("dask_worker", self.address, *options, environment=environment)

    def _start(
        self, module: str, *args: str, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *args],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, **CONFIGURATION, **(environment or {})},
        )

    def replace(self, number: int) -> None:
        """Kills a worker; another one comes."""
        self.workers[number].kill()
        self.workers[number].wait()
        self.workers[number] = self.start_worker()

    def restart_scheduler(self) -> None:
        """Kills the scheduler; a new one and new workers come, as where something watches over
        them."""
        for process in [self.scheduler, *self.workers]:
            process.kill()
            process.wait()
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in self.workers]

    def close(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        self._log.close()


@contextmanager
def processes(log: Path, workers: int) -> Iterator[Processes]:
    cluster = Processes(log, workers)
    try:
        yield cluster
    finally:
        cluster.close()
