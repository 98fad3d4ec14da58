# SPDX-License-Identifier: MIT
"""The default curve is that of the published reference sweep, row by row."""
import csv
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
SWEEP = TESTS / "data/samples/be-iis-t1s-spi-sweep.csv"
CURVE = TESTS / "rig/curves/reference.csv"


class CurveTest(unittest.TestCase):
    def test_each_share_is_received_by_offered_of_the_reference_sweep(self):
        with open(SWEEP, newline="", encoding="ascii") as file:
            expected = {
                int(row["spi_requested_hz"]):
                    1 - int(row["lost_packets"]) / int(row["packets"])
                for row in csv.DictReader(file)}
        with open(CURVE, encoding="ascii") as file:
            curve = {int(row["spi_hz"]): float(row["share"]) for row in csv.DictReader(
                line for line in file if not line.startswith("#"))}
        self.assertEqual(list(curve), list(expected))
        for freq_hz, share in curve.items():
            self.assertAlmostEqual(share, expected[freq_hz], delta=1e-9)


if __name__ == "__main__":
    sys.exit(unittest.main())
