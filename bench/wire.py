"""Real transports over real packets, beside each other behind the same impaired paths.

Each transport sends for some seconds between two network namespaces, through the relay of
`skywave impair` with the simulator's links: laws of ours in QUIC (`quic:LAW`), the QUIC library's
own (`quic:noq-cubic`, `quic:noq-bbr3`), quinn's (`quinn:bbr`, `quinn:cubic`), Linux' TCP
(`tcp:cubic`, `tcp:bbr`, where the kernel has them), and files by `skywave send` (`send`). A run in
which the relay was late is repeated, and marked if it stays so. `A+B` are two at once, each with
its share. What is printed is the share of what the path carries, rate * (1 - loss): headers are
part of it, so that the most is about 0.95; and the processor time that the sender takes for a
gigabyte.

    cargo build --release -p skywave-cli
    cargo build --release -p skywave-quic --example stream
    cargo build --release --manifest-path bench/peers/quinn/Cargo.toml --target-dir target
    python3 bench/wire.py                                   # every path, 20 s each, three runs
    python3 bench/wire.py --paths '1 %,5 %' --transports quic:skywave,tcp:bbr --runs 1
    python3 bench/wire.py --traces TRACE... --json          # recorded links with 1 % of loss
    python3 bench/wire.py --simulated                       # our law over twelve paths, both ways
    python3 bench/wire.py --simulated --traces TRACE...     # the same over recorded links
    python3 bench/wire.py --paths '1 BDP' --transports quic:skywave+tcp:cubic --seconds 60
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
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
QUINN = RELEASE / "quinn-stream"
TCP_CONGESTION = 13  # linux/tcp.h; the socket module of Python 3.11 has it on Linux only
TCP_PORT = 5001
UDP_PORT = 4433
TRIES = 3

LINK = """
[[link]]
name = "radio"
between = ["near", "far"]
{service}
delay = "{delay_ms}ms"
queue = {{ droptail = "{queue} packets" }}
loss = {{ forward = {loss} }}
loss_at = "tail"
{more}
"""

FLOW = """
[[flow]]
name = "transfer"
from = "near"
to = "far"
transport = "{transport}"
mss = 1415  # in a datagram of 1452 bytes, the largest that the QUIC library sends
header = 28
rwnd = "16MiB"
traffic = "ftp"

