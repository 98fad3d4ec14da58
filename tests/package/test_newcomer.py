# SPDX-License-Identifier: MIT
"""What README and docs tell a person to type is typed, in their order, on a Debian that has
nothing of ours and nothing that builds: from installing the package over a whole sweep with
real reboots to purging it. Which commands these are is in tests/docs/commands.txt."""
import re
import shutil
import subprocess
import sys
import time
import unittest

import machine
from machine import OVERLAY_BUILT, OVERLAY_NAME, UNIT
from newcomer import HOME, QUICK, NewcomerRig

from cleanup import run  # noqa: E402  (path set by machine)
from login import PASSWORD  # noqa: E402  (path set by newcomer)
from sender import SENDER_HOST  # noqa: E402

PLACE = "newcomer"
COMMANDS = machine.TESTS / "docs/commands.txt"
UP_S = 120
DROP_IN = "etc/t1s-sweep/t1s-sweep.conf.d/20-quick.conf"
OVERLAY = f"usr/share/t1s-sweep/overlays/{OVERLAY_BUILT}"
COLOURS = re.compile("\033\\[[0-9;]*m")
STANDS_FOR = (("USER@HOST", f"pi@{SENDER_HOST}"), ("SENDER", SENDER_HOST),
              ("/NAME.", f"/{OVERLAY_NAME}."))


def commands():
    """Those of the documents that are for this test."""
    lines = COMMANDS.read_text(encoding="utf-8").splitlines()
    return {line.split(": ", 1)[1] for line in lines if line.startswith(f"{PLACE}: ")}


def overlay_of_package():
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", machine.DEB], check=True,
                         stdout=subprocess.PIPE).stdout
    return subprocess.run(["tar", "-xO", f"./{OVERLAY}"], input=tar, check=True,
                          stdout=subprocess.PIPE).stdout


