# SPDX-License-Identifier: MIT
"""A spread sample of what kill_walk.py does in full."""
import os
import shutil
import sys
import unittest

from kill_walk import Walk, spread, walk_places
from live import Peers

SAMPLE = 10
SEED = int(os.environ.get("T1S_SEED", "0"))


class KillTest(unittest.TestCase):
    def test_killed_anywhere_the_sweep_ends_with_the_same_rows(self):
        peers = Peers()
        self.addCleanup(peers.close)
        walk = Walk(peers)
        self.addCleanup(walk.close)
        places = walk.list_places()
        self.assertGreater(len(places), 100)
        self.assertEqual({place.step for place in places}, {"begin", "measure", "advance"})
        chosen = spread(places, SAMPLE, SEED)
        # a place may move by one between runs (a retried write): most must be hit
        self.assertGreaterEqual(walk_places(walk, chosen), SAMPLE - 2)


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("strace"):
        print("skipped: needs root and strace")
        sys.exit(77)
    unittest.main()
