#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Published measurements: the report comes to what their authors found, or better.
Usage: test_published.py PROGRAM DATA"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
PUBLISHED = DATA / "published"


def reports(path):
    """Those of a file, each under the name of its workload and under its direction."""
    conf = path.with_suffix(".conf")
    with tempfile.NamedTemporaryFile() as none:
        text = subprocess.run(
            [PROGRAM, f"--config={conf if conf.exists() else none.name}", "--json", "report",
             str(path)], check=True, capture_output=True).stdout
    found = json.loads(text)
    return {(r["workload"], r["direction"]): r for r in found.get("workloads", [found])}


class Published(unittest.TestCase):
    def near(self, found, expected, share=0.001):
        self.assertAlmostEqual(found, expected, delta=expected * share)

    def test_every_file_is_told_of_with_its_source(self):
        told = (PUBLISHED / "README.md").read_text()
        for path in PUBLISHED.glob("*.csv"):
            self.assertIn(f"`{path.name}`", told)

    def test_reference_sweep_is_full_from_13_mhz_and_its_plateau_is_the_wire(self):
        (report,) = reports(DATA / "samples/be-iis-t1s-spi-sweep.csv").values()
        verdicts = {p["spi_requested_hz"] // 10**6: p["verdict"] for p in report["points"]}
        for mhz, verdict in verdicts.items():
            self.assertEqual(verdict, "full" if mhz >= 13 else "limited" if mhz >= 10 else
                             "severe" if mhz >= 8 else "collapsed", mhz)
        summary = report["summary"]
        self.assertEqual(summary["lowest_full_hz"], 13000000)
        self.near(summary["margin"], 20 / 13)
        self.near(summary["wire_limit_mbit_s"], 9.5389, 0.00001)
        self.near(summary["best_mbit_s"], summary["wire_limit_mbit_s"], 0.00005)

    def test_lpc1768_alone_sends_at_the_wires_limit_and_copying_costs_what_they_say(self):
        found = reports(PUBLISHED / "nxp-lpc1768.csv")
        for workload, mbyte_s, percent in (("no application", 12.00, 98.4),
                                           ("copied by the processor", 7.18, 58.9),
                                           ("copied by DMA", 10.56, 86.7)):
            report = found[workload, "send"]
            (point,) = report["points"]
            self.near(report["summary"]["wire_limit_mbit_s"] / 8, 12.19)
            self.near(point["received_mbit_s"] / 8, mbyte_s)
            self.near(100 * point["wire_share"], percent)
            self.assertEqual(point["bound_by"],
                             "wire" if workload == "no application" else None)

    def test_w5500_is_not_bound_by_its_spi_clock(self):
        found = reports(PUBLISHED / "wiznet-w5500-rp2040.csv")
        bytewise, dma = (found[w, None] for w in ("a transfer for each byte", "DMA"))
        self.assertEqual([p["spi_requested_hz"] for p in bytewise["points"]],
                         [33000000, 16000000])
        for point in bytewise["points"]:
            self.assertIsNone(point["bound_by"])
            self.assertIn("not the SPI clock", point["bound_because"])
        self.assertIsNone(dma["points"][0]["bound_by"])
        # Fast Ethernet, by the rows' own chip: the configured one is a 10BASE-T1S chip
        self.near(dma["summary"]["wire_limit_mbit_s"], 94.1482)

    def test_a20_is_bound_by_its_cpu_in_both_directions(self):
        found = reports(PUBLISHED / "allwinner-a20-gmac.csv")
        for direction, mbyte_s in (("send", 25.8), ("receive", 53.4)):
            (point,) = found["TCP", direction]["points"]
            self.near(point["received_mbit_s"] / 8, mbyte_s)
            self.assertEqual(point["bound_by"], "cpu")
            self.assertIn("a core is at 100 %", point["bound_because"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
