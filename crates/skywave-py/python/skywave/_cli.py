"""The `skywave` command."""

import os
import signal
import sys

from skywave import _skywave


def main() -> int:
    """Runs the command with the arguments of this process; gives the exit code."""
    # The command does without Python: Ctrl-C ends it, or it keeps what is finished.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What it has Python do, this one does.
    os.environ.setdefault("SKYWAVE_PYTHON", sys.executable)
    return _skywave.main(["skywave", *sys.argv[1:]])
