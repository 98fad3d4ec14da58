# SPDX-License-Identifier: MIT
"""A sweep's progress and answer on a central host, carried there by systemd's own means."""
import pathlib
import subprocess
import sys
import time
import unittest

import journal
from scenario import Scenario

REMOTE = pathlib.Path("/lib/systemd/systemd-journal-remote")
UNIT = "t1s-sweep.service"
ADDRESS = "192.0.2.130:19532"
FINISHED = "d7722e88ab21450ba91f7418c94696d8"
MEASURED = "1c660ea484734b96a928264df6c423ee"
GO = "var/lib/rig-go"

# A boot in which the sweep is done ends when all has been sent, bounded.
WAIT = f"""[Service]
ExecStartPre=/bin/sh -c 'for i in $(seq 300); do [ -e /{GO} ] && break; sleep 0.2; done'
"""


@unittest.skipUnless(REMOTE.exists(), "needs systemd-journal-remote")
class CentralJournalTest(Scenario):
    def start_central(self):
        self.folder = self.rig.folder / "central"
        self.folder.mkdir()
        process = subprocess.Popen(
            self.rig.netspaces.inside(
                "sender", REMOTE, f"--listen-http={ADDRESS}", "--split-mode=host",
                f"--output={self.folder}"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def upload_from_the_pi(self):
        """As docs/many-rigs.md has it."""
        guest = self.rig.guest
        (guest.root / "etc/systemd/journal-upload.conf").write_text(
            f"[Upload]\nURL=http://{ADDRESS}\n", "utf-8")
        guest.systemctl("enable", "systemd-journal-upload.service")
        guest.add_drop_in("rig-end.service", "central", WAIT)

    def central(self, *matches):
        return journal.read(self.folder, *matches)

    def poll(self):
        """Lets a boot end once the sweep rests and the central host has all its lines."""
        if time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + 0.5
        if self.rig.guest.show(UNIT, "ActiveState") not in ("inactive", "failed"):
            return
        here = self.rig.journal("-t", journal.PROGRAM)
        if here and len(self.central("-t", journal.PROGRAM)) >= len(here):
            (self.rig.guest.root / GO).touch()

    def test_every_point_and_the_answer_arrive_with_their_fields(self):
        self.next_look = 0
        rig = self.make_rig({"Sweep": {"Points": "20M 8M"}})
        self.start_central()
        self.upload_from_the_pi()
        rig.sweep(poll=self.poll,
                  before_boot=lambda _: (rig.guest.root / GO).unlink(missing_ok=True))
        self.assert_over("finished")
        measured = self.central(f"MESSAGE_ID={MEASURED}")
        self.assertEqual([entry["T1S_FREQ_HZ"] for entry in measured],
                         ["20000000", "8000000"], self.said())
        self.assertEqual({entry["_HOSTNAME"] for entry in measured}, {"pi1"})
        self.assertEqual([entry["T1S_RECEIVED_MBIT_S"] for entry in measured],
                         [row["received_mbit_s"] for row in rig.rows()])
        self.assertEqual({entry["T1S_POINTS"] for entry in measured}, {"2"})
        finished, = self.central(f"MESSAGE_ID={FINISHED}")
        self.assertEqual((finished["T1S_LOWEST_FULL_HZ"], finished["T1S_MARGIN"]),
                         ("20000000", "1.000"))


if __name__ == "__main__":
    sys.exit(unittest.main())
