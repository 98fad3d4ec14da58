# SPDX-License-Identifier: MIT
"""The package on a Debian that runs: a real systemd and logind in a container. What happens
to the service there is told by the service manager itself."""
import contextlib
import os
import shutil
import subprocess
import sys
import unittest

import machine
from machine import STATE_FOLDER

from cgroup import ControlGroup  # noqa: E402  (path set by machine)
from cleanup import stop_process  # noqa: E402

BOOT_TIMEOUT_S = 150

# Stands for a step of a sweep that takes long, whatever the unit's own are.
LONG_STEP = """\
[Service]
ExecStart=
ExecStart=!/bin/sleep 600
LoadCredential=
Type=simple
"""

ACT_UNIT = """\
[Unit]
After=dbus.socket systemd-logind.service
[Service]
Type=oneshot
ExecStart=/bin/sh /act
ExecStopPost=systemctl --no-block poweroff
"""

# Each line tells when it was asked, and what the managers said.
ACT = """\
tell() {
	echo "$1: $(systemctl is-enabled t1s-sweep 2>&1 | tail -n 1)" \
		"$(systemctl is-active t1s-sweep)" \
		"pid=$(systemctl show -P MainPID t1s-sweep)" \
		"reboot=$(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 \
			org.freedesktop.login1.Manager ScheduledShutdown | cut -d '"' -f 2)" \
		"alive=$(kill -0 "${pid:-0}" 2>/dev/null && [ "${pid:-0}" != 0 ] && echo yes)" >>/told
}
dpkg -i /package.deb
tell installed
systemctl enable t1s-sweep
mv /sweep-files/state.json* /var/lib/t1s-sweep/
cp -r /sweep-files/unit.d /etc/systemd/system/t1s-sweep.service.d
systemctl daemon-reload
systemctl start t1s-sweep
pid=$(systemctl show -P MainPID t1s-sweep)
tell running
dpkg -i /next.deb
tell upgraded
dpkg -r t1s-sweep
tell refused
rm /var/lib/t1s-sweep/state.json*
dpkg -r t1s-sweep
tell removed
"""


class BootedTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        new_machine, self.next_package = self.stack.enter_context(machine.machines())
        self.pi = new_machine(self.stack)

    def prepare_state(self):
        """A state of a sweep under way, made by the program; the package is not there yet
        when the machine boots."""
        self.assertEqual(self.pi.install(), 0, self.pi.said)
        self.pi.begin_sweep()
        self.pi.write("sweep-files/unit.d/long.conf", LONG_STEP)
        for path in self.pi.path(STATE_FOLDER).glob("state.json*"):
            shutil.move(path, self.pi.path("sweep-files") / path.name)
        self.pi.pristine.unlink()
        self.assertEqual(self.pi.purge(), 0, self.pi.said)

    def boot(self):
        """Boots, and returns what was told, by moment."""
        shutil.copy(machine.DEB, self.pi.path("package.deb"))
        shutil.copy(self.next_package, self.pi.path("next.deb"))
        self.pi.write("act", ACT)
        self.pi.write("etc/systemd/system/act.service", ACT_UNIT)
        self.pi.write("etc/machine-id", "7431735f7061636b6167650000000001\n")
        wants = self.pi.path("etc/systemd/system/multi-user.target.wants")
        (wants / "act.service").symlink_to("../act.service")
        group = ControlGroup(self.stack, self.pi.folder.name)
        with open(self.pi.folder / "console", "wb") as console:
            guest = subprocess.Popen(
                [*group.command(), "systemd-nspawn", "-q", "--register=no", "--keep-unit",
                 "-D", str(self.pi.root), "--machine=t1s-package", "--boot",
                 "--private-network", "--link-journal=no"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                start_new_session=True, preexec_fn=group.enter)
        self.stack.callback(stop_process, guest)
        guest.wait(BOOT_TIMEOUT_S)
        told = self.pi.path("told")
        shown = (self.pi.folder / "console").read_text(errors="replace")
        self.assertTrue(told.exists(), shown)
        return dict(line.split(": ", 1) for line in told.read_text().splitlines())

    def test_nothing_the_package_does_starts_arms_stops_or_reboots(self):
        self.prepare_state()
        told = self.boot()
        self.assertEqual(told["installed"], "disabled inactive pid=0 reboot= alive=")
        running = told["running"]
        self.assertRegex(running, r"^enabled active pid=[1-9]\d* reboot= alive=yes$")
        self.assertEqual(told["upgraded"], running)
        self.assertEqual(told["refused"], running)
        self.assertRegex(told["removed"], r" reboot= alive=yes$")
        self.assertNotIn("enabled", told["removed"])


if __name__ == "__main__":
    reason = machine.skip_reason()
    if not reason and not shutil.which("systemd-nspawn"):
        reason = "systemd-nspawn is not installed"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
