"""How fast the engine is, paired with ns-2 where that is installed (`make bench`).

Both run the same path (TCP-DCR section 4.2, grown with the number of flows), one after the other,
a few times; processor time is compared, since others may use the machine. The numbers of the last
release are in `baseline.json`; `--save` replaces them.

    python3 bench/run.py                 # all sizes
    python3 bench/run.py --flows 24      # one size
    python3 bench/run.py --save          # keep these numbers as the baseline
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = HERE.parent / "target/release/examples/throughput"
NS2_SCRIPT = HERE / "peers/ns2/dumbbell.tcl"
BASELINE = HERE / "baseline.json"

# Flows, simulated seconds (about as many packets at each size), and whether ns-2 runs too.
SIZES = [
    (1, 20_000, True),
    (24, 1_100, True),
    (240, 110, True),
    (1_000, 40, False),
    (10_000, 10, False),
]
# Simulated seconds for counting instructions: valgrind is slow.
COUNTED_SECONDS = {1: 600, 24: 40, 240: 28, 1_000: 25, 10_000: 3}


@dataclass
class Run:
    """One process: what it printed, its processor time and its peak memory."""

    result: dict[str, float]
    processor_s: float
    peak_mb: float

    @property
    def micros(self) -> float:
        return self.processor_s * 1e6 / self.result["packets"]


def run(command: list[str]) -> Run:
    """Runs a command that prints a line of JSON."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
        out.seek(0)
        result = json.loads(out.read())
    return Run(result, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def instructions(flows: int) -> float | None:
    """Instructions a delivered packet, by valgrind; `None` where that is not installed."""
    if not shutil.which("valgrind"):
        return None
    seconds = str(COUNTED_SECONDS[flows])
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
        done = subprocess.run(
            [*command, str(OURS), str(flows), seconds], capture_output=True, text=True, check=True
        )
        totals = [line for line in Path(out.name).read_text().splitlines() if "totals:" in line]
    return int(totals[-1].split()[1]) / json.loads(done.stdout)["packets"]


def show(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def measure(flows: int, seconds: int, with_ns2: bool, repeat: int) -> dict[str, float | None]:
    """One size: the pair of runs with the median ratio, or the median time without ns-2."""
    arguments = [str(flows), str(seconds)]
    pairs = []
    for _ in range(repeat):
        ours = run([str(OURS), *arguments])
        ns2 = run(["ns", str(NS2_SCRIPT), *arguments]) if with_ns2 else None
        pairs.append((ours, ns2))
    pairs.sort(key=lambda pair: (pair[1].micros if pair[1] else 1) / pair[0].micros)
    ours, ns2 = pairs[len(pairs) // 2]
    return {
        "us_per_packet": ours.micros,
        "events_per_packet": ours.result["events"] / ours.result["packets"],
        "instructions_per_packet": instructions(flows),
        "peak_mb": ours.peak_mb,
        "ns2_us_per_packet": ns2.micros if ns2 else None,
        "ns2_peak_mb": ns2.peak_mb if ns2 else None,
        "ratio": ns2.micros / ours.micros if ns2 else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--flows", type=int, choices=[size[0] for size in SIZES], help="one size only"
    )
    parser.add_argument("--repeat", type=int, default=3, help="pairs of runs a size (3)")
    parser.add_argument("--save", action="store_true", help="keep the numbers as the baseline")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat must be at least 1")
    if arguments.save and arguments.flows:
        parser.error("--save needs all sizes: leave out --flows")
    if not OURS.exists():
        sys.exit(f"{OURS} is missing: run `make bench`, which builds it")
    ns2 = bool(shutil.which("ns"))
    if not ns2:
        print(
            "ns-2 is not installed (Debian: apt install ns2): only our own times", file=sys.stderr
        )
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}

    print("processor time, median of pairs; a packet is one that was delivered")
    header = (
        "flows   us/packet  events  instructions  peak MB | ns-2 us  peak MB   ratio  last release"
    )
    print(header)
    results = {}
    for flows, seconds, has_peer in SIZES:
        if arguments.flows not in (None, flows):
            continue
        row = measure(flows, seconds, has_peer and ns2, arguments.repeat)
        results[str(flows)] = row
        last = baseline.get(str(flows), {}).get("ratio")
        print(
            f"{flows:>6} {show(row['us_per_packet'], 3):>10} {show(row['events_per_packet'], 2):>7}"
            f" {show(row['instructions_per_packet'], 0):>13} {show(row['peak_mb'], 1):>8} |"
            f" {show(row['ns2_us_per_packet'], 2):>7} {show(row['ns2_peak_mb'], 1):>8}"
            f" {show(row['ratio'], 2):>7} {show(last, 2):>13}",
            flush=True,
        )
    if arguments.save:
        if not ns2:
            sys.exit("--save needs ns-2: the baseline is a ratio")
        temporary = BASELINE.with_suffix(".tmp")
        temporary.write_text(json.dumps(results, indent=2) + "\n")
        temporary.replace(BASELINE)
        print(f"saved to {BASELINE}")


if __name__ == "__main__":
    main()
