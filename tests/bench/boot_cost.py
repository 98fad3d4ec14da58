#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program adds to one boot: time and memory of begin, measure and advance.

Runs boots of a sweep against the real peers of the step tests and prints, as median over
the boots, each step's wall and CPU time and peak memory. From measure the length of the
measurement itself (Duration=) is taken off; settle time is 0, and the reboot delay lies
behind the last step. Limits: 0.5 s and 12 MiB.

    sudo tests/bench/boot_cost.py BUILD     (a release build)
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
os.environ["T1S_BUILD"] = str(BUILD)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "steps"))

from live import LiveTree, Peers  # noqa: E402  (path and build set above)

BOOTS = 7
DURATION_S = 1.0
LIMIT_S = 0.5
LIMIT_MIB = 12


def run_step(tree, step):
    """(wall s, CPU s, peak MiB) of one step."""
    command = tree.command(step)
    at = command.index(next(word for word in command if word.endswith("t1s-sweep")))
    # time(1) in between: a process keeps the peak of what it was before its exec
    command[at:at] = ["/usr/bin/time", "-f", "%e %U %S %M"]
    begun = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    wall = time.monotonic() - begun
    if done.returncode != 0:
        raise SystemExit(f"{step} failed ({done.returncode}): {done.stderr}")
    _, user, system, peak_kib = map(float, done.stderr.split()[-4:])
    return wall, user + system, peak_kib / 1024


def main():
    points = " ".join(f"{20 - i}M" for i in range(BOOTS))
    peers = Peers()
    try:
        tree = LiveTree(peers, f"Points={points}\nCollapseBelow=0\nClosingBaseline=no\n")
        boots = []
        for _ in range(BOOTS):
            tree.boot()
            boots.append({step: run_step(tree, step)
                          for step in ("begin", "measure", "advance")})
        tree.remove()
    finally:
        peers.close()
    for step in boots[0]:
        wall, cpu, peak = (statistics.median(boot[step][i] for boot in boots)
                           for i in range(3))
        print(f"{step:8} {wall:6.3f} s wall  {cpu:6.3f} s CPU  {peak:5.1f} MiB")
    added = statistics.median(
        sum(boot[step][0] for step in boot) - DURATION_S for boot in boots)
    peak = max(boot[step][2] for boot in boots for step in boot)
    print(f"added to a boot: {added:.3f} s (limit {LIMIT_S} s), "
          f"peak {peak:.1f} MiB (limit {LIMIT_MIB} MiB)")
    return 0 if added <= LIMIT_S and peak <= LIMIT_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
