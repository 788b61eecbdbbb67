"""Make `short.down`: a synthetic cellular downlink in mahimahi's format.

Not a recording: a stand-in of the project's own, small enough to ship, for machines without the
recorded traces. The rate follows a random walk between 0.5 and 12 Mb/s in steps of 100 ms, with an
outage of 300 ms, as recordings of moving phones show them.

    python3 experiments/lte/make_trace.py > experiments/lte/short.down
"""

import random

SECONDS = 12
STEP_MS = 100
OUTAGE_MS = range(7000, 7300)
BITS_PER_OPPORTUNITY = 1500 * 8


def main() -> None:
    draws = random.Random(20080624)
    rate = 4e6
    credit = 0.0
    for ms in range(1, SECONDS * 1000 + 1):
        if ms % STEP_MS == 1:
            rate = min(12e6, max(0.5e6, rate * draws.uniform(0.7, 1.42)))
        if ms in OUTAGE_MS:
            continue
        credit += rate / 1000
        while credit >= BITS_PER_OPPORTUNITY:
            credit -= BITS_PER_OPPORTUNITY
            print(ms)
    print(SECONDS * 1000)


if __name__ == "__main__":
    main()
