# SPDX-License-Identifier: MIT
"""The measure step against a real sshd and a real iperf3 over the emulated link."""
import contextlib
import csv
import pathlib
import subprocess
import time
import unittest

from live import CURVE, LiveTree, PeersTest
from cleanup import mount  # found through live
from netspace import T1S

MHZ = 1000000
ONE_POINT = "Points=20M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=2\n"


def shares():
    with open(CURVE, newline="", encoding="ascii") as file:
        return {int(row["spi_hz"]): float(row["share"]) for row in csv.DictReader(line for line in file if not line.startswith("#"))}


class MeasureTest(PeersTest):
    def setUp(self):
        self.sender, self.link = self.peers.sender, self.peers.link
        self.addCleanup(self.repair)

    def repair(self):
        """Whatever a test has spoilt, the next one finds whole."""
        self.sender.set_iperf3()
        self.link.set_faults("")
        if not self.sender.process:
            self.sender.start()
        if not self.link.process:
            self.link.start()

    def make(self, sweep=ONE_POINT, **kwargs):
        tree = LiveTree(self.peers, sweep, **kwargs)
        self.addCleanup(tree.remove)
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.assertEqual(tree.state()["phase"], "measuring")
        return tree

    def measure(self, tree, expected=0):
        self.assertEqual(tree.run("measure"), expected, tree.said)

    def stops_with(self, tree, word):
        self.measure(tree)
        self.assertIn(word, tree.said)
        self.assertFalse(tree.results_path().exists())
        tree.run("advance")
        self.assertIn(word, tree.state()["reason"])
        self.assertEqual(tree.state()["phase"], "stopped")

    def test_a_good_run_is_one_row_with_all_that_is_known(self):
        tree = self.make()
        self.measure(tree)
        row, = tree.rows()
        self.assertEqual(row["status"], "OK")
        self.assertAlmostEqual(float(row["received_mbit_s"]) / float(row["offered_mbit_s"]),
                               shares()[20 * MHZ], delta=0.01)
        for key in ("packets", "lost_packets", "offered_mbit_s", "sent_packets", "boot_id",
                    "iperf_sender", "iperf_receiver", "duration_s", "iface_rx_bytes"):
            self.assertNotEqual(row[key], "", key)
        self.assertEqual(row["spi_requested_mhz"], "20.000")
        self.assertEqual(row["live_hz"], str(20 * MHZ))
        self.assertEqual(row["sclk_predicted_hz"], str(500 * MHZ // 26))
        self.assertTrue((tree.results_path().parent / row["raw"]).exists())
        self.measure(tree)
        self.assertEqual(len(tree.rows()), 1)

    def test_repeats_are_rows_of_their_own(self):
        tree = self.make(ONE_POINT, rest="[Workload default]\nDuration=1s\nOmit=0\nRepeats=2\n")
        self.measure(tree)
        self.assertEqual([row["repeat"] for row in tree.rows()], ["1", "2"])

    def test_explain_reads_the_kept_raw_result_as_the_row_has_it(self):
        tree = self.make()
        self.measure(tree)
        row, = tree.rows()
        self.assertEqual(tree.run("explain", tree.results_path().parent / row["raw"]), 0)
        self.assertIn("status        OK", tree.out)

    def test_a_silent_link_is_zero_throughput_after_its_attempts(self):
        tree = self.make()
        self.silence()
        self.measure(tree)
        row, = tree.rows()
        self.assertEqual((row["status"], row["attempt"]), ("NO_DATA", "2"))
        self.assertEqual(row["lost_percent"], "")

    def silence(self):
        """Both ends stay up, nothing gets through."""
        self.peers.netspaces.ip("sender", "neigh", "flush", "all")
        self.peers.netspaces.ip("sender", "neigh", "replace", "10.10.10.2", "lladdr",
                                "02:00:00:00:00:99", "dev", T1S["sender"][0], "nud",
                                "permanent")
        self.addCleanup(self.peers.netspaces.ip, "sender", "neigh", "del", "10.10.10.2",
                        "dev", T1S["sender"][0])

    def test_a_missing_interface_is_no_link(self):
        tree = self.make()
        self.link.stop()
        self.measure(tree)
        row, = tree.rows()
        self.assertEqual(row["status"], "NO_LINK")
        self.assertIn(T1S["pi"][0], row["note"])

    def test_an_absent_sender_costs_no_row_and_no_boot(self):
        tree = self.make()
        self.sender.stop()
        self.measure(tree, expected=1)
        self.assertIn("the next boot tries again", tree.said)
        self.assertFalse(tree.results_path().exists())
        self.sender.start()
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.measure(tree)
        self.assertEqual(len(tree.rows()), 1)

    def test_a_sender_that_comes_late_is_waited_for(self):
        tree = self.make(ONE_POINT)
        conf = tree.path("etc/t1s-sweep/t1s-sweep.conf")
        conf.write_text(conf.read_text("utf-8").replace("WaitTime=1s", "WaitTime=30s", 1), "utf-8")
        self.sender.stop()
        process = subprocess.Popen(tree.command("measure"), stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        self.sender.start()
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(len(tree.rows()), 1)

    def test_a_changed_host_key_stops_the_sweep(self):
        tree = self.make()
        pinned = self.sender.known_hosts_line()
        self.sender.stop()
        self.sender.new_host_key()
        self.assertNotEqual(self.sender.known_hosts_line(), pinned)
        self.sender.start()
        self.stops_with(tree, "host key")

    def test_an_unknown_host_key_stops_the_sweep(self):
        tree = self.make()
        tree.pin("")
        self.stops_with(tree, "known_hosts")

    def test_a_refused_key_stops_the_sweep(self):
        tree = self.make()
        allowed = self.peers.key.with_suffix(".pub").read_text("ascii")
        self.addCleanup(self.sender.allow_key, allowed)
        self.sender.allow_key("")
        self.stops_with(tree, "key")

    def test_a_key_that_is_refused_for_a_moment_only_stops_nothing(self):
        allowed = self.peers.key.with_suffix(".pub").read_text("ascii")
        self.addCleanup(self.sender.allow_key, allowed)
        tree = self.make()
        conf = tree.path("etc/t1s-sweep/t1s-sweep.conf")
        conf.write_text(
            conf.read_text("utf-8").replace("WaitTime=1s", "WaitTime=60s", 1), "utf-8")
        self.sender.allow_key("")
        with subprocess.Popen(tree.command("measure"), stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as measuring:
            for line in measuring.stderr:
                if "trying again" in line:
                    break
            self.sender.allow_key(allowed)
            said = measuring.communicate(timeout=60)[1]
        self.assertEqual(measuring.returncode, 0, said)
        self.assertEqual([row["status"] for row in tree.rows()], ["OK"])

    def test_a_missing_key_stops_the_sweep(self):
        tree = self.make()
        tree.path("etc/t1s-sweep/ssh/id_ed25519").unlink()
        self.stops_with(tree, "id_ed25519")

    def test_a_sender_without_iperf3_stops_the_sweep_and_says_how_to_get_it(self):
        tree = self.make()
        self.sender.set_iperf3("")
        self.stops_with(tree, "apt install iperf3")

    def test_a_client_that_dies_is_a_failed_row_each_time(self):
        tree = self.make()
        self.sender.set_iperf3(
            "#!/bin/sh\ncase $* in *--version*) exec /usr/bin/iperf3 --version;; esac\n"
            "timeout -s KILL 0.4 /usr/bin/iperf3 \"$@\"\n")
        self.measure(tree)
        self.assertEqual([(row["status"], row["attempt"]) for row in tree.rows()],
                         [("FAILED", "1"), ("FAILED", "2")])

    def test_a_client_that_only_talks_nonsense_is_a_failed_row(self):
        tree = self.make()
        self.sender.set_iperf3(
            "#!/bin/sh\ncase $* in *--version*) exec /usr/bin/iperf3 --version;; esac\n"
            "echo bad option >&2; exit 1\n")
        self.measure(tree)
        self.assertEqual([row["status"] for row in tree.rows()], ["FAILED", "FAILED"])
        self.assertIn("bad option", tree.rows()[0]["note"])

    def test_traffic_over_another_interface_is_wrong_path(self):
        tree = self.make()
        net = tree.path("sys/class/net") / T1S["pi"][0]
        net.unlink()
        # counters that stand still while iperf3 receives
        net.mkdir()
        (net / "flags").write_text("0x1003\n", "ascii")
        (net / "operstate").write_text("unknown\n", "ascii")
        (net / "statistics").mkdir()
        for name in ("rx_bytes", "rx_packets", "rx_dropped", "rx_errors", "tx_bytes",
                     "tx_packets", "tx_dropped", "tx_errors"):
            (net / "statistics" / name).write_text("1000\n", "ascii")
        self.measure(tree)
        self.assertEqual(tree.rows()[-1]["status"], "WRONG_PATH")
        self.assertEqual(tree.run("advance"), 1)
        self.assertEqual(tree.state()["phase"], "stopped")

    def test_no_receiver_is_left_behind(self):
        tree = self.make()
        self.measure(tree)
        left = subprocess.run(
            ["ip", "netns", "pids", self.peers.netspaces.name("pi")], check=True,
            stdout=subprocess.PIPE, text=True).stdout.split()
        names = [pathlib.Path(f"/proc/{pid}/comm").read_text("ascii").strip() for pid in left]
        self.assertNotIn("t1s-sweep", names)

    def test_a_whole_sweep_follows_the_curve(self):
        tree = LiveTree(self.peers, "Points=20M 12M 10M 8M\nCollapseBelow=0\n"
                        "ClosingBaseline=no\n")
        self.addCleanup(tree.remove)
        tree.boot()
        tree.sweep()
        self.assertEqual(tree.state()["phase"], "finished", tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)
        rows = tree.rows()
        self.assertEqual([int(row["spi_requested_hz"]) // MHZ for row in rows], [20, 12, 10, 8])
        for row in rows:
            share = shares()[int(row["spi_requested_hz"])]
            self.assertAlmostEqual(
                float(row["received_mbit_s"]) / float(row["offered_mbit_s"]), share,
                delta=0.01 * share + 0.005)

    def test_numbers_have_a_point_in_any_locale(self):
        tree = self.make(ONE_POINT)
        tree.environment = {"LC_ALL": "de_DE.UTF-8"}
        self.measure(tree)
        self.assertRegex(tree.rows()[0]["received_mbit_s"], r"^9\.\d{6}$")

    def test_words_of_the_sender_stay_one_column_whatever_is_in_them(self):
        words = 'no route, said "the, sender"'
        self.sender.set_iperf3(
            "#!/bin/sh\ncase $* in *--version*) exec /usr/bin/iperf3 --version;; esac\n"
            f"printf '%s\\n' '{words}' >&2; exit 1\n")
        tree = self.make()
        self.measure(tree)
        for row in tree.rows():
            self.assertIn(words, row["note"])
            self.assertEqual(row["sweep_id"], tree.state()["sweep_id"])
            self.assertNotIn(None, row)

    def test_a_disk_that_is_full_is_neither_the_links_fault_nor_the_senders(self):
        tree = self.make()
        results = tree.path("var/lib/t1s-sweep/results")
        results.mkdir(exist_ok=True)
        for kib in (4, 8):  # for a part of what a run leaves
            with contextlib.ExitStack() as stack:
                mount(stack, "-t", "tmpfs", "-o", f"size={kib}k", "none", target=results)
                self.measure(tree, expected=1)
                self.assertRegex(tree.said, "No space left on device|make room on the card")
                self.assertNotIn("FAILED", tree.said)
                if tree.results_path().exists():
                    self.assertEqual(tree.rows(), [])
        self.measure(tree)
        self.assertEqual([row["status"] for row in tree.rows()], ["OK"])

    def test_a_results_file_of_an_earlier_version_goes_on_with_its_columns(self):
        tree = self.make()
        self.measure(tree)
        old = [name for name in tree.rows()[0] if name not in ("boot_id", "kernel")]
        tree.results_path().write_text(",".join(old) + "\n", "utf-8")
        self.measure(tree)
        self.assertIn("has no columns for boot_id", tree.said)
        row, = tree.rows()
        self.assertEqual(list(row), old)
        self.assertEqual(row["status"], "OK")

    def test_a_results_file_that_cannot_be_continued_is_told_before_anything_is_measured(self):
        tree = self.make()
        self.measure(tree)
        text = tree.results_path().read_text("utf-8")
        tree.results_path().write_text(
            text.splitlines()[0].replace(",repeat,", ",again,") + "\n", "utf-8")
        self.sender.stop()
        self.measure(tree, expected=1)
        self.assertIn("results.csv:1: no column repeat", tree.said)
        self.assertEqual(tree.rows(), [])

    def test_a_workload_that_was_renamed_in_the_middle_is_told(self):
        tree = self.make()
        self.measure(tree)
        conf = tree.path("etc/t1s-sweep/t1s-sweep.conf")
        conf.write_text(conf.read_text("utf-8").replace("[Workload default]",
                                                        "[Workload other]"), "utf-8")
        self.measure(tree)
        self.assertIn('rows of the workload "default", which is not configured any more',
                      tree.said)
        self.assertEqual([row["workload"] for row in tree.rows()], ["default", "other"])


if __name__ == "__main__":
    unittest.main()
