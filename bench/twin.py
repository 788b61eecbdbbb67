"""The twin test of `skywave diagnose`: is a link that was fitted to records as good as the link?

Twelve paths are drawn by a seed. Over each, through the relay of `skywave impair`, go a minute of
the kernel's CUBIC, captured at its sender by tcpdump, and a ping of the idle path. Of these two
records `skywave diagnose` makes the twin. Then the kernel's CUBIC, Reno and BBR and `skywave send`
send over the path and over the twin, and are compared: the order of the senders, their goodputs,
and whether the sender that the page advises for long flows is the best of the path.

    cargo build --release -p skywave-cli
    python3 bench/twin.py --seed 1 --traces FOLDER --out runs/twin          # an hour
    python3 bench/twin.py --seed 1 --out runs/twin --phases report

What is in the folder is not made again; `records.jsonl` and `results.jsonl` have a line a run. It
needs root, tcpdump, ping and the kernel's laws. Runs in which the relay was late are repeated, and
marked if they stay so.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import wire

NAMES = {"CUBIC": "cubic", "Reno": "reno", "BBR": "bbr", "skywave send": "skywave"}
SENDERS = list(NAMES.values())
KINDS = ["iid", "bursts", "arq", "codel", "policer", "steps", "trace", "jitter", "back"] + [
    "mix"
] * 3
SLOWEST_TRACE_BPS = 1e6
RUNS = 3
TRIES = 3
# Programs go before others, as kernels do: else a full machine slows them alone.
FIRST = ["chrt", "-f", "5"]
INTERRUPTED = 124  # timeout's exit code
PING_S = 90
POLL_S = 0.1
FILE_BPS = 22e6  # no path carries the whole file
TIE = 0.05
NEAR = 0.15
PACKET_BITS = 1500 * 8


# The paths.


def log_uniform(draw: random.Random, low: float, high: float) -> float:
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def losses(draw: random.Random, kind: str) -> str:
    if kind == "iid":
        return f"loss = {{ forward = {{ iid = {log_uniform(draw, 0.002, 0.02):.5f} }} }}"
    length = draw.uniform(2, 8)
    to_bad = log_uniform(draw, 0.003, 0.03) / length
    chain = f"gilbert-elliott = {{ to_bad = {to_bad:.6f}, to_good = {1 / length:.4f} }}"
    return f"loss = {{ forward = {{ {chain} }} }}"


def arq(draw: random.Random) -> str:
    again_ms, in_order = draw.uniform(15, 60), draw.choice(["true", "false"])
    p = log_uniform(draw, 0.02, 0.1)
    return (
        f'arq = {{ round_trip = "{again_ms:.1f}ms", in_order = {in_order} }}\n'
        f"loss = {{ forward = {{ iid = {p:.4f} }} }}"
    )


def jitter(draw: random.Random) -> str:
    if draw.random() < 0.5:
        return f'jitter = {{ exponential = "{draw.uniform(2, 10):.2f}ms" }}'
    return f'jitter = {{ uniform = ["0ms", "{draw.uniform(5, 20):.2f}ms"] }}'


def steps(draw: random.Random, of_rate: bool) -> str:
    if of_rate:
        values = ", ".join(f"{draw.uniform(0.3, 1):.3f}" for _ in range(3))
        changes = f"share = [{values}]"
    else:
        values = ", ".join(f'"{draw.uniform(0, 30):.1f}ms"' for _ in range(3))
        changes = f"delay = [{values}]"
    return f'steps = {{ every = "{draw.uniform(5, 20):.1f}s", {changes} }}'


def back(draw: random.Random, rate: float) -> str:
    queue = draw.randint(20, 100)
    slow = rate / log_uniform(draw, 30, 120)
    return f'reverse = {{ rate = "{slow:.0f}bps", queue = {{ droptail = "{queue} packets" }} }}'


def mix(draw: random.Random, rate: float) -> tuple[str, list[str]]:
    """The queue, if it is no drop-tail, and what else is wrong with a link."""
    more = []
    repair = draw.choice(["iid", "bursts", "arq", None])
    if repair:
        more.append(arq(draw) if repair == "arq" else losses(draw, repair))
    if draw.random() < 0.4:
        more.append(jitter(draw))
    change = draw.choice(["rate", "delay", None, None])
    if change:
        more.append(steps(draw, change == "rate"))
    if draw.random() < 0.3:
        more.append(back(draw, rate))
    return draw.choice(["", "", 'queue = "codel"', 'queue = "pie"']), more


def path(draw: random.Random, kind: str, traces: list[Path]) -> str:
    """The link of a path as a scenario has it."""
    rate = log_uniform(draw, 3e6, 20e6)
    rtt = log_uniform(draw, 0.02, 0.15)
    bdps = log_uniform(draw, 0.5, 4)
    service = f'rate = "{rate:.0f}bps"'
    queue, more = "", []
    if kind == "trace":
        file = draw.choice(traces)
        times = [int(line) for line in file.read_text().split()]
        rate = len(times) * PACKET_BITS / times[-1] * 1e3
        service = f'trace = "{file.resolve()}"'
        more.append('reverse = { rate = "100Mbps" }')
    elif kind == "policer":
        service = f'rate = "{rate * draw.uniform(5, 10):.0f}bps"'
        burst_kb = log_uniform(draw, 20, 150)
        more.append(f'policer = {{ rate = "{rate:.0f}bps", burst = "{burst_kb:.0f}kB" }}')
    elif kind == "steps":
        more.append(steps(draw, draw.random() < 0.5))
    elif kind == "mix":
        while len(more) + bool(queue) < 2:
            queue, more = mix(draw, rate)
    elif kind == "codel":
        queue = 'queue = "codel"'
    elif kind in ("iid", "bursts"):
        more.append(losses(draw, kind))
    elif kind == "back":
        more.append(back(draw, rate))
    else:
        more.append(arq(draw) if kind == "arq" else jitter(draw))
    packets = max(round(bdps * rate * rtt / PACKET_BITS), 8)
    queue = queue or f'queue = {{ droptail = "{packets} packets" }}'
    lines = [service, f'delay = "{rtt / 2 * 1e3:.2f}ms"', queue, *more]
    return '[[link]]\nname = "path"\nbetween = ["near", "far"]\n' + "\n".join(lines) + "\n"


def drawn(seed: int, folder: Path) -> dict[str, str]:
    usable = []
    for file in sorted(folder.glob("*.up")) + sorted(folder.glob("*.down")):
        times = [int(line) for line in file.read_text().split()]
        if len(times) * PACKET_BITS / times[-1] * 1e3 >= SLOWEST_TRACE_BPS:
            usable.append(file)
    draw = random.Random(seed)
    return {
        f"{number:02}-{kind}": path(draw, kind, usable)
        + wire.FLOW.format(transport="cubic", seconds=3600)
        for number, kind in enumerate(KINDS, 1)
    }


# Runs through the relay.


def impaired(scenario: Path, seed: int, far: str | None, near: list[str], report: Path) -> str:
    """What the command printed; the relay's own account is in the report."""
    command = [str(wire.SKYWAVE), "impair", str(scenario), f"--seed={seed}", f"--json={report}"]
    command += ["--far", far] if far else []
    done = subprocess.run([*command, "--", *near], capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 1, INTERRUPTED) or not report.exists():
        raise RuntimeError(f"{shlex.join(command)}: {done.stderr}\n{done.stdout}")
    return done.stdout


