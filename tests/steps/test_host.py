# SPDX-License-Identifier: MIT
"""What stands beside a measurement in its row, against real peers: a machine that shows
all there is, one that shows nothing, and a sender that tells of itself or does not."""
import hashlib
import os
import unittest

from live import LiveTree, PeersTest
from netspace import T1S

ONE_POINT = "Points=20M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=1\n"
SENDER_INTERFACE = f"[Sender]\nInterface={T1S['sender'][0]}\n"
SHORT = "[Workload default]\nDuration=1s\nOmit=0\n"
IFACE = T1S["pi"][0]
CONTROLLER = "sys/devices/platform/soc/fe204000.spi"
DEVICE = f"{CONTROLLER}/spi_master/spi0/spi0.0"

# What the kernel shows before the run, and what has been added after it
STAT = ("cpu  {0} 0 {0} {1} 0 0 {0} 0 0 0\ncpu0 0 0 0 {1} 0 0 0 0 0 0\n"
        "cpu1 {0} 0 {0} 0 0 0 {0} 0 0 0\n")
INTERRUPTS = ("           CPU0       CPU1\n"
              " 36:  {0}  0  GICv2 150 Level  fe204000.spi\n"
              " 54:  0  {1}  pinctrl-bcm2835 6 Level  spi0.0\n")
PLCA = ("PLCA settings for t1s0:\n\tEnabled: Yes\n\tlocal node ID: 0 (coordinator)\n"
        "\tNode count: 2\n\tTO timer: 32 BT\n\tBurst count: 0 (disabled)\n"
        "\tBurst timer: 128 BT\n")
UNKNOWN_WITHOUT = (
    "driver", "driver_version", "cpu_governor", "cpu_freq_hz", "core_clock_hz",
    "temperature_c", "undervoltage", "cpu_busy_percent", "cpu_system_percent",
    "cpu_softirq_percent", "cpu_core", "cpu_core_percent", "cpu_cores", "irq_spi", "irq_mac",
    "softnet_dropped", "softnet_squeezed", "spi_messages", "spi_transfers", "spi_bytes",
    "spi_errors", "spi_timedout", "spi_bus_messages", "spi_bus_bytes", "spi_bus_errors",
    "spi_bus_timedout", "kernel")


def link(tree, path, target):
    path = tree.path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def show_machine(tree):
    """Everything a Raspberry Pi shows in /sys and /proc that a row has a column for."""
    net = tree.path("sys/class/net") / IFACE
    net.unlink()
    net.mkdir()
    (net / "statistics").symlink_to(f"/sys/class/net/{IFACE}/statistics")
    tree.write(f"sys/class/net/{IFACE}/flags", "0x1003\n")
    tree.write(f"sys/class/net/{IFACE}/operstate", "up\n")
    tree.write(f"sys/class/net/{IFACE}/address", "02:00:00:00:00:02\n")
    tree.write(f"sys/class/net/{IFACE}/mtu", "1500\n")
    link(tree, f"sys/class/net/{IFACE}/device",
         "../../../devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.0")
    link(tree, f"{DEVICE}/driver", "../../../../../../../bus/spi/drivers/lan8650")
    link(tree, "sys/bus/spi/drivers/lan8650/module", "../../../../module/lan865x")
    link(tree, "sys/bus/spi/devices/spi0.0",
         "../../../devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.0")
    link(tree, "sys/class/spi_master/spi0",
         "../../devices/platform/soc/fe204000.spi/spi_master/spi0")
    link(tree, f"{CONTROLLER}/spi_master/spi0/device", "../../../fe204000.spi")
    tree.write("sys/module/lan865x/srcversion", "0123456789ABCDEF\n")
    tree.write("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n")
    tree.write("sys/class/thermal/thermal_zone0/temp", "48686\n")
    tree.write("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    tree.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1500000\n")
    tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n")
    tree.write("sys/kernel/debug/clk/vpu/clk_rate", "500000000\n")
    tree.write("proc/sys/kernel/osrelease", "6.6.31+rpt-rpi-v8\n")
    count(tree)


