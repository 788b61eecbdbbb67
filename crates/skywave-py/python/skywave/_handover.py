"""What the command has Python do: the runs of a scenario or a paper, on a cluster or with a store.

The runs end in the journals of the run directories; the command goes on from there.
"""

import argparse
import os
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

from skywave import _skywave
from skywave._cluster import ClusterError
from skywave._measure import How, measure, shown
from skywave._reproduce import measure_all
from skywave._skywave import Experiment


def main(args: list[str]) -> int:
    """Does it; gives an exit code of the command."""
    parser = argparse.ArgumentParser(prog="skywave")
    parser.add_argument("verb", choices=["run", "reproduce"])
    parser.add_argument("what")
    parser.add_argument("--engine", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dask")
    parser.add_argument("--store")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--series", choices=["first", "all"])
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    asked = parser.parse_args(args)
    if asked.engine != _skywave.ENGINE:
        return _fail(
            f"the command is {asked.engine}, and the skywave of {sys.executable} is "
            f"{_skywave.ENGINE}: expected the same version of both"
        )
    # Whoever started the command may have told it to ignore Ctrl-C, which is how this is told to
    # stop.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_with_input, daemon=True).start()
    how = How(fresh=asked.fresh, threads=asked.threads, on=asked.dask, store=asked.store)
    warnings.showwarning = _note
    warnings.simplefilter("always")
    try:
        if asked.verb == "run":
            _run(asked, how)
        else:
            paper = _skywave.Paper(asked.what, asked.only)
            with shown(None, paper.name) as tell:
                measure_all(paper, asked.out / paper.name, how, tell)
    except KeyboardInterrupt:
        return 130
    except (ClusterError, ImportError, OSError, ValueError) as error:
        return _fail(str(error))
    return 0


def _run(asked: argparse.Namespace, how: How) -> None:
    # The command has checked it, for the time series that it records.
    load = Experiment._load_recorded if asked.series else lambda path: Experiment._load(path, [])
    experiment = load(asked.what)
    directory = asked.out / experiment.name
    with shown(None, experiment.name) as tell:
        measure(experiment, directory, how, series=asked.series, segments=True, tell=tell)


def _end_with_input() -> None:
    """Ends this process as Ctrl-C does when the command, which holds its input, has ended or wants
    it to."""
    # A lock of sys.stdin, held at the end of the process, would be a fatal error.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"note: {message}", file=sys.stderr)


def _fail(why: str) -> int:
    print(f"skywave: {why}", file=sys.stderr)
    return 1
