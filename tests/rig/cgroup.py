# SPDX-License-Identifier: MIT
"""Control groups for guests, so that two guests at one time do not manage each other's.

Where a systemd runs the machine it is asked for a scope. Elsewhere (a container in which
tests run, say) the rig makes a group of its own in the hierarchies that a guest's systemd
uses: name=systemd of version 1, and version 2.
"""
import contextlib
import os
import pathlib
import time

ROOT = pathlib.Path("/sys/fs/cgroup")
REMOVE_ROUNDS = 50


def _own_folders():
    """Where this process is, in each hierarchy that matters."""
    for line in pathlib.Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "name=systemd":
            yield ROOT / "systemd" / path.lstrip("/")
        elif not controllers:
            unified = ROOT / "unified" if (ROOT / "unified").is_dir() else ROOT
            yield unified / path.lstrip("/")


class ControlGroup:
    """A group for one rig's guests."""

    def __init__(self, stack, name):
        self.folders = []
        self.by_systemd = os.path.isdir("/run/systemd/system")
        if self.by_systemd:
            return
        for own in _own_folders():
            if (own / "cgroup.procs").exists():
                folder = own / name
                folder.mkdir()
                self.folders.append(folder)
                stack.callback(self._remove, folder)

    def command(self):
        """What has to stand before the command of a guest."""
        if not self.by_systemd:
            return []
        return ["systemd-run", "--quiet", "--scope", "-p", "Delegate=yes"]

    def enter(self):
        """Called in the child, before it becomes the guest."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0", encoding="ascii")

    @staticmethod
    def _remove(folder):
        for _ in range(REMOVE_ROUNDS):
            for path, _, _ in os.walk(folder, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(path)
            if not folder.exists():
                return
            time.sleep(0.05)
