# SPDX-License-Identifier: MIT
"""A sweep of chips other than the LAN8650/1, by their overlays and Compatible= alone."""
import sys
import unittest

import firmware
from rig import TESTS
from scenario import Scenario

MHZ = 1000000


class ChipTest(Scenario):
    def sweeps(self, overlay, compatible, original_hz):
        """One point and back: three boots."""
        rig = self.make_rig(
            {"Sweep": {"Points": "12M"}, "DeviceTree": {"Compatible": compatible}},
            overlay=firmware.compile_tree(TESTS / f"data/dt/chips/{overlay}.dtso"),
            compatible=compatible)
        boots = rig.sweep()
        row, = rig.rows()
        self.assertEqual((row["status"], row["compatible"]), ("OK", compatible), self.said())
        self.assertEqual((row["spi_requested_hz"], row["live_hz"]), ("12000000",) * 2)
        self.assertEqual(boots[-1].live_hz, original_hz)
        self.assertEqual(self.state()["phase"], "finished", self.said())
        self.assertEqual(rig.overlay_bytes(), self.original)
        self.assertFalse(rig.armed())

    def test_w5500(self):
        self.sweeps("wiznet-w5500", "wiznet,w5500", 30 * MHZ)

    def test_enc28j60(self):
        self.sweeps("microchip-enc28j60", "microchip,enc28j60", 12 * MHZ)

    def test_adin1110(self):
        self.sweeps("adi-adin1110", "adi,adin1110", 24500000)

    def test_ksz8851(self):
        self.sweeps("microchip-ksz8851", "microchip,ksz8851", 30 * MHZ)

    def test_qca7000(self):
        self.sweeps("qca-qca7000", "qca,qca7000", 12 * MHZ)


if __name__ == "__main__":
    sys.exit(unittest.main())
