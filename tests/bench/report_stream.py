#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A report of 1,000,000 rows: its time beside that of libcsv alone, and its memory.

Makes a results file of the reference sweep's rows, scattered a little, 180 MB in the end,
and lets both read it in turn. Compared are the CPU times of neighbours, of which the
median over the rounds is told: what else the machine does meets both. Limits: 1.5 times,
64 MiB.

    tests/bench/report_stream.py BUILD [ROUNDS]     (a release build with the tests)
"""
import csv
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROWS = 1_000_000
ROUNDS = 15
LIMIT_RATIO = 1.5
LIMIT_MIB = 64
REFERENCE = (pathlib.Path(__file__).resolve().parents[1] /
             "data/samples/be-iis-t1s-spi-sweep.csv")


def scattered(row, n, chance):
    """A row of the reference as another run would give it."""
    rate = float(row["received_mbit_s"]) * (1 + chance.gauss(0, 0.001))
    packets = int(row["packets"])
    lost = round(int(row["lost_packets"]) * (1 + chance.gauss(0, 0.01)))
    lost = max(0, min(lost, packets))
    jitter = float(row["jitter_ms"]) * abs(1 + chance.gauss(0, 0.1))
    stamp = (f"2026-{n // 2419200 % 12 + 1:02}-{n // 86400 % 28 + 1:02}"
             f"T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}+01:00")
    return row | {"timestamp": stamp, "received_mbit_s": f"{rate:.6f}",
                  "lost_percent": repr(100 * lost / packets), "jitter_ms": repr(jitter),
                  "lost_packets": str(lost)}


def write_rows(path):
    chance = random.Random(1)
    with open(REFERENCE, newline="") as f:
        rows = list(csv.DictReader(f))
    with open(path, "w") as f:
        f.write(",".join(rows[0]) + "\n")
        for n in range(ROWS):
            f.write(",".join(scattered(rows[n % len(rows)], n, chance).values()) + "\n")


def run(*command):
    """What it wrote, its CPU time in seconds, and its largest size in MiB."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command[0]} ended with {process.returncode}")
        out.seek(0)
        return out.read(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def is_release(build):
    return "CMAKE_BUILD_TYPE:STRING=Rel" in (build / "CMakeCache.txt").read_text()


def check(report):
    """The rows went into it: else the time would be no answer."""
    assert sum(p["runs"] for p in report["points"]) == ROWS, report["points"]
    assert report["summary"]["lowest_full_hz"] == 13_000_000, report["summary"]


def main(build, rounds):
    if not is_release(build):
        print(f"skipped: {build} is no release build, whose time would say nothing")
        return 77
    with tempfile.TemporaryDirectory(prefix="t1s-bench-") as folder:
        path, conf = pathlib.Path(folder, "results.csv"), pathlib.Path(folder, "none.conf")
        conf.write_text("")
        write_rows(path)
        mb = path.stat().st_size / 1e6
        alone, ours, mib = [], [], 0
        for _ in range(rounds):
            fields, seconds, _ = run(build / "tests/bench/csv-alone", path)
            assert int(fields) == 19 * (ROWS + 1)
            alone.append(seconds)
            text, seconds, size = run(build / "daemon/t1s-sweep", f"--config={conf}",
                                      "--json", "report", path)
            ours.append(seconds)
            mib = max(mib, size)
        check(json.loads(text))
    ratio = statistics.median(o / a for o, a in zip(ours, alone))
    print(f"{ROWS} rows, {mb:.0f} MB: report {min(ours):.2f} s, libcsv alone "
          f"{min(alone):.2f} s at the least; {ratio:.2f} times in the median of {rounds} "
          f"(limit {LIMIT_RATIO}); {mib:.0f} MiB (limit {LIMIT_MIB})")
    return int(ratio > LIMIT_RATIO or mib > LIMIT_MIB)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS))
