"""NewReno over chains of 802.11b stations with AODV, ours beside ns-2's: goodput, RTS on and off.

`examples/wireless.rs` and `peers/ns2/chain.tcl` are the same scenario; each side has its own seeds.
The intervals are those of the mean over seeds, at 95 %. `make bench` times the same chain.

    python3 bench/chain.py               # 1, 2, 3, 5 and 7 hops
    python3 bench/chain.py --hops 3 --seeds 30
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys

from pair import Run, ns2, ours, require, run

HOPS = [1, 2, 3, 5, 7]
# Quantiles of Student's t at 97.5 %, for 1 to 30 degrees of freedom.
T = [
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
]
# ns-2's small seeds are correlated.
NS2_SEED = 7_919_311


def our_run(hops: int, seconds: int, rts: int, seed: int) -> Run:
    return run(ours("wireless", hops, seconds, rts, seed))


def ns2_run(hops: int, seconds: int, rts: int, seed: int) -> Run:
    return run(ns2("chain.tcl", hops, seconds, rts, seed * NS2_SEED))


def speed(hops: int, seconds: int, repeat: int, with_ns2: bool) -> dict[str, float | None]:
    """Processor time of one chain: the pair of runs with the median ratio a packet, and the median
    ratio a simulated second."""
    pairs = []
    for seed in range(1, repeat + 1):
        mine = our_run(hops, seconds, 0, seed)
        theirs = ns2_run(hops, seconds, 0, seed) if with_ns2 else None
        pairs.append((mine, theirs))
    pairs.sort(key=lambda pair: (pair[1].micros if pair[1] else 1) / pair[0].micros)
    mine, theirs = pairs[len(pairs) // 2]
    seconds_ratios = [theirs.processor_s / mine.processor_s for mine, theirs in pairs if theirs]
    return {
        "us_per_packet": mine.micros,
        "us_per_second": mine.processor_s * 1e6 / seconds,
        "peak_mb": mine.peak_mb,
        "ns2_us_per_packet": theirs.micros if theirs else None,
        "ns2_us_per_second": theirs.processor_s * 1e6 / seconds if theirs else None,
        "ns2_peak_mb": theirs.peak_mb if theirs else None,
        "ratio": theirs.micros / mine.micros if theirs else None,
        "ratio_per_second": statistics.median(seconds_ratios) if seconds_ratios else None,
    }


def mean(samples: list[float]) -> tuple[float, float]:
    """The mean and half of its 95 % interval."""
    freedom = len(samples) - 1
    t = T[freedom - 1] if freedom <= len(T) else 1.96
    return statistics.mean(samples), t * statistics.stdev(samples) / len(samples) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--hops", type=int, nargs="+", default=HOPS, help="1 2 3 5 7")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each side (10)")
    parser.add_argument("--seconds", type=int, default=100, help="simulated, each run (100)")
    arguments = parser.parse_args()
    if arguments.seeds < 2:
        parser.error("--seeds must be at least 2")
    if min(arguments.hops) < 1 or arguments.seconds < 1:
        parser.error("--hops and --seconds must be positive")
    require("wireless")
    if not shutil.which("ns"):
        sys.exit("ns-2 is not installed (Debian: apt install ns2)")

    print(f"goodput, kb/s, {arguments.seeds} runs of {arguments.seconds} s")
    print("| hops | RTS | ours | ns-2 | ratio |")
    print("|---|---|---|---|---|")
    for rts in (0, 1):
        for hops in arguments.hops:
            sides = []
            for side in (our_run, ns2_run):
                runs = [
                    side(hops, arguments.seconds, rts, seed)
                    for seed in range(1, arguments.seeds + 1)
                ]
                sides.append(mean([one.result["goodput_bps"] / 1e3 for one in runs]))
            (mine, mine_ci), (theirs, theirs_ci) = sides
            print(
                f"| {hops} | {'always' if rts else 'never'} | {mine:.0f} ± {mine_ci:.0f}"
                f" | {theirs:.0f} ± {theirs_ci:.0f} | {mine / theirs:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