[run]
duration = "{seconds}s"
seeds = 5
"""

# A file on its way back, by Linux' CUBIC.
UPLOAD = """
[[flow]]
name = "upload"
from = "far"
to = "near"
transport = "linux"
profile = "linux"
rwnd = "4MiB"
traffic = "ftp"
"""


@dataclass
class Path_:
    """A path: what it is in a scenario, and what it carries in bits a second."""

    name: str
    text: str
    carries: float
    upload: bool = False


@dataclass
class Run:
    """What one transport brought over one path."""

    path: str
    transport: str
    share: float
    goodput_bps: float
    others_share: float | None
    queue_packets: float
    sender_s_per_gb: float
    faithful: bool


def rated(
    name: str,
    rate: float,
    loss: str,
    lost: float,
    queue: int = 100,
    delay_ms: float = 40,
    more: str = "",
) -> Path_:
    service = f'rate = "{rate:.0f}bps"'
    text = LINK.format(service=service, delay_ms=delay_ms, queue=queue, loss=loss, more=more)
    return Path_(name, text, rate * (1 - lost))


def paths(seconds: float) -> list[Path_]:
    """Random loss, bursts of five packets, a slow link, and buffers of one BDP and of four."""
    iid = [0.0, 0.001, 0.01, 0.02, 0.05, 0.1]
    lossy = [rated(f"{p * 100:g} %", 20e6, f"{{ iid = {p} }}", p) for p in iid]
    burst = "{ gilbert-elliott = { to_bad = 0.00619, to_good = 0.2, loss_bad = 1.0 } }"
    return [
        *lossy,
        rated("bursts 3 %", 20e6, burst, 0.03),
        rated("50 kb/s 4 %", 50e3, "{ iid = 0.04 }", 0.04),
        rated("1 BDP", 20e6, "{ iid = 0.0 }", 0.0, queue=133),
        rated("4 BDP", 20e6, "{ iid = 0.0 }", 0.0, queue=533),
        *uneasy(seconds),
    ]


def uneasy(seconds: float) -> list[Path_]:
    """Delays that vary, a path that changes, and a way back on which a file is sent as well."""
    # Of each eight seconds the first four have the whole rate.
    whole = 4 * (seconds // 8) + min(4, seconds % 8)
    share = (whole + 0.4 * (seconds - whole)) / seconds
    jitter = 'jitter = { uniform = ["0ms", "20ms"] }'
    longer = 'steps = { every = "4s", delay = ["0ms", "60ms"] }'
    other = 'steps = { every = "4s", share = [1.0, 0.4], delay = ["0ms", "40ms"] }'
    back = 'reverse = { rate = "2Mbps", queue = { droptail = "40 packets" } }'

    def path(name: str, more: str, lost: float = 0.0, *, upload: bool = False) -> Path_:
        made = rated(name, 20e6, f"{{ iid = {lost} }}", lost, more=more)
        made.upload = upload
        return made

    both = path("steps of both", other)
    both.carries *= share

    return [
        path("jitter", jitter),
        path("jitter 1 %", jitter, 0.01),
        path("steps of delay", longer),
        both,
        path("busy way back", back, upload=True),
        path("busy way back 1 %", back, 0.01, upload=True),
    ]


def twelve() -> list[Path_]:
    """Paths for simulation and reality: losses and buffers over three round trips."""
    rate, packet = 20e6, 1500 * 8
    chosen = []
    for rtt_ms in (20, 80, 200):
        for loss, bdps in ((0.0, 1), (0.0, 4), (0.01, 1), (0.05, 1)):
            queue = round(bdps * rate * rtt_ms / 1e3 / packet)
            name = f"{rtt_ms} ms, {loss * 100:g} %, {bdps} BDP"
            iid = f"{{ iid = {loss} }}"
            chosen.append(rated(name, rate, iid, loss, queue, rtt_ms / 2))
    return chosen


def recorded(file: Path, seconds: float) -> Path_:
    """A recorded link; it carries its opportunities of the time of a run."""
    text = LINK.format(
        service=f'trace = "{file.resolve()}"\nreverse = {{ rate = "100Mbps" }}',
        delay_ms=40,
        queue=300,
        loss="{ iid = 0.01 }",
        more="",
    )
    times = [int(line) for line in file.read_text().split()]
    until = seconds * 1000
    opportunities = sum(time < until for time in times)
    return Path_(file.name, text, opportunities * 1504 * 8 / seconds * 0.99)


# Transports: a command for the far side and one for the near side, which prints bits a second.

Commands = tuple[str, list[str]]


def quic(program: Path, law: str, folder: Path, seconds: float) -> Commands:
    """A stream by noq or by quinn: two programs with the same words."""
    certificate = folder / "certificate"
    listen = f"{program} listen 0.0.0.0:{UDP_PORT} {certificate}"
    return listen, [str(program), "send", f"far:{UDP_PORT}", str(certificate), law, str(seconds)]


def quic_goodput(printed: str) -> float:
    return float(printed.split()[1]) * 1e6


def tcp(law: str, seconds: float, to: str = "far") -> Commands:
    this = [sys.executable, str(Path(__file__).resolve()), "--role"]
    sink = shlex.join([*this, "sink"])
    return sink, [*this, "source", law, str(seconds), to]


def files(folder: Path, seconds: float, carries: float) -> Commands:
    """A file that takes about so long, with a key pair for each side."""
    file = folder / "file"
    size = max(int(carries * seconds / 8), 10_000)
    file.write_bytes(random.Random(1).randbytes(size))
    for host in ("near", "far"):
        command = [SKYWAVE, "key", "--key", folder / f"{host}.key"]
        (folder / f"{host}.pub").write_bytes(subprocess.check_output(command))
    shutil.rmtree(folder / "inbox", ignore_errors=True)
    receive = [SKYWAVE, "recv", "--listen", f"0.0.0.0:{UDP_PORT}", "--into", folder / "inbox"]
    receive += ["--key", folder / "far.key", "--allow", folder / "near.pub"]
    send = [SKYWAVE, "send", file, f"far:{UDP_PORT}", "--json"]
    send += ["--key", folder / "near.key", "--peer", folder / "far.pub"]
    return shlex.join(map(str, receive)), [str(word) for word in send]


def json_goodput(printed: str) -> float:
    said = [json.loads(line) for line in printed.splitlines()]
    last = next(line for line in reversed(said) if "goodput_bps" in line or "seconds" in line)
    if "goodput_bps" in last:
        return float(last["goodput_bps"])
    return 8 * (last["bytes"] - last["resumed_from"]) / last["seconds"]


def commands(transport: str, path: Path_, folder: Path, seconds: float) -> Commands:
    first, _, other = transport.partition("+")
    kind, _, law = first.partition(":")
    if kind in ("quic", "quinn"):
        far, near = quic(STREAM if kind == "quic" else QUINN, law, folder, seconds)
    elif kind == "tcp":
        far, near = tcp(law, seconds)
    else:
        far, near = files(folder, seconds, path.carries)
    if not other:
        return far, near
    far_other, near_other = commands(other, path, folder, seconds)
    both = f"{shlex.join(near)} & {shlex.join(near_other)} >{folder / 'other'}; wait"
    return shlex.join(["sh", "-c", f"{far} & {far_other}"]), ["sh", "-c", both]


def beside_upload(these: Commands) -> Commands:
    """The commands while the far side sends a file that begins a second before, and has no end."""
    far, near = these
    sink, upload = tcp("cubic", 3600, to="near")
    near_too = f"{sink} & sleep 1; {shlex.join(near)}; code=$?; kill $!; exit $code"
    return shlex.join(["sh", "-c", f"{shlex.join(upload)} & {far}"]), ["sh", "-c", near_too]


def goodput_of(transport: str, printed: str) -> float:
    by_quic = transport.startswith(("quic:", "quinn:"))
    return quic_goodput(printed) if by_quic else json_goodput(printed)


def timed(command: list[str], to: Path) -> list[str]:
    """The command, so that it writes its processor time to a file."""
    return [sys.executable, str(Path(__file__).resolve()), "--role", "timed", str(to), *command]


def once(path: Path_, transport: str, seconds: float) -> Run:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario, report = folder / "path.toml", folder / "report.json"
        scenario.write_text(path.text + FLOW.format(transport="cubic", seconds=3600))
        far, near = commands(transport, path, folder, seconds)
        if path.upload:
            far, near = beside_upload((far, near))
        impair = [
            str(SKYWAVE),
            "impair",
            str(scenario),
            "--seed=1",
            f"--json={report}",
            "--far",
            far,
            "--",
            *timed(near, folder / "seconds"),
        ]
        done = subprocess.run(impair, capture_output=True, text=True, timeout=seconds * 10 + 120)
        if done.returncode != 0:
            sys.exit(f"{transport} over {path.name}: {done.stderr}\n{done.stdout}")
        said = json.loads(report.read_text())
        first, _, other = transport.partition("+")
        goodput = goodput_of(first, done.stdout)
        others = goodput_of(other, (folder / "other").read_text()) if other else 0.0
        time_taken = float((folder / "seconds").read_text())
        # A file has its size, the others end by the clock.
        timely = ":" in first
        bits = (goodput + others if timely else path.carries) * seconds
        return Run(
            path=path.name,
            transport=transport,
            share=goodput / path.carries,
            goodput_bps=goodput,
            others_share=others / path.carries if other else None,
            queue_packets=said["links"][0].get("queue_mean_packets", 0.0),
            sender_s_per_gb=time_taken / (bits / 8e9),
            faithful=said["faithful"],
        )


def faithful(path: Path_, transport: str, seconds: float) -> Run:
    """Repeats a run that the host has spoilt."""
    for _ in range(TRIES):
        run = once(path, transport, seconds)
        if run.faithful:
            return run
    return run


def simulated(path: Path_, seconds: float) -> list[float]:
    """What the simulator's QUIC has there under our law, bits a second, a value a seed."""
    with tempfile.TemporaryDirectory() as name:
        scenario = Path(name) / "path.toml"
        flows = FLOW.format(transport="quic-skywave", seconds=seconds)
        scenario.write_text(path.text + flows + (UPLOAD if path.upload else ""))
        command = [SKYWAVE, "run", scenario, "--out", name, "--json"]
        # With one seed like another it warns that there is no interval.
        printed = subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL)
    rows = [json.loads(line) for line in printed.splitlines()]
    return [row["goodput_bps"] for row in rows if row["flow"] == "transfer"]


