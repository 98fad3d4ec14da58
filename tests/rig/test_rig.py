# SPDX-License-Identifier: MIT
"""The rig itself, with a stand-in for the program: boots, link, sender and firmware."""
import contextlib
import os
import pathlib
import subprocess
import sys
import unittest

from cleanup import RigError, scratch_folder
from rig import UNIT, Rig
from test_firmware import BASE, OVERLAY, compile_source

# Measures once with the sender's iperf3 over ssh, then asks for a reboot twice.
STAND_IN = """#!/bin/sh
set -e
echo "boot $(cat /proc/sys/kernel/random/boot_id)"
cd /sys/firmware/devicetree/base/soc/spi@7e204000/ethernet@0
echo "live $(od -An -tx1 spi-max-frequency)"
echo "mounted [$(findmnt -n -o FSTYPE /boot/firmware)]"
iperf3 -s -1 -J -B 10.10.10.2 >/var/lib/t1s-sweep/run.json &
sleep 0.3
ssh -i /etc/t1s-sweep/ssh/id_ed25519 -o BatchMode=yes \\
	-o UserKnownHostsFile=/etc/t1s-sweep/ssh/known_hosts pi@192.0.2.130 \\
	iperf3 -c 10.10.10.2 -u -b 10M -l 1448 -t 1 >/dev/null && wait || kill $!
n=$(cat /var/lib/t1s-sweep/boots || echo 0)
echo $((n + 1)) >/var/lib/t1s-sweep/boots
printf '\\000\\267\\033\\000' | dd of=/boot/firmware/overlays/BE-IIS-HPP-T1S-I.dtbo \\
	bs=1 seek="$(cat /etc/t1s-sweep/offset)" conv=notrunc,fsync status=none
[ "$n" -ge 2 ] || busctl call org.freedesktop.login1 /org/freedesktop/login1 \\
	org.freedesktop.login1.Manager ScheduleShutdown st reboot $(( ($(date +%s) + 1) * 1000000 ))
"""
STAND_IN_UNIT = """[Unit]
After=dbus.socket systemd-logind.service
[Service]
Type=oneshot
StateDirectory=t1s-sweep
SyslogIdentifier=t1s-sweep
ExecStart=/usr/bin/t1s-sweep
[Install]
WantedBy=multi-user.target
"""


@unittest.skipIf(os.geteuid() != 0, "the rig needs root")
class RigTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(scratch_folder(self.stack, "t1s-rig-test."))
        stage = self.folder / "stage"
        for name, text in (("usr/bin/t1s-sweep", STAND_IN),
                           (f"usr/lib/systemd/system/{UNIT}", STAND_IN_UNIT)):
            path = stage / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="ascii")
            path.chmod(0o755)
        base = self.folder / "base.dts"
        base.write_text(BASE, encoding="ascii")
        self.overlay = compile_source(OVERLAY.replace("vendor,mac-phy", "microchip,lan8650"))
        self.rig = self.stack.enter_context(
            Rig(stage=stage, base=base, overlay=self.overlay, log=lambda line: None))
        # without a sandbox the stand-in sees the guest's boot id anyway
        self.rig.guest.add_drop_in(UNIT, "rig-boot-id", "")
        offset = self.overlay.index(b"\x01\x31\x2d\x00")
        (self.rig.guest.root / "etc/t1s-sweep/offset").write_text(
            str(offset), encoding="ascii")

    def test_boots_until_no_reboot_is_asked_for(self):
        self.rig.arm()
        boots = self.rig.sweep(boots_max=5)
        self.assertEqual([boot.live_hz for boot in boots], [20000000, 12000000, 12000000])
        self.assertEqual([boot.rebooted for boot in boots], [True, True, False])
        said = self.rig.messages().splitlines()
        ids = {line for line in said if line.startswith("boot ")}
        self.assertEqual(len(ids), 3, said)
        self.assertIn("live  00 b7 1b 00", said)
        self.assertIn(f"mounted [{self.rig.guest.boot_kind}]", said)
        self.assertIn('"lost_percent":\t12.', (
            self.rig.state_folder() / "run.json").read_text(encoding="ascii"))
        changed = self.rig.overlay_bytes()
        self.assertEqual([i for i in range(len(changed)) if changed[i] != self.overlay[i]],
                         [self.overlay.index(b"\x01\x31\x2d\x00") + i for i in range(3)])

    def test_a_unit_that_is_not_enabled_does_not_run(self):
        self.assertFalse(self.rig.boot().rebooted)
        self.assertEqual(self.rig.messages(), "")

    def test_rebooting_for_ever_is_an_error(self):
        self.rig.arm()
        with self.assertRaises(RigError):
            self.rig.sweep(boots_max=1)

    def test_without_the_boot_partition_nothing_is_mounted_there(self):
        self.rig.arm()
        self.rig.play_firmware()
        self.rig.guest.unmount_boot()
        self.rig.guest.start()
        self.rig.guest.wait(60)
        self.assertIn("mounted []", self.rig.messages())

    def test_a_sender_that_is_down_refuses_the_connection(self):
        self.rig.sender.stop()
        with self.assertRaises(AssertionError):
            self.ssh("true")
        self.rig.sender.start()
        self.ssh("true")

    def ssh(self, *command):
        done = subprocess.run(
            self.rig.netspaces.inside(
                "pi", "ssh", "-i", self.rig.ssh_folder / "id_ed25519", "-o", "BatchMode=yes",
                "-o", f'UserKnownHostsFile="{self.rig.ssh_folder}/known_hosts"',
                "-o", "StrictHostKeyChecking=yes", "pi@192.0.2.130", *command),
            check=False, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_the_sender_can_be_spoiled(self):
        self.assertIn("iperf 3", self.ssh("iperf3", "--version"))
        self.assertEqual(self.ssh("id", "-un"), "pi")
        self.rig.sender.set_iperf3("")
        with self.assertRaisesRegex(AssertionError, "127"):
            self.ssh("iperf3", "--version")
        self.rig.sender.set_iperf3("#!/bin/sh\necho wrapped\n")
        self.assertEqual(self.ssh("iperf3", "--version"), "wrapped")
        self.rig.sender.stop()
        self.rig.sender.new_host_key()
        self.rig.sender.start()
        with self.assertRaisesRegex(AssertionError, "(?s)HOST IDENTIFICATION|255"):
            self.ssh("true")

    def test_everything_is_taken_away_afterwards(self):
        folder, tag = self.rig.folder, self.rig.netspaces.tag
        self.rig.boot()
        self.stack.close()
        self.assertFalse(folder.exists())
        self.assertNotIn(tag, "".join(os.listdir("/run/netns")))
        mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
        self.assertNotIn(str(folder), mounts)


if __name__ == "__main__":
    sys.exit(unittest.main())
