"""Our TCP beside the kernel's over links that do everything wrong: what arrives is what was sent.

Our stack is at one end of a link (`skywave impair --tcp PRESET --tcp-at END`), the kernel's TCP is
at the other end: with END near ours opens and the kernel accepts, with END far the reverse. Each
connection carries data both ways at once; the client closes its half, and the server still sends
what it has and then the digest of what came. Both digests must be right. A row is a case over all
senders, families and ends; with a fault the script says so, and fails.

    cargo build --release -p skywave-cli
    python3 bench/interop.py --quick            # every preset a little, ten minutes
    python3 bench/interop.py                    # 50 MB by each through losses, and 1 GB without
    python3 bench/interop.py --only flood 2000  # cases by words of their names

It needs root, or user namespaces.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import json
import random
import resource
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

SKYWAVE = Path(__file__).resolve().parents[1] / "target/release/skywave"
PORT = 8000
BLOCK = 1 << 16
MB = 1_000_000
# Of each kind: probes, pacing, without SACK, the oldest, a late response.
FEW = ("linux", "skywave", "cerl", "reno", "dcr")


@dataclass(frozen=True)
class Case:
    """What is tried, and what each connection carries each way."""

    name: str
    link: str = ""
    size: int = 2 * MB
    connections: int = 1
    # Bytes of the kernel's buffers; as it likes with 0.
    buffers: int = 0
    # Seconds for which both read nothing at first.
    pause: float = 0.0
    # The server waits for the client's end before it sends.
    waits: bool = False
    senders: tuple[str, ...] = ()
    # Each sender at one end and in one family only, in turn.
    once: bool = False
    flood: int = 0


WRONG = "loss = { forward = { iid = 0.05 }, reverse = { iid = 0.05 } }"
ORDER = 'reordering = { probability = 0.05, delay = "3ms" }'
CASES = [
    Case("nothing wrong"),
    Case("5 % loss", WRONG, senders=FEW),
    Case("reordering", ORDER, senders=FEW),
    Case("duplication", "duplication = 0.05", senders=FEW),
    Case("corruption", "corruption = 0.05", senders=FEW),
    Case("all of these", "\n".join([WRONG, ORDER, "duplication = 0.05", "corruption = 0.02"])),
    Case("tiny windows", size=MB // 2, buffers=2048, senders=FEW),
    Case("closed windows", size=16 * MB, pause=1.5, senders=FEW),
    Case("half-close", waits=True, senders=FEW),
    Case("2000 at once", size=20_000, connections=2000, senders=("linux",)),
    Case("SYN flood", size=20 * MB, flood=1_000_000, senders=("linux",)),
]
LONG = [
    Case("50 MB, 5 % loss", WRONG, size=50 * MB),
    Case("1 GB", size=1000 * MB, once=True),
]
SCENARIO = """
[[link]]
name = "link"
between = ["near", "far"]
rate = "{rate}"
delay = "1ms"
queue = {{ droptail = "2000 packets" }}
{keys}
[[flow]]
name = "flow"
from = "near"
to = "far"
transport = "reno"
traffic = "ftp"
[run]
duration = "1s"
"""


# Both programs: a connection's two halves.


async def send(
    writer: asyncio.StreamWriter, size: int, beside: subprocess.Popen | None = None
) -> bytes:
    """Sends so many bytes that no other connection sends, and returns their digest.

    Some more, a few at a time, while another program runs.
    """
    digest = hashlib.sha256()
    pool = random.randbytes(4 * BLOCK)
    for start in range(0, size, BLOCK):
        at = start // BLOCK % 997 * 131
        piece = pool[at : at + min(BLOCK, size - start)]
        digest.update(piece)
        writer.write(piece)
        await writer.drain()
    while beside and beside.poll() is None:
        digest.update(pool[:999])
        writer.write(pool[:999])
        await asyncio.sleep(0.01)
    return digest.digest()


async def receive(reader: asyncio.StreamReader, size: int | None) -> bytes:
    """Reads so many bytes, or all until the end, and returns their digest."""
    digest = hashlib.sha256()
    while size is None or size > 0:
        piece = await reader.read(min(BLOCK, BLOCK if size is None else size))
        if not piece:
            break
        digest.update(piece)
        size = None if size is None else size - len(piece)
    if size:
        raise ConnectionError(f"{size} bytes are missing")
    return digest.digest()


def opened(case: Case, family: socket.AddressFamily) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        if case.buffers:
            made.setsockopt(socket.SOL_SOCKET, option, case.buffers)
    return made


async def serve(case: Case) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(case.pause)
        if case.waits:
            came = await receive(reader, None)
            sent = await send(writer, case.size)
        else:
            came, sent = await asyncio.gather(receive(reader, None), send(writer, case.size))
        writer.write(came + sent)
        await writer.drain()
        writer.close()

    listener = opened(case, socket.AF_INET6)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("::", PORT))
    server = await asyncio.start_server(answer, sock=listener, backlog=4096)
    await server.serve_forever()


async def exchange(case: Case, host: str) -> None:
    flood = None
    family, *_, address = socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)[0]
    while True:
        made = opened(case, socket.AddressFamily(family))
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, address)
            break
        except ConnectionRefusedError:  # on a busy machine the server listens later
            made.close()
            await asyncio.sleep(0.5)
    reader, writer = await asyncio.open_connection(sock=made)

    if case.flood:
        flood = subprocess.Popen([sys.executable, __file__, "--syns", str(case.flood)])

    async def upload() -> bytes:
        sent = await send(writer, case.size, flood)
        writer.write_eof()
        return sent

    async def download() -> bytes:
        await asyncio.sleep(case.pause)
        return await receive(reader, case.size)

    sent, came = await asyncio.gather(upload(), download())
    if await reader.readexactly(64) != sent + came:
        raise ConnectionError("what came is not what was sent")
    if await reader.read(1):
        raise ConnectionError("more came than was sent")
    if flood and flood.returncode:
        raise ConnectionError("the flood broke off")
    writer.close()


async def call(case: Case, host: str) -> None:
    await asyncio.gather(*(exchange(case, host) for _ in range(case.connections)))


def syns(number: int) -> None:
    """Sends so many SYNs from addresses of nobody to a port where somebody listens."""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    far = socket.inet_aton(socket.gethostbyname("far"))

    def checksum(data: bytes) -> int:
        total = sum(struct.unpack(f"!{len(data) // 2}H", data))
        total = (total & 0xFFFF) + (total >> 16)
        return ~(total + (total >> 16)) & 0xFFFF

    for count in range(number):
        source = struct.pack("!I", 0x0A4A0000 + count // 50000)
        ports = (1024 + count % 50000, PORT)
        tcp = struct.pack("!HHIIBBHHH", *ports, count, 0, 5 << 4, 2, 65535, 0, 0)
        total = checksum(source + far + struct.pack("!HH", 6, len(tcp)) + tcp)
        tcp = tcp[:16] + struct.pack("!H", total) + tcp[18:]
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0, source, far)
        while True:
            try:
                raw.sendto(ip + tcp, ("far", 0))
                break
            except OSError:  # the device's queue is full
                time.sleep(0.001)


# The driver.


@dataclass
class Result:
    """What came of a run."""

    fault: str | None
    seconds: float
    again: int = 0
    # Bytes of memory that the relay with our stack took.
    memory: int = 0


def run(case: Case, sender: str, at: str, host: str, folder: Path, seed: int) -> Result:
    scenario = folder / f"{seed}.toml"
    rate = "10Gbps" if case.size > 100 * MB else "400Mbps"
    scenario.write_text(SCENARIO.format(rate=rate, keys=case.link))
    told = json.dumps(case.__dict__)
    own = shlex.join([sys.executable, __file__, "--serve", told])
    report = folder / f"{seed}.json"
    command = [SKYWAVE, "impair", scenario, "--seed", str(seed), "--tcp", sender, "--tcp-at", at]
    command += [f"--json={report}", "--far", f"exec {own}", "--", sys.executable, __file__]
    began = time.monotonic()
    limit = 60 + case.connections * (case.size / MB * 80 + 0.1) + case.flood / 2000
    process = subprocess.Popen(
        [*command, "--call", told, "--host", host], stderr=subprocess.PIPE, text=True
    )
    memory = 0
    while True:
        try:
            _, errors = process.communicate(timeout=0.5)
            break
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError, IndexError, ValueError):
                status = Path(f"/proc/{process.pid}/status").read_text()
                memory = max(memory, int(status.split("VmRSS:")[1].split()[0]))
            if time.monotonic() - began > limit:
                process.kill()
                process.communicate()
                return Result(f"nothing after {limit:.0f} s", limit)
    seconds = time.monotonic() - began
    if process.returncode != 0:
        last = [line for line in errors.splitlines() if "Error" in line]
        return Result((last or errors.splitlines() or ["?"])[-1], seconds)
    tcp = json.loads(report.read_text())["tcp"]
    again = sum(way["retransmissions"] for way in (tcp["forward"], tcp["back"]) if way)
    return Result(None, seconds, again, memory)


def presets() -> list[str]:
    listed = subprocess.run([SKYWAVE, "variants", "--json"], capture_output=True, check=True)
    lines = map(json.loads, listed.stdout.splitlines())
    return [line["preset"] for line in lines if "preset" in line]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("senders", nargs="*", metavar="PRESET", help="all unless given")
    parser.add_argument("--quick", action="store_true", help="leave out what takes hours")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="of cases' names")
    parser.add_argument("--megabytes", type=float, help="of each connection's data, each way")
    parser.add_argument("--jobs", type=int, default=4)
    for hidden in ("--serve", "--call", "--host"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--syns", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve or args.call:
        # 2000 connections are as many files.
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        case = Case(**json.loads(args.serve or args.call))
        asyncio.run(serve(case) if args.serve else call(case, args.host))
        return
    if args.syns:
        syns(args.syns)
        return
    cases = [*CASES, *([] if args.quick else LONG)]
    cases = [case for case in cases if any(word in case.name for word in args.only)]
    known = args.senders or presets()
    print("| case | MB each way | runs | whole | sent again | longest | memory |")
    print("|---|---|---|---|---|---|---|")
    faults = []
    seeds = itertools.count(1)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        for case in cases:
            if args.megabytes:
                case = replace(case, size=int(args.megabytes * MB))
            senders = args.senders or case.senders or known
            hosts = ["far"] if case.flood else ["far", "far6"]
            places = list(itertools.product(["near", "far"], hosts))
            runs = [(sender, *place) for sender in senders for place in places]
            if case.once:
                runs = [(s, *places[n % len(places)]) for n, s in enumerate(senders)]
            each = [
                pool.submit(run, case, *which, Path(folder), seed)
                for which, seed in zip(runs, seeds, strict=False)
            ]
            results = [one.result() for one in each]
            for which, result in zip(runs, results, strict=True):
                if result.fault:
                    faults.append(f"{case.name}, {' '.join(which)}: {result.fault}")
                    print(faults[-1], file=sys.stderr, flush=True)
            whole = sum(result.fault is None for result in results)
            longest = max(result.seconds for result in results)
            row = [
                case.name,
                f"{case.size * case.connections / MB:g}",
                len(runs),
                whole,
                sum(result.again for result in results),
                f"{longest:.1f} s",
                f"{max(result.memory for result in results) / 1024:.0f} MiB",
            ]
            print("|", " | ".join(map(str, row)), "|", flush=True)
    if faults:
        sys.exit(f"{len(faults)} faults")


if __name__ == "__main__":
    main()
