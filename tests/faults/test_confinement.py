# SPDX-License-Identifier: MIT
"""What the installed service may do and does, seen from outside of its guest."""
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rig"))

from netspace import MANAGEMENT, T1S  # noqa: E402
from scenario import Scenario  # noqa: E402

UNIT = "t1s-sweep.service"
LOOK_EVERY_S = 0.1
PORT = 5201
CAP_NET_ADMIN = 1 << 12
SENDER = MANAGEMENT["sender"].split("/")[0]
LISTENS = f"{T1S['pi'][1].split('/')[0]}%{T1S['pi'][0]}:{PORT}"
RESULTS = "var/lib/t1s-sweep/results"
TELL_STATUS = (f"ExecStart=/bin/sh -c 'grep -E \"^(Uid|Cap|Seccomp:|NoNewPrivs)\" "
               f"/proc/self/status >/{RESULTS}/status; exec {{command}}'")
TRACED = "ExecStart={prefix}/usr/bin/strace -f -s 200 -e trace=network -o /var/log/{step} {command}"
# the journal, the service manager's ear, and the system bus
SERVICES = re.compile(r"/run/(systemd/journal/(socket|stdout|dev-log)|systemd/notify|"
                      r"dbus/system_bus_socket)$")
# asked by the C library for an account's name
NAME_SERVICES = re.compile(r"/run/(nscd/socket|systemd/userdb/)")


class Watch:
    """Looks at the guest's processes and sockets while it runs."""

    def __init__(self, rig):
        self.rig, self.next = rig, 0
        self.seen, self.listeners, self.idle_listeners = {}, set(), set()

    def __call__(self):
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + LOOK_EVERY_S
        before = self._look()
        listeners = self._listeners()
        self.listeners |= listeners
        if not before and not self._look():
            self.idle_listeners |= listeners

    def _look(self):
        """Takes in the program's processes; whether there are any."""
        found = False
        for pid in self.rig.netspaces.pids("pi"):
            folder = pathlib.Path(f"/proc/{pid}")
            try:
                if (folder / "comm").read_text("ascii").strip() != "t1s-sweep":
                    continue
                found = True
                self.seen[pid] = (
                    (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes(),
                    re.search(r"core file size +(\d+)", (folder / "limits").read_text())[1],
                    (folder / "environ").stat().st_uid, (folder / "comm").stat().st_uid)
            except (OSError, TypeError):
                continue
        return found

    def _listeners(self):
        done = subprocess.run(
            self.rig.netspaces.inside("pi", "ss", "-H", "-l", "-t", "-u", "-n"), check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        return {line.split()[4] for line in done.stdout.splitlines()
                if line.split()[4].endswith(f":{PORT}")}


class ConfinementTest(Scenario):
    def exec_start(self, change):
        """Has the unit's lines run otherwise: change(prefix, command, step) gives a line."""
        unit = next(self.rig.guest.root.glob(f"usr/**/{UNIT}"), None) or next(
            pathlib.Path(self.rig.stage).rglob(UNIT))
        lines = re.findall(r"^ExecStart=(!?)(\S+ (\w+))$", unit.read_text("utf-8"), re.M)
        self.assertEqual([step for _, _, step in lines], ["begin", "measure", "advance"])
        return "\n".join(["[Service]", "ExecStart=", *(
            change(prefix, command, step) for prefix, command, step in lines), ""])

    def test_the_key_shows_nowhere_and_the_receiver_is_heard_where_it_should_be_only(self):
        rig = self.make_rig({"Sender": {"WaitTime": "2s"}})
        watch = Watch(rig)
        rig.sweep(poll=watch)
        self.assert_over("finished")
        key = (rig.ssh_folder / "id_ed25519").read_text("ascii")
        secrets = [line.encode() for line in key.splitlines()[2:-1]]  # the first is no secret
        self.assertTrue(secrets)
        self.assertTrue(watch.seen)
        for text, core_limit, _, _ in watch.seen.values():
            self.assertFalse([secret for secret in secrets if secret in text])
            self.assertEqual(core_limit, "0")
        # whose memory nobody but root may look into or dump
        self.assertTrue([1 for _, _, owner, _ in watch.seen.values() if owner == 0])
        for path in self.guest_files():
            if b"PRIVATE" in path.read_bytes() or any(
                    secret in path.read_bytes() for secret in secrets):
                self.fail(f"the key stands in {path}")
        self.assertEqual(watch.listeners, {LISTENS})
        self.assertEqual(watch.idle_listeners, set())

    def guest_files(self):
        """Every file that the guest may have written."""
        for folder in ("var", "etc", "tmp", "run"):
            for path in (self.rig.guest.root / folder).rglob("*"):
                if path.is_file() and not path.is_symlink() and \
                        self.rig.ssh_folder not in path.parents and \
                        "etc/ssh" not in str(path):
                    yield path

    def test_measuring_has_no_right_beyond_an_ordinary_user_s(self):
        rig = self.make_rig({"Sender": {"WaitTime": "2s"}, "Sweep": {"Points": "20M"}})
        rig.guest.add_drop_in(UNIT, "status", self.exec_start(
            lambda prefix, command, step: TELL_STATUS.format(command=command)
            if step == "measure" else f"ExecStart={prefix}{command}"))
        rig.boot()
        status = dict(line.split(":\t", 1) for line in (
            rig.guest.root / RESULTS / "status").read_text("ascii").splitlines())
        self.assertNotIn("0", status["Uid"].split())
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        # what begin may have; with NoNewPrivileges nothing leads from there to measuring
        self.assertIn(int(status["CapBnd"], 16), (0, CAP_NET_ADMIN))
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))

    def test_the_privileged_steps_open_no_socket_but_to_bus_journal_and_kernel(self):
        rig = self.make_rig({"Sender": {"WaitTime": "2s"}, "Sweep": {"Points": "20M 12M"}})
        # strace needs ptrace, which the service has not got
        rig.guest.add_drop_in(UNIT, "trace", self.exec_start(
            lambda prefix, command, step: TRACED.format(prefix=prefix, command=command, step=step)
            if step != "measure" else f"ExecStart={prefix}{command}") +
            "SystemCallFilter=\nReadWritePaths=/var/log\n")
        traces = {}
        rig.boot()
        self.take_traces(traces)
        rig.sweep()
        self.take_traces(traces)
        self.assert_over("finished")
        self.assertEqual(set(traces), {"begin", "advance"})
        for step, text in traces.items():
            families = set(re.findall(r"socket\((\w+)", text))
            self.assertLessEqual(families, {"AF_UNIX", "AF_NETLINK"}, step)
            peers = set(re.findall(r'sun_path="([^"]+)"', text))
            self.assertEqual([peer for peer in peers if not SERVICES.search(peer)
                              and not NAME_SERVICES.search(peer)], [], step)
            self.assertNotIn("listen(", text)
        self.assertIn("system_bus_socket", traces["advance"])

    def take_traces(self, traces):
        for step in ("begin", "advance"):
            path = self.rig.guest.root / "var/log" / step
            traces[step] = traces.get(step, "") + path.read_text("utf-8", errors="replace")
            path.unlink()


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the rig needs root")
        sys.exit(77)
    unittest.main()
