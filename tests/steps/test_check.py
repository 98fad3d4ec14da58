# SPDX-License-Identifier: MIT
"""t1s-sweep check on whole trees with real peers: nothing is wrong, then one thing is
spoilt at a time. What it holds against a sweep, begin refuses too."""
import json
import os
import pty
import re
import select
import shutil
import subprocess
import unittest

from live import LiveTree, PeersTest
from cleanup import run
from netspace import T1S
from test_host import PLCA, show_machine
from tree import MOUNTINFO

IFACE = T1S["pi"][0]
POINTS = "Points=20M 10M\n"
WANTS = "etc/systemd/system/multi-user.target.wants/t1s-sweep.service"
CONF = "/etc/t1s-sweep/t1s-sweep.conf"


class CheckTest(PeersTest):
    def setUp(self):
        self.sender = self.peers.sender
        self.programs = []
        self.addCleanup(self.repair)
        self.put_program("ethtool", f"case $1 in --get-plca-cfg) printf '{PLCA}' ;; esac")

    def repair(self):
        for path in self.programs:
            path.unlink(missing_ok=True)
            if os.path.exists(f"/usr/bin/{path.name}"):
                path.symlink_to(f"/usr/bin/{path.name}")
        self.sender.set_iperf3()
        if not self.sender.process:
            self.sender.start()

    def put_program(self, name, script):
        """A script in the place of a program of the sender's."""
        path = self.sender.folder / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        path.chmod(0o755)
        self.programs.append(path)

    def make(self, rest=""):
        """A machine of which nothing is wrong."""
        tree = LiveTree(self.peers, POINTS, rest=rest)
        self.addCleanup(tree.remove)
        tree.boot()
        show_machine(tree)
        tree.path("etc/t1s-sweep/ssh/id_ed25519").chmod(0o600)
        tree.write("etc/passwd", "root:x:0:0::/root:/bin/sh\nt1s-sweep:x:9:9::/:/bin/false\n")
        tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
        return tree

    def check(self, tree):
        """Returns the exit status and, by their names, the items."""
        status = tree.run("--json", "check")
        self.assertEqual(tree.said, "")
        found = json.loads(tree.out)
        marks = [item["mark"] for item in found["checks"]]
        self.assertEqual([found[mark] for mark in ("good", "note", "bad")],
                         [marks.count(mark) for mark in ("good", "note", "bad")])
        self.assertEqual(found["ready"], "bad" not in marks)
        self.assertEqual(status, 0 if found["ready"] else 1)
        items = {f"{item['group']}/{item['name']}": item for item in found["checks"]}
        self.assertEqual(len(items), len(found["checks"]), "a name stands twice")
        return status, items

    def assert_bad(self, tree, name, found, remedy, also=()):
        """This one is bad, and those that come of it; all others are as before."""
        _, items = self.check(tree)
        bad = {key for key, item in items.items() if item["mark"] == "bad"}
        self.assertEqual(bad, {name, *also})
        self.assertIn(found, items[name]["found"])
        self.assertIn(remedy, items[name]["remedy"] or "")
        return items

    def assert_note(self, tree, name, found, remedy=None):
        status, items = self.check(tree)
        self.assertEqual(status, 0)
        self.assertEqual(items[name]["mark"], "note")
        self.assertIn(found, items[name]["found"])
        if remedy:
            self.assertIn(remedy, items[name]["remedy"] or "")
        return items

    def assert_begin_refuses(self, tree):
        self.assertNotEqual(tree.run("begin"), 0, "check and begin disagree")

    # All is well

    def test_a_machine_of_which_nothing_is_wrong_is_ready_and_begins(self):
        tree = self.make()
        status, items = self.check(tree)
        self.assertEqual(status, 0, items)
        groups = list(dict.fromkeys(item["group"] for item in items.values()))
        self.assertEqual(groups, ["configuration", "sender", "link", "device-tree", "storage",
                                  "machine", "service"])
        for name in ("sender/login", "sender/iperf3", "sender/clock", "link/interface",
                     "link/route", "link/sender-address", "link/sender-route",
                     "link/sender-plca", "device-tree/overlay", "device-tree/config.txt",
                     "device-tree/frequency", "storage/state", "storage/boot",
                     "machine/supply", "machine/governor", "machine/core-clock",
                     "service/unit", "service/account", "configuration/plan"):
            self.assertEqual(items[name]["mark"], "good", items[name])
        self.assertIn("loaded by line 1 of config.txt", items["device-tree/overlay"]["found"])
        self.assertEqual(tree.run("begin"), 0, tree.said)

    def test_nothing_is_changed(self):
        tree = self.make()
        before = {path: path.lstat().st_mtime_ns for path in tree.root.rglob("*")}
        self.check(tree)
        self.assertEqual({path: path.lstat().st_mtime_ns for path in tree.root.rglob("*")},
                         before)

    # One second of traffic

    def trial(self, tree):
        tree.run("check", "--trial")
        return next(line for line in tree.out.splitlines() if " trial " in line)

    def test_a_trial_tells_what_arrives(self):
        tree = self.make()
        line = self.trial(tree)
        self.assertRegex(line, r"^  ✓ trial +received [0-9.]+ Mbit/s in one second, loss")
        self.assertEqual(list(tree.root.rglob("*.iperf3-*")), [])
        self.assertNotIn("trial", self.check(tree)[1])

    def test_a_trial_over_a_link_that_carries_nothing_is_bad(self):
        tree = self.make()
        name = T1S["sender"][0]
        self.peers.netspaces.ip("sender", "link", "set", name, "down")
        self.addCleanup(self.peers.netspaces.ip, "sender", "link", "set", name, "up")
        self.assertRegex(self.trial(tree), "^  ✗ trial +nothing of use .*: [a-z].*connect")

    def test_a_trial_without_a_sender_or_in_a_sweep_is_not_made(self):
        tree = self.make()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.assertRegex(self.trial(tree), "^  ! trial +not made: a sweep is under way")
        self.sender.stop()
        self.assertRegex(self.trial(tree), "^  ! trial +not made: no login")

    # Configuration

    def test_a_sender_that_is_not_configured_is_to_be_paired(self):
        tree = self.make()
        tree.write("etc/t1s-sweep/t1s-sweep.conf", f"[Sweep]\n{POINTS}")
        items = self.assert_bad(tree, "configuration/files", "Host= is not set",
                                "sudo t1s-sweep pair USER@HOST")
        self.assertEqual(items["sender/login"]["mark"], "note")
        self.assertEqual(items["link/interface"]["mark"], "good")
        self.assert_begin_refuses(tree)

    def test_a_mistake_in_a_drop_in_is_named_with_its_file(self):
        tree = self.make()
        tree.write("etc/t1s-sweep/t1s-sweep.conf.d/50-mine.conf", "[Sweep]\nStep=1X\n")
        self.assert_bad(tree, "configuration/files", f"{CONF}.d/50-mine.conf:2: [Sweep] Step=1X",
                        f"sudoedit {CONF}.d/50-mine.conf")
        self.assert_begin_refuses(tree)

    # The sender

    def test_a_sender_without_sshd_is_told_from_one_that_refuses(self):
        tree = self.make()
        self.sender.stop()
        items = self.assert_bad(tree, "sender/login", "refused the connection",
                                "systemctl enable --now ssh")
        self.assertNotIn("sender/iperf3", items)
        self.assertNotIn("link/sender-address", items)

    def test_a_host_key_that_is_not_the_pinned_one_is_bad(self):
        tree = self.make()
        tree.pin(re.sub("AAAA[A-Za-z0-9+/]{10}", "AAAAC3NzaC1lZDI1",
                        self.sender.known_hosts_line()))
        self.assert_bad(tree, "sender/login", "host key", "sudo t1s-sweep pair pi@192.0.2.130")

    def test_a_missing_key_and_a_refused_one_are_bad(self):
        tree = self.make()
        key = tree.path("etc/t1s-sweep/ssh/id_ed25519")
        key.unlink()
        self.assert_bad(tree, "sender/login", "there is no private key", "t1s-sweep pair")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        self.assert_bad(tree, "sender/login", "refused the key", "t1s-sweep pair")

    def test_a_key_that_others_may_read_is_noted(self):
        tree = self.make()
        tree.path("etc/t1s-sweep/ssh/id_ed25519").chmod(0o644)
        self.assert_note(tree, "sender/key", "0644", "chmod 600")

    def test_iperf3_that_is_missing_or_too_old_is_bad(self):
        tree = self.make()
        self.sender.set_iperf3("")
        self.assert_bad(tree, "sender/iperf3", "no iperf3 on the sender",
                        "ssh -t pi@192.0.2.130 sudo apt install iperf3")
        self.sender.set_iperf3("#!/bin/sh\necho iperf 3.1.7\n")
        self.assert_bad(tree, "sender/iperf3", "does not know --connect-timeout (mended in 3.2)",
                        "apt install iperf3")

    def test_a_doubtful_iperf3_is_noted(self):
        self.sender.set_iperf3("#!/bin/sh\necho 'iperf 3.16 (cJSON 1.7.15)'\n")
        self.assert_note(self.make(), "sender/iperf3", "crash", "apt install iperf3")

    def test_a_sender_s_clock_that_is_far_off_is_noted(self):
        tree = self.make()
        self.put_program("date", "echo $(($(/usr/bin/date +%s) - 7200))")
        self.assert_note(tree, "sender/clock", "behind", "timedatectl")
        self.put_program("date", "exit 1")
        self.assert_note(tree, "sender/clock", "does not tell")

    # The link

    def test_an_interface_that_is_missing_or_without_its_address_is_bad(self):
        tree = self.make("[Receiver]\nInterface=nosuch0\n")
        self.assert_bad(tree, "link/interface", "no interface nosuch0", "dmesg",
                        also=["link/route"])
        tree = self.make("[Receiver]\nAddress=10.10.10.77\n")
        self.assert_bad(tree, "link/interface", "does not have the address 10.10.10.77",
                        f"sudo ip address add 10.10.10.77/24 dev {IFACE}",
                        also=["link/route"])
        tree.write("usr/bin/nmcli", "")
        self.assert_bad(tree, "link/interface", "10.10.10.77",
                        "sudo nmcli connection add con-name t1s type ethernet ifname "
                        f"{IFACE} ipv4.method manual ipv4.addresses 10.10.10.77/24",
                        also=["link/route"])

    def test_an_interface_that_is_down_is_bad(self):
        tree = self.make()
        tree.write(f"sys/class/net/{IFACE}/flags", "0x1002\n")
        self.assert_bad(tree, "link/interface", "not up", f"sudo ip link set {IFACE} up")

    def test_a_mac_address_of_chance_is_noted(self):
        tree = self.make()
        tree.write(f"sys/class/net/{IFACE}/addr_assign_type", "1\n")
        self.assert_note(tree, "link/mac", "another MAC address at each boot")

    def test_addresses_that_route_over_another_link_are_bad(self):
        tree = self.make()
        self.peers.netspaces.ip("pi", "route", "add", "10.10.10.1/32", "dev", "mgmt0")
        self.addCleanup(self.peers.netspaces.ip, "pi", "route", "del", "10.10.10.1/32")
        self.assert_bad(tree, "link/route", "over mgmt0 instead of beiis-t1s0",
                        "sudo ip route replace 10.10.10.1 dev beiis-t1s0")

    def test_the_sender_s_way_back_over_another_link_is_bad(self):
        tree = self.make()
        self.peers.netspaces.ip("sender", "route", "add", "10.10.10.2/32", "dev", "mgmt0")
        self.addCleanup(self.peers.netspaces.ip, "sender", "route", "del", "10.10.10.2/32")
        self.assert_bad(tree, "link/sender-route", "over mgmt0 instead of t1s0",
                        "ssh -t pi@192.0.2.130 sudo ip route replace 10.10.10.2 dev t1s0")

    def test_an_address_that_the_sender_does_not_have_is_bad(self):
        tree = self.make("[Sender]\nAddress=10.10.10.9\nInterface=t1s0\n")
        self.assert_bad(tree, "link/sender-address", "has 10.10.10.9",
                        "ssh -t pi@192.0.2.130 sudo ip address add 10.10.10.9/24 dev t1s0")

    def test_an_address_on_another_interface_than_configured_is_bad(self):
        tree = self.make("[Sender]\nInterface=eth1\n")
        self.assert_bad(tree, "link/sender-address", "Interface= is eth1", "t1s-sweep pair")

    def test_a_sender_without_ip_is_not_held_against_it(self):
        tree = self.make()
        self.put_program("ip", "exit 127")
        self.assert_note(tree, "link/sender-address", "not known")

    def test_the_sender_s_plca_is_asked_for_by_the_interface_that_has_the_address(self):
        self.put_program("ethtool", "case \"$*\" in '--get-plca-cfg t1s0') printf 'Enabled: No\\n' "
                         ";; esac")
        self.assert_note(self.make(), "link/sender-plca", "CSMA/CD",
                         "ssh -t pi@192.0.2.130 sudo ethtool --set-plca-cfg t1s0 enable")

    def test_a_chip_without_plca_is_not_asked_about_it(self):
        _, items = self.check(self.make("[DeviceTree]\nCompatible=microchip,enc28j60\n"))
        self.assertNotIn("link/plca", items)
        self.assertNotIn("link/sender-plca", items)

    # Device tree and boot

    def test_an_overlay_that_is_missing_or_broken_is_bad(self):
        tree = self.make()
        tree.overlay_path.write_bytes(tree.original[:100])
        self.assert_bad(tree, "device-tree/overlay", "BE-IIS-HPP-T1S-I.dtbo", "ls -l")
        self.assert_begin_refuses(tree)
        tree.overlay_path.unlink()
        self.assert_bad(tree, "device-tree/overlay", "BE-IIS-HPP-T1S-I.dtbo",
                        "ls /boot/firmware/overlays/")
        self.assert_begin_refuses(tree)

    def test_a_parameter_that_shadows_the_overlay_is_bad_and_its_line_is_opened(self):
        tree = self.make()
        tree.write("boot/firmware/config.txt",
                   "# mine\ndtoverlay=BE-IIS-HPP-T1S-I,speed=20000000\n")
        tree.boot()
        self.assert_bad(tree, "device-tree/config.txt", "line 2 of config.txt",
                        "sudo nano +2 /boot/firmware/config.txt")
        self.assert_begin_refuses(tree)

    def test_a_live_frequency_that_is_not_the_overlay_s_is_bad(self):
        tree = self.make()
        tree.set_live(18000000)
        self.assert_bad(tree, "device-tree/frequency", "shows 18.000 MHz", "sudo reboot")
        self.assert_begin_refuses(tree)

    def test_two_live_nodes_are_bad(self):
        tree = self.make()
        node = tree.live_nodes()[0]
        shutil.copytree(node, node.with_name("ethernet@1"))
        (node.with_name("ethernet@1") / "reg").write_bytes(b"\0\0\0\1")
        self.assert_bad(tree, "device-tree/live-tree", "ethernet@1", "ChipSelect=")
        self.assert_begin_refuses(tree)

    def test_a_node_that_is_not_there_is_bad(self):
        tree = self.make()
        tree.set_live(0)
        self.assert_bad(tree, "device-tree/live-tree", "microchip,lan8650",
                        "grep dtoverlay /boot/firmware/config.txt")

    def test_an_overlay_that_nothing_loads_is_told(self):
        tree = self.make()
        tree.write("boot/firmware/config.txt", "")
        _, items = self.check(tree)
        self.assertIn("a HAT's EEPROM or a service must", items["device-tree/overlay"]["found"])

    # Storage

    def test_a_root_that_forgets_is_bad(self):
        tree = self.make()
        tree.write("proc/self/mountinfo", MOUNTINFO.replace("ext4", "overlay"))
        self.assert_bad(tree, "storage/state", "overlay", "raspi-config nonint disable_overlayfs")
        self.assert_begin_refuses(tree)

    def test_a_boot_partition_that_is_not_mounted_or_read_only_is_bad(self):
        tree = self.make()
        tree.write("proc/self/mountinfo", MOUNTINFO.splitlines()[0] + "\n")
        self.assert_bad(tree, "storage/boot", "no boot partition is mounted",
                        "sudo mount /boot/firmware")
        self.assert_begin_refuses(tree)
        tree.write("proc/self/mountinfo", MOUNTINFO.replace("rw,relatime", "ro,relatime"))
        self.assert_bad(tree, "storage/boot", "read-only",
                        "sudo mount -o remount,rw /boot/firmware")
        self.assert_begin_refuses(tree)

    def test_a_boot_partition_of_another_kind_is_noted(self):
        tree = self.make()
        tree.write("proc/self/mountinfo", MOUNTINFO.replace("vfat", "ext2"))
        self.assert_note(tree, "storage/boot", "ext2")

    def mount_small(self, path, size):
        path.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path)
        self.addCleanup(run, "umount", path)

    def test_a_full_card_is_bad(self):
        tree = self.make()
        self.mount_small(tree.path("var/lib/t1s-sweep"), "1m")
        self.assert_bad(tree, "storage/state", "at least 16384 KiB are needed", "apt clean")
        self.assert_begin_refuses(tree)

    def test_a_boot_partition_without_room_for_the_pristine_copy_is_bad(self):
        tree = self.make()
        files = {path.relative_to(tree.path("boot/firmware")): path.read_bytes()
                 for path in tree.path("boot/firmware").rglob("*") if path.is_file()}
        self.mount_small(tree.path("boot/firmware"), "64k")
        for name, content in files.items():
            path = tree.path("boot/firmware") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.assert_bad(tree, "storage/boot-room", "64 KiB are needed", "df -h /boot/firmware")

    # Power and clock

    def test_under_voltage_is_bad(self):
        tree = self.make()
        tree.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
        self.assert_bad(tree, "machine/supply", "under-voltage now", "vcgencmd get_throttled")

    def test_a_warm_machine_a_governor_that_follows_and_a_scaled_clock_are_noted(self):
        tree = self.make()
        tree.write("sys/class/thermal/thermal_zone0/temp", "79000\n")
        self.assert_note(tree, "machine/temperature", "79 °C")
        tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n")
        self.assert_note(tree, "machine/governor", "ondemand",
                         "cpufreq.default_governor=performance")
        tree.write("sys/kernel/debug/clk/vpu/clk_rate", "250000000\n")
        self.assert_note(tree, "machine/core-clock", "250.000 MHz now",
                         "echo core_freq_min=500 | sudo tee -a /boot/firmware/config.txt")

    # Service

    def test_a_unit_that_is_masked_or_not_installed_is_bad(self):
        tree = self.make()
        tree.path(WANTS).unlink()
        self.assert_bad(tree, "service/unit", "not installed", "apt install")
        tree.path("etc/systemd/system/t1s-sweep.service").symlink_to("/dev/null")
        self.assert_bad(tree, "service/unit", "masked", "systemctl unmask")

    def test_a_unit_that_is_not_enabled_is_good(self):
        tree = self.make()
        tree.path(WANTS).unlink()
        tree.write("usr/lib/systemd/system/t1s-sweep.service", "[Unit]\n")
        _, items = self.check(tree)
        self.assertEqual(items["service/unit"]["mark"], "good")
        self.assertEqual(tree.run("check"), 0)
        self.assertIn("To begin: sudo systemctl enable t1s-sweep", tree.out)

    def test_the_stop_switches_are_bad(self):
        tree = self.make()
        tree.write("boot/firmware/t1s-sweep.stop", "")
        self.assert_bad(tree, "service/stop-switches", "t1s-sweep.stop",
                        "sudo rm /boot/firmware/t1s-sweep.stop")
        tree.path("boot/firmware/t1s-sweep.stop").unlink()
        tree.write("proc/cmdline", "quiet t1s_sweep=off\n")
        self.assert_bad(tree, "service/stop-switches", "t1s_sweep=off",
                        "/boot/firmware/cmdline.txt")

    def test_a_missing_account_is_bad(self):
        tree = self.make()
        tree.write("etc/passwd", "root:x:0:0::/root:/bin/sh\nxt1s-sweep:x:9:9::/:/bin/sh\n")
        self.assert_bad(tree, "service/account", "no user t1s-sweep", "systemd-sysusers")

    def test_a_state_that_cannot_be_read_is_bad(self):
        tree = self.make()
        tree.write("var/lib/t1s-sweep/state.json", "\0" * 100)
        self.assert_bad(tree, "service/sweep", "state.json", "sudo t1s-sweep restore")
        self.assert_begin_refuses(tree)

    # A sweep under way, and after it

    def test_a_sweep_under_way_is_told_and_nothing_is_held_against_it(self):
        tree = self.make()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        _, items = self.check(tree)
        self.assertIn("under way: point 1 of 3, measuring", items["service/sweep"]["found"])
        tree.add_row()
        self.assertEqual(tree.run("advance"), 0, tree.said)
        items = self.assert_note(tree, "device-tree/frequency", "the reboot to come")
        self.assertEqual(tree.run("check"), 0)
        self.assertIn("A sweep is under way: t1s-sweep status", tree.out)
        changed = bytearray(tree.overlay_bytes())
        changed[-20] ^= 1
        tree.overlay_path.write_bytes(changed)
        self.assert_bad(tree, "device-tree/overlay", "changed by someone else",
                        "sudo t1s-sweep restore")

    def test_the_reason_for_which_the_last_sweep_stopped_is_noted(self):
        tree = self.make()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        tree.write("usr/lib/systemd/system/t1s-sweep.service", "[Unit]\n")
        self.assert_note(tree, "service/sweep", "ended by hand")

    # Who asks, and from where

    def test_a_card_at_rest_is_looked_at_as_far_as_that_goes(self):
        tree = self.make()
        for name in ("proc", "sys"):
            shutil.rmtree(tree.path(name))
        status, items = self.check(tree)
        self.assertEqual(status, 0, items)
        for name in ("sender/login", "link/interface", "device-tree/live-tree",
                     "machine/supply"):
            self.assertIn("card at rest", items[name]["found"])
        self.assertEqual(items["device-tree/overlay"]["mark"], "good")
        tree.overlay_path.unlink()
        self.assert_bad(tree, "device-tree/overlay", "No such file", "ls /boot/firmware/overlays")

    def test_an_ordinary_user_is_told_what_only_root_may_see(self):
        tree = self.make()
        tree.path("etc/t1s-sweep/ssh").chmod(0o700)
        tree.root.chmod(0o755)
        command = self.peers.netspaces.inside(
            "pi", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            *tree.command("--json", "check")[4:])
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=60)
        items = {f"{item['group']}/{item['name']}": item
                 for item in json.loads(done.stdout)["checks"]}
        self.assertEqual(done.returncode, 0, items)
        for name in ("configuration/rights", "sender/login"):
            self.assertEqual((items[name]["mark"], items[name]["remedy"]),
                             ("note", "sudo t1s-sweep check"))

    # How it looks

    def test_in_a_pipe_each_item_is_one_line_without_colour(self):
        tree = self.make()
        tree.overlay_path.unlink()
        tree.environment = {"TERM": "xterm"}
        self.assertEqual(tree.run("check"), 1)
        self.assertNotIn("\033", tree.out)
        lines = tree.out.splitlines()
        self.assertEqual(lines[0], "Configuration")
        self.assertEqual(sum(line.startswith("  ✗ ") for line in lines), 1)
        self.assertTrue(all(re.match(r"[A-Z]|  [✓!✗] \S| {19}→ \S|$", line) for line in lines),
                        tree.out)
        self.assertRegex(lines[-1], "^Not ready: 1 ✗ to put right")

    def on_terminal(self, tree, **environment):
        """What the program writes on a terminal of 80 columns."""
        leader, end = pty.openpty()
        run("stty", "cols", "80", "rows", "24", "-F", os.ttyname(end))
        process = subprocess.Popen(
            tree.command("check"), stdin=end, stdout=end, stderr=end, close_fds=True,
            env={**os.environ, "TERM": "xterm", **environment})
        os.close(end)
        text = b""
        while select.select([leader], [], [], 60)[0]:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            text += part
        os.close(leader)
        self.assertIn(process.wait(60), (0, 1))
        return text.decode("utf-8")

    def test_on_a_terminal_there_are_colours_and_no_line_is_too_long(self):
        tree = self.make()
        tree.set_live(18000000)
        text = self.on_terminal(tree)
        self.assertIn("\033[31m✗\033[0m", text)
        plain = re.sub("\033\\[[0-9]*m", "", text)
        too_long = [line for line in plain.split("\r\n") if len(line) > 80 and "→" not in line]
        self.assertEqual(too_long, [])
        self.assertNotIn("\033", self.on_terminal(tree, NO_COLOR="1"))
        self.assertNotIn("\033", self.on_terminal(tree, TERM="dumb"))


if __name__ == "__main__":
    unittest.main()