def count(tree, suffix="", late=0):
    """Writes the counters; with late, those that the run's end is to find."""
    tree.write("proc/stat" + suffix, STAT.format(100 + 30 * late, 1000 + 90 * late))
    tree.write("proc/interrupts" + suffix,
               INTERRUPTS.format(5000 + 700 * late, 900 + 70 * late))
    tree.write("proc/net/softnet_stat" + suffix, f"00000001 {late:08x} 00000002\n")
    for folder_of, factor in ((DEVICE, 1), (f"{CONTROLLER}/spi_master/spi0", 2)):
        for name, value in (("messages", 10), ("transfers", 20), ("bytes", 30000),
                            ("errors", 0), ("timedout", 1)):
            tree.write(f"{folder_of}/statistics/{name}{suffix}",
                       f"{100 + factor * value * late}\n")


def count_while_running(tree, sender):
    """An iperf3 at the sender that puts the later counters into the receiver's tree."""
    count(tree, ".late", late=1)
    for path in tree.root.rglob("*.late"):
        path.parent.chmod(0o777)
    tree.root.chmod(0o755)
    sender.set_iperf3(
        "#!/bin/sh\n"
        f"case $* in *--version*) ;; *) find '{tree.root}' -name '*.late' | while read -r f; do\n"
        "mv -f \"$f\" \"${f%.late}\"; done ;; esac\nexec /usr/bin/iperf3 \"$@\"\n")


