"""Goodput of the Linux kernel's TCP through `skywave impair`: a CSV line for each path and law.

    python3 kernel.py > reference/kernel.csv          # three runs of each law: 45 minutes
    python3 kernel.py --only 3 --seconds 10 --runs 1  # one path
    python3 kernel.py --skywave 'chrt -f 10 target/release/skywave'  # on a busy machine, as root

The sender and the receiver are this program, in networks of their own on the two sides of the
link. The receiver counts what arrives from a fifth of the time on. A run in which the relay was
not in time is repeated, up to --tries times; `unfaithful` counts the runs of a line that were not
in time even then.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PORT = 5001
# Rate in Mb/s, round trip in ms, loss of data, queue in BDP.
PATHS = [
    (20, 20, 0.0, 1.0),
    (20, 20, 0.005, 1.0),
    (20, 20, 0.05, 4.0),
    (20, 80, 0.0, 0.5),
    (20, 80, 0.0, 1.0),
    (20, 80, 0.0, 4.0),
    (20, 80, 0.005, 1.0),
    (20, 80, 0.02, 1.0),
    (20, 80, 0.05, 4.0),
    (20, 200, 0.0, 1.0),
    (20, 200, 0.005, 4.0),
    (20, 200, 0.02, 0.5),
]
LAWS = ["bbr", "cubic", "reno"]
PACKET = 1500
# Part of the time that is not measured: slow start.
WARM = 0.2


def queue(rate: int, rtt: int, bdp: float) -> int:
    """Packets of the queue."""
    return max(2, round(rate * 1e6 * rtt / 1e3 / 8 / PACKET * bdp))


def send(law: str, seconds: float) -> None:
    """Sends for a time with this congestion control."""
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, law.encode())
        connection.connect((os.environ["SKYWAVE_FAR"], PORT))
        end = time.monotonic() + seconds
        connection.settimeout(1.0)
        data = bytes(65536)
        while time.monotonic() < end:
            try:
                connection.send(data)
            except TimeoutError:
                continue
            except OSError:
                break  # the receiver has seen enough


def receive(seconds: float, out: str) -> None:
    """Writes the goodput of one connection, in Mb/s, to a file."""
    with socket.create_server(("", PORT)) as server:
        connection, _ = server.accept()
    start = time.monotonic()
    got = first = None
    while time.monotonic() < start + seconds:
        data = connection.recv(1 << 20)
        now = time.monotonic()
        if not data:
            break
        if got is None and now >= start + WARM * seconds:
            got, first = 0, now
        elif got is not None:
            got += len(data)
            mbps = got * 8 / 1e6 / (now - first) if now > first else 0.0
            Path(out).write_text(str(mbps))


def run(
    skywave: list[str], path: tuple, law: str, seconds: float, seed: int
) -> tuple[float, float, bool]:
    """Goodput of one run in Mb/s, mean packets in the queue, and whether the relay was in time."""
    rate, rtt, loss, bdp = path
    with tempfile.TemporaryDirectory() as folder:
        out, report = f"{folder}/goodput", f"{folder}/report.json"
        me = f"{sys.executable} {Path(__file__).resolve()}"
        command = [*skywave, "impair", "--seed", str(seed)]
        command += ["--rate", f"{rate}Mbps", "--delay", f"{rtt / 2}ms"]
        command += ["--loss", str(loss), "--loss-back", "0"]
        command += ["--queue", str(queue(rate, rtt, bdp)), f"--json={report}"]
        command += ["--far", f"{me} --receive {out} --seconds {seconds}"]
        command += ["--", "sh", "-c", f"{me} --send {law} --seconds {seconds + 1}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        relay = json.loads(Path(report).read_text())
        waiting = relay["links"][0]["queue_mean_packets"]
        return float(Path(out).read_text()), waiting, relay["faithful"] and relay["kept_time"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    name = "the command, as 'chrt -f 10 skywave'"
    parser.add_argument("--skywave", default="target/release/skywave", help=name)
    parser.add_argument("--seconds", type=float, default=25.0, help="length of a run")
    parser.add_argument("--runs", type=int, default=3, help="faithful runs of each")
    parser.add_argument("--tries", type=int, default=3, help="runs until one is faithful")
    parser.add_argument("--laws", default=",".join(LAWS), help="congestion controls")
    parser.add_argument("--only", type=int, help="number of the path, from 0")
    parser.add_argument("--send", help=argparse.SUPPRESS)
    parser.add_argument("--receive", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.send:
        send(args.send, args.seconds)
        return
    if args.receive:
        receive(args.seconds, args.receive)
        return
    out = csv.writer(sys.stdout)
    columns = ["law", "rate_mbps", "rtt_ms", "loss", "queue_packets", "seconds", "goodputs_mbps"]
    out.writerow([*columns, "queues_packets", "unfaithful"])
    paths = PATHS if args.only is None else [PATHS[args.only]]
    skywave = args.skywave.split()
    for path in paths:
        for law in args.laws.split(","):
            goodputs, queues, unfaithful = [], [], 0
            for seed in range(1, args.runs + 1):
                for _ in range(args.tries):
                    goodput, waiting, faithful = run(skywave, path, law, args.seconds, seed)
                    if faithful:
                        break
                goodputs.append(f"{goodput:.3f}")
                queues.append(f"{waiting:.1f}")
                unfaithful += not faithful
            rate, rtt, loss, bdp = path
            row = [law, rate, rtt, loss, queue(rate, rtt, bdp), f"{args.seconds:g}"]
            out.writerow([*row, " ".join(goodputs), " ".join(queues), unfaithful])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
