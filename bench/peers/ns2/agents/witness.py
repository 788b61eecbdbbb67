"""Makes ../reference/witness.csv: this folder's CERL, TCP-DCR and SIFEST beside ns-2's own agents.

sh bench/peers/ns2/agents/build.sh                # once: ns-2 with the agents
python3 bench/peers/ns2/agents/witness.py         # all points (a quarter of an hour on two cores)
python3 bench/peers/ns2/agents/witness.py --seeds 3 --only cerl-q --out /dev/stdout
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(HERE.parent))
import table  # noqa: E402

Point = dict[str, object]


def settings(text: str) -> Point:
    """Names and values in turn."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


# Settings of witness.tcl, in the order of the table's columns, with what most points have.
CERL = settings("""
    path single flows 1 others 0 beside - B 2 Tp 50 last 10 buf 90 win 270 cap 0 q 0.01
    x 0 y 0 tobad 0 togood 0 cbr 0 mss 1460 header 1 delack 0 limited 1 iw 2
    tick 0.01 minrto 0.2 initrto 3 step 0 spread 0 jitter 0 from 0 dur 480
    A 0.55 syn 0 delay 0 idle 0 fresh 0 bugfix 0
""")
DCR = CERL | settings("""
    path wireless B 1 Tp 20 last 0 buf 50 win 80 cap 40 q 0 mss 1000 header 0 limited 0 iw 1
    minrto 1 step 1 from 100 dur 1100 A 0 delay 1
""")
SIFEST = CERL | settings("""
    path sifest B 0.128 Tp 25 last 0 buf 50 win 16 q 0 tobad 0.3 togood 0.3 cbr 64 mss 512 header 0
    delack 200 limited 0 iw 1 tick 0.1 minrto 0 initrto 6 dur 100 A 0 idle 1
""")
# Columns with another name in witness.tcl.
NAMES = {"win": "window", "A": "fraction"}

MEASURED = [
    *("goodput_mbps", "delivered_packets", "data_sent", "retransmits", "timeouts", "cwnd_cuts"),
    *("acted", "beside_mbps", "loss_rate", "mean_queue"),
]

CERL_AGENTS = ["CERL", "Reno", "Newreno", "Sack1"]
# ns-2's own Westwood, where the paper has gains over one.
WESTWOOD = ["Linux/westwood"]
TAHOE = ["Tahoe", "Tahoe+SIF", "Tahoe+SIF+LIW"]


def cerl() -> Iterator[tuple[str, Point, list[str]]]:
    """Sections 4.2 to 4.7."""
    yield "cerl-cwnd", {"buf": 27, "win": 81, "dur": 120}, CERL_AGENTS
    for q in (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1):
        more = WESTWOOD if q in (0.01, 0.02) else []
        yield "cerl-q", {"Tp": 80, "q": q}, CERL_AGENTS + more
    for tp in (20, 120, 200):
        yield "cerl-Tp", {"Tp": tp}, CERL_AGENTS + (WESTWOOD if tp == 200 else [])
    for last in (1, 100):
        yield "cerl-last", {"last": last}, ["CERL", "Reno"]
    for rate in (1, 2, 4, 8):
        yield "cerl-B", {"B": rate}, CERL_AGENTS + (WESTWOOD if rate == 8 else [])
    for buf in (8, 27, 60):
        yield "cerl-buf", {"Tp": 80, "buf": buf, "win": 3 * buf}, CERL_AGENTS
    for share in (0.2, 0.8, 1):
        yield "cerl-A", {"A": share}, ["CERL"]
    # How the handshake's round trip counts.
    for q in (0.01, 0.02):
        yield "cerl-syn", {"Tp": 80, "q": q, "syn": 1}, ["CERL"]
    multi = {"path": "multi", "others": 5, "beside": "Reno", "B": 5, "Tp": 80}
    lossy = ["CERL", "Reno", "Newreno", *WESTWOOD]
    for q in (0, 0.01, 0.02):
        agents = ["CERL", "CERL2", "Reno"] if q == 0 else lossy
        yield "cerl-multi", multi | {"q": q}, agents
    yield "cerl-multi-Tp", multi | {"Tp": 200}, lossy
    yield "cerl-multi-B", multi | {"B": 8, "Tp": 50}, lossy
    for q in (0, 0.01):
        pair = {"path": "pair", "others": 1, "beside": "Reno", "q": q, "dur": 120}
        yield "cerl-pair", pair, ["CERL", "Reno"]
    for q in (0.005, 0.01, 0.03):
        yield "cerl-chain", {"path": "chain", "q": q}, ["CERL", "Reno", "Newreno"]


