# SPDX-License-Identifier: MIT
"""Makes a bootable system of the unpacked packages: what their maintainer scripts would
have done, the rig's own units, and what a guest that is emulated can do without."""
import pathlib
import shutil

from cleanup import run
from guest import END_UNIT
from machine import MACS
from netspace import MANAGEMENT, MANAGEMENT_INTERFACE, T1S

MACHINE_ID = "7431735f737765657000000000000002"
FOLDERS = ("boot/firmware", "dev", "etc/systemd/network", "mnt", "proc", "root", "run", "sys",
           "tmp", "var/log/journal", "etc/systemd/system/multi-user.target.wants")
MODULES = ("vfat", "nls_cp437", "nls_ascii", "virtio_pci", "virtio_net")

FSTAB = """\
/dev/nvme0n1p2 / ext4 defaults,noatime 0 1
/dev/nvme0n1p1 /boot/firmware vfat defaults 0 2
"""
NSSWITCH = "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"
# Accounts of packages that make them by adduser; the others have sysusers files
SYSUSERS = "u messagebus - - /nonexistent\n"
PAM = {"account": "required pam_unix.so", "auth": "sufficient pam_unix.so",
       "password": "required pam_unix.so", "session": "required pam_unix.so",
       "session-noninteractive": "required pam_unix.so"}

# What a card brought over on the boot partition is to do, once
FIRST_RUN_UNIT = """\
[Unit]
Description=What was left on the boot partition for the first boot
ConditionPathExists=/boot/firmware/firstrun/run.sh
After=basic.target
[Service]
Type=oneshot
StandardOutput=journal+console
StandardError=journal+console
ExecStart=/bin/sh -e /boot/firmware/firstrun/run.sh
ExecStartPost=/bin/rm -r /boot/firmware/firstrun
"""
NETWORK = """\
[Match]
Name={interface}
[Network]
Address={address}
LinkLocalAddressing=no
IPv6AcceptRA=no
"""
# Nothing in the guest asks for these, and each costs
MASKED = ("apt-daily.timer", "dev-hugepages.mount", "dev-mqueue.mount",
          "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service",
          "fstrim.timer", "getty@tty1.service", "kmod-static-nodes.service",
          "modprobe@configfs.service", "modprobe@dm_mod.service", "modprobe@drm.service",
          "modprobe@efi_pstore.service", "modprobe@fuse.service", "modprobe@loop.service",
          "proc-sys-fs-binfmt_misc.automount", "serial-getty@ttyAMA0.service",
          "sys-fs-fuse-connections.mount", "sys-kernel-config.mount",
          "sys-kernel-debug.mount", "sys-kernel-tracing.mount", "systemd-binfmt.service",
          "systemd-networkd-wait-online.service", "systemd-pstore.service",
          "systemd-update-utmp-runlevel.service", "systemd-update-utmp.service")


def _write(root, path, text, mode=0o644):
    path = root / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def _enable(root, unit, path):
    link = root / "etc/systemd/system/multi-user.target.wants" / unit
    link.unlink(missing_ok=True)
    link.symlink_to(path)


def _accounts(root):
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / "etc" / name)
    for name in ("shadow", "gshadow"):
        _write(root, f"etc/{name}", "", 0o640)
    _write(root, "etc/sysusers.d/rig.conf", SYSUSERS)
    run("systemd-sysusers", f"--root={root}")


def _configuration(root):
    _write(root, "etc/fstab", FSTAB)
    _write(root, "etc/nsswitch.conf", NSSWITCH)
    _write(root, "etc/hostname", "pi1\n")
    _write(root, "etc/hosts", "127.0.0.1 localhost\n127.0.1.1 pi1\n")
    _write(root, "etc/machine-id", MACHINE_ID + "\n", 0o444)
    _write(root, "etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n")
    for name, line in PAM.items():
        _write(root, f"etc/pam.d/common-{name}", f"{name.split('-')[0]} {line}\n")
    for name, target in (("awk", "mawk"), ("sh", "dash")):
        link = root / "usr/bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    for name in ("etc/.updated", "var/.updated"):  # nothing to rebuild at first boot
        _write(root, name, "")


def _network(root):
    cards = {"t1s": T1S["pi"], "management": (MANAGEMENT_INTERFACE, MANAGEMENT["pi"])}
    for name, (interface, address) in cards.items():
        _write(root, f"etc/systemd/network/10-{name}.link",
               f"[Match]\nMACAddress={MACS[name]}\n[Link]\nName={interface}\n")
        _write(root, f"etc/systemd/network/20-{name}.network",
               NETWORK.format(interface=interface, address=address))
    _enable(root, "systemd-networkd.service", "/lib/systemd/system/systemd-networkd.service")


def _units(root):
    units = "etc/systemd/system"
    default = root / units / "default.target"
    default.unlink(missing_ok=True)
    default.symlink_to("/lib/systemd/system/multi-user.target")
    for unit, text in (("rig-firstrun.service", FIRST_RUN_UNIT), ("rig-end.service", END_UNIT)):
        _write(root, f"{units}/{unit}", text)
        _enable(root, unit, f"../{unit}")
    _write(root, f"{units}/rig-end.service.d/firstrun.conf",
           "[Unit]\nAfter=rig-firstrun.service\n")
    for unit in MASKED:
        (root / units / unit).symlink_to("/dev/null")


def _modules(root, kernel):
    """Only the modules that are needed: every other one is looked at in each boot."""
    folder, = (kernel / "lib/modules").iterdir()
    here = root / "usr/lib/modules" / folder.name
    for name in MODULES:
        listed = run("modprobe", "-d", kernel, "-S", folder.name, "--show-depends", name)
        for line in listed.splitlines():
            if line.startswith("insmod "):
                path = pathlib.Path(line.split()[1])
                target = here / path.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
    for path in folder.glob("modules.*"):
        shutil.copy(path, here)
    run("depmod", "-b", root, folder.name)


def complete(root, kernel):
    """Makes the unpacked packages in root a system that boots with this kernel's modules."""
    root, kernel = pathlib.Path(root), pathlib.Path(kernel)
    for name in FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    _accounts(root)
    _configuration(root)
    _network(root)
    _units(root)
    _modules(root, kernel)
