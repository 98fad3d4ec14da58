# SPDX-License-Identifier: MIT
"""What a person without rights sees of a sweep that is under way."""
import json
import re
import subprocess
import sys
import unittest

from cleanup import RigError
from scenario import Scenario

UNIT = "t1s-sweep.service"
ASK_TIMEOUT_S = 5  # a guest on its way down may not answer any more
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


class StatusTest(Scenario):
    def ask(self, *command):
        """What a command prints in the guest; "" while it cannot be asked."""
        try:
            return subprocess.run(
                self.rig.guest.inside(*NOBODY, *command), check=False, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, timeout=ASK_TIMEOUT_S).stdout
        except (OSError, RigError, subprocess.TimeoutExpired):
            return ""

    def look(self):
        """Called again and again while the guest is on."""
        said = self.ask("systemctl", "show", "-P", "StatusText", UNIT).strip()
        self.lines.add(re.sub(r"\d+ %", "N %", said))
        out = self.ask("t1s-sweep", "--json", "status")
        if out:
            self.seen.append(json.loads(out))

    def test_systemctl_and_status_tell_what_is_being_done(self):
        self.lines, self.seen = set(), []
        rig = self.make_rig({"Sweep": {"Points": "20M 12M", "RebootDelay": "3s"},
                             "Workload default": {"Duration": "3s", "Repeats": "2"}})
        rig.sweep(poll=self.look)
        self.assert_over("finished")
        for line in ("point 1/2 (20.000 MHz): measuring, run 2 of 2, N %",
                     "point 2/2 (12.000 MHz): rebooting to 12.000 MHz in 3 s"):
            self.assertIn(line, self.lines, self.said())
        measuring = [status["service"] for status in self.seen if status["phase"] == "measuring"
                     and re.search(r"measuring, run", status["service"]["status"] or "")]
        self.assertTrue(measuring, self.seen)
        self.assertEqual({service["active"] for service in measuring}, {"activating"})
        self.assertEqual({service["enabled"] for service in measuring}, {"enabled"})
        self.assertEqual([service["doing"] for service in measuring],
                         [service["status"] for service in measuring])
        rebooting = [status["service"] for status in self.seen
                     if status["service"]["reboot_at"]]
        self.assertTrue(rebooting, self.seen)
        self.assertRegex(rebooting[-1]["doing"], r"^rebooting at .*shutdown -c")


if __name__ == "__main__":
    sys.exit(unittest.main())
