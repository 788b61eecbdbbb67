"""The share of a bottleneck that one BBR flow takes beside one CUBIC flow, simulated and by the
closed form of Ware, Mukerjee, Seshan and Sherry, "Modeling BBR's Interactions with Loss-Based
Congestion Control" (IMC 2019).

    python examples/python/shares.py
"""

from pathlib import Path

import skywave

SCENARIO = Path(__file__).parents[2] / "docs/mechanisms/bbr-shares.toml"
RATE, RTT = 20e6, 0.08
PACKET = 1500 * 8
PROBE_EVERY, DWELL = 10.0, 0.2


def closed_form(queue: int, flows: int = 1) -> float:
    """The share of `flows` BBR flows beside loss-based ones over a queue of this many packets.

    BBR has two of the BDPs that it estimates in flight: 2 · (1 - p)c · ((pq + 4N)/c + l), where the
    others have the share p of the link's capacity c and of the queue q, l is the round trip without
    a queue, and in ProbeRTT each flow of N leaves four packets in flight. That is what it can have
    in the full queue and on the way, (1 - p)(q + cl), at p = 1/2 - cl/(2q) - 4N/q (equation 9).
    Nothing is sent while it waits for the queue to drain (equations 10 and 11).
    """
    capacity = RATE / PACKET
    others = 0.5 - capacity * RTT / (2 * queue) - 4 * flows / queue
    silent = (queue / capacity + DWELL + RTT) / PROBE_EVERY
    return (1 - max(others, 0.0)) * (1 - silent)


def main() -> None:
    summary = skywave.run(SCENARIO).summary
    columns = ["flow.test.transport", "flow.other.transport", "link.bottleneck.queue.droptail"]
    rows = zip(*(summary[name] for name in [*columns, "flow", "goodput_bps"]), strict=True)
    goodput = {tuple(row[:4]): row[4] for row in rows}
    limits = list(dict.fromkeys(summary[columns[2]]))
    print("queue        simulated  closed form  ratio")
    for limit in limits:
        test, other = (goodput["bbr", "linux", limit, flow] for flow in ("test", "other"))
        share, model = test / (test + other), closed_form(int(limit))
        print(f"{int(limit):<12} {share:9.3f}  {model:11.3f}  {share / model:.3f}")


if __name__ == "__main__":
    main()
