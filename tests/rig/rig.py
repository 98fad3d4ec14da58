# SPDX-License-Identifier: MIT
"""The boot rig: sweeps the installed program through real boots, on one machine.

    with Rig(build="build") as rig:
        rig.configure({"Sweep": {"Points": "20M,12M,7M"}})
        rig.arm()
        boots = rig.sweep()

A Rig is a folder, two network namespaces with the emulated T1S link between them, a
sender with a real sshd and iperf3, and a guest with a real systemd that reboots through
the fake firmware. Everything is taken away when the "with" block ends, however it ends.
"""
import contextlib
import csv
import os
import pathlib
import struct
import time

import firmware
import journal
from cleanup import RigError, run, scratch_folder
from guest import Guest
from netspace import Link, Netspaces
from sender import SENDER_HOST, SENDER_USER, Sender

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
REFERENCE_CURVE = HERE / "curves/reference.csv"
BASE_TREE = TESTS / "data/dt/pi-base.dts"
OVERLAY_NAME = "BE-IIS-HPP-T1S-I"
OVERLAY_BUILT = "lan8650-spi0-cs0.dtbo"
COMPATIBLE = "microchip,lan8650"
UNIT = "t1s-sweep.service"
BOOT_TIMEOUT_S = 120

# As short as the program allows; everything else is its default.
CONFIGURATION = {
    "Sender": {"Host": SENDER_HOST, "User": SENDER_USER},
    "Sweep": {"SettleTime": "0", "RebootDelay": "1s"},
    "Workload default": {"Duration": "1s", "Omit": "0"},
}


class Boot:
    """One boot of the guest, as seen from outside."""

    def __init__(self, number, live_hz, rebooted, seconds):
        self.number, self.live_hz = number, live_hz
        self.rebooted, self.seconds = rebooted, seconds


def install_build(build, stage):
    """Installs a build below a folder, as a package would be made from it."""
    run("cmake", "--install", build, timeout=120,
        env={**os.environ, "DESTDIR": str(stage)})


