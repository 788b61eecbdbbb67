"""Makes ../sets/ecn/reference.csv: Reno over a RED bottleneck in ns-2, with and without ECN.

python3 bench/peers/ns2/red.py            # all points, 20 runs each: 13 minutes of processor time
python3 bench/peers/ns2/red.py --seeds 5 --only crowd --out /dev/stdout
"""

from __future__ import annotations

import argparse
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import table

HERE = Path(__file__).resolve().parent

FROM = 20
# Column: setting of path.tcl, and the unit that it has there.
SETTINGS = {
    "flows": ("flows", ""),
    "B": ("rate", "Mb"),
    "Tp": ("delay", "ms"),
    "step": ("step", ""),
    "buf": ("buffer", ""),
    "unit": ("unit", ""),
    "min": ("min", ""),
    "max": ("max", ""),
    "maxp": ("maxp", ""),
    "gentle": ("gentle", ""),
    "wait": ("wait", ""),
    "q": ("loss", ""),
    "dur": ("duration", ""),
}
USUAL = {
    "step": 2,
    "buf": 60,
    "unit": "packets",
    "min": 5,
    "max": 15,
    "maxp": 0.1,
    "gentle": 1,
    "wait": 1,
    "q": 0,
}
# `dur_ecn`: a longer run with ECN, where drops are rare and a short run says little about them.
POINTS = {
    # The pipe empties after each response.
    "alone": {"flows": 1, "B": 5, "Tp": 80, "dur": 1020},
    "few": {"flows": 4, "B": 4, "Tp": 20, "dur": 220},
    # The average is at times above the upper threshold, where packets are dropped.
    "many": {"flows": 16, "B": 10, "Tp": 20, "dur": 220, "dur_ecn": 10020},
    # As many drops as marks.
    "crowd": {
        "flows": 30,
        "B": 5,
        "Tp": 20,
        "step": 1,
        "maxp": 0.05,
        "gentle": 0,
        "wait": 0,
        "dur": 220,
    },
    # Random losses after the bottleneck.
    "lossy": {"flows": 4, "B": 5, "Tp": 30, "q": 0.005, "dur": 520},
    # In bytes; the queue is full at times.
    "bytes": {
        "flows": 8,
        "B": 5,
        "Tp": 50,
        "buf": 30,
        "unit": "bytes",
        "min": 10,
        "max": 30,
        "maxp": 0.05,
        "dur": 520,
        "dur_ecn": 2020,
    },
}
MEASURED = [
    *("goodput_mbps", "first_mbps", "ecn_marks", "queue_drops", "early_drops", "ecn_responses"),
    *("cuts", "retransmits", "timeouts", "mean_queue"),
]


def run(point: dict[str, object], ecn: int, seed: int) -> dict[str, float]:
    """One run: what the script measured, by name."""
    settings = {key: f"{point[column]}{unit}" for column, (key, unit) in SETTINGS.items()}
    settings |= {"path": "red", "agent": "Reno", "mss": 1000, "window": 1000, "from": FROM}
    settings |= {"ecn": ecn, "seed": seed}
    arguments = [str(x) for pair in settings.items() for x in pair]
    command = ["ns", str(HERE / "path.tcl"), *arguments]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return table.measured(lines, MEASURED)


def row(name: str, ecn: int, seeds: list[int], pool: ThreadPoolExecutor) -> list[str]:
    """A line of the table."""
    point = USUAL | POINTS[name]
    if ecn:
        point["dur"] = point.get("dur_ecn", point["dur"])
    runs = list(pool.map(lambda seed: run(point, ecn, seed), seeds))
    cells = [name, str(ecn), *(str(point[column]) for column in SETTINGS), str(len(runs))]
    for quantity in MEASURED:
        cells += table.moments([one[quantity] for one in runs])
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=20, choices=range(2, 1 + table.MOST), metavar="N"
    )
    parser.add_argument("--only", nargs="+", choices=POINTS, default=list(POINTS))
    parser.add_argument("--out", type=Path, default=HERE.parent / "sets/ecn/reference.csv")
    options = parser.parse_args()
    seeds = table.seeds(options.seeds)
    with ThreadPoolExecutor(2) as pool:
        rows = [row(name, ecn, seeds, pool) for name in options.only for ecn in (0, 1)]
    table.write(options.out, ["point", "ecn", *SETTINGS], MEASURED, rows)


if __name__ == "__main__":
    main()
