#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program adds to one boot: time and memory of begin, measure and advance.

Runs a sweep on the boot rig with each step under time(1), and prints, as median over the
boots, each step's wall and CPU time and its peak memory, their sum without the measurement
itself (Duration=; settle time is 0, the reboot delay lies behind the last step), and for
comparison what systemd saw from "Starting" to "Finished". Limits: 0.5 s and 12 MiB.

    sudo tests/bench/boot_cost.py BUILD     (a release build with the tests)
"""
import os
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rig"))

from rig import UNIT, Rig  # noqa: E402  (path set above)

BOOTS = 7
DURATION_S = 1.0
LIMIT_S = 0.5
LIMIT_MIB = 12
COST = re.compile(r"cost (\w+) ([\d.]+) ([\d.]+) ([\d.]+) (\d+)")
TIMED = """\
[Service]
ExecStart=
ExecStart=!/usr/bin/time -f "cost begin %%e %%U %%S %%M" /usr/bin/t1s-sweep begin
ExecStart=/usr/bin/time -f "cost measure %%e %%U %%S %%M" /usr/bin/t1s-sweep measure
ExecStart=!/usr/bin/time -f "cost advance %%e %%U %%S %%M" /usr/bin/t1s-sweep advance
"""


def run_sweep(build):
    """The unit's journal entries of a sweep of so many boots."""
    points = " ".join(f"{20 - i}M" for i in range(BOOTS))
    with Rig(build=build) as rig:
        rig.configure({"Sweep": {"Points": points, "CollapseBelow": "0",
                                 "ClosingBaseline": "no"}})
        rig.guest.add_drop_in(UNIT, "cost", TIMED)
        rig.arm()
        rig.sweep()
        if len(rig.rows()) != BOOTS:
            raise SystemExit(f"the sweep did not go through:\n{rig.messages()}")
        return rig.journal("-u", UNIT)


def read_costs(entries):
    """{step: [(wall s, CPU s, peak MiB)]}, and what systemd saw of each measuring boot."""
    steps, seen, started = {"begin": [], "measure": [], "advance": []}, [], None
    for entry in entries:
        message = entry.get("MESSAGE", "")
        now_s = int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6
        found = COST.search(message)
        if found:
            wall, user, system, kib = map(float, found.groups()[1:])
            steps[found[1]].append((wall, user + system, kib / 1024))
        elif message.startswith("Starting "):
            started = now_s
        elif message.startswith("Finished ") and started is not None:
            seen.append(now_s - started)
    return {step: costs[:BOOTS] for step, costs in steps.items()}, seen[:BOOTS]


def main():
    if os.geteuid() != 0 or not os.path.exists("/usr/bin/time"):
        print("skipped: needs root and time(1) (apt install time)")
        return 77
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    steps, seen = read_costs(run_sweep(build))
    for step, costs in steps.items():
        wall, cpu, peak = (statistics.median(cost[i] for cost in costs) for i in range(3))
        print(f"{step:8} {wall:6.2f} s wall  {cpu:6.2f} s CPU  {peak:5.1f} MiB")
    added = statistics.median(
        sum(boot) for boot in zip(*([cost[0] for cost in costs] for costs in steps.values()))
    ) - DURATION_S
    peak = max(cost[2] for costs in steps.values() for cost in costs)
    print(f"added to a boot: {added:.2f} s (limit {LIMIT_S} s), peak {peak:.1f} MiB "
          f"(limit {LIMIT_MIB} MiB)")
    print(f"systemd, Starting to Finished without the measurement: "
          f"{statistics.median(seen) - DURATION_S:.2f} s")
    return 0 if added <= LIMIT_S and peak <= LIMIT_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
