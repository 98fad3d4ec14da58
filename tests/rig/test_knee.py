# SPDX-License-Identifier: MIT
"""A search for the knee through real boots: on the reference curve, and on the same one
with noise that differs from boot to boot, which fools a bisection by single runs."""
import json
import random
import subprocess
import sys
import unittest

from scenario import Scenario, read_curve

MHZ = 1000000
# runs long enough for a busy machine not to stretch them by a percent
SEARCH = {"Sweep": {"Points": None, "Search": "knee", "ClosingBaseline": None},
          "Workload default": {"Duration": "2s"}}
NOISE = 0.015  # standard deviation of a boot's factor
FULL = 0.93
# the lowest request of each clock of a Pi 4, and the reference
CANDIDATES = (20, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5)


def noise(seed, boots=40):
    """What each boot's throughput is multiplied with."""
    source = random.Random(seed)
    return [1 + source.gauss(0, NOISE) for _ in range(boots)]


def bisect_by_single_runs(curve, factors):
    """What a bisection answers that believes one result at each point."""
    full, limited, at, best = 0, len(CANDIDATES), 0, 0
    for factor in factors:
        rate = curve[CANDIDATES[at] * MHZ] * factor
        best = max(best, rate)
        if rate >= FULL * best:
            full = at
        else:
            limited = at
        if limited - full == 1:
            break
        at = (full + limited) // 2
    return CANDIDATES[full]


class KneeTest(Scenario):
    def measured(self):
        """The frequency of each boot's point, in MHz."""
        points = {int(row["point"]): int(row["spi_requested_hz"]) // MHZ
                  for row in self.rig.rows()}
        return [points[number] for number in sorted(points)]

    def assert_finds_13_mhz(self):
        self.assert_said(r"sweep finished after \d+ boots: .*lowest frequency with full "
                         r"throughput: 13\.000 MHz \(SCLK 12\.500 MHz, predicted\); the next "
                         r"below, 12\.000 MHz \(SCLK 11\.905 MHz, predicted\), is ")
        self.assert_over("finished")
        done = subprocess.run(
            [self.rig.build / "daemon/t1s-sweep", "--json", "report",
             self.rig.results_files()[0]], stdout=subprocess.PIPE, check=True)
        self.assertEqual(json.loads(done.stdout)["summary"]["lowest_full_hz"], 13 * MHZ)

    def test_the_reference_curve_gives_13_mhz_in_8_boots(self):
        rig = self.make_rig(SEARCH)
        boots = rig.sweep(boots_max=10)
        self.assertEqual(self.measured(), [20, 12, 16, 14, 13, 12, 13, 20], self.said())
        self.assertEqual([boot.live_hz // MHZ for boot in boots], self.measured())
        self.assertEqual(len(boots), 8)
        self.assertEqual({row["status"] for row in rig.rows()}, {"OK"})
        self.assertGreaterEqual(len(rig.rows()), 24)
        self.assert_said(r"step 3, at most 9 unless results disagree \(16\.000 MHz\): "
                         r"received 9\.\d\d .*; full \(.* Mbit/s, full from 8\.\d\d\) in 3 runs")
        self.assert_finds_13_mhz()

    def search_with_noise(self, seed):
        """A sweep over the reference's curve, multiplied anew in each boot."""
        curve, factors = read_curve(), noise(seed)
        self.assertGreaterEqual(bisect_by_single_runs(curve, factors), 16)
        path = self.write_curve({hz // MHZ: share for hz, share in curve.items()})
        rig = self.make_rig(SEARCH, curve=path)

        def before_boot(number):
            path.write_text("spi_hz,share\n" + "".join(
                f"{hz},{share * factors[number - 1]:.6f}\n" for hz, share in curve.items()),
                encoding="ascii")
            rig.link.stop()
            rig.link.start()

        rig.sweep(boots_max=16, before_boot=before_boot)

    def test_noise_of_each_boot_and_the_dip_do_not_fool_it(self):
        self.search_with_noise(14)
        self.assertEqual(self.measured(), [20, 12, 16, 14, 13, 12, 13, 20], self.said())
        self.assert_said(r"\(16\.000 MHz\): .*; limited")
        self.assert_finds_13_mhz()

    def test_boots_that_contradict_each_other_take_one_more(self):
        self.search_with_noise(21)
        self.assertEqual(self.measured(), [20, 12, 16, 14, 13, 12, 12, 13, 20], self.said())
        self.assert_finds_13_mhz()


if __name__ == "__main__":
    sys.exit(unittest.main())
