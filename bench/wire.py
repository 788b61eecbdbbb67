"""A file over an impaired path: WTCP by `skywave send`, beside Linux' CUBIC and BBR.

All of them meet the same links with the same seed (`wire.toml` unless another scenario is named):
WTCP as UDP datagrams through `skywave impair`, TCP as IP packets between two TUN devices of the
same relay, each device in a network namespace of its own. The second part needs root and is left
out without. What is printed is what was measured here; nothing is required of it but that the file
arrives as it was sent.

    python3 bench/wire.py                        # 100 MB, then TCP for as long
    python3 bench/wire.py --only tcp --seconds 20
    python3 bench/wire.py --size 10 --json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKYWAVE = HERE.parent / "target/release/skywave"
SCENARIO = HERE / "wire.toml"

NEAR, FAR = "skywave-near", "skywave-far"
NEAR_ADDRESS, FAR_ADDRESS = "10.73.9.1", "10.73.9.2"
TCP_PORT = 5001
TCP_CONGESTION = 13  # linux/tcp.h; the socket module of Python 3.11 has it on Linux only


@dataclass
class Result:
    """What one transport brought over the path."""

    transport: str
    goodput_bps: float
    share: float | None
    seconds: float
    received_bytes: int
    kept_time: bool
    late_p99_s: float | None
    links: list[dict] = field(default_factory=list, repr=False)


class Relay:
    """`skywave impair` in the background; its report at the end."""

    def __init__(self, skywave: Path, arguments: list[str]) -> None:
        command = [str(skywave), "impair", *arguments, "--json"]
        if os.geteuid() == 0 and shutil.which("chrt"):
            # So that others on the machine do not make it late.
            command = ["chrt", "-f", "10", *command]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        self.said: list[str] = []
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith("impairing"):
                return
        sys.exit(f"{' '.join(command)}: {''.join(self.said)}")

    def end(self) -> dict:
        """Ends it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=30)
        if err:
            print(err.strip(), file=sys.stderr)
        return json.loads(out)

    def __enter__(self) -> Relay:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    """A UDP port that is free now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def carried_bps(scenario: Path) -> float | None:
    """What the channel carries: the slowest link's rate without what is lost on it."""
    file = tomllib.loads(scenario.read_text())
    rates = []
    for link in file["link"]:
        number = re.fullmatch(r"([\d.]+) *Mbps", link.get("rate", ""))
        if number is None:
            return None
        loss = link.get("loss", {}).get("forward", {}).get("iid", 0.0)
        used = 1.0 if link.get("loss_at") != "tail" else 1.0 - loss
        rates.append(float(number[1]) * 1e6 * used)
    return min(rates)


def result(transport: str, received: int, seconds: float, report: dict, scenario: Path) -> Result:
    goodput = 8 * received / seconds
    carried = carried_bps(scenario)
    return Result(
        transport=transport,
        goodput_bps=goodput,
        share=goodput / carried if carried else None,
        seconds=seconds,
        received_bytes=received,
        kept_time=report["faithful"],
        late_p99_s=report["late_p99_s"],
        links=report["links"],
    )


def wtcp(skywave: Path, scenario: Path, megabytes: float) -> Result:
    """A file by `skywave send` and `skywave recv`."""
    with tempfile.TemporaryDirectory() as name:
        return transfer(Path(name), skywave, scenario, int(megabytes * 1e6))


def transfer(folder: Path, skywave: Path, scenario: Path, size: int) -> Result:
    """Sends a file of random bytes into the folder."""
    file, inbox = folder / "file", folder / "inbox"
    inbox.mkdir()
    file.write_bytes(random.Random(1).randbytes(size))
    for host in ("sender", "receiver"):
        command = [skywave, "key", "--key", folder / f"{host}.key"]
        key = subprocess.run(command, capture_output=True, check=True).stdout
        (folder / f"{host}.pub").write_bytes(key)
    target, entry = (f"127.0.0.1:{free_port()}" for _ in range(2))
    arguments = [str(scenario), "--to", target, "--listen", entry]
    keys = ["--key", folder / "receiver.key", "--allow", folder / "sender.pub"]
    wtcp = ["--transport", "wtcp"]
    receive = [skywave, "recv", "--listen", target, "--into", inbox, *keys, "--count", "1"] + wtcp
    keys = ["--key", folder / "sender.key", "--peer", folder / "receiver.pub"]
    send = [skywave, "send", file, entry, *keys, "--packet", "1500", "--json"] + wtcp
    with Relay(skywave, arguments) as relay:
        receiver = subprocess.Popen(receive, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            sent = subprocess.run(send, stdout=subprocess.PIPE, check=True).stdout
            receiver.wait(timeout=60)
        finally:
            receiver.kill()
        report = relay.end()
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (file, inbox / "file")]
    if digests[0] != digests[1]:
        sys.exit(f"the file arrived changed: SHA-256 {digests[0]} became {digests[1]}")
    seconds = json.loads(sent)["seconds"]
    return result("wtcp", size, seconds, report, scenario)


# Linux' TCP over TUN devices.


