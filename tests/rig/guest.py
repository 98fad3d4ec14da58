# SPDX-License-Identifier: MIT
"""The receiver's Raspberry Pi: a real systemd on the host's own /usr, in systemd-nspawn.

The root file system is an ext4 image of its own, so that the guest has a real disk
wherever the rig's folder lies, and the boot partition is one too (vfat where the kernel
has it, else ext4). /usr is the host's with the installed program laid over it.
"""
import contextlib
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import time

from cgroup import ControlGroup
from cleanup import RigError, hurry, mount, run, stop_process

MACHINE_ID = "7431735f737765657000000000000001"
HOST_FILES = ("passwd", "group", "shadow", "gshadow", "nsswitch.conf", "pam.d", "security",
              "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl",
              "login.defs", "localtime")
FOLDERS = ("usr", "etc/systemd/system/multi-user.target.wants", "var/lib", "boot/firmware",
           f"var/log/journal/{MACHINE_ID}", "root", "tmp", "proc", "sys", "dev", "run", "mnt")
ROOT_IMAGE_MIB = 256
BOOT_IMAGE_MIB = 16
SHOW_TIMEOUT_S = 5  # a guest on its way down may not answer any more
EXIT_REBOOT = 133
# Where nspawn of systemd 257 mounts a folder of each guest, by its name; it stays there when
# nspawn is killed
UNIX_EXPORT = pathlib.Path("/run/systemd/nspawn/unix-export")
numbers = itertools.count(1)

# Ends a boot after which nothing else happens. A reboot that is due is left alone.
END_UNIT = """\
[Unit]
Description=Power off when nothing is left to do in this boot
After=t1s-sweep.service systemd-logind.service dbus.socket systemd-user-sessions.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'case $(busctl get-property org.freedesktop.login1 \
/org/freedesktop/login1 org.freedesktop.login1.Manager ScheduledShutdown) in \
*reboot*) ;; *) systemctl --no-block poweroff;; esac'
"""

# The guest's own boot id lies over that of the machine, and a unit whose sandbox brings a
# new /proc would see the machine's again: it gets the guest's by a copy. Not so with systemd
# 257 (seen: 252 and 257), which also has no place for the copy.
BOOT_ID = "/proc/sys/kernel/random/boot_id"
BOOT_ID_COPY = "/run/rig-boot-id"
BOOT_ID_SEEN_FROM = 257


def systemd_version():
    """As in "systemd 257 (257.13-1~deb13u1)"."""
    return int(run("systemctl", "--version").split()[1])


def make_image(path, mib, kind):
    """A file system in a file."""
    with open(path, "wb") as file:
        file.truncate(mib << 20)
    if kind == "vfat":
        run("mkfs.vfat", path)
    else:
        run("mkfs.ext4", "-q", "-F", "-m", "0", path)


def boot_partition_kind():
    """vfat as on the Pi where kernel and tools have it, else ext4."""
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", "vfat"], check=False)
    known = pathlib.Path("/proc/filesystems").read_text(encoding="ascii").split()
    return "vfat" if "vfat" in known and shutil.which("mkfs.vfat") else "ext4"


