"""First packets from strangers against `skywave recv`: memory, answers, a transfer beside them.

A file is sent at a limited rate, first alone and then while `strangers` (an example of
skywave-transfer) sends packets that begin connections, as fast as it can or at a given rate, from
hundreds of addresses. Prints for each kind of packets: how many a second, the bytes that came back
for each byte sent, the receiver's resident memory before and after, and the transfer's rate beside
them as a share of its rate alone.

    cargo build -p skywave-cli && cargo build -p skywave-transfer --example strangers
    python3 bench/strangers.py --packets 1000000
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
LISTEN = "127.0.0.1:0"


def resident(pid: int) -> int:
    """Resident memory of a process in kB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


class Receiver:
    """A receiver, and how many bytes of files it has at each time."""

    def __init__(self, skywave: Path, folder: Path) -> None:
        def key(name: str) -> str:
            made = [skywave, "key", "--key", folder / name]
            return subprocess.run(made, check=True, capture_output=True, text=True).stdout.strip()

        self.skywave, self.folder = skywave, folder
        self.key, allowed = key("far"), key("near")
        command = [skywave, "recv", "--into", folder / "in", "--key", folder / "far", "--json"]
        command += ["--allow", allowed, "--listen", LISTEN]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.at = ""
        self.have: list[tuple[float, int]] = []
        threading.Thread(target=self.listen, daemon=True).start()
        while not self.at:
            time.sleep(0.02)

    def listen(self) -> None:
        """Notes what it tells."""
        for line in self.process.stdout or []:
            event = json.loads(line)
            if event["event"] == "listening":
                self.at = event["address"]
            elif event["event"] == "progress":
                self.have.append((time.monotonic(), event["bytes"]))

    def rate(self, begin: float, end: float) -> float:
        """Bits a second that arrived between two times."""
        inside = [(at, have) for at, have in self.have if begin <= at <= end]
        if len(inside) < 2:
            return 0.0
        (first, before), (last, after) = inside[0], inside[-1]
        return 8.0 * (after - before) / (last - first)

    def send(self, file: Path, limit: str) -> subprocess.Popen[str]:
        """Begins to send a file to it."""
        command = [self.skywave, "send", file, self.at, "--peer", self.key, "--limit", limit]
        command += ["--key", self.folder / "near"]
        null = subprocess.DEVNULL
        return subprocess.Popen(command, stdout=null, stderr=null, text=True)


def measure(args: argparse.Namespace, kind: str) -> dict[str, object]:
    """One receiver, one file, one flood."""
    with tempfile.TemporaryDirectory(dir=args.dir) as name:
        folder = Path(name)
        receiver = Receiver(args.profile / "skywave", folder)
        file = folder / "film"
        with file.open("wb") as out:
            out.truncate(args.size)
        sender = receiver.send(file, args.limit)
        time.sleep(2 + args.alone)
        now = time.monotonic()
        alone = receiver.rate(now - args.alone, now)
        before = resident(receiver.process.pid)
        flood = [args.profile / "examples/strangers", receiver.at, kind, str(args.packets)]
        flood += [str(args.rate)] if args.rate else []
        most = [before]
        running = subprocess.Popen(flood, stdout=subprocess.PIPE, text=True)
        begin = time.monotonic()
        while running.poll() is None and time.monotonic() - begin < args.longest:
            most.append(resident(receiver.process.pid))
            time.sleep(0.2)
        end = time.monotonic()
        running.kill()
        told = json.loads((running.stdout.read() if running.stdout else "") or "{}")
        beside = receiver.rate(begin, end)
        done = sender.poll() is not None
        row: dict[str, object] = {
            "kind": kind,
            "packets_a_second": round(told.get("packets", 0) / told.get("seconds", 1)),
            "amplification": round(told.get("bytes_back", 0) / max(told.get("bytes", 1), 1), 4),
            "answers": told.get("answers"),
            "rss_before_kB": before,
            "rss_most_kB": max(most),
            "alone_Mbps": round(alone / 1e6, 2),
            "beside_Mbps": round(beside / 1e6, 2),
            "share": round(beside / alone, 3) if alone else None,
            "file_ended_early": done,
            "receiver_lives": receiver.process.poll() is None,
        }
        for process in (sender, receiver.process):
            process.kill()
            process.wait()
        return row


def main() -> None:
    """Measures each kind and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--packets", type=int, default=1_000_000)
    parser.add_argument("--kinds", default="initial,garbage,mixed")
    parser.add_argument("--rate", type=float, help="packets a second [default: all that it can]")
    parser.add_argument("--limit", default="50Mbps", help="rate of the transfer beside them")
    parser.add_argument("--size", type=int, default=2_000_000_000, help="bytes of its file")
    parser.add_argument("--alone", type=float, default=6, help="seconds that it is alone before")
    parser.add_argument("--longest", type=float, default=200, help="seconds after which to stop")
    parser.add_argument("--profile", type=Path, default=TARGET / "debug")
    parser.add_argument("--dir", default="/tmp", help="where files are kept meanwhile")
    args = parser.parse_args()
    for kind in args.kinds.split(","):
        print(json.dumps(measure(args, kind)), flush=True)


if __name__ == "__main__":
    main()
