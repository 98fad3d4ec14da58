# SPDX-License-Identifier: MIT
"""The boot rig with a Debian of its own, as a newcomer has it: nothing of ours is installed,
nothing that builds is there, and the sender lets people in by password."""
import os
import shutil
import sys

import machine

from cleanup import run  # noqa: E402  (path set by machine)
from guest import BOOT_IMAGE_MIB, END_UNIT, Guest, boot_partition_kind  # noqa: E402
from rig import Rig  # noqa: E402

sys.path.insert(0, str(machine.TESTS / "steps"))

from login import LoginSender, Terminal  # noqa: E402

ROOT_IMAGE_MIB = 900
PERSON = "pi"
PERSON_ID = 1000
HOME = f"/home/{PERSON}"
SOMEBODY = "somebody-is-there"
# as Raspberry Pi OS has it for its first user
SUDOERS = f"{PERSON} ALL=(ALL) NOPASSWD: ALL\n"
# shorter than the defaults, so that a test ends
QUICK = """\
[Sweep]
SettleTime=3s
RebootDelay=1s
Points=20M 10M
[Workload default]
Duration=1s
Omit=0
"""


class DebianGuest(Guest):
    """A Debian without the package, and a person who may use sudo."""

    def __init__(self, stack, folder, netns_path, _stage, firmware_folder):
        self._set_up(stack, folder, netns_path, firmware_folder, ROOT_IMAGE_MIB)
        run("tar", "-x", "-f", machine.BASE, "-C", self.root, "--exclude=./dev/*", timeout=180)
        self.boot_kind = boot_partition_kind()
        self._mount_image("boot", BOOT_IMAGE_MIB, self.boot_kind, self.boot_folder)
        (self.boot_folder / "overlays").mkdir()
        self._make_bootable()
        self._add_person()

    def _make_bootable(self):
        etc = self.root / "etc"
        (etc / "systemd/system/multi-user.target.wants").mkdir(parents=True, exist_ok=True)
        for name in ("hostname", "machine-id", "systemd/system/default.target"):
            (etc / name).unlink(missing_ok=True)
        (etc / "os-release").unlink(missing_ok=True)
        shutil.rmtree(etc / "tmpfiles.d", ignore_errors=True)
        self._fill_etc()
        (self.root / f"var/log/journal/{(etc / 'machine-id').read_text().strip()}").mkdir(
            parents=True, exist_ok=True)
        unit = etc / "systemd/system/rig-end.service"
        unit.write_text(END_UNIT.replace(
            "[Unit]\n", f"[Unit]\nConditionPathExists=!/{SOMEBODY}\n"), encoding="utf-8")

    def _add_person(self):
        for name, line in (("passwd", f"{PERSON}:x:{PERSON_ID}:{PERSON_ID}::{HOME}:/bin/bash"),
                           ("group", f"{PERSON}:x:{PERSON_ID}:"),
                           ("shadow", f"{PERSON}:*:19000:0:99999:7:::")):
            with open(self.root / "etc" / name, "a", encoding="ascii") as file:
                file.write(f"{line}\n")
        home = self.root / HOME.lstrip("/")
        home.mkdir(parents=True)
        os.chown(home, PERSON_ID, PERSON_ID)
        path = self.root / "etc/sudoers.d/010_pi-nopasswd"
        path.write_text(SUDOERS, encoding="ascii")
        path.chmod(0o440)
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost pi1\n", encoding="ascii")

    def somebody_is_there(self, is_there):
        """Whether a boot goes on though there is nothing to do."""
        path = self.root / SOMEBODY
        if is_there:
            path.touch()
        else:
            path.unlink(missing_ok=True)

    def at_keyboard(self, line):
        """A person's terminal on which this line was typed."""
        return Terminal(self.inside(
            "setpriv", f"--reuid={PERSON_ID}", f"--regid={PERSON_ID}", "--init-groups",
            "env", "-i", f"HOME={HOME}", f"USER={PERSON}", "TERM=xterm", "LANG=C.UTF-8",
            "PATH=/usr/local/bin:/usr/bin:/bin", "/bin/bash", "-c", f"cd {HOME}; {line}"))


class NewcomerRig(Rig):
    """What was bought and cabled: two Pis, a link between them, an overlay on the card."""

    guest_class = DebianGuest

    def _pair(self):
        self.sender = LoginSender(self.netspaces, self.folder)
        self.sender.start()

    def configure(self, sections):
        """That is for the person to do."""