class Rig:
    """See above. build: the build folder; stage: instead of one, what is installed."""

    guest_class = Guest

    def __init__(self, build=None, stage=None, curve=REFERENCE_CURVE, base=BASE_TREE,
                 overlay=None, compatible=COMPATIBLE, link_program=None, keep=False,
                 log=print):
        self.build = pathlib.Path(build or os.environ.get("T1S_BUILD", "build"))
        self.stage, self.curve, self.base_source = stage, curve, base
        self.overlay, self.compatible = overlay, compatible
        self.link_program = link_program or os.environ.get(
            "T1S_LINK", self.build / "tests/rig/link/t1s-link")
        self.keep, self.log = keep, log
        self.stack = contextlib.ExitStack()
        self.hat_overlay = None
        self.boots = []

    def __enter__(self):
        if os.geteuid() != 0:
            raise RigError("the rig needs root: namespaces, mounts and systemd-nspawn")
        try:
            self._set_up()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _set_up(self):
        self.folder = pathlib.Path(scratch_folder(self.stack, "t1s-rig.", self.keep))
        if not self.stage:
            self.stage = self.folder / "stage"
            install_build(self.build, self.stage)
        self.base = firmware.compile_tree(self.base_source)
        self.firmware_folder = self.folder / "firmware"
        self.tree_folder = self.firmware_folder / "devicetree/base"
        self.tree_folder.mkdir(parents=True)
        self.netspaces = Netspaces(self.stack)
        self.netspaces.add_management()
        self.guest = self.guest_class(
            self.stack, self.folder, self.netspaces.path("pi"), self.stage,
            self.firmware_folder)
        self.live_path = self.folder / "live-frequency"
        self.link = Link(self.netspaces, self.link_program, self.folder, self.live_path,
                         self.curve)
        self.link.start()
        self._pair()
        self.install_overlay(self.overlay or self._built_overlay())
        self.write_config_txt(f"dtoverlay={OVERLAY_NAME}\n")
        self.configure({})

    def _pair(self):
        """The key and the pinned host key, where the program expects them."""
        self.ssh_folder = self.guest.root / "etc/t1s-sweep/ssh"
        self.ssh_folder.mkdir(parents=True, exist_ok=True)
        self.ssh_folder.chmod(0o700)
        key = self.ssh_folder / "id_ed25519"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rig", "-f", key)
        self.sender = Sender(self.netspaces, self.folder,
                             key.with_suffix(".pub").read_text(encoding="ascii"))
        (self.ssh_folder / "known_hosts").write_text(
            self.sender.known_hosts_line(), encoding="ascii")
        self.sender.start()

    def _built_overlay(self):
        found = sorted(pathlib.Path(self.stage).rglob(OVERLAY_BUILT))
        if not found:
            raise RigError(f"{self.stage}: the installation has no {OVERLAY_BUILT}")
        return found[0].read_bytes()

    # What a person would do on the Pi before it is armed

    def configure(self, sections):
        """Writes the configuration: the rig's own with these {section: {key: value}} over
        it; a value of None takes a key away."""
        merged = {name: dict(keys) for name, keys in CONFIGURATION.items()}
        for name, keys in sections.items():
            merged.setdefault(name, {}).update(keys)
        folder = self.guest.root / "etc/t1s-sweep/t1s-sweep.conf.d"
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "rig.conf", "w", encoding="utf-8") as file:
            for name, keys in merged.items():
                file.write(f"[{name}]\n")
                for key, value in keys.items():
                    if value is not None:
                        file.write(f"{key}={value}\n")

    def overlay_path(self, name=OVERLAY_NAME):
        """An overlay's file on the boot partition."""
        return self.guest.boot_folder / f"overlays/{name}.dtbo"

    def install_overlay(self, content, name=OVERLAY_NAME):
        """Puts an overlay on the boot partition."""
        self.overlay_path(name).write_bytes(content)

    def write_config_txt(self, text):
        """Replaces config.txt on the boot partition."""
        (self.guest.boot_folder / "config.txt").write_text(text, encoding="utf-8")

    def arm(self):
        """The switch: from the next boot on the unit starts."""
        self.guest.systemctl("enable", UNIT)
        if not self.armed():
            raise RigError(f"{UNIT} could not be enabled")

    def armed(self):
        """Whether the unit is enabled."""
        return self.guest.systemctl("is-enabled", UNIT) == "enabled"

    # Boots

    def play_firmware(self):
        """What happens before a kernel runs. Returns the active frequency, in Hz."""
        root = firmware.load(
            self.guest.boot_folder, self.base, self.hat_overlay, self.log)
        self._hand_over(root)
        live_hz = firmware.active_frequency(root, self.compatible, 0)
        if live_hz is not None:
            new = self.live_path.with_suffix(".new")
            new.write_bytes(struct.pack(">I", live_hz))
            new.replace(self.live_path)
        return live_hz

    def _hand_over(self, root):
        """Gives the guest its tree."""
        firmware.unfold(root, self.tree_folder)

    def boot(self, timeout_s=BOOT_TIMEOUT_S, poll=lambda: None):
        """One whole boot, until the guest asks for a reboot or is off."""
        live_hz = self.play_firmware()
        begun = time.monotonic()
        self.guest.start()
        rebooted = self.guest.wait(timeout_s, poll)
        self.boots.append(
            Boot(len(self.boots) + 1, live_hz, rebooted, time.monotonic() - begun))
        return self.boots[-1]

    def sweep(self, boots_max=40, before_boot=lambda number: None, poll=lambda: None):
        """Boots for as long as the guest asks for it; one more than boots_max is an error.
        before_boot: called with the number of each boot. Returns the boots."""
        first = len(self.boots)
        while len(self.boots) - first < boots_max:
            before_boot(len(self.boots) - first + 1)
            if not self.boot(poll=poll).rebooted:
                return self.boots[first:]
        raise RigError(f"still rebooting after {boots_max} boots")

    # What came out

    def state_folder(self):
        """The program's state directory."""
        return self.guest.root / "var/lib/t1s-sweep"

    def results_files(self):
        """results.csv of every sweep, oldest first."""
        return sorted(self.state_folder().glob("results/*/results.csv"),
                      key=lambda path: path.stat().st_mtime)

    def rows(self):
        """The rows of all results, as dictionaries."""
        rows = []
        for path in self.results_files():
            with open(path, newline="", encoding="utf-8") as file:
                rows += csv.DictReader(file)
        return rows

    def journal(self, *matches):
        """Journal entries of all boots."""
        return journal.read(self.guest.root / "var/log/journal", *matches)

    def messages(self):
        """The program's own journal lines of all boots, as one text."""
        return "\n".join(
            entry.get("MESSAGE", "") for entry in self.journal("-t", journal.PROGRAM))

    def overlay_bytes(self, name=OVERLAY_NAME):
        """An overlay's file as it is now."""
        return self.overlay_path(name).read_bytes()