def compare(chosen: list[Path_], seconds: float, runs: int) -> None:
    """Simulation and reality of our law in QUIC."""
    print(f"{'':28}{'real, Mb/s':>14}{'simulated':>14}{'ratio':>10}")
    near = 0
    for path in chosen:
        several = [faithful(path, "quic:skywave", seconds) for _ in range(runs)]
        real = statistics.median(run.goodput_bps for run in several) / 1e6
        ours = statistics.mean(simulated(path, seconds)) / 1e6
        near += abs(real / ours - 1) <= 0.1
        late = "" if all(run.faithful for run in several) else "!"
        print(f"{path.name:28}{real:14.2f}{ours:14.2f}{real / ours:10.3f}{late}", flush=True)
    print(f"\n{near} of {len(chosen)} within 10 %")


def table(runs: Iterable[Run], transports: list[str]) -> None:
    rows: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        rows.setdefault(run.path, {}).setdefault(run.transport, []).append(run)
        if sum(map(len, rows[run.path].values())) == 1:
            print(f"\n{run.path:28}", end="", flush=True)
    print("\n\nmedian share of the path (mean queue in packets, seconds of processor a GB sent;")
    print("! the relay was late in a run)\n")
    width = 28
    print(f"{'':28}" + "".join(f"{transport:>{width}}" for transport in transports))
    for path, measured in rows.items():
        print(f"{path:28}", end="")
        for transport in transports:
            print(f"{cell(measured[transport]):>{width}}", end="")
        print()


