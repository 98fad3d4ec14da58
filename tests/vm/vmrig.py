# SPDX-License-Identifier: MIT
"""The VM rig: the installed arm64 package on a real kernel with a real device tree.

    with VmRig(deb="t1s-sweep_0.1.0_arm64.deb") as rig:
        rig.configure({"Sweep": {"Points": "20M 12M 7M"}})
        rig.install(arm=True)
        boots = rig.sweep()

It is the boot rig with another guest: firmware, sender and link are the same code, and
what is asked afterwards is asked in the same way. The guest's files are not mounted but
copied: what is configured before install() is brought over by the boot partition, and
after sweep() rig.guest.root holds what the guest has in the places that matter.
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import struct
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "rig"))

# pylint: disable=wrong-import-position
import basetree
import blocklog
import fdt
import guestfiles
import image
import machine
from cleanup import RigError, run, scratch_folder
from netspace import MANAGEMENT, MANAGEMENT_INTERFACE, T1S, Link, Netspaces
from rig import OVERLAY_NAME, UNIT, Rig

BOOT_TIMEOUT_S = 600
PACKAGES_TIMEOUT_S = 1800
# Rates that an emulated machine can receive; what is tested is the machine, not the link
CONFIGURATION = {
    "Sweep": {"CollapseBelow": "0", "ClosingBaseline": "no"},
    "Workload default": {"Rate": "2M", "Duration": "3s"},
}
PULLED = ("/var/lib/t1s-sweep", "/var/log/journal")
# An ordinary network: everything passes, whatever the frequency is
PLAIN_CURVE = "spi_hz,share\n1,1\n"
PLAIN_RATE_BPS = 1000000000

FIRST_RUN = """\
cd /boot/firmware/firstrun
ldconfig
dpkg --install package.deb
cp -r etc /
chown -R root:root /etc/t1s-sweep
chmod 700 /etc/t1s-sweep/ssh
chmod 600 /etc/t1s-sweep/ssh/*
echo "before enabling: $(systemctl is-enabled {unit} || :)" \
	"$(systemctl is-active {unit} || :)"
"""
TOOLS = {machine.QEMU: "qemu-system-arm", "mcopy": "mtools", "mkfs.vfat": "dosfstools",
         "debugfs": "e2fsprogs", "sfdisk": "fdisk", "depmod": "kmod", "dtc":
         "device-tree-compiler", "systemd-sysusers": "systemd", "iperf3": "iperf3",
         "/usr/sbin/sshd": "openssh-server"}


def host_lacks():
    """Why the rig cannot run on this machine; "" if it can."""
    if os.geteuid() != 0:
        return "the VM rig needs root"
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    return f"not installed: {' '.join(missing)}" if missing else ""


def cache_folder():
    """Where packages and the bare image are kept."""
    return pathlib.Path(os.environ.get("T1S_VM_CACHE") or HERE.parents[1] / "build/vm-cache")


def _key(*names):
    """Names a version of what these files make."""
    digest = hashlib.sha256()
    for name in names:
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()[:16]


def unpacked_packages(log):
    """The folder with the unpacked packages, downloaded where there is none."""
    folder = cache_folder() / f"packages-{_key('packages.sh')}"
    if not (folder / "rootfs").exists():
        log("VM: downloading and unpacking Debian packages for arm64")
        folder.mkdir(parents=True, exist_ok=True)
        run(HERE / "packages.sh", folder, timeout=PACKAGES_TIMEOUT_S)
    return folder


@contextlib.contextmanager
def locked_cache():
    """Two rigs that begin at once make what is kept one after the other."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with open(cache_folder() / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def bare_image(log):
    """The image of a guest that boots, without the program, and its kernel."""
    with locked_cache():
        return _bare_image(log)


def _bare_image(log):
    packages = unpacked_packages(log)
    name = _key("packages.sh", "guestfiles.py", "image.py", "machine.py", "../rig/guest.py",
                "../rig/netspace.py")
    path = cache_folder() / f"image-{name}.img"
    if not path.exists():
        log("VM: making the image")
        work = cache_folder() / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        run("cp", "-a", packages / "rootfs", work / "rootfs", timeout=PACKAGES_TIMEOUT_S)
        guestfiles.complete(work / "rootfs", packages / "kernel")
        image.make(work / "image", work / "rootfs", work)
        (work / "image").rename(path)
        shutil.rmtree(work)
    kernel, = (packages / "kernel/boot").glob("vmlinuz-*")
    return path, kernel


class VmGuest:
    """The guest as the rig looks at it: a machine, and copies of its files."""

    def __init__(self, folder, disk, vm):
        self.disk, self.machine = disk, vm
        self.root = pathlib.Path(folder, "guest")
        self.boot_folder = self.root / "boot/firmware"
        (self.boot_folder / "overlays").mkdir(parents=True)
        self.start, self.wait = vm.start, vm.wait
        self.console, self.pull_the_plug = vm.console, vm.pull_the_plug

    def pull_boot(self):
        """Looks at the boot partition anew."""
        self.disk.pull_boot(self.boot_folder)

    def pull(self):
        """Looks at everything anew; the guest must have been shut down."""
        self.pull_boot()
        for path in PULLED:
            self.disk.pull_root(path, self.root)


class Cut:
    """A power cut: how many writes the drive had been given, and how many it lost."""

    def __init__(self, writes, lost):
        self.writes, self.lost = writes, lost

    def __str__(self):
        return f"{self.lost} of {self.writes} writes lost"


class VmRig(Rig):
    """See above. deb: the package to install."""

    def __init__(self, deb, **kwargs):
        super().__init__(**kwargs)
        self.deb, self.install_s = pathlib.Path(deb), 0

    def _set_up(self):
        self.folder = pathlib.Path(scratch_folder(self.stack, "t1s-vm.", self.keep))
        self.stage = self.folder / "stage"
        run("dpkg-deb", "-x", self.deb, self.stage)
        bare, kernel = bare_image(self.log)
        self.base = basetree.build(self.base_source, machine.dump_command)
        self.cards = [machine.Card(self.stack, name) for name in ("t1s", "management")]
        self.disk = image.Disk(self.folder / "disk.img")
        image.copy(bare, self.disk.path)
        self.machine = machine.Machine(
            self.stack, self.folder, self.disk.path, kernel, self.cards)
        self.guest = VmGuest(self.folder, self.disk, self.machine)
        self.netspaces = Netspaces(self.stack, ends=("sender",))
        self._plug_in()
        self._pair()
        self.install_overlay(self.overlay or self._built_overlay())
        self.write_config_txt(f"dtoverlay={OVERLAY_NAME}\n")
        self.configure({})

    def _plug_in(self):
        """The two wires, each from the sender's namespace to a card of the machine."""
        self.live_path = self.folder / "live-frequency"
        self.link = Link(
            self.netspaces, self.link_program, self.folder, self.live_path, self.curve,
            ends={"sender": T1S["sender"]}, socket=self.cards[0].wire_end)
        self.link.start()
        folder = self.folder / "management"
        folder.mkdir()
        (folder / "curve.csv").write_text(PLAIN_CURVE, encoding="ascii")
        (folder / "live").write_bytes(struct.pack(">I", 1))
        Link(self.netspaces, self.link_program, folder, folder / "live",
             folder / "curve.csv", PLAIN_RATE_BPS,
             {"sender": (MANAGEMENT_INTERFACE, MANAGEMENT["sender"])},
             self.cards[1].wire_end).start()

    def configure(self, sections):
        """As the boot rig's, over the rates that this guest can take."""
        merged = {name: dict(keys) for name, keys in CONFIGURATION.items()}
        for name, keys in sections.items():
            merged.setdefault(name, {}).update(keys)
        super().configure(merged)

    def install(self, arm, then=""):
        """One boot in which the guest installs the package and what was configured, and
        enables the unit if told so, as a person would. then: shell commands after that,
        which console_text() shows."""
        bundle = self.folder / "firstrun"
        shutil.rmtree(bundle, ignore_errors=True)
        shutil.copytree(self.guest.root / "etc", bundle / "etc")
        shutil.copy(self.deb, bundle / "package.deb")
        (bundle / "run.sh").write_text(
            FIRST_RUN.format(unit=UNIT)
            + (f"systemctl enable {UNIT}\n" if arm else "") + then, encoding="ascii")
        self.disk.put_on_boot(bundle, "firstrun")
        for name in ("overlays", "config.txt"):
            self.disk.put_on_boot(self.guest.boot_folder / name, name)
        boot = self.boot()
        self.guest.pull()
        if (self.guest.boot_folder / "firstrun").exists() or boot.rebooted:
            raise RigError(f"the package was not installed. Console:\n{self.guest.console()}")
        self.install_s = boot.seconds
        return boot

    def console_text(self):
        """What the console showed in the last boot."""
        return self.machine.console_path.read_text(encoding="utf-8", errors="replace")

    def usual_boot_s(self):
        """How long a boot takes that is not cut short; a guess where there was none."""
        whole = [boot.seconds for boot in self.boots if boot.rebooted]
        return whole[-1] if whole else self.install_s

    def arm(self):
        raise RigError("the guest is armed by install(arm=True)")

    def armed(self):
        """Whether the unit is enabled."""
        return self.disk.exists_in_root(
            f"/etc/systemd/system/multi-user.target.wants/{UNIT}")

    def play_firmware(self):
        self.guest.pull_boot()
        return super().play_firmware()

    def _hand_over(self, root):
        self.machine.tree_path.write_bytes(fdt.flatten(root))

    def boot(self, timeout_s=BOOT_TIMEOUT_S, poll=lambda: None):
        return super().boot(timeout_s, poll)

    def sweep(self, *args, **kwargs):
        boots = super().sweep(*args, **kwargs)
        self.guest.pull()
        return boots

    def cut_power_after(self, after_s, draw):
        """A boot in which QEMU is killed so many seconds after the start. Returns the cut,
        or None if the boot was over by then."""
        before = self._keep_disk()
        end = time.monotonic() + after_s

        def poll():
            if time.monotonic() >= end:
                self.guest.pull_the_plug()

        self.boot(poll=poll)
        if not self.machine.unplugged:
            return None
        return self._lose(before, list(blocklog.read(self.machine.log_path)), draw)

    def cut_power_before_flush(self, draw):
        """A boot of which only what it wrote before one of its flushes has happened: a cut
        where programs rely on what they wrote. Returns the cut."""
        before = self._keep_disk()
        self.boot()
        writes = list(blocklog.read(self.machine.log_path))
        flush = draw.choice([i for i, write in enumerate(writes) if write.flush])
        return self._lose(before, writes[:flush], draw)

    def _keep_disk(self):
        before = self.folder / "before-cut.img"
        image.copy(self.disk.path, before)
        return before

    def _lose(self, before, writes, draw):
        """Makes the disk what these writes left on it: of those that were not flushed, the
        drive has lost a half."""
        kept = blocklog.after_power_cut(writes, lambda write: draw.random() < 0.5)
        before.replace(self.disk.path)
        with open(self.disk.path, "r+b") as disk:
            blocklog.replay(kept, disk)
        made = sum(bool(write.data) for write in writes)
        return Cut(made, made - len(kept))
