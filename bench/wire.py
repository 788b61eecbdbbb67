"""Real transports over real packets, beside each other behind the same impaired paths.

Each transport sends for some seconds between two network namespaces, through the relay of
`skywave impair` with the simulator's links: laws of ours in QUIC (`quic:LAW`), the QUIC library's
own (`quic:noq-cubic`, `quic:noq-bbr3`), Linux' TCP (`tcp:cubic`, `tcp:bbr`, where the kernel has
them), and files by `skywave send` (`send`, and the protocol of 2002 by `wtcp`). A run in which the
relay was late is repeated, and marked if it stays so. What is printed is the share of what the path
carries, rate * (1 - loss): headers are part of it, so that the most is about 0.95.

    cargo build --release -p skywave-cli
    cargo build --release -p skywave-quic --example stream
    python3 bench/wire.py                                   # every path, 20 s each, three runs
    python3 bench/wire.py --paths '1 %,5 %' --transports quic:skywave,tcp:bbr --runs 1
    python3 bench/wire.py --traces TRACE... --json          # recorded links with 1 % of loss
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shlex
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target")) / "release"
SKYWAVE = RELEASE / "skywave"
STREAM = RELEASE / "examples/stream"
TCP_CONGESTION = 13  # linux/tcp.h; the socket module of Python 3.11 has it on Linux only
TCP_PORT = 5001
UDP_PORT = 4433
TRIES = 3

SCENARIO = """
[[link]]
name = "radio"
between = ["near", "far"]
{service}
delay = "40ms"
queue = {{ droptail = "{queue} packets" }}
loss = {{ forward = {loss} }}
loss_at = "tail"

[[flow]]
name = "transfer"
from = "near"
to = "far"
transport = "cubic"
rwnd = "4MiB"

