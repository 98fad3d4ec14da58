# SPDX-License-Identifier: MIT
"""Protocols, directions and several workloads: real peers over the emulated link."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from live import LiveTree, PeersTest
from netspace import T1S
from test_measure import shares
from tree import TESTS

MHZ = 1000000
WIRE_LIMIT_MBIT_S = 9.5389  # the emulator's, for TCP payload at share 1
PLAN = "Points=20M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=2\n"
SHORT = "Duration=1s\nOmit=0\n"
EVERY = "".join(
    f"[Workload {protocol}-{direction}]\nProtocol={protocol}\nDirection={direction}\n{SHORT}"
    for protocol in ("udp", "tcp") for direction in ("receive", "send", "both"))


def runs_of(rows):
    return [(row["workload"], row["direction"], row["repeat"], row["attempt"]) for row in rows]


class WorkloadsTest(PeersTest):
    def setUp(self):
        self.sender, self.link = self.peers.sender, self.peers.link
        self.addCleanup(self.repair)

    def repair(self):
        """Whatever a test has spoilt, the next one finds whole."""
        self.sender.set_iperf3()
        if not self.link.process:
            self.link.start()

    def make(self, workloads, sweep=PLAN):
        tree = LiveTree(self.peers, sweep, rest=workloads)
        self.addCleanup(tree.remove)
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        return tree

    def measure(self, tree, expected=0):
        self.assertEqual(tree.run("measure"), expected, tree.said)

    # What a row says

    def assert_udp(self, row, share):
        # what the link counts out is exact; a busy machine's receiver may lose some more,
        # and the two ends' clocks are not the same
        lost = int(row["lost_packets"]) / int(row["packets"])
        self.assertGreater(lost, 1 - share - 0.01, row["workload"])
        self.assertLess(lost, 1 - share + 0.1, row["workload"])
        ratio = float(row["received_mbit_s"]) / float(row["offered_mbit_s"])
        self.assertAlmostEqual(ratio, share, delta=0.15 * share, msg=row["workload"])
        self.assertNotEqual(row["jitter_ms"], "")
        self.assertEqual((row["udp_target"], row["retransmits"]), ("10M", ""))

    def assert_tcp(self, row, share):
        # a lower bound for a busy machine, and for two that share one wire
        least = 0.1 if row["workload"].endswith("both") else 0.4
        received = float(row["received_mbit_s"])
        self.assertGreater(received, least * share * WIRE_LIMIT_MBIT_S)
        self.assertLess(received, 1.05 * share * WIRE_LIMIT_MBIT_S)
        self.assertGreaterEqual(int(row["retransmits"]), 0)
        for key in ("udp_target", "lost_percent", "jitter_ms", "packets", "offered_mbit_s"):
            self.assertEqual(row[key], "", key)

    def assert_counted(self, row):
        """The interface accounts for it."""
        counted = row["iface_tx_bytes" if row["direction"] == "send" else "iface_rx_bytes"]
        payload = float(row["received_mbit_s"]) * 1e6 / 8 * float(row["duration_s"])
        self.assertGreaterEqual(int(counted), payload)

    def test_every_protocol_and_direction_at_two_shares(self):
        tree = self.make(EVERY, PLAN.replace("20M", "20M 10M"))
        tree.sweep()
        self.assertEqual(tree.state()["phase"], "finished", tree.said)
        rows = tree.rows()
        expected = [
            (f"{protocol}-{direction}", way)
            for _ in (20, 10) for protocol in ("udp", "tcp")
            for direction, ways in (("receive", ["receive"]), ("send", ["send"]),
                                    ("both", ["receive", "send"])) for way in ways]
        self.assertEqual([(row["workload"], row["direction"]) for row in rows], expected)
        for row in rows:
            self.assertEqual(row["status"], "OK", row["note"])
            self.assertEqual(row["protocol"], row["workload"][:3])
            self.assertEqual(row["iperf_receiver"], row["iperf_sender"])
            share = shares()[int(row["spi_requested_hz"])]
            (self.assert_udp if row["protocol"] == "udp" else self.assert_tcp)(row, share)
            self.assert_counted(row)

    def test_the_thorough_example_runs_as_shipped_but_for_its_length(self):
        example = (TESTS.parent / "conf/examples/thorough.conf").read_text("utf-8")
        names = re.findall(r"^\[Workload (.*)\]$", example, re.MULTILINE)
        tree = LiveTree(self.peers, "", rest="")
        self.addCleanup(tree.remove)
        folder = "etc/t1s-sweep/t1s-sweep.conf.d"
        tree.write(f"{folder}/10-thorough.conf", example)
        tree.write(f"{folder}/20-short.conf", "".join(
            f"[Workload {name}]\n{SHORT}" for name in names))
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        # one less where the shuffle happens to begin at the original
        self.assertIn(len(tree.state()["plan"]["points"]), (3 * 16 + 1, 3 * 16 + 2))
        self.measure(tree)
        rows = tree.rows()
        self.assertEqual([row["workload"] for row in rows], [*names, "both"])
        for row in rows:
            self.assertEqual(row["status"], "OK", row["note"])
            self.assertEqual(row["length_bytes"], "64" if "small" in row["workload"] else "1448")

    def test_each_row_names_the_raw_result_its_figures_come_from(self):
        tree = self.make(f"[Workload two way, \"b\"]\nDirection=both\n{SHORT}")
        self.measure(tree)
        receive, send = tree.rows()
        self.assertEqual(runs_of([receive])[0][2:], runs_of([send])[0][2:])
        self.assertNotEqual(receive["raw"], send["raw"])
        for row in (receive, send):
            path = tree.results_path().parent / row["raw"]
            self.assertEqual(tree.run("explain", path), 0, tree.said)
            explained = float(re.search(r"received +([0-9.]+) Mbit/s", tree.out)[1])
            self.assertAlmostEqual(explained, float(row["received_mbit_s"]), places=4)
            self.assertRegex(tree.out, r"status +OK")

    def test_a_shuffled_plan_leaves_its_seed_in_each_row(self):
        tree = self.make(f"[Workload a]\n{SHORT}", "Points=20M 12M\nOrder=shuffled\nPasses=2\n"
                         "CollapseBelow=0\n")
        tree.sweep()
        rows = tree.rows()
        self.assertEqual({row["seed"] for row in rows}, {str(tree.state()["plan"]["seed"])})
        self.assertEqual(int(rows[0]["spi_requested_hz"]), 20 * MHZ)
        self.assertEqual((int(rows[-1]["spi_requested_hz"]), rows[-1]["pass"]), (20 * MHZ, "0"))
        for number in "12":
            self.assertEqual(sorted(int(row["spi_requested_hz"]) for row in rows
                                    if row["pass"] == number), [12 * MHZ, 20 * MHZ])

    # What can go wrong

    def test_a_silent_link_is_zero_throughput_in_each_direction(self):
        self.peers.netspaces.ip("sender", "neigh", "replace", "10.10.10.2", "lladdr",
                                "02:00:00:00:00:99", "dev", T1S["sender"][0], "nud", "permanent")
        self.addCleanup(self.peers.netspaces.ip, "sender", "neigh", "del", "10.10.10.2", "dev",
                        T1S["sender"][0])
        tree = self.make(f"[Workload s]\nDirection=send\n{SHORT}"
                         f"[Workload b]\nDirection=both\nProtocol=tcp\n{SHORT}")
        self.measure(tree)
        self.assertEqual(
            runs_of(tree.rows()),
            [("s", "send", "1", "2"), ("b", "receive", "1", "2"), ("b", "send", "1", "2")])
        for row in tree.rows():
            self.assertEqual((row["status"], row["lost_percent"]), ("NO_DATA", ""))

    def test_a_client_that_dies_fails_both_directions_together(self):
        self.sender.set_iperf3(
            "#!/bin/sh\ncase $* in *--version*) exec /usr/bin/iperf3 --version;; esac\n"
            "timeout -s KILL 0.4 /usr/bin/iperf3 \"$@\"\n")
        tree = self.make(f"[Workload b]\nDirection=both\n{SHORT}")
        self.measure(tree)
        self.assertEqual(
            [(row["status"], row["direction"], row["attempt"]) for row in tree.rows()],
            [("FAILED", "receive", "1"), ("FAILED", "send", "1"),
             ("FAILED", "receive", "2"), ("FAILED", "send", "2")])
        self.assertEqual({row["received_mbit_s"] for row in tree.rows()}, {""})
        self.assertEqual(tree.run("advance"), 0, tree.said)

    def test_a_sender_too_old_for_both_directions_stops_the_sweep_and_says_so(self):
        self.sender.set_iperf3("#!/bin/sh\necho 'iperf 3.9 (cJSON 1.7.13)'\n")
        tree = self.make(f"[Workload b]\nDirection=both\n{SHORT}")
        self.measure(tree)
        self.assertFalse(tree.results_path().exists())
        tree.run("advance")
        self.assertEqual(tree.state()["phase"], "stopped")
        self.assertIn("3.11", tree.state()["reason"])

    def stand_still(self, tree, **counters):
        """Counters of the interface that do not move while iperf3 runs."""
        net = tree.path("sys/class/net") / T1S["pi"][0]
        net.unlink()
        (net / "statistics").mkdir(parents=True)
        (net / "flags").write_text("0x1003\n", "ascii")
        (net / "operstate").write_text("unknown\n", "ascii")
        for name in ("rx_bytes", "rx_packets", "rx_dropped", "rx_errors", "tx_bytes",
                     "tx_packets", "tx_dropped", "tx_errors"):
            counter = net / "statistics" / name
            if name in counters:
                counter.symlink_to(f"/sys/class/net/{T1S['pi'][0]}/statistics/{name}")
            else:
                counter.write_text("1000\n", "ascii")

    def test_what_we_send_is_proven_by_what_the_interface_sent(self):
        tree = self.make(f"[Workload s]\nDirection=send\n{SHORT}")
        self.stand_still(tree)
        self.measure(tree)
        row, = tree.rows()
        self.assertEqual(row["status"], "WRONG_PATH")
        self.assertIn("delivered", row["note"])
        self.assertEqual(tree.run("advance"), 1)
        self.assertEqual(tree.state()["phase"], "stopped")

    def test_a_driver_that_dies_twice_costs_two_boots_whatever_is_still_to_run(self):
        tree = self.make(f"[Workload a]\nRepeats=2\n{SHORT}"
                         f"[Workload b]\nDirection=both\n{SHORT}")
        self.measure_and_cut_the_link(tree)
        self.assertEqual([(row["workload"], row["status"], row["attempt"])
                          for row in tree.rows()], [("a", "DRIVER_DEAD", "1")])
        self.assertEqual(tree.run("advance"), 0, tree.said)
        self.link.start()
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.measure_and_cut_the_link(tree)
        self.assertEqual(
            runs_of(tree.rows()[1:]),
            [("a", "receive", "1", "2"), ("a", "receive", "2", "2"),
             ("b", "receive", "1", "2"), ("b", "send", "1", "2")])
        self.assertEqual({row["status"] for row in tree.rows()}, {"DRIVER_DEAD"})
        self.assertEqual(tree.run("advance"), 0, tree.said)
        self.assertNotEqual(tree.state()["phase"], "measuring")

    def measure_and_cut_the_link(self, tree):
        process = subprocess.Popen(tree.command("measure"), stderr=subprocess.DEVNULL)
        self.wait_for(lambda: self.receives(tree), process)
        self.link.stop()
        self.assertEqual(process.wait(60), 0)

    def receives(self, tree):
        """Whether iperf3's server has a data stream: its buffer's file is there."""
        counter = f"/sys/class/net/{T1S['pi'][0]}/statistics/rx_bytes"
        out = subprocess.run(self.peers.netspaces.inside("pi", "cat", counter), check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        before = getattr(self, "rx_before", None)
        now = int(out or 0)
        if before is None or now < before:
            self.rx_before = now
            return False
        return now > before + 100000

    def wait_for(self, condition, process):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertIsNone(process.poll(), "measure has ended")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    # Cut off and resumed

    RESUMED = f"[Workload a]\nRepeats=2\n{SHORT}[Workload b]\nDirection=both\nRepeats=2\n{SHORT}"
    RESUMED_RUNS = [("a", "receive", "1", "1"), ("a", "receive", "2", "1"),
                    ("b", "receive", "1", "1"), ("b", "send", "1", "1"),
                    ("b", "receive", "2", "1"), ("b", "send", "2", "1")]

    def kill_after_rows(self, tree, count):
        process = subprocess.Popen(tree.command("measure"), stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.wait_for(lambda: tree.results_path().exists() and len(tree.rows()) >= count, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def test_killed_between_repeats_and_workloads_no_row_is_lost_or_twice(self):
        tree = self.make(self.RESUMED)
        kept = []
        for count in (1, 2, 4):
            self.kill_after_rows(tree, count)
            rows = tree.rows()
            self.assertEqual(runs_of(rows), self.RESUMED_RUNS[:len(rows)])
            self.assertEqual(rows[:len(kept)], kept)
            kept = rows
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.measure(tree)
        self.assertEqual(runs_of(tree.rows()), self.RESUMED_RUNS)
        self.assertEqual(tree.rows()[:len(kept)], kept)
        self.measure(tree)
        self.assertEqual(len(tree.rows()), 6)

    def test_of_a_torn_pair_only_the_missing_direction_is_added(self):
        tree = self.make(f"[Workload b]\nDirection=both\n{SHORT}")
        self.measure(tree)
        kept = tree.rows()[0]
        path = pathlib.Path(tree.results_path())
        path.write_bytes(path.read_bytes()[:-20])
        self.assertEqual(tree.run("advance"), 1)
        self.assertIn("not measured yet", tree.said)
        self.measure(tree)
        rows = tree.rows()
        self.assertEqual(runs_of(rows), [("b", "receive", "1", "1"), ("b", "send", "1", "1")])
        self.assertEqual(rows[0], kept)
        self.assertEqual(rows[1]["status"], "OK")
        self.assertEqual(tree.run("advance"), 0, tree.said)


if __name__ == "__main__":
    unittest.main()
