# SPDX-License-Identifier: MIT
"""Whole sweeps with nothing wrong: rows, order, rates, and everything as it was after."""
import hashlib
import json
import os
import subprocess
import sys
import unittest

from rig import OVERLAY_NAME
from scenario import POINTS_MHZ, Scenario, read_curve

ALL_HZ = [mhz * 1000000 for mhz in range(20, 4, -1)]


class SweepTest(Scenario):
    def assert_follows_the_curve(self, rows):
        """Within 1 % of the share of what was sent, wherever 100 datagrams came in. Rates
        are held against each row's own duration: a busy machine stretches a second."""
        curve = read_curve()
        for row in rows:
            received = int(row["packets"] or 0) - int(row["lost_packets"] or 0)
            if received < 100:
                continue
            share = curve[int(row["spi_requested_hz"])]
            expected = share * int(row["sent_packets"])
            self.assertAlmostEqual(received / expected, 1, delta=0.01, msg=row)
            rate = received * 1448 * 8 / float(row["duration_s"]) / 1e6
            self.assertAlmostEqual(
                float(row["received_mbit_s"]) / rate, 1, delta=0.01, msg=row)

    def assert_reports_the_reference_values(self):
        """Our own results file reads as the published one does."""
        report = json.loads(subprocess.run(
            [self.rig.build / "daemon/t1s-sweep", "--json", "report",
             self.rig.results_files()[0]], check=True, stdout=subprocess.PIPE).stdout)
        self.assertEqual(report["summary"]["lowest_full_hz"], 13000000)
        self.assertAlmostEqual(report["summary"]["margin"], 1.54, 2)
        self.assertEqual([point["verdict"] for point in report["points"]],
                         8 * ["full"] + 3 * ["limited"] + 2 * ["severe"] + 3 * ["collapsed"])

    def test_reference_sweep_measures_16_points_in_order(self):
        rig = self.make_rig({"Sweep": {"Points": None, "CollapseBelow": "0"}})
        boots = rig.sweep()
        rows = rig.rows()
        self.assertEqual(self.points_hz(), ALL_HZ, self.said())
        self.assertEqual([boot.live_hz for boot in boots], [*ALL_HZ, 20000000])
        self.assertEqual([int(row["live_hz"]) for row in rows], ALL_HZ)
        self.assertEqual(len({row["boot_id"] for row in rows}), 16)
        self.assert_follows_the_curve(rows)
        self.assert_reports_the_reference_values()
        full = [row for row in rows if int(row["spi_requested_hz"]) >= 8000000]
        self.assertEqual({row["status"] for row in full}, {"OK"})
        self.assert_over("finished")

    def test_by_the_defaults_it_finishes_early_and_closes_with_the_baseline(self):
        rig = self.make_rig({"Sweep": {"Points": None, "ClosingBaseline": None}})
        rig.sweep()
        self.assertEqual(self.points_hz(), [*ALL_HZ[:14], 20000000], self.said())
        self.assert_follows_the_curve(rig.rows())
        self.assert_said("throughput has collapsed")
        self.assert_over("finished")

    def test_who_wrote_what(self):
        rig = self.make_rig({"Sweep": {"Points": "20M"}})
        rig.sweep()
        results = rig.results_files()[0].stat()
        self.assertNotEqual(results.st_uid, 0)
        self.assertEqual((rig.state_folder() / "state.json").stat().st_uid, 0)
        units = {entry["_UID"] for entry in rig.journal("-t", "t1s-sweep")}
        self.assertIn("0", units)
        self.assert_over("finished")

    def test_the_sandboxed_step_sees_what_the_machine_is_and_does(self):
        rig = self.make_rig({"Sweep": {"Points": "20M"}, "Sender": {"Interface": "t1s0"}})
        rig.sweep()
        row = rig.rows()[0]
        self.assertEqual(row["board"], "Raspberry Pi 4 Model B Rev 1.4")
        self.assertEqual([row["kernel"], row["sender_kernel"]], [os.uname().release] * 2)
        self.assertEqual(row["overlay_sha256"], hashlib.sha256(self.original).hexdigest())
        self.assertEqual([row["plca"], row["mtu"]], ["unsupported", "1500"])
        self.assertRegex(row["mac_address"], r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$")
        self.assertNotEqual(row["qdisc"], "")
        for key in ("cpu_busy_percent", "cpu_system_percent", "cpu_softirq_percent",
                    "cpu_core_percent", "cpu_cores", "softnet_dropped", "softnet_squeezed",
                    "iface_rx_packets", "iface_rx_errors", "iface_tx_packets", "span_s"):
            self.assertNotEqual(row[key], "", key)
        self.assert_over("finished")

    def test_plca_is_set_by_the_step_that_may_and_not_by_the_one_that_measures(self):
        """The kernel looks at the right before it finds that a TAP has no PLCA."""
        rig = self.make_rig({"Sweep": {"Points": "20M"},
                             "Link": {"PlcaNodeId": "1", "PlcaNodeCount": "2"}})
        rig.guest.add_drop_in("t1s-sweep.service", "rights",
                              "[Service]\nExecStartPre=/bin/grep Cap /proc/self/status\n")
        rig.sweep()
        self.assert_said("interface beiis-t1s0: driver or kernel do not support PLCA; "
                         r"\[Link\] PlcaNodeId= has no effect")
        rights = {entry["MESSAGE"] for entry in rig.journal("-u", "t1s-sweep.service")
                  if entry["MESSAGE"].startswith("Cap")}
        # what could be inherited, which some of nspawn hand on, gives no right by itself
        self.assertLessEqual({f"Cap{which}:\t{0:016x}" for which in ("Prm", "Eff", "Amb")},
                             rights)
        self.assertEqual(len(rights), 5, rights)
        self.assert_over("finished")

    def test_passes_repeats_and_ascending_order(self):
        rig = self.make_rig({
            "Sweep": {"Points": "12M 20M", "Order": "ascending", "Passes": "2"},
            "Workload default": {"Repeats": "2"}})
        rig.sweep()
        self.assertEqual(
            self.points_hz(),
            [mhz * 1000000 for mhz in (12, 12, 20, 20, 12, 12, 20, 20)], self.said())
        self.assert_over("finished")

    def test_the_firmwares_prefixes_are_followed(self):
        rig = self.make_rig()
        path = rig.guest.boot_folder / "system/ov"
        path.mkdir(parents=True)
        (path / "README").touch()
        os.replace(rig.overlay_path(), path / f"{OVERLAY_NAME}.dtbo")
        rig.install_overlay(b"not this one")
        rig.write_config_txt(
            f"os_prefix=system/\noverlay_prefix=ov/\ndtoverlay={OVERLAY_NAME}\n")
        boots = rig.sweep()
        self.assertEqual([boot.live_hz for boot in boots],
                         [*(mhz * 1000000 for mhz in POINTS_MHZ), 20000000], self.said())
        self.assertEqual((path / f"{OVERLAY_NAME}.dtbo").read_bytes(), self.original)
        self.assertEqual(rig.overlay_bytes(), b"not this one")

    def test_an_overlay_that_a_hat_names_needs_no_line_in_config_txt(self):
        rig = self.make_rig()
        rig.write_config_txt("")
        rig.hat_overlay = OVERLAY_NAME
        rig.sweep()
        self.assertEqual(len(rig.rows()), len(POINTS_MHZ), self.said())
        self.assert_over("finished")

    def test_numbers_do_not_follow_the_locale(self):
        rig = self.make_rig({"Sweep": {"Points": "20M"}})
        locales = rig.guest.root / "etc/rig-locale"
        locales.mkdir()
        # status 1: warnings, as with --force
        subprocess.run(["localedef", "--force", "-i", "de_DE", "-f", "UTF-8",
                        locales / "de_DE.UTF-8"], check=False, stderr=subprocess.DEVNULL)
        self.assertTrue((locales / "de_DE.UTF-8/LC_NUMERIC").exists())
        rig.guest.add_drop_in(
            "t1s-sweep.service", "locale",
            "[Service]\nEnvironment=LC_ALL=de_DE.UTF-8 LOCPATH=/etc/rig-locale\n")
        rig.sweep()
        self.assertRegex(rig.rows()[0]["received_mbit_s"], r"^9\.\d{6}$")
        self.assert_said(r"received \d\.\d\d of \d+\.\d\d Mbit/s")
        self.assert_over("finished")


if __name__ == "__main__":
    sys.exit(unittest.main())
