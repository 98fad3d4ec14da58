# SPDX-License-Identifier: MIT
"""The last word of a sweep, and the reports that lie beside its results."""
import json
import os
import sys
import unittest

from tree import Tree

SWEEP = "Points=20M 15M 10M\nCollapseBelow=0\nClosingBaseline=no\n"
NAMES = ["report.html", "report.json", "report.txt"]


class AnswerTest(unittest.TestCase):
    def make(self, configuration=SWEEP):
        tree = Tree(configuration)
        self.addCleanup(tree.remove)
        return tree

    def step(self, tree, verb):
        self.assertEqual(tree.run(verb), 0, tree.said)
        return tree.said

    def sweep(self, tree, rates=(9.5, 9.4, 4.0)):
        """Up to the boot in which the original is back; what its begin said."""
        for rate in rates:
            self.step(tree, "begin")
            tree.add_row(received=rate)
            self.step(tree, "advance")
            tree.boot()

    def reports(self, tree):
        return sorted(path.name for path in tree.results_path().parent.glob("report.*"))

    def test_the_last_line_tells_how_far_down_and_the_margin(self):
        tree = self.make()
        self.sweep(tree)
        self.assertIn("full throughput down to 15.000 MHz, a margin of 1.33;",
                      self.step(tree, "begin"))

    def test_a_sweep_that_ends_without_another_boot_tells_it_too(self):
        tree = self.make(SWEEP.replace("ClosingBaseline=no", "ClosingBaseline=yes"))
        self.sweep(tree, rates=(9.5, 9.4, 4.0))
        self.step(tree, "begin")
        tree.add_row()
        self.assertIn("full throughput down to 15.000 MHz", self.step(tree, "advance"))
        self.assertEqual(tree.state()["phase"], "finished")

    def test_a_search_has_one_answer(self):
        tree = self.make("Search=knee\nPoints=20M 10M\n")
        for _ in range(12):
            self.step(tree, "begin")
            hz = tree.state()["plan"]["points"][tree.state()["point"]]["hz"]
            for repeat, offset in enumerate((0, 0.001, -0.001), 1):
                rate = 9.5 if hz == 20000000 else 4.0
                tree.add_row(received=rate + offset, repeat=repeat)
            self.step(tree, "advance")
            if tree.state()["phase"] == "finished":
                break
            tree.boot()
        self.assertIn("a margin of 1.00; lowest frequency with full throughput: 20.000 MHz",
                      tree.said)
        self.assertNotIn("down to", tree.said)

    def test_results_that_cannot_be_read_do_not_keep_a_sweep_from_ending(self):
        tree = self.make()
        self.sweep(tree)
        tree.results_path().write_text("no results\n", "utf-8")
        said = self.step(tree, "begin")
        self.assertIn("sweep finished", said)
        self.assertNotIn("full throughput", said)
        self.assertFalse(tree.armed())
        self.step(tree, "measure")
        self.assertIn("no report was written", tree.said)
        self.assertEqual(self.reports(tree), [])

    def test_the_ended_sweep_has_all_reports_once(self):
        tree = self.make()
        self.sweep(tree)
        self.step(tree, "begin")
        self.step(tree, "measure")
        self.assertEqual(self.reports(tree), NAMES)
        folder = tree.results_path().parent
        report = json.loads((folder / "report.json").read_text("utf-8"))
        self.assertEqual(report["summary"]["lowest_full_hz"], 15000000)
        self.step(tree, "report")
        self.assertEqual((folder / "report.txt").read_text("utf-8"), tree.out)
        before = {name: (folder / name).stat().st_ino for name in NAMES}
        self.step(tree, "measure")
        self.assertEqual({name: (folder / name).stat().st_ino for name in NAMES}, before)

    def test_without_a_sweep_there_is_nothing_to_report_and_nothing_fails(self):
        tree = self.make()
        self.step(tree, "measure")
        self.assertNotIn("no report", tree.said)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit(77)
    unittest.main()
