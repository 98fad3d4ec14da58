# SPDX-License-Identifier: MIT
"""A seeded sample of the fault matrix; all of it is matrix.py's."""
import os
import random
import shutil
import sys
import unittest

from matrix import lines_of, run

SEED = int(os.environ.get("T1S_SEED", "0"))


class MatrixTest(unittest.TestCase):
    def sample(self, part, count):
        lines = lines_of(part)
        chosen = lines if "T1S_SLOW" in os.environ else random.Random(SEED).sample(lines, count)
        self.assertEqual([outcome.line() for outcome in run(chosen)], [])

    def test_a_file_that_cannot_be_written_or_read_costs_no_point(self):
        self.sample("disk", 12)

    def test_faults_of_the_machine_cost_no_point_or_stop_the_sweep_whole(self):
        self.sample("machine", 8)

    @unittest.skipIf(os.geteuid() != 0, "needs root for network namespaces")
    def test_faults_of_sender_and_link_cost_no_point_or_are_told(self):
        self.sample("peer", 3)


if __name__ == "__main__":
    if not shutil.which("strace"):
        print("skipped: needs strace")
        sys.exit(77)
    unittest.main()
