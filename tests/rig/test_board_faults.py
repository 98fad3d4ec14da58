# SPDX-License-Identifier: MIT
"""What can go wrong on the Pi itself: overlay, config.txt, partitions, state, people."""
import subprocess
import sys
import unittest

import firmware
from rig import OVERLAY_NAME, TESTS
from scenario import POINTS_MHZ, Scenario

ALL_POINTS = [mhz * 1000000 for mhz in POINTS_MHZ]


class BoardFaultTest(Scenario):
    def test_a_missing_overlay_file_begins_nothing(self):
        self.make_rig().overlay_path().unlink()
        self.assert_not_begun(f"overlays/{OVERLAY_NAME}.dtbo")

    def test_an_overlay_that_goes_away_under_way_stops_the_sweep(self):
        rig = self.make_rig()
        rig.boot()
        rig.overlay_path().unlink()
        rig.sweep(boots_max=3)
        self.assertEqual(self.state()["phase"], "stopped", self.said())
        self.assertFalse(rig.armed())
        self.assert_said("could not be put back")

    def test_an_overlay_that_somebody_else_changes_is_left_as_it_is(self):
        rig = self.make_rig()
        rig.boot()
        changed = firmware.apply_parameters(rig.overlay_bytes(), [("int_pin", "25")])
        rig.install_overlay(changed)
        rig.sweep(boots_max=3)
        self.assertEqual(rig.overlay_bytes(), changed)
        self.assertEqual(self.state()["phase"], "stopped", self.said())
        self.assertFalse(rig.armed())
        self.assert_said("changed by someone else")

    def test_two_matching_nodes_are_an_error_that_lists_them(self):
        rig = self.make_rig()
        rig.install_overlay(firmware.compile_tree(TESTS / "data/dt/two-chips.dtso"))
        self.assert_not_begun("(?s)ethernet@1.*ethernet@0")

    def test_of_two_nodes_the_chip_select_chooses(self):
        rig = self.make_rig({"DeviceTree": {"ChipSelect": "0"}, "Sweep": {"Points": "20M"}})
        rig.install_overlay(firmware.compile_tree(TESTS / "data/dt/two-chips.dtso"))
        self.original = rig.overlay_bytes()
        rig.sweep()
        self.assertEqual(self.points_hz(), [20000000], self.said())
        self.assert_over("finished")

    def test_a_node_that_a_boot_service_brings_late_is_waited_for(self):
        rig = self.make_rig({"Sweep": {"Points": "20M"}})
        rig.play_firmware()
        node = rig.tree_folder / "soc/spi@7e204000/ethernet@0"
        late = rig.folder / "late"
        node.rename(late)
        rig.guest.start()

        def bring():
            if late.exists() and "waiting for the device tree node" in rig.guest.show(
                    "t1s-sweep.service", "StatusText"):
                late.rename(node)
        self.assertFalse(rig.guest.wait(60, bring))
        self.assertEqual(self.points_hz(), [20000000], self.said())
        self.assertEqual(self.state()["phase"], "finished")

    def test_a_shadowing_parameter_begins_nothing_and_is_named(self):
        rig = self.make_rig()
        rig.write_config_txt(f"# mine\ndtoverlay={OVERLAY_NAME},speed=20000000\n")
        self.assert_not_begun("(?s)line 2 of config.txt.*speed=20000000")

    def test_a_parameter_that_shadows_from_now_on_stops_the_sweep(self):
        rig = self.make_rig()
        rig.boot()
        rig.write_config_txt(f"dtoverlay={OVERLAY_NAME}\ndtparam=speed=20000000\n")
        rig.sweep(boots_max=4)
        self.assert_said("(?s)not as expected.*line 2 of config.txt")
        self.assertEqual(len(rig.rows()), 1)
        self.assert_over("stopped")

    def test_a_read_only_boot_partition_begins_nothing(self):
        rig = self.make_rig()
        rig.guest.remount_boot("ro")
        self.assert_not_begun("(?i)read-only")

    def test_an_unmounted_boot_partition_begins_nothing(self):
        rig = self.make_rig()
        rig.play_firmware()
        rig.guest.unmount_boot()
        rig.guest.start()
        self.assertFalse(rig.guest.wait(60))
        self.assert_said("no boot partition is mounted at /boot/firmware")
        self.assertFalse((rig.state_folder() / "state.json").exists())

    def test_too_little_space_begins_nothing(self):
        rig = self.make_rig()
        rig.state_folder().mkdir(exist_ok=True)
        rig.guest.mount_small("/var/lib/t1s-sweep", 8192)
        self.assert_not_begun("make room on the card")

    def test_a_card_that_fills_up_stops_without_a_reboot_loop(self):
        rig = self.make_rig()
        rig.state_folder().mkdir(exist_ok=True)
        rig.guest.mount_small("/var/lib/t1s-sweep", 32768)
        rig.boot()
        with open(rig.state_folder() / "ballast", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65536))
            except OSError:
                pass
        boots = rig.sweep(boots_max=3)
        self.assertFalse(boots[-1].rebooted)
        self.assertEqual(len(rig.rows()), 1)
        self.assert_said("make room on the card")
        self.assertEqual(rig.overlay_bytes(), self.original, self.said())

    def test_a_state_that_cannot_be_read_never_starts_again_at_point_1(self):
        rig = self.make_rig()
        rig.boot()
        for path in rig.state_folder().glob("state.json*"):
            path.write_bytes(b"\0" * path.stat().st_size)
        boots = rig.sweep(boots_max=2)
        self.assertEqual([boot.rebooted for boot in boots], [False], self.said())
        self.assertEqual(len(rig.rows()), 1)
        self.assert_said("(?i)state.json")
        self.assert_said("t1s-sweep restore")

    def test_a_state_that_is_lost_ends_with_everything_as_it_was(self):
        rig = self.make_rig()
        rig.boot()
        (rig.state_folder() / "state.json").write_bytes(b"")
        rig.sweep()
        rows = self.points_hz()
        self.assertEqual(rows, ALL_POINTS[:len(rows)], self.said())
        self.assert_said("going on from its previous copy")
        self.assert_over("finished" if rows == ALL_POINTS else "stopped")