def record(scenario: Path, what: str, seed: int, seconds: float, file: Path) -> dict:
    """A capture of CUBIC at its sender, or a ping of the idle path."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.json"
        if what == "ping":
            near = ["sh", "-c", f"ping -D -i 0.2 -w {PING_S} far > {file}; true"]
            impaired(scenario, seed, None, near, report)
        else:
            far, source = wire.tcp("cubic", Path(name), seconds)
            watch = f"tcpdump -i link -s 96 -w {file} 2>/dev/null & watch=$!; sleep 1; "
            near = ["sh", "-c", f"{watch}{shlex.join(source)}; kill -INT $watch; wait $watch; true"]
            impaired(scenario, seed, far, near, report)
        return {"faithful": json.loads(report.read_text())["faithful"]}


class Inbox:
    """Watches a file grow, from its first block to its last: starting a program takes its time."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.until = folder, time.monotonic() + seconds
        self.grown: list[tuple[float, int]] = []
        self.watch = threading.Thread(target=self.look, daemon=True)
        self.watch.start()

    def look(self) -> None:
        while (now := time.monotonic()) < self.until:
            files = self.folder.iterdir() if self.folder.exists() else []
            size = sum(file.stat().st_size for file in files)
            if size != (self.grown[-1][1] if self.grown else 0):
                self.grown.append((now, size))
            time.sleep(POLL_S)

    def goodput_bps(self) -> float:
        self.watch.join()
        (first_s, first), (last_s, last) = self.grown[0], self.grown[-1]
        return (last - first) * 8 / (last_s - first_s)


