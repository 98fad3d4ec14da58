# SPDX-License-Identifier: MIT
"""What every scenario on the rig has: a rig, a short sweep, and what must hold after it."""
import contextlib
import json
import os
import pathlib
import unittest

from cleanup import scratch_folder
from rig import REFERENCE_CURVE, Rig

# Three points that differ: full, limited, severe. All above the collapse line.
POINTS_MHZ = (20, 12, 8)
POINTS = " ".join(f"{mhz}M" for mhz in POINTS_MHZ)


def read_curve(path=REFERENCE_CURVE):
    """{frequency in Hz: share}"""
    with open(path, encoding="ascii") as file:
        lines = [line for line in file if line[0].isdigit()]
    return {int(hz): float(share) for hz, share in (line.split(",") for line in lines)}


@unittest.skipIf(os.geteuid() != 0, "the rig needs root")
class Scenario(unittest.TestCase):
    """One rig per test; a failing test shows what the program said."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.firmware_said = []

    def make_rig(self, conf=None, **options):
        """A rig, armed, for a sweep of POINTS unless the configuration says otherwise."""
        rig = self.stack.enter_context(Rig(log=self.firmware_said.append, **options))
        sections = {"Sweep": {"Points": POINTS, "ClosingBaseline": "no"}}
        for name, keys in (conf or {}).items():
            sections.setdefault(name, {}).update(keys)
        rig.configure(sections)
        rig.arm()
        self.rig, self.original = rig, rig.overlay_bytes()
        return rig

    def write_curve(self, shares):
        """A curve of these {MHz: share}; between them it is straight."""
        path = pathlib.Path(scratch_folder(self.stack, "t1s-scenario."), "curve.csv")
        path.write_text("spi_hz,share\n" + "".join(
            f"{mhz}000000,{share:.6f}\n" for mhz, share in shares.items()), encoding="ascii")
        return path

    def points_hz(self):
        return [int(row["spi_requested_hz"]) for row in self.rig.rows()]

    def state(self):
        """The program's state.json."""
        path = self.rig.state_folder() / "state.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def said(self):
        return self.rig.messages()

    def assert_said(self, pattern):
        self.assertRegex(self.said(), pattern)

    def assert_over(self, phase):
        """The sweep has ended: as it was before, and nothing will happen at the next boot."""
        self.assertEqual(self.state()["phase"], phase, self.said())
        self.assertEqual(self.rig.overlay_bytes(), self.original, self.said())
        self.assertFalse(self.rig.armed(), self.said())
        self.assertEqual(self.rig.boots[-1].live_hz, 20000000)

    def assert_waiting(self):
        """Nothing is lost, nothing reboots, and the next boot tries again."""
        self.assertFalse(self.rig.boots[-1].rebooted, self.said())
        self.assertTrue(self.rig.armed(), self.said())

    def assert_not_begun(self, pattern):
        """A boot that could not begin a sweep: the reason is told, nothing is touched."""
        boots = self.rig.sweep(boots_max=1)
        self.assertEqual([boot.rebooted for boot in boots], [False], self.said())
        self.assert_said(pattern)
        self.assertEqual(self.rig.rows(), [])
        self.assertFalse((self.rig.state_folder() / "state.json").exists())
