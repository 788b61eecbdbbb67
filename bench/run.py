"""How fast the engine is, paired with ns-2 where that is installed (`make bench`).

Both run the same path (TCP-DCR section 4.2, grown with the number of flows), one after the other,
a few times; then the same chain of 802.11 stations. Processor time is compared, since others may
use the machine. The numbers of the last release are in `baseline.json`; `--save` replaces them.

    python3 bench/run.py                 # all sizes, and the chain
    python3 bench/run.py --flows 24      # one size
    python3 bench/run.py --chain         # the chain only
    python3 bench/run.py --queues        # queues that decide when packets leave, beside tail drop
    python3 bench/run.py --senders       # paced BBR flows, beside CUBIC
    python3 bench/run.py --save          # keep these numbers as the baseline
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import chain
from pair import HERE, ns2, ours, require, run

BASELINE = HERE / "baseline.json"

# Flows, simulated seconds (about as many packets at each size up to 1,000), and whether ns-2 runs
# too. The last flow starts after 24 s: in a shorter run some flows would take no part.
SIZES = [
    (1, 20_000, True),
    (24, 1_100, True),
    (240, 110, True),
    (1_000, 40, False),
    (2_400, 30, False),
    (10_000, 30, False),
]
# Simulated seconds for counting instructions: valgrind is slow.
COUNTED_SECONDS = {1: 600, 24: 40, 240: 28, 1_000: 25, 2_400: 10, 10_000: 3}


# Hops and simulated seconds of the chain of stations, and its name in the baseline.
CHAIN = (7, 300)
CHAIN_NAME = "chain of 7 hops"


# Segments in flight and round trips of the path with losses, and the presets that repair them.
FAT = [(50, 10_000), (5_000, 200)]
FAT_PRESETS = ["sack", "sack1", "rack-tlp"]

# Flows and simulated seconds with each queue, and the queues that decide when packets leave.
QUEUED = [(24, 400), (1_000, 30)]
QUEUES = ["codel", "fq-codel", "pie"]
# Simulated seconds for counting their instructions.
QUEUED_COUNTED = {24: 40, 1_000: 12}

# Flows and simulated seconds with each sender: CUBIC, and what has the same detection of losses
# and the same repair but is paced by a model of the path. (Of 24 BBR flows one packet in six is
# lost at this bottleneck, and has to be sent again; of CUBIC's one in 26.)
SENT = [(1, 8_000), (24, 400)]
SENDERS = ["linux", "bbr"]


def instructions(command: list[str]) -> float | None:
    """Instructions a delivered packet, by valgrind; `None` where that is not installed."""
    if not shutil.which("valgrind"):
        return None
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *command]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        totals = [line for line in Path(out.name).read_text().splitlines() if "totals:" in line]
    return int(totals[-1].split()[1]) / json.loads(done.stdout)["packets"]


def show(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def measure(flows: int, seconds: int, with_ns2: bool, repeat: int) -> dict[str, float | None]:
    """One size: the pair of runs with the median ratio, or the median time without ns-2."""
    pairs = []
    for _ in range(repeat):
        mine = run(ours("throughput", flows, seconds))
        theirs = run(ns2("dumbbell.tcl", flows, seconds)) if with_ns2 else None
        pairs.append((mine, theirs))
    pairs.sort(key=lambda pair: (pair[1].micros if pair[1] else 1) / pair[0].micros)
    mine, theirs = pairs[len(pairs) // 2]
    return {
        "us_per_packet": mine.micros,
        "events_per_packet": mine.result["events"] / mine.result["packets"],
        "instructions_per_packet": instructions(ours("throughput", flows, COUNTED_SECONDS[flows])),
        "peak_mb": mine.peak_mb,
        "ns2_us_per_packet": theirs.micros if theirs else None,
        "ns2_peak_mb": theirs.peak_mb if theirs else None,
        "ratio": theirs.micros / mine.micros if theirs else None,
    }


def measure_chain(repeat: int, with_ns2: bool, last: float | None) -> dict[str, float | None]:
    """Measures the chain of stations, and shows it."""
    hops, seconds = CHAIN
    row = chain.speed(hops, seconds, repeat, with_ns2)
    print(f"\n{hops} hops of 802.11b, {seconds} s; ratios of a packet and of a simulated second")
    print(
        "us/packet  us/second  peak MB | ns-2 us/packet  us/second  peak MB"
        "      ratios  last release"
    )
    print(
        f"{show(row['us_per_packet'], 2):>9} {show(row['us_per_second'], 0):>10}"
        f" {show(row['peak_mb'], 1):>8} | {show(row['ns2_us_per_packet'], 2):>14}"
        f" {show(row['ns2_us_per_second'], 0):>10} {show(row['ns2_peak_mb'], 1):>8}"
        f" {show(row['ratio'], 2):>5}, {show(row['ratio_per_second'], 2):>4}"
        f" {show(last, 2):>13}",
        flush=True,
    )
    return row


def measure_fat(repeat: int) -> None:
    """Shows what a packet costs where thousands are in flight and 1 % of them is lost."""
    (few, _), (many, _) = FAT
    print(
        f"\n1 % losses, {few} and {many} segments in flight: us/packet, ratio; instructions, ratio"
    )
    for preset in FAT_PRESETS:
        commands = [ours("fat", in_flight, rounds, preset) for in_flight, rounds in FAT]
        pairs = [[run(command).micros for command in commands] for _ in range(repeat)]
        short, long = sorted(pairs, key=lambda pair: pair[1] / pair[0])[repeat // 2]
        line = f"{preset:>10} {short:.3f} {long:.3f} {long / short:.2f}"
        counts = [instructions(command) for command in commands]
        if None not in counts:
            line += f"; {counts[0]:.0f} {counts[1]:.0f} {counts[1] / counts[0]:.2f}"
        print(line, flush=True)


def measure_queues(repeat: int) -> None:
    """Shows what a packet costs at queues that decide when packets leave, and at one that does so
    when they arrive: the shortest of several runs in turn, and their ratio."""
    print("\nqueue of the bottleneck: us/packet, ratio to tail drop; instructions, ratio")
    for flows, seconds in QUEUED:
        counted = QUEUED_COUNTED[flows]
        commands = {
            queue: [ours("throughput", flows, length, queue) for length in (seconds, counted)]
            for queue in ["droptail", *QUEUES]
        }
        measure_beside(f"{flows:>6} flows", commands, repeat)


def measure_senders(repeat: int) -> None:
    """The same for senders over tail drop."""
    print("\nsenders: us/packet, ratio to CUBIC; instructions, ratio")
    for flows, seconds in SENT:
        commands = {
            sender: [
                ours("throughput", flows, length, "droptail", sender)
                for length in (seconds, COUNTED_SECONDS[flows])
            ]
            for sender in SENDERS
        }
        measure_beside(f"{flows:>6} flows", commands, repeat)


def measure_beside(title: str, commands: dict[str, list[list[str]]], repeat: int) -> None:
    """Shows what a packet costs in each of several runs, and their ratio to the first one: the
    shortest time of several runs in turn of the first command, and the instructions of the second.
    """
    shortest = dict.fromkeys(commands, float("inf"))
    for _ in range(repeat):
        for name, (timed, _) in commands.items():
            shortest[name] = min(shortest[name], run(timed).micros)
    counts = {name: instructions(counted) for name, (_, counted) in commands.items()}
    first = next(iter(commands))
    columns = []
    for name, took in shortest.items():
        column = f"{name} {took:.3f} {took / shortest[first]:.2f}"
        count, base = counts[name], counts[first]
        if count is not None and base is not None:
            column += f", {count:.0f} {count / base:.2f}"
        columns.append(column)
    print(f"{title}: " + "; ".join(columns), flush=True)


def measure_sizes(
    only: int | None, repeat: int, with_ns2: bool, baseline: dict[str, dict[str, float]]
) -> dict[str, dict[str, float | None]]:
    """Measures all sizes, or one of them, and shows them."""
    header = (
        "flows   us/packet  events  instructions  peak MB | ns-2 us  peak MB   ratio  last release"
    )
    print(header)
    results = {}
    for flows, seconds, has_peer in SIZES:
        if only not in (None, flows):
            continue
        row = measure(flows, seconds, has_peer and with_ns2, repeat)
        results[str(flows)] = row
        last = baseline.get(str(flows), {}).get("ratio")
        print(
            f"{flows:>6} {show(row['us_per_packet'], 3):>10} {show(row['events_per_packet'], 2):>7}"
            f" {show(row['instructions_per_packet'], 0):>13} {show(row['peak_mb'], 1):>8} |"
            f" {show(row['ns2_us_per_packet'], 2):>7} {show(row['ns2_peak_mb'], 1):>8}"
            f" {show(row['ratio'], 2):>7} {show(last, 2):>13}",
            flush=True,
        )
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--flows", type=int, choices=[size[0] for size in SIZES], help="one size only"
    )
    parser.add_argument("--chain", action="store_true", help="the chain of stations only")
    parser.add_argument("--fat", action="store_true", help="the long fat path only")
    parser.add_argument("--queues", action="store_true", help="the queues only")
    parser.add_argument("--senders", action="store_true", help="the senders only")
    parser.add_argument("--repeat", type=int, default=3, help="pairs of runs a size (3)")
    parser.add_argument("--save", action="store_true", help="keep the numbers as the baseline")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat must be at least 1")
    parts = {
        "--flows": bool(arguments.flows),
        "--chain": arguments.chain,
        "--fat": arguments.fat,
        "--queues": arguments.queues,
        "--senders": arguments.senders,
    }
    everything = not any(parts.values())
    if sum(parts.values()) > 1:
        parser.error(f"{', '.join(parts)}: one of them")
    if arguments.save and not everything:
        parser.error(f"--save needs everything: leave out {', '.join(parts)}")
    for example in ("throughput", "wireless", "fat"):
        require(example)
    with_ns2 = bool(shutil.which("ns"))
    if not with_ns2:
        print(
            "ns-2 is not installed (Debian: apt install ns2): only our own times", file=sys.stderr
        )
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}

    print("processor time, median of pairs; a packet is one that was delivered")
    results = {}
    if everything or arguments.flows:
        results |= measure_sizes(arguments.flows, arguments.repeat, with_ns2, baseline)
    if everything or arguments.chain:
        last = baseline.get(CHAIN_NAME, {}).get("ratio")
        results[CHAIN_NAME] = measure_chain(arguments.repeat, with_ns2, last)
    if everything or arguments.fat:
        measure_fat(arguments.repeat)
    if everything or arguments.queues:
        measure_queues(arguments.repeat)
    if everything or arguments.senders:
        measure_senders(arguments.repeat)
    if arguments.save:
        if not with_ns2:
            sys.exit("--save needs ns-2: the baseline is a ratio")
        temporary = BASELINE.with_suffix(".tmp")
        temporary.write_text(json.dumps(results, indent=2) + "\n")
        temporary.replace(BASELINE)
        print(f"saved to {BASELINE}")


if __name__ == "__main__":
    main()
