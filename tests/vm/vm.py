#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The VM rig by hand: sudo tests/vm/vm.py COMMAND

  image      only make (or find) the image, and say where it is
  boots      how long --count boots take in which there is nothing to do
  reference  the whole reference sweep, 20 to 5 MHz and 20 once more: sixteen reboots
  cuts       sweeps of three points in whose boots power is cut, until --count cuts are made

Each tells what it sees as it goes, and exits 0 only if every sweep ended as it must.
"""
import argparse
import random
import resource
import statistics
import subprocess
import sys
import time

# pylint: disable=wrong-import-order
from vmrig import HERE, VmRig, bare_image, host_lacks  # first: says where the rig's code is
import image
import outcome
from cleanup import RigError, exit_on_signals

SOURCE = HERE.parents[1]
REFERENCE_HZ = [mhz * 1000000 for mhz in [*range(20, 4, -1), 20]]
CUT_POINTS_HZ = [20000000, 12000000, 9000000]
CUT_CHANCE = 0.6
BOOTS_MAX = 60


class Teller:
    """Prints with the time since the start."""

    def __init__(self):
        self.begun = time.monotonic()

    def __call__(self, text):
        print(f"{time.monotonic() - self.begun:7.1f} s  {text}", flush=True)


def describe(boot):
    end = "reboot" if boot.rebooted else "off"
    return f"boot {boot.number}: {boot.live_hz / 1e6:.3f} MHz, {boot.seconds:.1f} s, {end}"


def finish(rig, points_hz, overlay, tell):
    """Looks at a sweep that has ended. Returns whether it ended as it must."""
    problems = outcome.problems(rig, points_hz, overlay)
    for problem in problems:
        tell(f"WRONG: {problem}")
    return not problems


def tell_rows(rig, tell):
    for row, passed in outcome.counting_rows(rig):
        tell(f"{int(row['spi_requested_hz']) / 1e6:6.3f} MHz: {row['status']}, "
             f"{outcome.received_share(row):.4f} received, the link passed {passed:.4f}")


def tell_times(boots, tell):
    times = [boot.seconds for boot in boots]
    tell(f"{len(times)} boots took {min(times):.1f} to {max(times):.1f} s, "
         f"{statistics.median(times):.1f} s as a median")


def processor_s():
    """What the machines have taken so far, whatever else the host was doing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def boots(rig, tell, arguments):
    rig.install(arm=False)
    tell(f"installed in {rig.install_s:.1f} s")
    for _ in range(arguments.count):
        before = processor_s()
        tell(f"{describe(rig.boot())}, {processor_s() - before:.1f} s of processor time")
    tell_times(rig.boots[1:], tell)
    return True


def reference(rig, tell, _):
    rig.configure({"Sweep": dict.fromkeys(("SettleTime", "RebootDelay", "ClosingBaseline")),
                   "Workload default": {"Duration": "20s", "Omit": "3s"}})
    overlay = rig.overlay_bytes()
    rig.install(arm=True)
    tell(f"installed in {rig.install_s:.1f} s")
    rig.boots.clear()
    rebooted = True
    while rebooted and len(rig.boots) < BOOTS_MAX:
        boot = rig.boot()
        tell(describe(boot))
        rebooted = boot.rebooted
    rig.guest.pull()
    tell_rows(rig, tell)
    tell_times([boot for boot in rig.boots if boot.rebooted], tell)
    return finish(rig, REFERENCE_HZ, overlay, tell)


def one_cut(rig, draw, tell):
    """Cuts power in one boot, in one of two ways in turn. Returns the cut; None if the boot
    was over first."""
    if draw.random() < 0.5:
        after_s = draw.random() * rig.usual_boot_s()
        cut, where = rig.cut_power_after(after_s, draw), f"after {after_s:.1f} s"
    else:
        cut, where = rig.cut_power_before_flush(draw), "before a flush"
    boot = rig.boots[-1]
    if cut:
        tell(f"boot {boot.number}: {boot.live_hz / 1e6:.3f} MHz, power cut {where}: {cut}")
    else:
        tell(describe(boot))
    return cut


def sweep_with_cuts(rig, draw, cuts_left, tell):
    """One sweep. Returns the cuts it went through."""
    made = []
    while len(rig.boots) < BOOTS_MAX:
        if len(made) < cuts_left and draw.random() < CUT_CHANCE:
            cut = one_cut(rig, draw, tell)
            if cut:
                made.append(cut)
            if cut or rig.boots[-1].rebooted:
                continue
            break
        boot = rig.boot()
        tell(describe(boot))
        if not boot.rebooted:
            break
    rig.guest.pull()
    return made


def cuts(rig, tell, arguments):
    points = " ".join(map(str, CUT_POINTS_HZ))
    rig.configure({"Sweep": {"Points": points}})
    overlay = rig.overlay_bytes()
    rig.install(arm=True)
    installed = rig.folder / "installed.img"
    image.copy(rig.disk.path, installed)
    draw, made, sweeps, bad = random.Random(arguments.seed), [], 0, 0
    while len(made) < arguments.count:
        image.copy(installed, rig.disk.path)
        rig.boots.clear()
        made += sweep_with_cuts(rig, draw, arguments.count - len(made), tell)
        sweeps += 1
        bad += not finish(rig, CUT_POINTS_HZ, overlay, tell)
        tell(f"sweep {sweeps} is over, {len(made)} power cuts so far")
    tell(f"{len(made)} power cuts in {sweeps} sweeps, {sum(cut.lost for cut in made)} of "
         f"{sum(cut.writes for cut in made)} writes lost; {bad} sweeps ended wrongly")
    return not bad


COMMANDS = {"boots": boots, "reference": reference, "cuts": cuts}


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["image", *COMMANDS])
    parser.add_argument("--deb", help="the arm64 package (default: built now)")
    parser.add_argument("--link", default=SOURCE / "build/debug/tests/rig/link/t1s-link",
                        help="the link emulator (default: that of the preset debug)")
    parser.add_argument("--count", type=int, default=10, help="of boots, or of power cuts (10)")
    parser.add_argument("--seed", type=int, default=1, help="of the power cuts (1)")
    parser.add_argument("--keep", action="store_true", help="keep the rig's folder")
    return parser.parse_args()


def built_package():
    deb = SOURCE / "build/vm/t1s-sweep_arm64.deb"
    subprocess.run([HERE / "package.sh", SOURCE, deb], check=True)
    return deb


def main():
    arguments, tell = parse(), Teller()
    reason = host_lacks()
    if reason:
        sys.exit(f"vm.py: {reason}")
    exit_on_signals()
    if arguments.command == "image":
        print(*bare_image(tell))
        return
    with VmRig(deb=arguments.deb or built_package(), link_program=arguments.link,
               keep=arguments.keep, log=tell) as rig:
        good = COMMANDS[arguments.command](rig, tell, arguments)
        if arguments.keep:
            tell(f"kept: {rig.folder}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    try:
        main()
    except RigError as error:
        sys.exit(f"vm.py: {error}")