class HostTest(PeersTest):
    def setUp(self):
        self.sender = self.peers.sender
        self.addCleanup(self.sender.set_iperf3)
        self.set_ethtool("")
        self.addCleanup(self.set_ethtool, "")

    def set_ethtool(self, script):
        path = self.sender.folder / "bin/ethtool"
        path.unlink(missing_ok=True)
        if script:
            path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
            path.chmod(0o755)

    def make(self, sweep=ONE_POINT, rest=SHORT, show=False):
        tree = LiveTree(self.peers, sweep, rest=rest)
        self.addCleanup(tree.remove)
        tree.boot()
        if show:
            show_machine(tree)
        self.assertEqual(tree.run("begin"), 0, tree.said)
        return tree

    def measure(self, tree):
        self.assertEqual(tree.run("measure"), 0, tree.said)
        row, = tree.rows()
        self.assertEqual(row["status"], "OK", row["note"])
        return row

    def assert_row(self, row, expected):
        self.assertEqual({key: row[key] for key in expected}, expected)

    def test_a_row_tells_what_the_machine_did_and_was(self):
        tree = self.make(show=True)
        count_while_running(tree, self.sender)
        row = self.measure(tree)
        self.assert_row(row, {
            "cpu_busy_percent": "50", "cpu_system_percent": "16.67",
            "cpu_softirq_percent": "16.67", "cpu_core": "1", "cpu_core_percent": "66.67",
            "cpu_cores": "0:0.0/0.0/0.0 1:100.0/33.3/33.3", "irq_spi": "700", "irq_mac": "70",
            "softnet_dropped": "1", "softnet_squeezed": "0", "spi_messages": "10",
            "spi_transfers": "20", "spi_bytes": "30000", "spi_errors": "0",
            "spi_timedout": "1", "spi_bus_messages": "20", "spi_bus_bytes": "60000",
            "spi_bus_errors": "0", "spi_bus_timedout": "2"})
        self.assert_row(row, {
            "board": "Raspberry Pi 4 Model B Rev 1.4", "kernel": "6.6.31+rpt-rpi-v8",
            "driver": "lan8650", "driver_version": "srcversion 0123456789ABCDEF",
            "mac_address": "02:00:00:00:00:02", "mtu": "1500", "cpu_governor": "ondemand",
            "cpu_freq_hz": "1500000000", "core_clock_hz": "500000000",
            "temperature_c": "48.686", "undervoltage": "0", "plca": "unsupported"})
        self.assertGreater(float(row["span_s"]), 1)

    def test_the_link_s_own_counters_are_of_the_run(self):
        row = self.measure(self.make())
        packets = int(row["packets"]) - int(row["lost_packets"])
        self.assertGreaterEqual(int(row["iface_rx_packets"]), packets)
        self.assertLess(int(row["iface_rx_packets"]), packets + 200)
        for key in ("iface_rx_dropped", "iface_rx_errors", "iface_tx_dropped",
                    "iface_tx_errors"):
            self.assertEqual(row[key], "0", key)
        self.assertGreater(int(row["iface_tx_packets"]), 0)
        self.assertGreater(int(row["iface_tx_bytes"]), 0)

    def test_what_a_machine_does_not_tell_is_empty_and_fails_nothing(self):
        row = self.measure(self.make())
        self.assert_row(row, dict.fromkeys(UNKNOWN_WITHOUT, ""))
        self.assertNotEqual(row["qdisc"], "")
        self.assertEqual(row["plca"], "unsupported")
        self.assertEqual(row["plca_node_id"], "")

    def test_files_that_make_no_sense_fail_nothing(self):
        tree = self.make(show=True)
        for path in [*tree.path("proc").rglob("*"), *tree.path("sys/devices").rglob("*"),
                     *tree.path("sys/class").rglob("*")]:
            if path.is_file() and not path.is_symlink() and path.name not in (
                    "flags", "operstate", "mountinfo", "cmdline", "boot_id") and \
                    "device-tree" not in path.parts:
                path.write_bytes(b"\xff\x00,\"nonsense\n" * 3)
        row = self.measure(tree)
        self.assert_row(row, {key: "" for key in UNKNOWN_WITHOUT if key not in
                              ("driver", "driver_version", "core_clock_hz", "kernel")})

    def test_the_overlay_s_digest_is_that_of_the_pristine_file_at_every_point(self):
        tree = LiveTree(self.peers, "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\n")
        self.addCleanup(tree.remove)
        tree.boot()
        tree.sweep()
        digest = hashlib.sha256(tree.original).hexdigest()
        self.assertEqual([row["overlay_sha256"] for row in tree.rows()], [digest, digest])

    def test_measuring_needs_nothing_of_the_boot_partition(self):
        """Its user cannot read there without leaving an access time, which is a write."""
        tree = LiveTree(self.peers, "Points=20M\nClosingBaseline=no\n")
        self.addCleanup(tree.remove)
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        tree.path("boot").rename(tree.path("not-mounted"))
        self.assertEqual(tree.run("measure"), 0, tree.said)
        row, = tree.rows()
        self.assertEqual(row["status"], "OK")
        self.assertEqual(row["overlay_sha256"], hashlib.sha256(tree.original).hexdigest())

    def test_a_boot_that_is_not_like_the_first_is_told_in_row_and_journal(self):
        tree = LiveTree(self.peers, "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\n",
                        rest=SHORT + "Repeats=2\n")
        self.addCleanup(tree.remove)
        tree.write("proc/sys/kernel/osrelease", "6.6.31\n")
        said = []
        for kernel in ("6.6.31", "6.12.20"):
            tree.write("proc/sys/kernel/osrelease", kernel + "\n")
            tree.boot()
            self.assertEqual(tree.run("begin"), 0, tree.said)
            self.assertEqual(tree.run("measure"), 0, tree.said)
            said.append(tree.said)
            self.assertEqual(tree.run("advance"), 0, tree.said)
        self.assertEqual([row["note"] for row in tree.rows()],
                         ["", "", *["not as before: kernel 6.12.20 (was 6.6.31)"] * 2])
        self.assertNotIn("not as in", said[0])
        self.assertEqual(
            said[1].count("not as in this sweep's boots before: kernel 6.12.20"), 1)

    def test_the_sender_tells_its_kernel(self):
        row = self.measure(self.make())
        self.assertEqual(row["sender_kernel"], os.uname().release)
        self.assertEqual(row["sender_plca"], "")

    def test_the_sender_s_plca_is_asked_for_where_its_interface_is_set(self):
        self.set_ethtool(f"case $1 in --get-plca-cfg) printf '{PLCA}' ;; "
                         "*) printf 'PLCA status of t1s0:\\n\\tStatus: on\\n' ;; esac")
        row = self.measure(self.make(rest=SENDER_INTERFACE + SHORT))
        self.assert_row(row, {"sender_plca": "on", "sender_plca_node_id": "0",
                              "sender_plca_node_count": "2", "sender_plca_operating": "1"})

    def test_a_sender_whose_driver_has_no_plca_is_unsupported(self):
        self.set_ethtool("echo 'netlink error: Operation not supported' >&2; exit 1")
        row = self.measure(self.make(rest=SENDER_INTERFACE + SHORT))
        self.assert_row(row, {"sender_plca": "unsupported", "sender_plca_node_id": ""})

    def test_an_ethtool_that_never_ends_or_talks_without_end_fails_nothing(self):
        self.set_ethtool("yes nonsense")
        row = self.measure(self.make(rest=SENDER_INTERFACE + SHORT))
        self.assert_row(row, {"sender_plca": "", "sender_kernel": ""})


if __name__ == "__main__":
    unittest.main()
