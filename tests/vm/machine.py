# SPDX-License-Identifier: MIT
"""The receiver's Raspberry Pi as a virtual machine: QEMU, its disk, its console."""
import contextlib
import os
import pathlib
import socket
import subprocess
import time

from cleanup import RigError, stop_process

QEMU = "qemu-system-aarch64"
# A Pi 4's processor. QEMU's "max" has pointer authentication, which costs it most of its time.
BOARD = ["-M", "virt,gic-version=3", "-cpu", "cortex-a72", "-smp", "2", "-m", "512"]
# nokaslr: with a kernel at random addresses comes a page table of its own for each side of
# a system call, which costs an emulated processor a third of its time.
KERNEL_ARGUMENTS = ("console=ttyAMA0 root=/dev/nvme0n1p2 rootfstype=ext4 rw rootwait quiet "
                    "loglevel=3 panic=-1 nokaslr")
# A Pi has no battery clock: each boot begins at the same time.
CLOCK = ["-rtc", "base=2001-01-01T00:00:00"]
# Interfaces of the guest by their MACs; the end of the T1S link and that of management
MACS = {"t1s": "52:54:00:00:00:01", "management": "52:54:00:00:00:02"}
STALE_FRAME_BYTES = 4096
REBOOT_WORDS = b"reboot: Restarting system"
POWER_OFF_WORDS = b"reboot: Power down"



def dump_command(path):
    """The command that writes the board's own device tree into a file."""
    return [QEMU, BOARD[0], f"{BOARD[1]},dumpdtb={path}", *BOARD[2:], "-nodefaults",
            "-display", "none"]


class Card:
    """A network card of the guest and the wire's end that it is plugged into."""

    def __init__(self, stack, name):
        self.name = name
        self.guest_end, self.wire_end = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_DGRAM)
        stack.callback(self.guest_end.close)
        stack.callback(self.wire_end.close)

    def drain(self):
        """Throws away what came while the machine was off."""
        with contextlib.suppress(BlockingIOError):
            while self.guest_end.recv(STALE_FRAME_BYTES, socket.MSG_DONTWAIT):
                pass

    def arguments(self):
        """QEMU's arguments. A datagram is a frame, so nothing is left to offload."""
        return ["-netdev", f"dgram,id={self.name},local.type=fd,"
                           f"local.str={self.guest_end.fileno()}",
                "-device", f"virtio-net-pci,netdev={self.name},mac={MACS[self.name]},romfile="]


class Machine:
    """The machine; one that is off has no process. log_path: where each write to the disk
    is recorded in this boot (see blocklog.py)."""

    def __init__(self, stack, folder, disk_path, kernel_path, cards):
        self.stack, self.disk_path, self.kernel_path = stack, disk_path, kernel_path
        self.cards = cards
        self.tree_path = pathlib.Path(folder, "tree.dtb")
        self.log_path = pathlib.Path(folder, "writes.log")
        self.console_path = pathlib.Path(folder, "console.log")
        self.command_line = []
        self.process, self.unplugged = None, False

    def _disk_arguments(self):
        self.log_path.unlink(missing_ok=True)
        self.log_path.touch()
        # the host's own flushes are for a power cut of the host
        nodes = (f"driver=file,node-name=medium,filename={self.disk_path},cache.no-flush=on",
                 f"driver=file,node-name=record,filename={self.log_path},cache.no-flush=on",
                 "driver=blklogwrites,node-name=disk,file=medium,log=record,"
                 "log-sector-size=512,log-super-update-interval=1")
        return [part for node in nodes for part in ("-blockdev", node)] + [
            "-device", "nvme,drive=disk,serial=rig0"]

    def start(self):
        """Switches the machine on, with the device tree in tree_path."""
        for card in self.cards:
            card.drain()
        command = [QEMU, *BOARD, *CLOCK, "-nodefaults", "-display", "none", "-serial", "stdio",
                   "-no-reboot", "-kernel", self.kernel_path, "-dtb", self.tree_path,
                   *self._disk_arguments(),
                   *(part for card in self.cards for part in card.arguments()),
                   "-append", " ".join([KERNEL_ARGUMENTS, *self.command_line])]
        self.unplugged = False
        with open(self.console_path, "wb") as console:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=console,
                stderr=console, start_new_session=True,
                pass_fds=[card.guest_end.fileno() for card in self.cards])
        self.stack.callback(stop_process, self.process)

    def wait(self, timeout_s, poll=lambda: None):
        """Waits until the machine is off; True if it asked for a reboot."""
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
        said = self.console_path.read_bytes()
        if self.process.returncode != 0 or not (REBOOT_WORDS in said
                                                or POWER_OFF_WORDS in said):
            raise RigError(f"QEMU ended with {self.process.returncode}. Console:\n"
                           f"{self.console()}")
        return REBOOT_WORDS in said

    def console(self):
        """The end of what the console showed in this boot."""
        text = self.console_path.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-40:])

    def pull_the_plug(self):
        """Ends the machine at once: what it has not written to the disk is lost."""
        self.unplugged = True
        os.killpg(self.process.pid, 9)
        self.process.wait(10)
