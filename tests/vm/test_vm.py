# SPDX-License-Identifier: MIT
"""The installed arm64 package on a real kernel: a whole sweep, and one with a power cut."""
import contextlib
import os
import random
import re
import sys
import unittest

# pylint: disable=wrong-import-order
from vmrig import VmRig, host_lacks  # first, since it tells where the boot rig's code is
import blocklog
import fat
import image
import outcome
from cleanup import exit_on_signals
from rig import OVERLAY_NAME, UNIT

SEED = int(os.environ.get("T1S_VM_SEED", "9"))
POINTS_HZ = [20000000, 12000000, 9000000]
# Between the first and the last boot of a sweep nothing but the frequency is written.
BOOT_LOOKED_AT = 2
OVERLAY_USE = f"file /overlays/{OVERLAY_NAME}.dtbo".lower()
OVERLAY_FOLDER_USE = "folder /overlays"
# systemd's measure of what a service could do to the machine, from 0 (nothing) to 10
EXPOSURE_MAX = 2.0
ASK_EXPOSURE = """\
for unit in $(dpkg -L t1s-sweep | sed -n 's,.*/systemd/system/\\(.*\\.service\\)$,\\1,p'); do
	systemd-analyze --no-pager security "$unit" | grep 'Overall exposure'
done
"""


class VmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.rig = stack.enter_context(VmRig(deb=os.environ["T1S_ARM64_DEB"]))
        cls.rig.configure(
            {"Sweep": {"Points": " ".join(str(point) for point in POINTS_HZ)}})
        cls.overlay = cls.rig.overlay_bytes()
        cls.rig.install(arm=True, then=ASK_EXPOSURE)
        cls.installed_says = cls.rig.console_text()
        cls.installed_messages = cls.rig.messages()
        cls.installed = cls.rig.folder / "installed.img"
        image.copy(cls.rig.disk.path, cls.installed)

    def setUp(self):
        image.copy(self.installed, self.rig.disk.path)
        self.rig.boots.clear()

    def assert_finished(self):
        self.assertEqual(outcome.problems(self.rig, POINTS_HZ, self.overlay), [])

    def test_installing_the_package_starts_and_arms_nothing(self):
        self.assertIn("before enabling: disabled inactive", self.installed_says)
        self.assertEqual(self.installed_messages, "")
        self.assertTrue(self.rig.armed())

    def test_systemd_finds_little_that_the_service_could_do(self):
        found = dict(re.findall(r"exposure level for (\S+): ([0-9.]+)", self.installed_says))
        print(*found.items(), end=" ", flush=True)
        self.assertIn(UNIT, found)
        for unit, exposure in found.items():
            self.assertLessEqual(float(exposure), EXPOSURE_MAX, unit)

    def test_an_armed_sweep_goes_to_its_end_by_itself(self):
        before, looked_at = self.rig.folder / "before.img", []

        def between_boots(number):
            if number == BOOT_LOOKED_AT:
                image.copy(self.rig.disk.path, before)
            elif number == BOOT_LOOKED_AT + 1:
                looked_at.extend(self.boot_partition_changes(before))

        boots = self.rig.sweep(boots_max=6, before_boot=between_boots)
        self.assertEqual([boot.live_hz for boot in boots], [*POINTS_HZ, POINTS_HZ[0]])
        self.assert_finished()
        rows = self.rig.rows()
        self.assertEqual(len(rows), len(POINTS_HZ))
        self.assertEqual({row["clock_synchronised"] for row in rows}, {"0"})
        self.assertEqual(len(outcome.events(self.rig, outcome.BEGUN)), 1)
        self.assertEqual(len(outcome.events(self.rig, outcome.MEASURED)), len(POINTS_HZ))
        self.assertEqual(len(outcome.events(self.rig, outcome.FINISHED)), 1)
        with self.subTest("setting the frequency writes one sector"):
            self.check_changes(looked_at)

    def test_a_file_on_the_boot_partition_or_a_kernel_argument_holds_the_sweep(self):
        (self.rig.folder / "t1s-sweep.stop").touch()
        self.rig.disk.put_on_boot(self.rig.folder / "t1s-sweep.stop", "t1s-sweep.stop")
        self.assert_held()
        image.copy(self.installed, self.rig.disk.path)
        self.addCleanup(self.rig.machine.command_line.clear)
        self.rig.machine.command_line.append("t1s_sweep=off")
        self.assert_held()

    def assert_reboots(self):
        if not self.rig.boot().rebooted:
            self.rig.guest.pull()
            self.fail(f"no reboot. It said:\n{self.rig.messages()}\n"
                      f"Console:\n{self.rig.console_text()}")

    def assert_held(self):
        self.assertFalse(self.rig.boot().rebooted)
        self.rig.guest.pull()
        self.assertEqual(self.rig.messages(), "")
        self.assertTrue(self.rig.armed())

    def boot_partition_changes(self, before):
        return fat.changes(before, image.BOOT_FIRST_SECTOR,
                           image.BOOT_MIB * image.SECTORS_PER_MIB,
                           blocklog.read(self.rig.machine.log_path))

    def check_changes(self, changes):
        """The overlay's sector, once; then, by the unmounting, the time of the change in
        the folder; around that, the boot sector's mark of a mounted partition."""
        print("written to the boot partition in a boot that sets the frequency:",
              *changes, sep="\n  ", flush=True)
        uses = [change.use.lower() for change in changes]
        self.assertEqual(uses, ["boot sector", OVERLAY_USE, OVERLAY_FOLDER_USE, "boot sector"],
                         changes)
        mounted, overlay, folder, unmounted = changes
        self.assertEqual(mounted.bytes, [fat.DIRTY_FLAG_AT])
        self.assertEqual(unmounted.bytes, [fat.DIRTY_FLAG_AT])
        at = overlay.old.index(POINTS_HZ[1].to_bytes(4, "big"))
        self.assertEqual(overlay.new[at:at + 4], POINTS_HZ[2].to_bytes(4, "big"))
        self.assertLessEqual(set(overlay.bytes), set(range(at, at + 4)))
        self.assertLessEqual(folder.fields(), {"modified"})

    def test_power_cuts_cost_no_row_and_leave_the_overlay_whole(self):
        """QEMU is killed at a random moment of one boot, and another is cut before a random
        one of its flushes."""
        draw = random.Random(SEED)
        killed, moment = draw.randint(1, len(POINTS_HZ)), draw.random()
        for _ in range(1, killed):
            self.assert_reboots()
        after_s = moment * self.rig.usual_boot_s()
        print(f"seed {SEED}: cut in boot {killed} after {after_s:.1f} s", end=" ", flush=True)
        print(f"({self.rig.cut_power_after(after_s, draw)})", end=" ", flush=True)
        print(f"and in the next before a flush ({self.rig.cut_power_before_flush(draw)})",
              end=" ", flush=True)
        self.rig.sweep(boots_max=6)
        self.assert_finished()


if __name__ == "__main__":
    reason = host_lacks()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    exit_on_signals()
    sys.exit(unittest.main())