def send(scenario: Path, sender: str, seed: int, seconds: float) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if sender == "skywave":
            far, near = wire.files(folder, seconds, carries=FILE_BPS)
            near = [*FIRST, "timeout", "-s", "INT", str(seconds), *near]
            inbox = Inbox(folder / "inbox", seconds)
            impaired(
                scenario,
                seed,
                shlex.join([*FIRST, *shlex.split(far)]),
                near,
                folder / "report.json",
            )
            goodput = inbox.goodput_bps()
        else:
            far, near = wire.tcp(sender, folder, seconds)
            goodput = wire.json_goodput(impaired(scenario, seed, far, near, folder / "report.json"))
        said = json.loads((folder / "report.json").read_text())
        return {"goodput_bps": goodput, "faithful": said["faithful"], "late": said["late_share"]}


class Book:
    """Lines of JSON in a file, each under a key, so that what was made is not made again."""

    def __init__(self, file: Path) -> None:
        self.file, self.lock = file, threading.Lock()
        lines = file.read_text().splitlines() if file.exists() else []
        self.lines = {tuple(line["key"]): line for line in map(json.loads, lines)}

    def make(self, key: tuple, run) -> None:
        """Runs until the relay was faithful, and keeps the last run."""
        if key in self.lines:
            return
        for attempt in range(1, TRIES + 1):
            try:
                made = run()
            except (
                RuntimeError,
                subprocess.TimeoutExpired,
                ValueError,
                OSError,
                ArithmeticError,
                IndexError,
            ) as error:
                print(f"{key}: {error}", file=sys.stderr)
                continue
            if made["faithful"] or attempt == TRIES:
                line = {"key": key, **made, "attempt": attempt}
                with self.lock, self.file.open("a") as file:
                    print(json.dumps(line), file=file)
                self.lines[key] = line
                return


def fit(records: Path, twin: Path) -> None:
    """The twin of two records, and the page with its advice."""
    twin.mkdir(parents=True, exist_ok=True)
    command = [str(wire.SKYWAVE), "diagnose", "upload.pcap", "ping.log", "--json"]
    command += ["--on", "linux:cubic,reno,bbr", "--scenario", str(twin / "link.toml")]
    done = subprocess.run(command, cwd=records, capture_output=True, text=True)
    (twin / "page.json").write_text(done.stdout)
    if done.returncode:
        print(f"{records}: {done.stderr}", file=sys.stderr)


# The comparison.

Goodputs = dict[str, float]


def medians(results: Book, name: str, side: str) -> Goodputs:
    found = {}
    for sender in SENDERS:
        runs = [results.lines.get((name, side, sender, run)) for run in range(RUNS)]
        if any(runs):
            found[sender] = statistics.median(line["goodput_bps"] for line in runs if line)
    return found


def is_ordered(path: Goodputs, twin: Goodputs) -> bool:
    """No two senders are in another order, but for those that are within a tie on either side."""
    return all(
        min(abs(math.log(side[a] / side[b])) for side in (path, twin)) <= math.log(1 + TIE)
        or (path[a] > path[b]) == (twin[a] > twin[b])
        for a, b in itertools.combinations(SENDERS, 2)
    )


