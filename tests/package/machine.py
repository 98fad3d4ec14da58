# SPDX-License-Identifier: MIT
"""A whole Debian as a folder, to install the package into: unpacked from base.tar, with the
files of a Raspberry Pi in it, so that the package's own program can begin a real sweep.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "rig"))

import firmware  # noqa: E402
from cleanup import mount, run, scratch_folder  # noqa: E402

DEB = pathlib.Path(os.environ.get("T1S_DEB", ""))
BASE = pathlib.Path(os.environ.get("T1S_BASE", ""))
OVERLAY_NAME = "BE-IIS-HPP-T1S-I"
OVERLAY_BUILT = "lan8650-spi0-cs0.dtbo"
NEXT_VERSION = "999"
STATE_FOLDER = "var/lib/t1s-sweep"
RESULTS = f"{STATE_FOLDER}/results/20260101-earlier/results.csv"
UNIT = "t1s-sweep.service"
MOUNTINFO = """\
22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
23 22 179:1 / /boot/firmware rw,relatime shared:2 - vfat /dev/mmcblk0p1 rw,fmask=0022
"""
# The first point is not the original frequency, so the sweep begins by changing the overlay.
SWEEP = """\
[Sender]
Host=192.0.2.130
User=pi
[Sweep]
Points=15M 10M
ClosingBaseline=no
"""
# What could start, stop, arm or reboot. Calls are noted, and nothing is done.
WATCHED = ("systemctl", "service", "invoke-rc.d", "update-rc.d", "init", "telinit", "reboot",
           "shutdown", "halt", "poweroff", "loginctl", "busctl")
RECORDER = """\
#!/bin/sh
echo "${0##*/} $*" >>/calls
"""
DPKG_TIMEOUT_S = 60


def skip_reason():
    """Why these tests cannot be run here; None if they can."""
    if os.geteuid() != 0:
        return "installing into a Debian needs root"
    if not BASE.is_file():
        return "there is no base.tar (mmdebstrap is not installed)"
    return None


def next_package(stack):
    """The package once more, as a later version with another default configuration."""
    folder = pathlib.Path(scratch_folder(stack, "t1s-next."))
    tree, package = folder / "tree", folder / "next.deb"
    run("dpkg-deb", "-R", DEB, tree)
    control = tree / "DEBIAN/control"
    control.write_text("".join(
        f"Version: {NEXT_VERSION}\n" if line.startswith("Version:") else line
        for line in control.read_text(encoding="utf-8").splitlines(True)), encoding="utf-8")
    with open(tree / "etc/t1s-sweep/t1s-sweep.conf", "a", encoding="utf-8") as file:
        file.write("# a comment of the next version\n")
    run("dpkg-deb", "-b", tree, package)
    return package


class Bases:
    """base.tar unpacked once, for machines that each see a copy of it."""

    def __init__(self, stack):
        self.folder = pathlib.Path(scratch_folder(stack, "t1s-base."))
        run("tar", "-x", "-f", BASE, "-C", self.folder, "--exclude=./dev/*", timeout=120)


class Machine:
    """One machine; everything it changes is gone when the stack unwinds."""

    base_tree = None  # compiled once

    def __init__(self, stack, bases):
        if Machine.base_tree is None:
            Machine.base_tree = firmware.compile_tree(TESTS / "data/dt/pi-base.dts")
        self.folder = pathlib.Path(scratch_folder(stack, "t1s-machine."))
        mount(stack, "-t", "tmpfs", "-o", "mode=755", "t1s-machine", target=self.folder)
        for name in ("root", "upper", "work"):
            (self.folder / name).mkdir()
        self.root = self.folder / "root"
        mount(stack, "-t", "overlay", "t1s-machine", "-o",
              f"lowerdir={bases.folder},upperdir={self.folder}/upper,"
              f"workdir={self.folder}/work", target=self.root)
        self.said = ""

    # Files

    def path(self, name):
        return self.root / name

    def write(self, name, text):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name):
        return self.path(name).read_text(encoding="utf-8")

    def links_of_unit(self):
        """What arms the service; seen from outside such a link leads nowhere."""
        folder = self.path("etc/systemd/system")
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                      if path.name == UNIT and path.parent != folder)

    def arm(self):
        """What systemctl enable does."""
        run("systemctl", f"--root={self.root}", "enable", UNIT)

    def snapshot(self):
        """Every byte that a sweep under way relies on."""
        kept = {}
        for folder in (STATE_FOLDER, "boot/firmware", "etc/t1s-sweep"):
            for path in sorted(self.path(folder).rglob("*")):
                status = path.lstat()
                content = path.read_bytes() if path.is_file() else None
                kept[str(path.relative_to(self.root))] = status.st_mode, status.st_uid, content
        kept["links"] = self.links_of_unit()
        return kept

    # The package

    def watch(self):
        """From now on scripts meet what looks like a running systemd, and their calls of
        what could start or stop something are noted."""
        self.path("run/systemd/system").mkdir(parents=True)
        for name in WATCHED:
            self.write(f"usr/local/sbin/{name}", RECORDER).chmod(0o755)

    def calls(self):
        """The calls noted, and forgets them."""
        path = self.path("calls")
        noted = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return noted

    def run(self, *command, environment=(), proc=True):
        """Runs a command in the machine; returns its exit status, its words are in said."""
        own = ["unshare", "--mount", "--pid", "--fork"]
        if proc:
            own.append(f"--mount-proc={self.root}/proc")
        done = subprocess.run(
            [*own, "sh", "-c", 'mount --bind /dev "$0/dev" && exec chroot "$0" "$@"',
             str(self.root), *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False, timeout=DPKG_TIMEOUT_S,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                 "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
                 **dict(environment)})
        self.said = done.stdout
        return done.returncode

    def install(self, package=DEB, proc=True):
        """Installs or upgrades. Where a configuration file was edited and the package's
        differs, the edited one is to stay, as an upgrade without questions has it."""
        shutil.copy(package, self.path("package.deb"))
        return self.run("dpkg", "--force-confdef", "--force-confold", "-i", "/package.deb",
                        proc=proc)

    def remove(self):
        return self.run("dpkg", "-r", "t1s-sweep")

    def purge(self, **environment):
        return self.run("dpkg", "-P", "t1s-sweep", environment=environment.items())

    def status(self):
        """dpkg's word for the package: installed, config-files, not-installed."""
        done = subprocess.run(
            ["dpkg-query", f"--admindir={self.root}/var/lib/dpkg", "-W", "-f",
             "${db:Status-Status} ${Version}", "t1s-sweep"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.strip() or "not-installed"

    # The sweep

    @property
    def overlay(self):
        return self.path(f"boot/firmware/overlays/{OVERLAY_NAME}.dtbo")

    @property
    def pristine(self):
        return self.overlay.with_name(self.overlay.name + ".t1s-orig")

    def make_pi(self):
        """The files of a Raspberry Pi, and what to sweep."""
        self.write("proc/self/mountinfo", MOUNTINFO)
        self.write("proc/cmdline", "console=tty1 root=/dev/mmcblk0p2 rootwait\n")
        self.write("proc/sys/kernel/random/boot_id", f"{uuid.uuid4()}\n")
        self.write("boot/firmware/config.txt", f"dtoverlay={OVERLAY_NAME}\n")
        self.overlay.parent.mkdir()
        shutil.copy(self.path(f"usr/share/t1s-sweep/overlays/{OVERLAY_BUILT}"), self.overlay)
        self.path("proc/device-tree").mkdir()
        firmware.unfold(firmware.load(self.path("boot/firmware"), self.base_tree),
                        self.path("proc/device-tree"))
        self.write("etc/t1s-sweep/t1s-sweep.conf.d/test.conf", SWEEP)

    def program(self, *arguments):
        """Runs the installed program on the machine's files, from outside."""
        done = subprocess.run(
            [str(self.path("usr/bin/t1s-sweep")), f"--root={self.root}", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False, timeout=DPKG_TIMEOUT_S)
        self.said = done.stdout
        return done.returncode

    def begin_sweep(self):
        """A sweep under way in its most delicate moment: the overlay has been changed, the
        reboot is still to come. There is a result of an earlier sweep beside it."""
        self.make_pi()
        self.arm()
        self.write(RESULTS, "timestamp\n")
        original = self.overlay.read_bytes()
        for step in ("begin", "advance"):
            status = self.program(step)
            assert status == 0, f"{step}: exit {status}: {self.said}"
        assert '"rebooting"' in self.read(f"{STATE_FOLDER}/state.json"), self.said
        assert self.overlay.read_bytes() != original, self.said
        assert self.pristine.read_bytes() == original, self.said


@contextlib.contextmanager
def machines():
    """Gives a function that makes machines, and one that makes the next version's package;
    for a whole test module."""
    with contextlib.ExitStack() as stack:
        bases = Bases(stack)
        yield (lambda own: Machine(own, bases)), next_package(stack)
