"""Runs of the engine and of its peers: what they print, their processor time and their memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
EXAMPLES = TARGET / "dist/examples"
NS2_SCRIPTS = HERE / "peers/ns2"


@dataclass
class Run:
    """One process: what it printed, and its processor time."""

    result: dict[str, float]
    processor_s: float

    @property
    def peak_mb(self) -> float | None:
        """Peak memory, which the program reads of itself: `ru_maxrss` of a child also counts what
        the child had before it became the program, which is all of this process."""
        peak = self.result["peak_kib"]
        return None if peak is None else peak / 1024

    @property
    def micros(self) -> float:
        """Processor time a delivered packet."""
        return self.processor_s * 1e6 / self.result["packets"]


def run(command: list[str]) -> Run:
    """Runs a command that prints a line of JSON."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            said = err.read().decode(errors="replace").strip()
            sys.exit(f"{' '.join(command)}: exit code {process.returncode}\n{said}")
        # ns-2 speaks of other things before its result.
        lines = [line for line in out.read().splitlines() if line.startswith(b"{")]
        result = json.loads(lines[-1])
    return Run(result, usage.ru_utime + usage.ru_stime)


def ours(example: str, *arguments: object) -> list[str]:
    """The command of an example of ours."""
    return [str(EXAMPLES / example), *map(str, arguments)]


def ns2(script: str, *arguments: object) -> list[str]:
    """The command of a script of ours for ns-2."""
    return ["ns", str(NS2_SCRIPTS / script), *map(str, arguments)]


def require(example: str) -> None:
    """Ends the program if an example has not been built."""
    if not (EXAMPLES / example).exists():
        sys.exit(f"{EXAMPLES / example} is missing: run `make bench`, which builds it")
