# SPDX-License-Identifier: MIT
"""The step machine on whole trees: begin and advance for real, results made by hand."""
import os
import shutil
import stat
import unittest

from tree import MOUNTINFO, Tree

THREE_POINTS = "Points=20M 15M 10M\nCollapseBelow=0\nClosingBaseline=no\n"
MHZ = 1000000


class MachineTest(unittest.TestCase):
    def make(self, sweep=THREE_POINTS, **kwargs):
        tree = Tree(sweep, **kwargs)
        self.addCleanup(tree.remove)
        return tree

    def begin(self, tree, expected=0):
        self.assertEqual(tree.run("begin"), expected, tree.said)

    def advance(self, tree, expected=0):
        self.assertEqual(tree.run("advance"), expected, tree.said)

    def measure_point(self, tree, **row):
        """One boot with its row; leaves the tree rebooted into the next."""
        self.begin(tree)
        self.assertEqual(tree.state()["phase"], "measuring", tree.said)
        tree.add_row(**row)
        self.advance(tree)
        tree.boot()

    def assert_put_back(self, tree, phase):
        """The end of every sweep."""
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.assertFalse(tree.pristine_path.exists())
        self.assertEqual(tree.state()["phase"], phase)
        self.assertFalse(tree.armed())

    # A sweep that goes well

    def test_a_sweep_measures_every_point_once_and_puts_everything_back(self):
        tree = self.make()
        for hz in (20, 15, 10):
            self.begin(tree)
            self.assertEqual(tree.overlay_hz(), hz * MHZ)
            self.assertTrue(tree.armed())
            tree.add_row()
            self.advance(tree)
            self.assertIn("a reboot is due", tree.said)
            tree.boot()
        self.assertEqual(tree.overlay_hz(), 20 * MHZ)
        self.begin(tree)
        self.assertIn("finished", tree.said)
        self.assert_put_back(tree, "finished")
        self.assertEqual([row["spi_requested_hz"] for row in tree.rows()],
                         ["20000000", "15000000", "10000000"])
        self.advance(tree)
        self.assert_put_back(tree, "finished")

    def test_only_the_four_bytes_of_the_frequency_change(self):
        tree = self.make()
        self.measure_point(tree)
        differing = [i for i, (a, b) in enumerate(zip(tree.original, tree.overlay_bytes()))
                     if a != b]
        self.assertLessEqual(max(differing) - min(differing), 3)
        self.assertEqual(len(tree.original), len(tree.overlay_bytes()))
        self.assertEqual(tree.pristine_path.read_bytes(), tree.original)

    def test_the_journal_line_of_a_point_tells_what_came_and_what_comes(self):
        tree = self.make()
        self.begin(tree)
        tree.add_row(received=9.047)
        self.advance(tree)
        self.assertRegex(
            tree.said, r"point 1/3 \(20\.000 MHz\): received 9\.05 Mbit/s, loss 1\.50 %, "
            r"jitter 0\.100 ms; next 15\.000 MHz; done about \d\d:\d\d")

    def test_a_first_point_other_than_the_original_costs_a_reboot_first(self):
        tree = self.make("Points=12M 10M\nCollapseBelow=0\nClosingBaseline=no\n")
        self.begin(tree)
        self.assertEqual(tree.state()["phase"], "rebooting")
        self.advance(tree)
        self.assertEqual(tree.overlay_hz(), 12 * MHZ)
        tree.boot()
        self.measure_point(tree)
        self.measure_point(tree)
        self.begin(tree)
        self.assert_put_back(tree, "finished")

    def test_the_closing_baseline_is_measured_at_the_original_and_needs_no_further_boot(self):
        tree = self.make("Points=20M 10M\nCollapseBelow=0\n")
        self.measure_point(tree)
        self.measure_point(tree)
        self.begin(tree)
        self.assertEqual(tree.state()["phase"], "measuring")
        self.assertEqual(tree.overlay_hz(), 20 * MHZ)
        tree.add_row()
        self.advance(tree)
        self.assertNotIn("reboot is due", tree.said)
        self.assert_put_back(tree, "finished")
        self.assertEqual(tree.rows()[-1]["pass"], "0")

    def test_the_opening_baseline_is_measured_in_the_boot_in_which_the_sweep_begins(self):
        tree = self.make("Points=12M 10M\nCollapseBelow=0\n")
        for hz in (20, 12, 10, 20):
            self.begin(tree)
            self.assertEqual((tree.state()["phase"], tree.overlay_hz()), ("measuring", hz * MHZ))
            tree.add_row()
            self.advance(tree)
            tree.boot()
        self.assert_put_back(tree, "finished")
        self.assertEqual([(row["point"], row["pass"]) for row in tree.rows()],
                         [("1", "0"), ("2", "1"), ("3", "1"), ("4", "0")])

    def test_a_collapse_ends_the_pass_early(self):
        tree = self.make("Points=20M 10M 8M 6M\nClosingBaseline=no\n")
        self.measure_point(tree)
        self.begin(tree)
        tree.add_row(received=0.2)
        self.advance(tree)
        self.assertIn("collapsed", tree.said)
        tree.boot()
        self.begin(tree)
        self.assertIn("left out", tree.said)
        self.assert_put_back(tree, "finished")
        self.assertEqual(len(tree.rows()), 2)

    def test_a_collapse_takes_as_many_points_as_configured(self):
        tree = self.make("Points=20M 10M 8M 6M\nClosingBaseline=no\nCollapsePoints=2\n")
        self.measure_point(tree)
        self.measure_point(tree, received=0.1)
        self.measure_point(tree, status="NO_DATA", received="")
        self.begin(tree)
        self.assert_put_back(tree, "finished")
        self.assertEqual(len(tree.rows()), 3)

    def test_after_a_collapse_the_next_pass_begins_at_its_first_point(self):
        tree = self.make("Points=20M 10M 8M\nClosingBaseline=no\nPasses=2\n")
        self.measure_point(tree)
        self.measure_point(tree, status="NO_LINK", received="")
        self.begin(tree)
        self.assertEqual((tree.state()["point"], tree.overlay_hz()), (3, 20 * MHZ))

    def test_a_failed_point_is_no_collapse(self):
        tree = self.make("Points=20M 10M 8M\nClosingBaseline=no\n")
        self.measure_point(tree)
        self.measure_point(tree, status="FAILED", received="", attempt=3)
        self.begin(tree)
        self.assertEqual(tree.overlay_hz(), 8 * MHZ)

    # Several workloads

    TWO_WORKLOADS = ("[Workload datagrams]\n[Workload stream]\nProtocol=tcp\n"
                     "Direction=both\nRepeats=2\n")

    def add_point_rows(self, tree, received=9.5, stream=9.0):
        tree.add_row(received=received, workload="datagrams")
        for repeat in (1, 2):
            for direction in ("receive", "send"):
                tree.add_row(received=stream, workload="stream", repeat=repeat,
                             direction=direction)

    def test_a_point_is_done_when_each_run_has_a_row_for_each_direction(self):
        tree = self.make(THREE_POINTS + self.TWO_WORKLOADS)
        self.begin(tree)
        tree.add_row(workload="datagrams")
        for repeat, direction in ((1, "receive"), (1, "send"), (2, "send")):
            self.advance(tree, expected=1)
            self.assertIn("not measured yet", tree.said)
            tree.add_row(workload="stream", repeat=repeat, direction=direction)
        self.advance(tree, expected=1)
        tree.add_row(workload="stream", repeat=2, direction="receive")
        self.advance(tree)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)

    def test_the_plan_tells_how_many_runs_a_point_has_and_whose_limits_it_shows(self):
        tree = self.make(THREE_POINTS + self.TWO_WORKLOADS)
        self.assertEqual(tree.run("plan"), 0, tree.said)
        self.assertIn("3 runs at each point, of 2 workloads; wire limit and SPI ceiling are of "
                      "datagrams.", tree.out)
        self.assertIn("Wire limit: 9.5389 Mbit/s for datagrams of 1448 bytes", tree.out)
        tree = self.make(THREE_POINTS + "[Workload stream]\nProtocol=tcp\n")
        self.assertEqual(tree.run("plan"), 0, tree.said)
        self.assertIn("Wire limit: 9.1356 Mbit/s for TCP in full frames.", tree.out)
        self.assertNotIn("runs at each point", tree.out)

    def test_the_journal_line_shows_the_first_workload_and_counts_the_others(self):
        tree = self.make(THREE_POINTS + self.TWO_WORKLOADS)
        self.begin(tree)
        self.add_point_rows(tree, received=9.25, stream=1.0)
        self.advance(tree)
        self.assertRegex(
            tree.said, r"point 1/3 \(20\.000 MHz\): received 9\.25 Mbit/s, .*"
            r"; 2 other runs; next 15\.000 MHz")

    def test_only_the_first_workload_ends_a_pass_by_collapse(self):
        tree = self.make("Points=20M 15M 10M\nClosingBaseline=no\n" + self.TWO_WORKLOADS)
        for received, stream in ((9.5, 9.0), (9.4, 0.0)):
            self.begin(tree)
            self.add_point_rows(tree, received, stream)
            self.advance(tree)
            tree.boot()
        self.begin(tree)
        self.assertEqual(tree.overlay_hz(), 10 * MHZ)
        self.add_point_rows(tree, 0.1, 9.0)
        self.advance(tree)
        self.assertIn("collapsed", tree.said)

    def test_a_wrong_path_in_one_of_two_directions_stops_the_sweep(self):
        tree = self.make(THREE_POINTS + self.TWO_WORKLOADS)
        self.begin(tree)
        tree.add_row(workload="datagrams")
        tree.add_row(status="WRONG_PATH", note="elsewhere", workload="stream")
        tree.add_row(workload="stream", direction="send")
        self.advance(tree, expected=1)
        self.assertIn("elsewhere", tree.state()["reason"])
        self.assert_put_back(tree, "stopped")

    # Started again, cut off, cancelled

    def test_steps_started_again_in_one_boot_change_nothing(self):
        tree = self.make()
        for _ in range(3):
            self.begin(tree)
        tree.add_row()
        for _ in range(3):
            self.advance(tree)
            self.begin(tree)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)
        self.assertEqual(tree.state()["boots"], 1)

    def test_advance_without_a_row_waits_for_the_next_boot(self):
        tree = self.make()
        self.begin(tree)
        self.advance(tree, expected=1)
        self.assertIn("not measured yet", tree.said)
        tree.boot()
        self.measure_point(tree)
        self.begin(tree)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)

    def test_a_write_lost_in_a_power_cut_is_repeated(self):
        tree = self.make()
        self.begin(tree)
        tree.add_row()
        self.advance(tree)
        tree.overlay_path.write_bytes(tree.original)
        tree.boot()
        self.begin(tree)
        self.assertIn("setting it again", tree.said)
        self.advance(tree)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)
        tree.boot()
        self.measure_point(tree)

    def test_a_damaged_state_goes_on_from_its_previous_copy(self):
        tree = self.make()
        self.measure_point(tree)
        self.begin(tree)
        tree.write("var/lib/t1s-sweep/state.json", "")
        self.begin(tree)
        self.assertIn("previous copy", tree.said)
        tree.add_row()
        self.advance(tree)
        self.assertEqual(tree.overlay_hz(), 10 * MHZ)

    def test_an_unreadable_state_changes_nothing_and_restore_finds_the_way_out(self):
        tree = self.make()
        self.measure_point(tree)
        for name in ("state.json", "state.json.previous"):
            tree.write(f"var/lib/t1s-sweep/{name}", "\0" * 100)
        self.begin(tree, expected=1)
        self.assertIn("t1s-sweep restore", tree.said)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.assertFalse(tree.armed())
        self.assertTrue(tree.path("var/lib/t1s-sweep/state.json.unusable-1").exists())

    def test_boots_without_getting_on_are_bounded(self):
        tree = self.make()
        for _ in range(30):
            self.begin(tree)
            if tree.state()["phase"] != "measuring":
                break
            tree.boot()
        self.assertEqual(tree.state()["phase"], "restoring")
        self.assertIn("boots at this point", tree.said)

    def test_a_boot_id_that_never_changes_cannot_make_a_reboot_loop(self):
        tree = self.make()
        self.begin(tree)
        tree.add_row()
        for _ in range(5):
            self.advance(tree)
            self.assertIn("a reboot is due", tree.said)
            self.begin(tree)
        self.advance(tree, expected=1)
        self.assertNotIn("a reboot is due", tree.said)
        self.assertIn("Reboot by hand", tree.said)
        tree.boot()
        self.measure_point(tree)

    # Stops

    def stop_in_the_middle(self, spoil, word, restored=True):
        tree = self.make()
        self.measure_point(tree)
        spoil(tree)
        self.begin(tree)
        self.assertIn(word, tree.said)
        tree.run("advance")
        self.assertFalse("a reboot is due" in tree.said and not restored, tree.said)
        if restored:
            self.assertEqual(tree.overlay_bytes(), tree.original)
            if tree.state()["phase"] == "restoring":
                tree.boot()
                self.begin(tree, expected=1)
            self.assert_put_back(tree, "stopped")
        self.assertEqual(tree.state()["phase"], "stopped")
        self.assertFalse(tree.armed())
        self.assertIn(word, tree.state()["reason"])
        return tree

    def test_a_live_tree_that_did_not_follow_stops_the_sweep(self):
        self.stop_in_the_middle(lambda tree: tree.boot(live_hz=20 * MHZ), "not as expected")

    def test_a_shadowing_parameter_that_appears_stops_the_sweep_and_is_named(self):
        def shadow(tree):
            tree.write("boot/firmware/config.txt",
                       "# mine\ndtoverlay=BE-IIS-HPP-T1S-I,speed=18000000\n")
            tree.boot()

        tree = self.make()
        self.measure_point(tree)
        shadow(tree)
        self.begin(tree)
        self.assertIn("line 2 of config.txt", tree.said)

    def test_an_overlay_changed_by_someone_else_is_left_alone(self):
        def swap(tree):
            tree.overlay_path.write_bytes(tree.overlay_bytes() + b"\0")

        tree = self.stop_in_the_middle(swap, "changed by someone else", restored=False)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)
        self.assertTrue(tree.pristine_path.exists())

    def test_a_missing_overlay_stops_the_sweep(self):
        self.stop_in_the_middle(
            lambda tree: tree.overlay_path.unlink(), "No such file", restored=False)

    def test_a_boot_partition_that_is_not_mounted_stops_the_sweep(self):
        self.stop_in_the_middle(
            lambda tree: tree.write("proc/self/mountinfo", MOUNTINFO.splitlines()[0] + "\n"),
            "no boot partition is mounted", restored=True)

    def test_a_read_only_boot_partition_stops_the_sweep(self):
        self.stop_in_the_middle(
            lambda tree: tree.write("proc/self/mountinfo",
                                    MOUNTINFO.replace("rw,relatime", "ro,relatime")),
            "read-only", restored=True)

    def test_a_stop_note_of_measure_stops_the_sweep(self):
        tree = self.make()
        self.measure_point(tree)
        self.begin(tree)
        tree.stop_note("the sender's host key has changed")
        self.advance(tree)
        self.assertEqual(tree.overlay_bytes(), tree.original)
        tree.boot()
        self.begin(tree, expected=1)
        self.assertIn("host key has changed", tree.said)
        self.assert_put_back(tree, "stopped")

    def test_wrong_path_stops_the_sweep(self):
        tree = self.make()
        self.begin(tree)
        tree.add_row(status="WRONG_PATH", note="over mgmt0")
        self.advance(tree, expected=1)
        self.assertIn("over mgmt0", tree.said)
        self.assert_put_back(tree, "stopped")

    def test_a_dead_driver_gets_one_more_boot_and_then_counts_as_zero(self):
        tree = self.make("Points=20M 10M 8M\nCollapseBelow=0\nClosingBaseline=no\n")
        self.measure_point(tree)
        self.measure_point(tree, status="DRIVER_DEAD", received="", attempt=1)
        self.begin(tree)
        self.assertEqual((tree.state()["phase"], tree.overlay_hz()), ("measuring", 10 * MHZ))
        tree.add_row(status="DRIVER_DEAD", received="", attempt=2)
        self.advance(tree)
        self.assertEqual(tree.overlay_hz(), 8 * MHZ)

    # Not begun at all

    def not_begun(self, tree, word):
        before = tree.overlay_bytes() if tree.overlay_path.exists() else None
        self.assertNotEqual(tree.run("begin"), 0)
        self.assertIn(word, tree.said)
        self.assertFalse(tree.path("var/lib/t1s-sweep/state.json").exists())
        self.assertFalse(tree.pristine_path.exists())
        if before is not None:
            self.assertEqual(tree.overlay_bytes(), before)
        self.advance(tree)

    def test_a_missing_overlay_begins_nothing(self):
        tree = self.make()
        tree.overlay_path.unlink()
        self.not_begun(tree, "BE-IIS-HPP-T1S-I.dtbo")

    def test_a_shadowing_parameter_begins_nothing(self):
        tree = self.make()
        tree.write("boot/firmware/config.txt",
                   "dtoverlay=BE-IIS-HPP-T1S-I,speed=20000000\n")
        tree.boot()
        self.not_begun(tree, "line 1 of config.txt")

    def test_a_volatile_root_begins_nothing(self):
        for kind in ("overlay", "tmpfs"):
            tree = self.make()
            tree.write("proc/self/mountinfo", MOUNTINFO.replace("ext4", kind))
            self.not_begun(tree, kind)

    def test_an_unmounted_boot_partition_begins_nothing(self):
        tree = self.make()
        tree.write("proc/self/mountinfo", MOUNTINFO.splitlines()[0] + "\n")
        self.not_begun(tree, "no boot partition is mounted")

    def test_a_broken_configuration_begins_nothing_and_names_the_line(self):
        tree = self.make("Step=1X\n")
        self.not_begun(tree, "t1s-sweep.conf:")
        self.assertEqual(tree.run("begin"), 2)

    def test_a_property_that_holds_no_frequency_begins_nothing(self):
        tree = self.make("[DeviceTree]\nProperty=reg\n")
        self.not_begun(tree, "expected a frequency from 1 kHz to 125 MHz")

    def test_a_live_tree_that_disagrees_begins_nothing(self):
        tree = self.make()
        tree.set_live(18 * MHZ)
        self.not_begun(tree, "not as expected")

    def test_two_matching_nodes_are_listed(self):
        tree = self.make()
        node = tree.live_nodes()[0]
        shutil.copytree(node, node.with_name("ethernet@1"))
        (node.with_name("ethernet@1") / "reg").write_bytes(b"\0\0\0\1")
        self.not_begun(tree, "ethernet@1")

    def test_the_stop_switches_do_nothing_at_all(self):
        tree = self.make()
        self.measure_point(tree)
        before = tree.state()
        tree.write("boot/firmware/t1s-sweep.stop", "")
        self.begin(tree)
        self.assertIn("switched off", tree.said)
        self.advance(tree)
        self.assertEqual(tree.state(), before)
        tree.path("boot/firmware/t1s-sweep.stop").unlink()
        tree.write("proc/cmdline", "quiet t1s_sweep=off splash\n")
        self.begin(tree)
        self.assertIn("switched off", tree.said)
        tree.write("proc/cmdline", "quiet\n")
        self.begin(tree)
        self.assertEqual(tree.state()["phase"], "measuring")

    # By hand

    def test_restore_in_the_middle_ends_the_sweep(self):
        tree = self.make()
        self.measure_point(tree)
        self.begin(tree)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assertIn("reboot to have 20.000 MHz again", tree.said)
        self.assert_put_back(tree, "stopped")
        self.assertEqual(tree.run("restore"), 0)
        self.assertIn("nothing to restore", tree.said)

    def test_restore_works_on_the_card_of_another_machine(self):
        tree = self.make()
        self.measure_point(tree)
        for name in ("proc", "sys", "run"):
            shutil.rmtree(tree.path(name), ignore_errors=True)
        self.assertNotEqual(tree.overlay_bytes(), tree.original)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assert_put_back(tree, "stopped")

    def test_restore_without_a_sweep_is_no_error(self):
        tree = self.make()
        self.assertEqual(tree.run("restore"), 0)
        self.assertIn("nothing to restore", tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)

    def leave_at_15_mhz(self):
        """A sweep that could not put the original back: the boot partition was read-only."""
        tree = self.make()
        self.measure_point(tree)
        kept = tree.overlay_path.with_suffix(".gone")
        tree.overlay_path.rename(kept)
        self.begin(tree)
        self.advance(tree, expected=1)
        self.assertIn("NOT back", tree.said)
        kept.rename(tree.overlay_path)
        tree.boot()
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)
        return tree

    def test_armed_again_before_the_original_was_back_takes_nothing_else_for_it(self):
        tree = self.leave_at_15_mhz()
        self.begin(tree, expected=1)
        self.assertIn("t1s-sweep restore", tree.said)
        self.assertEqual(tree.pristine_path.read_bytes(), tree.original)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.begin(tree, expected=1)
        self.assertIn("changed since this boot, reboot", tree.said)
        tree.boot()
        self.begin(tree)
        self.assertEqual(tree.state()["overlay"]["original_hz"], 20 * MHZ)

    def test_a_lost_state_never_makes_a_point_the_original(self):
        tree = self.make()
        self.measure_point(tree)
        shutil.rmtree(tree.path("var/lib/t1s-sweep"))
        self.begin(tree, expected=1)
        self.assertIn("t1s-sweep restore", tree.said)
        self.assertEqual(tree.overlay_hz(), 15 * MHZ)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.assertFalse(tree.pristine_path.exists())
        self.assertFalse(tree.armed())

    def test_without_a_state_an_overlay_that_differs_in_more_than_the_frequency_is_kept(self):
        tree = self.make()
        self.measure_point(tree)
        shutil.rmtree(tree.path("var/lib/t1s-sweep"))
        other = bytearray(tree.overlay_bytes())
        at = other.index(b"okay")
        other[at:at + 4] = b"fail"  # still an overlay, but another one
        tree.overlay_path.write_bytes(other)
        self.assertEqual(tree.run("restore"), 1)
        self.assertIn("differs from its pristine copy", tree.said)
        self.assertEqual(tree.overlay_bytes(), bytes(other))
        self.assertTrue(tree.pristine_path.exists())

    def test_restore_puts_back_what_was_set_by_hand_meanwhile(self):
        tree = self.make()
        self.measure_point(tree)
        self.assertEqual(tree.run("overlay", tree.overlay_path, "--set=17M"), 0)
        self.begin(tree)
        self.advance(tree, expected=1)
        self.assertEqual(tree.overlay_hz(), 17 * MHZ)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assert_put_back(tree, "stopped")

    def test_a_broken_overlay_names_the_copy_that_is_whole(self):
        for spoil in (lambda path: path.write_bytes(path.read_bytes()[:500]),
                      lambda path: path.write_bytes(b""), lambda path: path.unlink()):
            tree = self.make()
            self.measure_point(tree)
            spoil(tree.overlay_path)
            self.assertEqual(tree.run("restore"), 1)
            self.assertIn(".dtbo.t1s-orig", tree.said)
            shutil.copy(tree.pristine_path, tree.overlay_path)
            self.assertEqual(tree.run("restore"), 0, tree.said)
            self.assert_put_back(tree, "stopped")

    def test_after_a_finished_sweep_begin_starts_a_new_one(self):
        tree = self.make("Points=20M\nClosingBaseline=no\nCollapseBelow=0\n")
        self.begin(tree)
        first = tree.state()["sweep_id"]
        tree.add_row()
        self.advance(tree)
        self.assert_put_back(tree, "finished")
        tree.boot()
        self.begin(tree)
        self.assertNotEqual(tree.state()["sweep_id"], first)

    def test_an_ended_sweep_whose_unit_is_still_enabled_is_disarmed_not_begun_again(self):
        tree = self.make("Points=20M\nClosingBaseline=no\nCollapseBelow=0\n")
        self.begin(tree)
        tree.add_row()
        self.advance(tree)
        state = tree.state()
        wants = tree.path("etc/systemd/system/multi-user.target.wants/t1s-sweep.service")
        wants.symlink_to("/usr/lib/systemd/system/t1s-sweep.service")
        text = tree.path("var/lib/t1s-sweep/state.json").read_text("utf-8")
        tree.write("var/lib/t1s-sweep/state.json",
                   text.replace('"disarmed":true', '"disarmed":false'))
        tree.boot()
        self.begin(tree)
        self.assertFalse(tree.armed())
        self.assertEqual(tree.state()["sweep_id"], state["sweep_id"])

    def test_nothing_but_the_state_and_the_overlay_is_written(self):
        tree = self.make()

        def snapshot():
            return {path: path.stat().st_mtime_ns for path in tree.root.rglob("*")
                    if stat.S_ISREG(os.lstat(path).st_mode)}

        before = snapshot()
        self.begin(tree)
        changed = {path.relative_to(tree.root).as_posix() for path, when in snapshot().items()
                   if before.get(path) != when}
        self.assertEqual(changed, {
            "var/lib/t1s-sweep/state.json", "var/lib/t1s-sweep/lock",
            "boot/firmware/overlays/BE-IIS-HPP-T1S-I.dtbo.t1s-orig"})


if __name__ == "__main__":
    unittest.main()