class NewcomerTest(unittest.TestCase):
    def setUp(self):
        self.typed, self.watching = set(), None
        self.rig = NewcomerRig(stage="none", overlay=overlay_of_package())
        self.rig.__enter__()
        self.addCleanup(self.rig.__exit__)
        self.guest = self.rig.guest

    # A person at the keyboard

    def start(self):
        """Switches the Pi on, and returns when one can log in."""
        self.guest.somebody_is_there(True)
        self.rig.play_firmware()
        self.guest.start()
        deadline = time.monotonic() + UP_S
        while self.guest.show("multi-user.target", "ActiveState") != "active":
            self.assertLess(time.monotonic(), deadline, self.guest.console())
            time.sleep(0.3)

    def begin(self, shown, **stands_for):
        """Types a command as a document shows it, at a terminal that is returned."""
        self.typed.add(shown)
        line = shown
        for name, value in (*STANDS_FOR, *stands_for.items()):
            line = line.replace(name, value)
        print(f"$ {line}")
        return self.guest.at_keyboard(line)

    def finish(self, terminal, status=0):
        self.assertEqual(terminal.end(), status, terminal.text)
        text = COLOURS.sub("", terminal.text).replace("\r\n", "\n")
        print(text)
        return text

    def type(self, shown, status=0, **stands_for):
        """Types a command and waits for its end. Returns what it said."""
        return self.finish(self.begin(shown, **stands_for), status)

    def type_last(self, shown):
        """A command that ends with a reboot."""
        terminal = self.begin(shown)
        self.addCleanup(terminal.kill)

        def attend():
            terminal.listen()
            terminal.wake()

        self.assertTrue(self.guest.wait(UP_S, attend), terminal.text)

    # The way through the documents

    def install(self):
        shutil.copy(machine.DEB, self.guest.root / HOME.lstrip("/") / "t1s-sweep_0_all.deb")
        self.type("sudo apt install ./t1s-sweep_*.deb")
        self.assertFalse(self.rig.armed())

    def pair(self):
        fingerprint = run("ssh-keygen", "-lf", self.rig.sender.folder / "host_key").split()[1]
        terminal = self.begin("sudo t1s-sweep pair pi@SENDER")
        terminal.expect(fingerprint)
        terminal.expect("[yes/no] ")
        terminal.line("yes")
        terminal.expect("Password of ")
        terminal.expect(": ")
        terminal.line(PASSWORD)
        self.assertIn("Next: sudo t1s-sweep check", self.finish(terminal))
        self.assertNotIn("yes/no", self.type("sudo t1s-sweep pair USER@HOST"))

    def look_around(self):
        self.assertNotIn("✗ ", self.type("sudo t1s-sweep check"))
        self.assertIn("✓ trial", self.type("sudo t1s-sweep check --trial"))
        self.assertIn("20.000", self.type("t1s-sweep plan"))
        self.assertIn("No sweep was ever begun", self.type("t1s-sweep status"))
        self.assertIn("20.000 MHz", self.type(
            "t1s-sweep overlay /boot/firmware/overlays/BE-IIS-HPP-T1S-I.dtbo"))
        self.assertIn(": 1.", self.type(
            "systemd-analyze security t1s-sweep.service").splitlines()[-1])

    def watch(self):
        """Follows the first boot of a sweep."""
        if self.watching:
            self.watching.listen()
            self.watching.wake()
        elif self.guest.show(UNIT, "ActiveState") == "activating":
            self.watching = self.begin("sudo journalctl -fu t1s-sweep")
            self.addCleanup(self.watching.kill)

    def sweep(self):
        self.type_last("sudo systemctl enable t1s-sweep && sudo reboot")
        self.guest.somebody_is_there(False)
        boots = self.rig.sweep(poll=self.watch)
        self.assertRegex(self.watching.text, "sweep .* begun")
        self.assertEqual([boot.live_hz for boot in boots],
                         [20000000, 10000000, 20000000], self.rig.messages())

    def read(self):
        self.assertIn("Lowest request with full throughput: 20.000 MHz",
                      self.type("t1s-sweep report"))
        self.read_many()
        self.assertIn("finished", self.type("t1s-sweep status"))
        raw = next(self.guest.root.glob("var/lib/t1s-sweep/results/*/raw/*-a1.json"))
        self.assertIn("OK", self.type("t1s-sweep explain FILE",
                                      FILE=f"/{raw.relative_to(self.guest.root)}"))

    def read_many(self):
        """The sweep stands for several boards' here."""
        home = self.guest.root / HOME.lstrip("/")
        results, = self.rig.results_files()
        for name in ("board-a/results.csv", "board-b/results.csv", "before.csv", "after.csv"):
            (home / name).parent.mkdir(exist_ok=True)
            shutil.copy(results, home / name)
        collector = self.guest.root / "var/lib/prometheus/node-exporter"
        collector.mkdir(parents=True)
        collector.chmod(0o777)
        self.type("t1s-sweep report board-a/results.csv board-b/results.csv")
        self.type("t1s-sweep report before.csv after.csv")
        self.type("t1s-sweep report --format=html --output=boards.html board-*/results.csv")
        self.assertIn("<html", (home / "boards.html").read_text(encoding="utf-8"))
        self.type("t1s-sweep report --format=openmetrics "
                  "--output=/var/lib/prometheus/node-exporter/t1s-sweep.prom")
        self.assertIn("t1s_sweep_margin_ratio", (collector / "t1s-sweep.prom").read_text())
        self.type("t1s-sweep report --format=junit --output=sweep.xml")
        self.assertIn("<testcase", (home / "sweep.xml").read_text(encoding="utf-8"))
        self.assertIn("margin", self.type("t1s-sweep report --format=lava"))

    def undo(self):
        self.type("sudo systemctl disable --now t1s-sweep")
        self.type("sudo t1s-sweep overlay /boot/firmware/overlays/NAME.dtbo --set 20M")
        self.type("sudo t1s-sweep restore")
        (self.guest.root / "mnt/boot/firmware/overlays").mkdir(parents=True)
        self.type("sudo t1s-sweep --root=/mnt restore")
        self.type_last("sudo t1s-sweep restore && sudo reboot")

    def purge(self):
        terminal = self.begin("sudo T1S_PURGE_RESULTS=1 apt purge t1s-sweep")
        terminal.expect("[Y/n] ")
        terminal.line("y")
        self.finish(terminal)
        self.assertFalse((self.guest.root / "var/lib/t1s-sweep").exists())

    def test_what_the_documents_say_leads_there(self):
        self.start()
        self.install()
        self.pair()
        (self.guest.root / DROP_IN).write_text(QUICK, encoding="ascii")
        self.look_around()
        self.sweep()
        self.start()
        self.read()
        self.undo()
        self.start()
        self.purge()
        self.assertEqual(self.typed, commands())


if __name__ == "__main__":
    reason = machine.skip_reason()
    if not reason and not shutil.which("systemd-nspawn"):
        reason = "systemd-nspawn is not installed"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