def advised(page: Path) -> str:
    """The sender that a page advises for long flows."""
    rankings = json.loads(page.read_text())["advice"]["rankings"]
    return NAMES[next(one for one in rankings if one["measure"] == "goodput")["chosen"]]


def report(names: list[str], results: Book, twin: str, pages: Path) -> None:
    print("Mb/s of path and twin; * differs by more than 15 %\n")
    print(f"{'':12}" + "".join(f"{sender:>21}" for sender in SENDERS) + "  order  advised")
    ordered, near, best, complete = 0, 0, 0, 0
    for name in names:
        real, copy = medians(results, name, "path"), medians(results, name, twin)
        if len(real) < len(SENDERS) or len(copy) < len(SENDERS):
            print(f"{name:12} not complete")
            continue
        cells = ""
        for sender in SENDERS:
            error = copy[sender] / real[sender] - 1
            near += abs(error) <= NEAR
            mark = " " if abs(error) <= NEAR else "*"
            cells += f"{real[sender] / 1e6:8.2f}{copy[sender] / 1e6:7.2f}{error:+5.0%}{mark}"
        first = advised(pages / name / "page.json")
        is_best = real[first] >= max(real.values()) / (1 + TIE)
        is_right = is_ordered(real, copy)
        complete, ordered, best = complete + 1, ordered + is_right, best + is_best
        words = f"{'yes' if is_right else 'NO':5}  {first}{'' if is_best else ': NO'}"
        print(f"{name:12}{cells}  {words}")
    late = sum(not line["faithful"] for line in results.lines.values())
    print(f"\norder {ordered} of {complete}; within 15 %: {near} of {complete * len(SENDERS)};")
    print(f"the advised sender is best on the path: {best} of {complete}; late runs: {late}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--traces", type=Path, help="a folder of recorded links, mahimahi's format")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--twin", default="twin", help="name of the twins, to compare several fits")
    parser.add_argument("--only", help="names of paths, with commas between")
    parser.add_argument("--phases", default="records,path,fit,twin,report")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=6)
    args = parser.parse_args()
    phases = args.phases.split(",")
    out = args.out / f"set-{args.seed}"
    if not (out / "paths").exists():
        (out / "paths").mkdir(parents=True)
        for name, text in drawn(args.seed, args.traces).items():
            (out / "paths" / f"{name}.toml").write_text(text)
    paths = {file.stem: file for file in sorted((out / "paths").glob("*.toml"))}
    if args.only:
        paths = {name: paths[name] for name in args.only.split(",")}
    records, results = Book(out / "records.jsonl"), Book(out / "results.jsonl")
    with ThreadPoolExecutor(args.jobs) as pool:
        made = []
        if "records" in phases:
            for name, scenario in paths.items():
                (out / "records" / name).mkdir(parents=True, exist_ok=True)
                for seed, (what, file) in enumerate(
                    [("capture", "upload.pcap"), ("ping", "ping.log")], 900
                ):
                    to = out / "records" / name / file
                    job = (scenario, what, seed, args.seconds, to)
                    made.append(
                        pool.submit(records.make, (name, what), lambda job=job: record(*job))
                    )
            for one in made:
                one.result()
        sides = {}
        if "path" in phases:
            sides["path"] = paths
        if "fit" in phases:
            for name in paths:
                fit(out / "records" / name, out / args.twin / name)
        if "twin" in phases:
            sides[args.twin] = {name: out / args.twin / name / "link.toml" for name in paths}
        for run, sender, side in itertools.product(range(RUNS), SENDERS, sides):
            for name, scenario in sides[side].items():
                job = (scenario, sender, 100 * (side != "path") + run + 1, args.seconds)
                key = (name, side, sender, run)
                made.append(pool.submit(results.make, key, lambda job=job: send(*job)))
        for one in made:
            one.result()
    if "report" in phases:
        report(list(paths), results, args.twin, out / args.twin)


if __name__ == "__main__":
    main()
