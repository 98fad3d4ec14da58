#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A long night: one sweep of very many boots on the boot rig, and what grows with them.

Each boot is a real one: systemd, the unit's steps, a run over the emulated link, a reboot.
Of each the CPU time and peak memory of the steps, the most descriptors that the program had
open at once, and what lies on the disk beside the rows and their raw results are taken;
the medians of the last thirty boots are then held against those of the sixth to the
thirty-fifth. Limits: 10 % for the steps' time; memory and disk may not grow by more than 64 KiB;
no descriptor, no file. CPU time is told without a limit: each boot reads all rows and writes a
report of them.

    sudo tests/bench/endurance.py BUILD [BOOTS]     (1000 boots unless told otherwise)
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rig"))

from cleanup import exit_on_signals  # noqa: E402  (path set above)
from rig import UNIT, Rig  # noqa: E402

BOOTS = 1000
EARLY = slice(5, 35)
LATE = slice(-30, None)
TIME_SHARE_MAX = 1.10
GROWTH_MAX_KIB = 64
COST = re.compile(r"(\w+): (?:(\d+) KiB|([\d.]+) s wall ([\d.]+) s user ([\d.]+) s system)")
STEPS = (("begin", "!"), ("measure", ""), ("advance", "!"))
# bash for milliseconds, time(1) for memory
TIMED = "[Service]\nExecStart=\n" + "".join(
    f"""ExecStart={way}/bin/bash -c 'TIMEFORMAT="{step}: %%3R s wall %%3U s user %%3S s system"; \
time /usr/bin/time -f "{step}: %%M KiB" /usr/bin/t1s-sweep {step}'
""" for step, way in STEPS)


class Night:
    """The sweep, and what was seen of each of its boots."""

    def __init__(self, rig):
        self.rig, self.cursor, self.descriptors = rig, None, 0
        self.boots = []

    def costs(self):
        """(wall s, CPU s, peak KiB) of the steps of the boot that has just ended."""
        after = [f"--after-cursor={self.cursor}"] if self.cursor else []
        done = subprocess.run(
            ["journalctl", "-D", self.rig.guest.root / "var/log/journal", "-o", "json",
             "--no-pager", "-u", UNIT, *after],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        wall = cpu = peak = 0.0
        for line in done.stdout.splitlines():
            entry = json.loads(line)
            self.cursor = entry["__CURSOR"]
            found = COST.search(str(entry.get("MESSAGE", "")))
            if found and found[2]:
                peak = max(peak, int(found[2]))
            elif found:
                wall += float(found[3])
                cpu += float(found[4]) + float(found[5])
        return wall, cpu, peak

    def poll(self):
        """While the guest is on: how many files the program has open."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "comm").read_text("ascii").strip() == "t1s-sweep" and \
                        self.rig.folder.name in (folder / "cgroup").read_text("ascii"):
                    self.descriptors = max(self.descriptors, len(os.listdir(folder / "fd")))
            except (OSError, UnicodeDecodeError):
                pass  # it has ended meanwhile

    def disk(self):
        """Files and bytes of the program, without the rows and their raw results."""
        places = [self.rig.state_folder(), self.rig.guest.boot_folder]
        files = [path for place in places for path in place.rglob("*") if path.is_file()
                 and path.parent.name != "raw" and path.name != "results.csv"]
        return len(files), sum(path.stat().st_blocks * 512 for path in files)

    def after_boot(self):
        wall, cpu, peak = self.costs()
        files, size = self.disk()
        self.boots.append({"wall_s": wall, "cpu_s": cpu, "peak_kib": peak,
                           "descriptors": self.descriptors, "files": files,
                           "disk_kib": size / 1024})
        self.descriptors = 0
        if len(self.boots) % 50 == 1:
            tell(f"boot {len(self.boots)}", self.boots[-10:])


def medians(boots):
    return {key: statistics.median(boot[key] for boot in boots) for key in boots[0]}


def tell(title, boots):
    now = medians(boots)
    print(f"{title:12} {now['wall_s']:6.2f} s wall {now['cpu_s']:7.3f} s CPU "
          f"{now['peak_kib'] / 1024:6.1f} MiB {now['descriptors']:3.0f} descriptors "
          f"{now['files']:3.0f} files {now['disk_kib']:6.0f} KiB", flush=True)


def run(build, boots):
    with Rig(build=build) as rig:
        rig.configure({"Sweep": {"Points": "20M 19M", "CollapseBelow": "0",
                                 "Passes": str(boots // 2), "ClosingBaseline": "no"}})
        rig.guest.add_drop_in(UNIT, "cost", TIMED)
        rig.arm()
        night = Night(rig)
        rig.sweep(boots_max=2 * boots, poll=night.poll,
                  before_boot=lambda number: night.after_boot() if number > 1 else None)
        rows = rig.rows()
        points = [row["point"] for row in rows]
        if points != [str(number) for number in range(1, boots // 2 * 2 + 1)]:
            raise SystemExit(f"not every point once, but {len(points)} rows:\n"
                             f"{rig.messages()[-3000:]}")
        print(f"{len(rig.boots)} boots, {len(rows)} rows, "
              f"{sum(row['status'] == 'OK' for row in rows)} of them OK")
        return night.boots


def main():
    if os.geteuid() != 0 or not os.path.exists("/usr/bin/time"):
        print("skipped: needs root and time(1) (apt install time)")
        return 77
    exit_on_signals()
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    boots = run(build, int(sys.argv[2]) if len(sys.argv) > 2 else BOOTS)
    tell("boots 6-35", boots[EARLY])
    tell("last 30", boots[LATE])
    early, late = medians(boots[EARLY]), medians(boots[LATE])
    share = late["wall_s"] / early["wall_s"]
    # the plan's point and the texts about it take other room from boot to boot
    grown = {key: late[key] - early[key] for key in ("peak_kib", "disk_kib")}
    print(f"time {share:.3f} of what it was (limit {TIME_SHARE_MAX}), "
          f"CPU time {1000 * (late['cpu_s'] - early['cpu_s']):+.0f} ms, "
          f"memory {grown['peak_kib']:+.0f} KiB, disk {grown['disk_kib']:+.0f} KiB")
    return 0 if (share <= TIME_SHARE_MAX and max(grown.values()) <= GROWTH_MAX_KIB
                 and late["descriptors"] <= early["descriptors"]
                 and late["files"] <= early["files"]) else 1


if __name__ == "__main__":
    sys.exit(main())