class PersonTest(Scenario):
    """The ways out that a person has."""

    def test_a_stop_file_on_the_boot_partition_stops_everything(self):
        rig = self.make_rig()
        rig.boot()
        stop = rig.guest.boot_folder / "t1s-sweep.stop"
        stop.touch()
        self.assertFalse(rig.boot().rebooted)
        self.assertEqual(len(rig.rows()), 1)
        stop.unlink()
        rig.sweep()
        self.assertEqual(self.points_hz(), ALL_POINTS, self.said())

    def test_a_word_on_the_kernel_command_line_stops_everything(self):
        rig = self.make_rig()
        rig.guest.command_line = ["t1s_sweep=off"]
        self.assertFalse(rig.boot().rebooted)
        self.assertEqual(rig.rows(), [])
        self.assertTrue(rig.armed())

    def test_a_cancelled_reboot_goes_on_at_the_next_boot(self):
        rig = self.make_rig({"Sweep": {"RebootDelay": "20s"}})
        rig.play_firmware()
        rig.guest.start()

        def cancel():
            if "rebooting in" in self.said() and not cancelled:
                cancelled.append(True)
                subprocess.run(rig.guest.inside(  # as "shutdown -c" does
                    "busctl", "call", "org.freedesktop.login1", "/org/freedesktop/login1",
                    "org.freedesktop.login1.Manager", "CancelScheduledShutdown"),
                    check=True, stdout=subprocess.DEVNULL)
                subprocess.run(rig.guest.inside("systemctl", "poweroff"), check=True)
        cancelled = []
        self.assertFalse(rig.guest.wait(60, cancel), self.said())
        rig.configure({"Sweep": {"Points": "20M 12M 8M", "ClosingBaseline": "no"}})
        rig.sweep()
        self.assertEqual(self.points_hz(), ALL_POINTS, self.said())
        self.assert_over("finished")

    def test_restore_puts_everything_back_by_hand(self):
        rig = self.make_rig()
        rig.boot()
        self.assertNotEqual(rig.overlay_bytes(), self.original)
        rig.guest.add_unit("by-hand.service", """[Unit]
After=t1s-sweep.service
Before=rig-end.service
[Service]
Type=oneshot
ExecStart=t1s-sweep restore
""", wanted=True)
        rig.guest.command_line = ["t1s_sweep=off"]
        self.assertFalse(rig.boot().rebooted)
        rig.guest.command_line = []
        self.assertEqual(rig.overlay_bytes(), self.original, self.said())
        self.assertFalse(rig.armed())
        self.assertEqual(self.state()["phase"], "stopped")

    def test_a_power_cut_while_measuring_loses_and_repeats_nothing(self):
        rig = self.make_rig({"Workload default": {"Duration": "3s"}})
        rig.boot()
        rig.play_firmware()
        rig.guest.start()
        before = rig.link.udp_frames()
        rig.guest.wait(60, lambda: rig.link.udp_frames() > before + 500
                       and rig.guest.pull_the_plug())
        rig.sweep()
        self.assertEqual(self.points_hz(), ALL_POINTS, self.said())
        self.assert_over("finished")


if __name__ == "__main__":
    sys.exit(unittest.main())