[run]
duration = "1h"
"""


@dataclass
class Path_:
    """A path: what it is in a scenario, and what it carries in bits a second."""

    name: str
    text: str
    carries: float


@dataclass
class Run:
    """What one transport brought over one path."""

    path: str
    transport: str
    share: float
    goodput_bps: float
    queue_packets: float
    faithful: bool


def rated(name: str, rate: float, loss: str, lost: float, queue: int = 100) -> Path_:
    service = f'rate = "{rate:.0f}bps"'
    text = SCENARIO.format(service=service, queue=queue, loss=loss)
    return Path_(name, text, rate * (1 - lost))


def paths() -> list[Path_]:
    """Random loss, bursts of five packets, a slow link, and a deep buffer."""
    iid = [0.0, 0.001, 0.01, 0.02, 0.05, 0.1]
    lossy = [rated(f"{p * 100:g} %", 20e6, f"{{ iid = {p} }}", p) for p in iid]
    burst = "{ gilbert-elliott = { to_bad = 0.00619, to_good = 0.2, loss_bad = 1.0 } }"
    return [
        *lossy,
        rated("bursts 3 %", 20e6, burst, 0.03),
        rated("50 kb/s 4 %", 50e3, "{ iid = 0.04 }", 0.04),
        rated("4 BDP", 20e6, "{ iid = 0.0 }", 0.0, queue=533),
    ]


def recorded(file: Path, seconds: float) -> Path_:
    """A recorded link; it carries its opportunities of the time of a run."""
    text = SCENARIO.format(
        service=f'trace = "{file.resolve()}"\nreverse = {{ rate = "100Mbps" }}',
        queue=300,
        loss="{ iid = 0.01 }",
    )
    times = [int(line) for line in file.read_text().split()]
    until = seconds * 1000
    opportunities = sum(time < until for time in times)
    return Path_(file.name, text, opportunities * 1504 * 8 / seconds * 0.99)


# Transports: a command for the far side and one for the near side, which prints bits a second.

Commands = tuple[str, list[str]]


def quic(law: str, folder: Path, seconds: float) -> Commands:
    certificate = folder / "certificate"
    listen = f"{STREAM} listen 0.0.0.0:{UDP_PORT} {certificate}"
    return listen, [str(STREAM), "send", f"far:{UDP_PORT}", str(certificate), law, str(seconds)]


def quic_goodput(printed: str) -> float:
    return float(printed.split()[1]) * 1e6


def tcp(law: str, _folder: Path, seconds: float) -> Commands:
    this = [sys.executable, str(Path(__file__).resolve()), "--role"]
    sink = shlex.join([*this, "sink"])
    return sink, [*this, "source", law, str(seconds)]


def files(kind: str, folder: Path, seconds: float, carries: float) -> Commands:
    """A file that takes about so long, with a key pair for each side."""
    file = folder / "file"
    size = max(int(carries * seconds / 8), 10_000)
    file.write_bytes(random.Random(1).randbytes(size))
    for host in ("near", "far"):
        command = [SKYWAVE, "key", "--key", folder / f"{host}.key"]
        (folder / f"{host}.pub").write_bytes(subprocess.check_output(command))
    shutil.rmtree(folder / "inbox", ignore_errors=True)
    protocol = ["--transport", "wtcp", "--packet", "1500"] if kind == "wtcp" else []
    receive = [SKYWAVE, "recv", "--listen", f"0.0.0.0:{UDP_PORT}", "--into", folder / "inbox"]
    receive += ["--key", folder / "far.key", "--allow", folder / "near.pub", *protocol[:2]]
    send = [SKYWAVE, "send", file, f"far:{UDP_PORT}", "--json", *protocol]
    send += ["--key", folder / "near.key", "--peer", folder / "far.pub"]
    return shlex.join(map(str, receive)), [str(word) for word in send]


def json_goodput(printed: str) -> float:
    said = [json.loads(line) for line in printed.splitlines()]
    last = next(line for line in reversed(said) if "goodput_bps" in line or "seconds" in line)
    if "goodput_bps" in last:
        return float(last["goodput_bps"])
    return 8 * (last["bytes"] - last["resumed_from"]) / last["seconds"]


def commands(transport: str, path: Path_, folder: Path, seconds: float) -> Commands:
    kind, _, law = transport.partition(":")
    if kind == "quic":
        return quic(law, folder, seconds)
    if kind == "tcp":
        return tcp(law, folder, seconds)
    return files(kind, folder, seconds, path.carries)


def goodput_of(transport: str) -> Callable[[str], float]:
    return quic_goodput if transport.startswith("quic:") else json_goodput


def once(path: Path_, transport: str, seconds: float) -> Run:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario, report = folder / "path.toml", folder / "report.json"
        scenario.write_text(path.text)
        far, near = commands(transport, path, folder, seconds)
        impair = [
            str(SKYWAVE),
            "impair",
            str(scenario),
            f"--json={report}",
            "--far",
            far,
            "--",
            *near,
        ]
        done = subprocess.run(impair, capture_output=True, text=True, timeout=seconds * 10 + 120)
        if done.returncode != 0:
            sys.exit(f"{transport} over {path.name}: {done.stderr}\n{done.stdout}")
        said = json.loads(report.read_text())
        goodput = goodput_of(transport)(done.stdout)
        waiting = said["links"][0].get("queue_mean_packets", 0.0)
        share = goodput / path.carries
        return Run(path.name, transport, share, goodput, waiting, said["faithful"])


def faithful(path: Path_, transport: str, seconds: float) -> Run:
    """Repeats a run that the host has spoilt."""
    for _ in range(TRIES):
        run = once(path, transport, seconds)
        if run.faithful:
            return run
    return run


def table(runs: Iterable[Run], transports: list[str]) -> None:
    rows: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        rows.setdefault(run.path, {}).setdefault(run.transport, []).append(run)
        if sum(map(len, rows[run.path].values())) == 1:
            print(f"\n{run.path:28}", end="", flush=True)
    print("\n\nmedian share of the path (mean queue in packets; ! the relay was late in a run)\n")
    print(f"{'':28}" + "".join(f"{transport:>20}" for transport in transports))
    for path, measured in rows.items():
        print(f"{path:28}", end="")
        for transport in transports:
            several = measured[transport]
            share = statistics.median(run.share for run in several)
            queue = statistics.median(run.queue_packets for run in several)
            late = "" if all(run.faithful for run in several) else "!"
            print(f"{f'{share:.1%} ({queue:.0f}){late}':>20}", end="")
        print()


# Linux' TCP.


def fill(connection: socket.socket) -> None:
    """Sends until the other side has enough."""
    block = bytes(1 << 16)
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(block)


def source(law: str, seconds: float) -> None:
    """Sends until the other side says what has arrived in so long, on a connection of its own."""
    far = (socket.gethostbyname("far"), TCP_PORT)
    with socket.create_connection(far) as answer, socket.socket() as connection:
        answer.sendall(struct.pack("!d", seconds))
        connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, law.encode())
        connection.connect(far)
        threading.Thread(target=fill, args=[connection], daemon=True).start()
        print(json.dumps({"goodput_bps": struct.unpack("!d", answer.recv(8))[0]}), flush=True)


def sink() -> None:
    """Counts what arrives from the beginning of a connection on."""
    with socket.create_server(("0.0.0.0", TCP_PORT)) as server:
        answer, _ = server.accept()
        connection, _ = server.accept()
        begun, received = time.monotonic(), 0
        (seconds,) = struct.unpack("!d", answer.recv(8))
        while (left := begun + seconds - time.monotonic()) > 0:
            connection.settimeout(left)
            with contextlib.suppress(TimeoutError):
                received += len(connection.recv(1 << 20))
        answer.sendall(struct.pack("!d", 8 * received / seconds))
        answer.recv(1)


def kernel_laws() -> list[str]:
    path = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    have = path.read_text().split() if path.exists() else []
    return [law for law in ("cubic", "bbr") if law in have]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--paths", help="names of paths, with commas between")
    parser.add_argument("--traces", type=Path, nargs="*", help="recorded links instead")
    parser.add_argument("--transports", help="as quic:bbr,tcp:cubic,send")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="a line of JSON a run")
    args = parser.parse_args()

    chosen = [recorded(file, args.seconds) for file in args.traces] if args.traces else paths()
    if args.paths:
        names = args.paths.split(",")
        chosen = [path for path in chosen if path.name in names]
    usual = ["send", "wtcp", "quic:skywave", "quic:bbr", "quic:noq-bbr3"]
    usual += [f"tcp:{law}" for law in kernel_laws()]
    transports = args.transports.split(",") if args.transports else usual
    runs = (
        faithful(path, transport, args.seconds)
        for path in chosen
        for _ in range(args.runs)
        for transport in transports
    )
    if args.json:
        for run in runs:
            print(json.dumps(asdict(run)), flush=True)
    else:
        table(runs, transports)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--role", "sink"]:
            sink()
        case ["--role", "source", law, seconds]:
            source(law, float(seconds))
        case _:
            main()