def source(address: str, port: int, congestion: str, seconds: float) -> None:
    """Sends for so long."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, congestion.encode())
        connection.settimeout(10)
        connection.connect((address, port))
        block = bytes(1 << 16)
        end = time.monotonic() + seconds
        # The receiver closes first.
        try:
            while time.monotonic() < end + 10:
                connection.sendall(block)
        except OSError:
            pass


def sink(address: str, port: int, seconds: float) -> None:
    """Prints what arrives in so long from the first byte on."""
    with socket.create_server((address, port)) as server:
        print("listening", flush=True)
        connection, _ = server.accept()
        received, first = 0, None
        with connection:
            connection.settimeout(seconds)
            while first is None or time.monotonic() < first + seconds:
                try:
                    block = connection.recv(1 << 20)
                except TimeoutError:
                    break
                if not block:
                    break
                first = first or time.monotonic()
                received += len(block)
        passed = time.monotonic() - first if first else 0.0
        print(json.dumps({"received": received, "seconds": passed}), flush=True)


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


@contextmanager
def namespaces() -> Iterator[None]:
    """A network namespace for each side."""
    made = []
    try:
        for name in (NEAR, FAR):
            ip("netns", "add", name)
            made.append(name)
        yield
    finally:
        for name in made:
            ip("netns", "del", name)


def set_up(device: str, namespace: str, address: str, peer: str) -> None:
    """Gives the relay's device to its side."""
    ip("link", "set", device, "netns", namespace)
    inside = ("-n", namespace)
    # No packets of the system's own.
    switch = f"net.ipv6.conf.{device}.disable_ipv6=1"
    command = ["ip", "netns", "exec", namespace, "sysctl", "-q", "-w", switch]
    subprocess.run(command, check=True)
    ip(*inside, "link", "set", "lo", "up")
    ip(*inside, "address", "add", address, "peer", peer, "dev", device)
    ip(*inside, "link", "set", device, "mtu", "1500", "up")


def tcp(skywave: Path, scenario: Path, congestion: str, seconds: float) -> Result:
    """Linux' TCP for so long, over the relay's TUN devices."""
    near, far = "skywave0", "skywave1"
    inside = [sys.executable, str(Path(__file__).resolve()), "--role"]
    with namespaces(), Relay(skywave, [str(scenario), "--tun", f"{near},{far}"]) as relay:
        set_up(near, NEAR, NEAR_ADDRESS, FAR_ADDRESS)
        set_up(far, FAR, FAR_ADDRESS, NEAR_ADDRESS)
        where = [FAR_ADDRESS, str(TCP_PORT)]
        receiver = subprocess.Popen(
            ["ip", "netns", "exec", FAR, *inside, "sink", *where, str(seconds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert receiver.stdout is not None
        receiver.stdout.readline()
        sender = subprocess.Popen(
            ["ip", "netns", "exec", NEAR, *inside, "source", *where, congestion, str(seconds)]
        )
        got = json.loads(receiver.stdout.readline())
        receiver.wait()
        sender.kill()
        sender.wait()
        report = relay.end()
    return result(congestion, got["received"], got["seconds"], report, scenario)


def can_tcp() -> str | None:
    """Why TCP cannot be measured here."""
    if os.geteuid() != 0:
        return "TUN devices and network namespaces need root"
    if not Path("/dev/net/tun").exists():
        return "the system has no /dev/net/tun"
    if shutil.which("ip") is None:
        return "there is no `ip` command (iproute2)"
    return None


def available() -> list[str]:
    """The congestion controls that the kernel has now."""
    path = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    return path.read_text().split()


def show(results: list[Result]) -> None:
    ours = next((r for r in results if r.transport == "wtcp"), None)
    for r in results:
        share = "" if r.share is None else f"{r.share:6.1%} of the channel"
        late = "" if r.late_p99_s is None else f"  99 % within {r.late_p99_s * 1e3:.2f} ms of due"
        ratio = ""
        if ours and r is not ours:
            ratio = f"  wtcp / {r.transport} = {ours.goodput_bps / r.goodput_bps:.2f}"
        time_kept = "" if r.kept_time else "  DID NOT KEEP TIME"
        goodput = f"{r.goodput_bps / 1e6:7.2f} Mb/s {share} in {r.seconds:.1f} s"
        print(f"{r.transport:8} {goodput}{late}{time_kept}{ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--skywave", type=Path, default=SKYWAVE, help="the command")
    parser.add_argument("--scenario", type=Path, default=SCENARIO)
    parser.add_argument("--size", type=float, default=100.0, help="MB of WTCP's file")
    parser.add_argument("--seconds", type=float, help="of TCP; as long as WTCP took unless given")
    parser.add_argument("--only", choices=["wtcp", "tcp"])
    parser.add_argument("--json", action="store_true", help="print a line of JSON a transport")
    args = parser.parse_args()

    results = []
    if args.only != "tcp":
        results.append(wtcp(args.skywave, args.scenario, args.size))
    reason = can_tcp()
    if args.only != "wtcp" and reason:
        print(f"TCP: skipped, {reason}", file=sys.stderr)
    elif args.only != "wtcp":
        seconds = args.seconds or (results[0].seconds if results else 30.0)
        for congestion in ("cubic", "bbr"):
            if congestion not in available():
                print(f"{congestion}: skipped, the kernel does not have it", file=sys.stderr)
                continue
            results.append(tcp(args.skywave, args.scenario, congestion, seconds))
    if args.json:
        for r in results:
            print(json.dumps(asdict(r)))
    else:
        show(results)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--role", "sink", address, port, seconds]:
            sink(address, int(port), float(seconds))
        case ["--role", "source", address, port, congestion, seconds]:
            source(address, int(port), congestion, float(seconds))
        case _:
            main()
