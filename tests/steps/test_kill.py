# SPDX-License-Identifier: MIT
"""A spread sample of what kill_walk.py does in full."""
import os
import shutil
import sys
import unittest

from kill_walk import SEARCH, SWEEP, WORKLOADS, Walk, spread, walk_places
from live import Peers

SAMPLE = 10
SEARCH_SAMPLE = 4  # its sweeps take three times as long
WORKLOADS_SAMPLE = 4
SEED = int(os.environ.get("T1S_SEED", "0"))


class KillTest(unittest.TestCase):
    def walk(self, case, sample):
        peers = Peers()
        self.addCleanup(peers.close)
        walk = Walk(peers, case)
        self.addCleanup(walk.close)
        places = walk.list_places()
        self.assertGreater(len(places), 100)
        self.assertEqual({place.step for place in places}, {"begin", "measure", "advance"})
        chosen = spread(places, sample, SEED)
        # a place may move by one between runs (a retried write): most must be hit
        self.assertGreaterEqual(walk_places(walk, chosen), sample * 4 // 5)

    def test_killed_anywhere_the_sweep_ends_with_the_same_rows(self):
        self.walk(SWEEP, SAMPLE)

    @unittest.skipUnless("T1S_SLOW" in os.environ,
                         "how often a search repeats follows the noise of a busy machine: "
                         "T1S_SLOW=1, or kill_walk.py --search")
    def test_killed_anywhere_a_search_ends_with_the_same_rows(self):
        self.walk(SEARCH, SEARCH_SAMPLE)

    def test_killed_anywhere_several_workloads_end_with_the_same_rows(self):
        self.walk(WORKLOADS, WORKLOADS_SAMPLE)


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("strace"):
        print("skipped: needs root and strace")
        sys.exit(77)
    unittest.main()
