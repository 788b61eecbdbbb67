"""A page of 30 objects by HTTP over an impaired link, under the kernel's TCP and senders of ours.

Each load has its own seed of losses, the same ones for every sender. The page is 30 objects of 3
to 200 kB, 1.4 MB in all, which curl loads: the first one alone, then the others by six connections
that stay open, as browsers do. Server and curl run in two namespaces (`skywave impair`); what is
printed are seconds from the first connection to the last byte.

    cargo build --release -p skywave-cli
    python3 bench/page.py                       # the kernel's CUBIC and six of ours, 16 loads each
    python3 bench/page.py --link '--rate 5Mbps --delay 50ms --loss 1%' --loads 4 skywave bbr
"""

from __future__ import annotations

import argparse
import http.server
import shlex
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

SKYWAVE = Path(__file__).resolve().parents[1] / "target/release/skywave"
# Kilobytes of each object.
OBJECTS = [
    20,
    5,
    8,
    12,
    3,
    40,
    60,
    25,
    15,
    90,
    7,
    33,
    150,
    22,
    11,
    64,
    48,
    200,
    9,
    17,
    28,
    75,
    120,
    6,
    14,
    55,
    31,
    180,
    44,
    26,
]
CONNECTIONS = 6
KERNEL = "kernel"
SENDERS = [KERNEL, "linux", "cubic", "dcr", "cerl", "westwood-rack", "skywave"]


class Page(http.server.BaseHTTPRequestHandler):
    """Answers `/N` by the bytes of object N."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        size = 1000 * OBJECTS[int(self.path[1:])]
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        self.wfile.write(bytes(size))

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Server(http.server.ThreadingHTTPServer):
    """As servers that see more than five clients at once."""

    request_queue_size = 64


def serve(law: str) -> None:
    server = Server(("10.73.9.2", 8000), Page)
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, law.encode())
    server.serve_forever()


def load() -> None:
    """Loads the page with curl and prints the seconds."""
    began = time.monotonic()
    curl = ["curl", "-sf", "-m", "60", "-o", "/dev/null", "-w", "%{size_download} "]
    got = subprocess.check_output([*curl, "http://far:8000/0"], text=True)
    rest = ["-Z", "--parallel-max", str(CONNECTIONS), f"http://far:8000/[1-{len(OBJECTS) - 1}]"]
    got += subprocess.check_output([*curl, *rest], text=True)
    seconds = time.monotonic() - began
    if sum(map(int, got.split())) != 1000 * sum(OBJECTS):
        sys.exit(f"{got} bytes came of {1000 * sum(OBJECTS)}")
    print(seconds)


def measure(sender: str, link: list[str], law: str, seed: int) -> float:
    own = shlex.join([sys.executable, __file__])
    chosen = [] if sender == KERNEL else ["--tcp", sender]
    server = f"exec {own} --serve {law}"
    command = [
        SKYWAVE,
        "impair",
        *link,
        "--seed",
        str(seed),
        *chosen,
        "--far",
        server,
        "--",
        sys.executable,
        __file__,
        "--load",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{sender}, seed {seed}: {done.stderr}")
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "senders",
        nargs="*",
        default=SENDERS,
        metavar="SENDER",
        help="a preset, or `kernel`",
    )
    parser.add_argument(
        "--link", default="--rate 20Mbps --delay 20ms --loss 2%", help="`skywave impair`'s"
    )
    parser.add_argument("--law", default="cubic", help="congestion control of `kernel`")
    parser.add_argument("--loads", type=int, default=16)
    parser.add_argument("--serve", metavar="LAW", help=argparse.SUPPRESS)
    parser.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve)
        return
    if args.load:
        load()
        return
    print("| sender | median | mean | longest |\n|---|---|---|---|")
    for sender in args.senders:
        seconds = [
            measure(sender, shlex.split(args.link), args.law, seed)
            for seed in range(1, args.loads + 1)
        ]
        name = f"{sender}'s {args.law.upper()}" if sender == KERNEL else f"`{sender}`"
        told = [statistics.median(seconds), statistics.mean(seconds), max(seconds)]
        print(f"| {name} |", " | ".join(f"{value:.2f} s" for value in told), "|", flush=True)


if __name__ == "__main__":
    main()
