# SPDX-License-Identifier: MIT
"""What a sweep would do and how long it would take, before it begins and in its middle."""
import json
import os
import unittest

from tree import Tree

SWEEP = "Points=20M 15M 10M\nCollapseBelow=0\nClosingBaseline=no\n"


class PlanTest(unittest.TestCase):
    def make(self, configuration=SWEEP):
        tree = Tree(configuration)
        self.addCleanup(tree.remove)
        return tree

    def plan(self, tree):
        self.assertEqual(tree.run("--json", "plan"), 0, tree.said)
        return json.loads(tree.out)

    def measure(self, tree):
        self.assertEqual(tree.run("begin"), 0, tree.said)
        tree.add_row()
        self.assertEqual(tree.run("advance"), 0, tree.said)
        tree.boot()

    def take_seconds(self, tree, seconds):
        """Lets the last advance have been so long ago."""
        path = tree.path("var/lib/t1s-sweep/state.json")
        state = json.loads(path.read_text("utf-8"))
        state["advanced_wall_us"] -= seconds * 1000000
        path.write_text(json.dumps(state), "utf-8")

    def test_it_tells_sclk_and_ceiling_of_each_point(self):
        plan = self.plan(self.make())
        self.assertEqual([point["spi_requested_hz"] for point in plan["points"]],
                         [20000000, 15000000, 10000000])
        # the tree's SPI controller is clocked at 500 MHz
        self.assertEqual([point["sclk_predicted_hz"] for point in plan["points"]],
                         [19230769, 14705882, 10000000])
        self.assertAlmostEqual(plan["points"][2]["spi_ceiling_mbit_s"], 8.872549, 5)

    def test_the_boot_that_brings_the_original_back_is_counted(self):
        self.assertEqual(self.plan(self.make())["boots"], 4)
        closing = self.plan(self.make(SWEEP.replace("ClosingBaseline=no", "")))
        self.assertEqual((closing["points_max"], closing["boots"]), (4, 4))
        lower = self.plan(self.make(SWEEP.replace("20M ", "")))
        self.assertEqual((lower["points_max"], lower["boots"]), (2, 4))

    def test_boots_are_guessed_until_some_were_measured(self):
        tree = self.make()
        plan = self.plan(tree)
        self.assertEqual((plan["boot_s"], plan["boot_measured"]), (60, False))
        # 24 s for each point: 20 s, 3 s omitted, 1 s before the reboot
        self.assertEqual(plan["duration_s"], 3 * 24 + 4 * 60)
        self.assertEqual(tree.run("plan"), 0)
        self.assertIn("3 points in 4 boots, about 5 min with 60 s for each boot (a guess",
                      tree.out)

    def test_boots_are_as_long_as_the_last_ones_took(self):
        tree = self.make()
        for seconds in (0, 30 + 24, 40 + 24):
            if seconds:
                self.take_seconds(tree, seconds)
            self.measure(tree)
        self.assertEqual(tree.run("begin"), 0)
        self.assertEqual(tree.state()["phase"], "finished")
        plan = self.plan(tree)
        self.assertTrue(plan["boot_measured"])
        self.assertAlmostEqual(plan["boot_s"], 35, delta=30)
        self.assertGreaterEqual(plan["boot_s"], 35)
        self.assertEqual(tree.run("plan"), 0)
        self.assertIn("as the last ones took", tree.out)
        # the next sweep begins with what this one knows
        self.assertEqual(tree.run("begin"), 0)
        self.assertEqual(tree.state()["phase"], "measuring")
        self.assertEqual(self.plan(tree)["boot_s"], plan["boot_s"])

    def test_in_the_middle_of_a_sweep_the_original_is_not_what_is_live(self):
        tree = self.make()
        self.measure(tree)
        plan = self.plan(tree)
        self.assertEqual((plan["live_hz"], plan["original_hz"]), (15000000, 20000000))
        self.assertEqual(plan["boots"], 4)
        self.assertEqual(tree.run("plan"), 0)
        self.assertIn("A sweep is under way", tree.out)

    def test_without_a_live_node_the_start_stands_for_the_original(self):
        tree = self.make()
        tree.boot(live_hz=0)
        plan = self.plan(tree)
        self.assertEqual((plan["live_hz"], plan["original_hz"]), (None, None))
        self.assertEqual(tree.run("plan"), 0)
        self.assertIn("taken to be Start=", tree.out)


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit(77)
    unittest.main()