def cell(several: list[Run]) -> str:
    def median(of: Callable[[Run], float]) -> float:
        return statistics.median(of(run) for run in several)

    text = f"{median(lambda run: run.share):.1%}"
    if several[0].others_share is not None:
        text += f" and {median(lambda run: run.others_share or 0.0):.1%}"
    text += f" ({median(lambda run: run.queue_packets):.0f}"
    text += f", {median(lambda run: run.sender_s_per_gb):.1f} s)"
    return text + ("" if all(run.faithful for run in several) else "!")


# Linux' TCP.


def fill(connection: socket.socket) -> None:
    """Sends until the other side has enough."""
    block = bytes(1 << 16)
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(block)


def reach(far: tuple[str, int]) -> socket.socket:
    """A connection to the other side, which may be about to listen."""
    patience = time.monotonic() + 10
    while True:
        try:
            return socket.create_connection(far)
        except ConnectionRefusedError:
            if time.monotonic() > patience:
                raise
            time.sleep(0.1)


def source(law: str, seconds: float, to: str) -> None:
    """Sends until the other side says what has arrived in so long, on a connection of its own."""
    far = (socket.gethostbyname(to), TCP_PORT)
    with reach(far) as answer, socket.socket() as connection:
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
    parser.add_argument("--simulated", action="store_true", help="our law beside its simulation")
    parser.add_argument("--transports", help="as quic:bbr,tcp:cubic,send")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="a line of JSON a run")
    args = parser.parse_args()

    traces = [recorded(file, args.seconds) for file in args.traces or []]
    chosen = traces or (twelve() if args.simulated and not args.paths else paths(args.seconds))
    if args.paths:
        names = args.paths.split(",")
        chosen = [path for path in chosen if path.name in names]
    if args.simulated:
        compare(chosen, args.seconds, args.runs)
        return
    usual = ["send", "quic:skywave", "quic:bbr", "quic:noq-bbr3"]
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
        case ["--role", "timed", to, *command]:
            code = subprocess.run(command).returncode
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            Path(to).write_text(str(used.ru_utime + used.ru_stime))
            sys.exit(code)
        case ["--role", "sink"]:
            sink()
        case ["--role", "source", law, seconds, to]:
            source(law, float(seconds), to)
        case _:
            main()
