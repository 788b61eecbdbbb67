"""The share of a bottleneck that one BBR flow takes beside one CUBIC flow, simulated and by the
closed form of Ware, Mukerjee, Seshan and Sherry, "Modeling BBR's Interactions with Loss-Based
Congestion Control" (IMC 2019).

    python examples/python/shares.py
"""

from pathlib import Path

import skywave

FOLDER = Path(__file__).parents[2] / "docs/mechanisms/bbr"
# Scenario, rate, round trip without a queue: our path, and the one of the paper's figure 8a.
PATHS = [("bbr-shares.toml", 20e6, 0.08), ("bbr-ware.toml", 10e6, 0.04)]
PACKET = 1500 * 8
PROBE_EVERY, DWELL = 10.0, 0.2


def closed_form(queue: int, rate: float, rtt: float, flows: int = 1) -> float:
    """The share of `flows` BBR flows beside loss-based ones over a queue of this many packets.

    BBR has two of the BDPs that it estimates in flight: 2 · (1 - p)c · ((pq + 4N)/c + l), where the
    others have the share p of the link's capacity c and of the queue q, l is the round trip without
    a queue, and in ProbeRTT each flow of N leaves four packets in flight. That is what it can have
    in the full queue and on the way, (1 - p)(q + cl), at p = 1/2 - cl/(2q) - 4N/q (equation 9).
    Nothing is sent while it waits for the queue to drain (equations 10 and 11).
    """
    capacity = rate / PACKET
    others = 0.5 - capacity * rtt / (2 * queue) - 4 * flows / queue
    silent = (queue / capacity + DWELL + rtt) / PROBE_EVERY
    return (1 - max(others, 0.0)) * (1 - silent)


def compare(scenario: Path, rate: float, rtt: float) -> None:
    """Prints the shares of a scenario beside those of the closed form."""
    goodput: dict[tuple[str, str], float] = {}
    for row in skywave.run(scenario).summary:
        # What is not swept has no column.
        pair = (row.get("flow.test.transport", "bbr"), row.get("flow.other.transport", "linux"))
        if pair == ("bbr", "linux"):
            goodput[row["link.bottleneck.queue.droptail"], row["flow"]] = row["goodput_bps"]
    print(f"{scenario.name}\nqueue        simulated  closed form  ratio")
    for limit in dict.fromkeys(limit for limit, _ in goodput):
        test, other = (goodput[limit, flow] for flow in ("test", "other"))
        share, model = test / (test + other), closed_form(int(limit), rate, rtt)
        print(f"{int(limit):<12} {share:9.3f}  {model:11.3f}  {share / model:.3f}")


def main() -> None:
    for name, rate, rtt in PATHS:
        compare(FOLDER / name, rate, rtt)


if __name__ == "__main__":
    main()