class Guest:
    """The guest's files, and its boots."""

    def __init__(self, stack, folder, netns_path, stage, firmware_folder):
        self._set_up(stack, folder, netns_path, firmware_folder, ROOT_IMAGE_MIB)
        self._fill()
        self.boot_kind = boot_partition_kind()
        self._mount_image("boot", BOOT_IMAGE_MIB, self.boot_kind, self.boot_folder)
        (self.boot_folder / "overlays").mkdir()
        mount(stack, "-t", "overlay", "t1s-usr", "-o", f"lowerdir={stage}/usr:/usr",
              target=self.root / "usr")
        self._install(pathlib.Path(stage))

    def _set_up(self, stack, folder, netns_path, firmware_folder, root_mib):
        """Up to an empty root file system."""
        self.stack, self.folder = stack, pathlib.Path(folder)
        self.netns_path, self.firmware_folder = netns_path, firmware_folder
        self.root = self.folder / "guest"
        self.boot_folder = self.root / "boot/firmware"
        self.console_path = self.folder / "console.log"
        self.command_line = []
        self.process, self.unplugged = None, False
        self.machine = f"t1s-rig-{os.getpid()}-{next(numbers)}"
        stack.callback(self._remove_export)
        self.group = ControlGroup(stack, self.folder.name)
        self._mount_image("root", root_mib, "ext4", self.root)

    def _mount_image(self, name, mib, kind, target):
        path = self.folder / f"{name}.img"
        make_image(path, mib, kind)
        target.mkdir(parents=True, exist_ok=True)
        mount(self.stack, "-o", "loop", path, target=target)

    def _fill(self):
        for name in FOLDERS:
            (self.root / name).mkdir(parents=True, exist_ok=True)
        (self.root / "tmp").chmod(0o1777)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.root / name).symlink_to(f"usr/{name}")
        for name in HOST_FILES:
            if os.path.lexists(f"/etc/{name}"):
                run("cp", "-a", f"/etc/{name}", self.root / "etc")
        self._fill_etc()

    def _fill_etc(self):
        """What makes a folder bootable, and a boot of the rig's."""
        etc = self.root / "etc"
        # a copy: nspawn refuses a link that leaves the tree before /usr is mounted
        shutil.copy("/usr/lib/os-release", etc / "os-release")
        (etc / "machine-id").write_text(MACHINE_ID + "\n", encoding="ascii")
        (etc / "hostname").write_text("pi1\n", encoding="ascii")
        (etc / "systemd/system/default.target").symlink_to(
            "/usr/lib/systemd/system/multi-user.target")
        for name in ("etc/.updated", "var/.updated"):  # nothing to rebuild at first boot
            (self.root / name).touch()
        self.add_unit("rig-end.service", END_UNIT, wanted=True)
        if systemd_version() < BOOT_ID_SEEN_FROM:
            (etc / "tmpfiles.d").mkdir()
            (etc / "tmpfiles.d/rig.conf").write_text(
                f"C {BOOT_ID_COPY} 0444 - - - {BOOT_ID}\n", encoding="ascii")
            self.add_drop_in("t1s-sweep.service", "rig-boot-id",
                             f"[Service]\nBindReadOnlyPaths={BOOT_ID_COPY}:{BOOT_ID}\n")

    def _install(self, stage):
        """What a package's installation does besides laying its files down."""
        for folder in (stage / "etc").glob("*"):
            shutil.copytree(folder, self.root / "etc" / folder.name, dirs_exist_ok=True)
        for tool, place in (("systemd-sysusers", "sysusers.d"),
                            ("systemd-tmpfiles", "tmpfiles.d")):
            for file in (stage / "usr").glob(f"**/{place}/*.conf"):
                create = ["--create"] if tool == "systemd-tmpfiles" else []
                run(tool, f"--root={self.root}", *create, file.name)

    def add_unit(self, name, text, wanted=False):
        """Puts a unit of the rig's own into the guest's /etc."""
        units = self.root / "etc/systemd/system"
        (units / name).write_text(text, encoding="utf-8")
        if wanted:
            link = units / "multi-user.target.wants" / name
            link.unlink(missing_ok=True)
            link.symlink_to(f"../{name}")

    def add_drop_in(self, unit, name, text):
        """Puts a drop-in for a unit into the guest's /etc; "" takes it away."""
        path = self.root / f"etc/systemd/system/{unit}.d" / f"{name}.conf"
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        if text:
            path.write_text(text, encoding="utf-8")

    def systemctl(self, *arguments):
        """systemctl on the guest's files, while it is off. Returns what it prints."""
        done = subprocess.run(
            ["systemctl", f"--root={self.root}", *arguments], check=False, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.stdout.strip()

    def remount_boot(self, options):
        """Other options for the boot partition, as "ro"."""
        run("mount", "-o", f"remount,{options}", self.boot_folder)

    def unmount_boot(self):
        """Boots from now on do not have the boot partition mounted."""
        run("umount", self.boot_folder)

    def mount_small(self, path, kib):
        """Mounts a file system of so little space over a folder of the guest."""
        target = self.root / path.lstrip("/")
        image = self.folder / f"{target.name}.img"
        with open(image, "wb") as file:
            file.truncate(kib << 10)
        run("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", image)
        owner = target.stat()
        mount(self.stack, "-o", "loop", image, target=target)
        shutil.rmtree(target / "lost+found")
        os.chown(target, owner.st_uid, owner.st_gid)
        target.chmod(owner.st_mode & 0o7777)

    def start(self):
        """Switches the guest on."""
        self.unplugged = False
        self._remove_export()
        # started from inside the namespace, since its /sys shows the interfaces of where
        # nspawn runs; --keep-unit, since without it nspawn carries out the reboot by itself
        command = [*self.group.command(), "nsenter", f"--net={self.netns_path}",
                   "systemd-nspawn", "-q", "--register=no", "--keep-unit", "-D", self.root,
                   f"--machine={self.machine}", "--hostname=pi1", "--boot",
                   f"--network-namespace-path={self.netns_path}",
                   "--capability=CAP_NET_ADMIN",  # as a machine of its own has it
                   f"--bind-ro={self.firmware_folder}:/sys/firmware",
                   "--link-journal=no", *self.command_line]
        with open(self.console_path, "wb") as console:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=console,
                stderr=console, start_new_session=True, preexec_fn=self._become)
        self.stack.callback(stop_process, self.process)

    def _remove_export(self):
        folder = UNIX_EXPORT / self.machine
        if folder.exists():
            subprocess.run(["umount", "-q", folder], check=False)
            folder.rmdir()

    def _become(self):
        self.group.enter()
        hurry()

    def wait(self, timeout_s, poll=lambda: None):
        """Waits until the guest is off; True if it asked for a reboot."""
        deadline = time.monotonic() + timeout_s
        while self.process.poll() is None:
            poll()
            if time.monotonic() > deadline:
                stop_process(self.process)
                raise RigError(f"still on after {timeout_s} s. Console:\n{self.console()}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.1)
        if self.unplugged:
            return False
        if self.process.returncode not in (0, EXIT_REBOOT):
            raise RigError(f"systemd-nspawn ended with {self.process.returncode}. Console:\n"
                           f"{self.console()}")
        return self.process.returncode == EXIT_REBOOT

    def console(self):
        """The end of what the guest's console showed in this boot."""
        text = self.console_path.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-40:])

    def leader(self):
        """The process id of the guest's init, as seen from here."""
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        if not children.split():
            raise RigError("the guest is not on")
        return int(children.split()[-1])

    def inside(self, *command):
        """The command line that runs a command in the guest while it is on."""
        return ["nsenter", "-t", str(self.leader()), "-a", *map(str, command)]

    def show(self, unit, key):
        """A property of a unit in the running guest; "" where it cannot be asked yet."""
        try:
            return subprocess.run(
                self.inside("systemctl", "show", "-P", key, unit), check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, timeout=SHOW_TIMEOUT_S).stdout.strip()
        except (OSError, RigError, subprocess.TimeoutExpired):
            return ""

    def pull_the_plug(self):
        """Ends every process of the guest at once, as a power cut does."""
        self.unplugged = True
        os.kill(self.leader(), signal.SIGKILL)
        self.process.wait(10)
