# SPDX-License-Identifier: MIT
"""What can go wrong at the other end: the link, the sender, its key, its iperf3."""
import sys
import unittest

from scenario import POINTS_MHZ, Scenario

QUICK = {"Sender": {"WaitTime": "2s"}, "Sweep": {"Attempts": "2"}}


class PeerFaultTest(Scenario):
    def assert_stopped_at_first_point(self, pattern):
        """Nothing measured, original value back, unit disabled, and the reason told."""
        boots = self.rig.sweep()
        self.assertFalse(boots[-1].rebooted)
        self.assertLessEqual(len(boots), 2)
        self.assertEqual(self.rig.rows(), [])
        self.assert_said(pattern)
        self.assert_over("stopped")

    def test_a_silent_link_is_zero_throughput_and_the_sweep_goes_on(self):
        curve = self.write_curve({20: 0.95, 12: 0, 8: 0.28})
        rig = self.make_rig(
            {**QUICK, "Sweep": {"Attempts": "2", "CollapseBelow": "0"}}, curve=curve)
        rig.sweep()
        rows = rig.rows()
        self.assertEqual([row["status"] for row in rows], ["OK", "NO_DATA", "OK"], self.said())
        self.assertIn(rows[1]["received_mbit_s"], ("", "0.000000"))
        self.assertEqual(rows[1]["attempt"], "2")
        self.assert_over("finished")

    def test_a_silent_link_ends_the_sweep_by_the_collapse_rule(self):
        curve = self.write_curve({20: 0.95, 12: 0, 8: 0.28})
        rig = self.make_rig(QUICK, curve=curve)
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()], ["OK", "NO_DATA"], self.said())
        self.assert_said("throughput has collapsed")
        self.assert_over("finished")

    def test_a_sender_that_is_down_costs_a_boot_but_no_point(self):
        rig = self.make_rig(QUICK)
        rig.boot()
        rig.sender.stop()
        rig.boot()
        self.assert_waiting()
        self.assertEqual(len(rig.rows()), 1)
        self.assert_said("the next boot tries again")
        rig.sender.start()
        rig.sweep()
        self.assertEqual(self.points_hz(), [mhz * 1000000 for mhz in POINTS_MHZ], self.said())
        self.assert_over("finished")

    def test_a_changed_host_key_stops_the_sweep(self):
        rig = self.make_rig(QUICK)
        rig.sender.stop()
        rig.sender.new_host_key()
        rig.sender.start()
        self.assert_stopped_at_first_point(r"(?s)host key.*192\.0\.2\.130")

    def test_a_host_key_that_changes_under_way_stops_the_sweep_and_restores(self):
        rig = self.make_rig(QUICK)
        rig.boot()
        rig.sender.stop()
        rig.sender.new_host_key()
        rig.sender.start()
        rig.sweep()
        self.assertEqual(len(rig.rows()), 1)
        self.assert_said("sweep stopped at point 2/3")
        self.assert_over("stopped")

    def test_an_unknown_host_key_is_never_accepted(self):
        rig = self.make_rig(QUICK)
        (rig.ssh_folder / "known_hosts").write_text("", encoding="ascii")
        self.assert_stopped_at_first_point("(?i)host key")
        self.assertEqual((rig.ssh_folder / "known_hosts").read_bytes(), b"")

    def test_a_key_that_the_sender_refuses_stops_the_sweep(self):
        rig = self.make_rig(QUICK)
        rig.sender.allow_key("")
        self.assert_stopped_at_first_point("(?i)key")

    def test_a_missing_iperf3_stops_the_sweep_and_says_what_to_install(self):
        rig = self.make_rig(QUICK)
        rig.sender.set_iperf3("")
        self.assert_stopped_at_first_point("apt install iperf3")

    def test_a_client_that_dies_is_repeated_and_its_output_kept(self):
        rig = self.make_rig({**QUICK, "Sweep": {"Attempts": "2", "Points": "20M"}})
        rig.sender.set_iperf3(
            '#!/bin/sh\ncase "$*" in *--version*) exec /usr/bin/iperf3 --version;; esac\n'
            f"if mkdir {rig.sender.folder}/home/once 2>/dev/null; then\n"
            '  timeout -s KILL 0.5 /usr/bin/iperf3 "$@"\n'
            'else exec /usr/bin/iperf3 "$@"; fi\n')
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()], ["FAILED", "OK"], self.said())
        for row in rig.rows():
            self.assertTrue((rig.results_files()[0].parent / row["raw"]).exists())
        self.assert_over("finished")

    def test_a_missing_interface_counts_as_zero_throughput(self):
        rig = self.make_rig({
            **QUICK, "Receiver": {"WaitTime": "2s"}, "Sweep": {"Points": "20M 12M"}})
        rig.boot()
        rig.link.stop()
        rig.boot()
        rig.link.start()
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()], ["OK", "NO_LINK"], self.said())
        self.assertIn("beiis-t1s0", rig.rows()[1]["note"])
        self.assert_over("finished")

    def cut_link_in_flood(self):
        """Takes the interface away in the middle of the next boot's measurement."""
        link = self.rig.link
        before = link.udp_frames()
        self.rig.boot(poll=lambda: link.udp_frames() > before + 300 and link.stop())
        link.start()

    def test_a_driver_that_dies_gets_another_boot(self):
        rig = self.make_rig({**QUICK, "Sweep": {"Points": "20M 12M"}})
        rig.boot()
        self.cut_link_in_flood()
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()], ["OK", "DRIVER_DEAD", "OK"],
                         self.said())
        self.assert_over("finished")

    def test_a_driver_that_dies_again_counts_as_zero_throughput(self):
        rig = self.make_rig({**QUICK, "Sweep": {"Points": "20M 12M 8M", "CollapseBelow": "0"}})
        rig.boot()
        self.cut_link_in_flood()
        self.cut_link_in_flood()
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()],
                         ["OK", "DRIVER_DEAD", "DRIVER_DEAD", "OK"], self.said())
        self.assertEqual(self.points_hz()[-1], 8000000)
        self.assert_over("finished")

    def test_a_rate_above_that_of_the_link_is_never_believed(self):
        rig = self.make_rig({**QUICK, "Sweep": {"Points": "20M", "Attempts": "2"}})
        rig.link.set_faults("duplicate=1\n")
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()], ["FAILED"] * 2, self.said())
        self.assert_said("more than the link's 10 Mbit/s")
        self.assertFalse(rig.armed())
        self.assertEqual(rig.overlay_bytes(), self.original)

    def test_traffic_that_takes_another_way_stops_the_sweep(self):
        rig = self.make_rig(QUICK)
        rig.netspaces.ip("sender", "route", "add", "10.10.10.2/32", "via", "192.0.2.131")
        rig.sweep()
        self.assertEqual([row["status"] for row in rig.rows()], ["WRONG_PATH"], self.said())
        self.assert_said("route over another interface")
        self.assert_over("stopped")


if __name__ == "__main__":
    sys.exit(unittest.main())