def dcr() -> Iterator[tuple[str, Point, list[str]]]:
    """Sections 4.1 to 4.3."""
    pair = ["DCR", "Sack1"]
    for q in (0, 0.001, 0.005, 0.01, 0.02, 0.05):
        yield "dcr-q", {"q": q}, pair
    far = {"q": 0.01, "Tp": 250, "buf": 150, "win": 250, "cap": 125}
    # The offered window as it stands in the text, with no room for the delay.
    yield "dcr-rwnd", far | {"win": 125, "cap": 0}, pair
    # Limited Transmit and the shortest timeout of today's ns-2.
    yield "dcr-limited", {"q": 0.02, "limited": 1}, pair
    yield "dcr-minrto", far | {"minrto": 0.2}, pair
    for q in (0.01, 0.05):
        for tp in (5, 100, 250):
            yield "dcr-Tp", far | {"q": q, "Tp": tp}, pair
    for rate, cap in ((2, 34), (6, 102), (10, 170)):
        point = {"q": 0.01, "B": rate, "buf": cap + 10, "win": 2 * cap, "cap": cap}
        yield "dcr-B", point, pair
    for flows in (2, 4, 8):
        point = {"q": 0.05, "B": 6, "flows": flows, "buf": 60, "win": 100, "cap": 50}
        yield "dcr-flows", point, pair
    shared = {"path": "shared", "flows": 24, "jitter": 1, "spread": 2, "win": 24, "cap": 12}
    shared |= {"dur": 400}
    for buf in (50, 70, 200):
        mixed = shared | {"buf": buf, "others": 12, "beside": "Sack1"}
        yield "dcr-mixed", mixed, pair
    yield "dcr-alone", shared | {"buf": 70}, pair
    for q in (0.01, 0.05):
        mixed = shared | {"buf": 200, "others": 12, "beside": "Sack1", "q": q}
        yield "dcr-both", mixed, ["DCR"]


def sifest() -> Iterator[tuple[str, Point, list[str]]]:
    """Sections 3.2 and 4.3."""
    for z in (0.01, 0.03, 0.05, 0.07, 0.08, 0.1, 0.13):
        yield "sifest-z", {"x": 0.01, "y": round(2 * z - 0.01, 3)}, TAHOE
    counts = ["Reno", "Reno+SIF", "Newreno", "Newreno+SIF", "Sack1", "Sack1+SIF"]
    for x, y in ((0.01, 0.15), (0.08, 0.08)):
        yield "sifest-bases", {"x": x, "y": y}, counts
    for x, y in ((0.03, 0.03), (0, 0.06)):
        yield "sifest-clusters", {"x": x, "y": y}, TAHOE
    bad = {"x": 0.01, "y": 0.15}
    enhanced = ["Tahoe+SIF", "Tahoe+SIF+LIW", "Reno+SIF", "Newreno+SIF"]
    # Other readings: the base's guard against a second fast retransmit, no pause, fresh ns-2.
    yield "sifest-bugfix", bad | {"bugfix": 1}, enhanced
    yield "sifest-fresh", bad | {"fresh": 1}, enhanced
    yield "sifest-both", bad | {"fresh": 1, "bugfix": 1}, enhanced
    yield "sifest-idle", bad | {"idle": 0}, enhanced
    yield "sifest-delack", bad | {"delack": 0}, TAHOE
    yield "sifest-limited", bad | {"limited": 1}, TAHOE
    yield "sifest-window", bad | {"limited": 1, "win": 3}, TAHOE
    today = {"tick": 0.01, "minrto": 0.2, "initrto": 3, "iw": 2, "limited": 1, "header": 1}
    yield "sifest-today", bad | today, TAHOE
    for z in (0.03, 0.08, 0.13):
        for beside in ("Tahoe", "Tahoe+SIF"):
            point = {"x": 0.01, "y": round(2 * z - 0.01, 3), "B": 0.192, "others": 1}
            yield "sifest-pair", point | {"beside": beside}, ["Tahoe"]


# Points, and how many seeds they have.
SETS = [(CERL, cerl, 10), (DCR, dcr, 5), (SIFEST, sifest, 12)]


def program() -> str:
    """The ns-2 that build.sh made."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return os.environ.get("NS2_AGENTS", str(target / "ns2-agents/ns"))


def run(ns: str, point: Point, agent: str, seed: int) -> dict[str, float]:
    """One run: what the script measured, by name."""
    given = {NAMES.get(column, column): value for column, value in point.items()}
    given |= {"agent": agent, "seed": seed}
    command = [ns, str(HERE / "witness.tcl"), *(str(x) for pair in given.items() for x in pair)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"witness.py: ns-2 failed at {' '.join(command[2:])}\n{done.stderr}")
    return table.measured(done.stdout.splitlines(), MEASURED)


def row(name: str, point: Point, agent: str, runs: list[dict[str, float]]) -> list[str]:
    """A line of the table. What a path does not measure stays empty."""
    cells = [name, agent, *(str(value) for value in point.values()), str(len(runs))]
    for quantity in MEASURED:
        cells += table.moments([one[quantity] for one in runs if quantity in one])
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, choices=range(2, table.MOST + 1), metavar="N")
    parser.add_argument("--only", nargs="+", metavar="POINT", help="names, or beginnings of names")
    parser.add_argument("--ns", default=program(), help="the program that build.sh made")
    parser.add_argument("--out", type=Path, default=HERE.parent / "reference/witness.csv")
    options = parser.parse_args()
    if not Path(options.ns).exists():
        sys.exit(f"witness.py: there is no {options.ns}: run {HERE / 'build.sh'}, or give --ns")
    seeds = table.seeds(table.MOST)
    cases = []
    for usual, points, number in SETS:
        for name, special, agents in points():
            if not options.only or name.startswith(tuple(options.only)):
                chosen = seeds[: options.seeds or number]
                cases += [(name, usual | special, agent, chosen) for agent in agents]
    with ThreadPoolExecutor(2) as pool:
        waiting = [
            [pool.submit(run, options.ns, point, agent, seed) for seed in chosen]
            for _, point, agent, chosen in cases
        ]
        rows = [
            row(name, point, agent, [future.result() for future in futures])
            for (name, point, agent, _), futures in zip(cases, waiting, strict=True)
        ]
    table.write(options.out, ["point", "agent", *CERL], MEASURED, rows)


if __name__ == "__main__":
    main()
