# SPDX-License-Identifier: MIT
"""A sweep of every chip in the table, by its overlay and Compatible= alone."""
import json
import unittest

from tree import TESTS, Tree

import firmware  # its path is set by tree

MHZ = 1000000
# overlay, Compatible=, original Hz, link's wire limit for 1448-byte datagrams in Mbit/s,
# payload bits per SPI bit of such a datagram
CHIPS = (
    ("wiznet-w5500", "wiznet,w5500", 30 * MHZ, 95.6407, 1448 / 1521),
    ("microchip-enc28j60", "microchip,enc28j60", 12 * MHZ, 9.5641, 1448 / 1516),
    ("adi-adin1110", "adi,adin1110", 24500000, 9.5641, 1448 / 1513),
    ("microchip-ksz8851", "microchip,ksz8851", 30 * MHZ, 95.6407, 1448 / 1521),
    ("microchip-ksz8851", "micrel,ks8851", 30 * MHZ, 95.6407, 1448 / 1521),
    ("qca-qca7000", "qca,qca7000", 12 * MHZ, 9.5641, 1448 / 1506),
)
SWEEP = "Points=10M 5M\nCollapseBelow=0\nClosingBaseline=no\nOpeningBaseline=no\n"


class ChipTest(unittest.TestCase):
    def make(self, overlay, rest):
        tree = Tree(SWEEP + rest)
        self.addCleanup(tree.remove)
        tree.overlay_path.write_bytes(
            firmware.compile_tree(TESTS / f"data/dt/chips/{overlay}.dtso"))
        tree.original = tree.overlay_bytes()
        tree.boot()
        return tree

    def step(self, tree, step):
        self.assertEqual(tree.run(step), 0, tree.said)

    def sweep(self, tree):
        """Boots until nothing asks for one any more; the frequencies seen."""
        seen = []
        for _ in range(6):
            self.step(tree, "begin")
            state = tree.state()
            if state["phase"] in ("finished", "stopped"):
                return seen
            if state["phase"] == "measuring":
                seen.append(tree.overlay_hz())
                tree.add_row()
            self.step(tree, "advance")
            tree.boot()
        raise AssertionError(tree.said)

    def test_every_chip_is_swept_and_put_back(self):
        for overlay, compatible, original_hz, _, _ in CHIPS:
            with self.subTest(compatible):
                tree = self.make(overlay, f"[DeviceTree]\nCompatible={compatible}\n")
                self.assertEqual(tree.overlay_hz(), original_hz)
                self.assertEqual(self.sweep(tree), [10 * MHZ, 5 * MHZ], tree.said)
                self.assertEqual(tree.state()["phase"], "finished")
                self.assertEqual(tree.state()["overlay"]["original_hz"], original_hz)
                self.assertEqual(tree.overlay_bytes(), tree.original)

    def test_rate_and_ceiling_of_the_plan_are_the_chip_s(self):
        for overlay, compatible, _, wire, per_bit in CHIPS:
            with self.subTest(compatible):
                tree = self.make(overlay, f"[DeviceTree]\nCompatible={compatible}\n")
                self.assertEqual(tree.run("--json", "plan"), 0, tree.said)
                plan = json.loads(tree.out)
                self.assertAlmostEqual(plan["wire_limit_mbit_s"], wire, places=4)
                for point in plan["points"]:
                    self.assertAlmostEqual(
                        point["spi_ceiling_mbit_s"],
                        point["sclk_predicted_hz"] * per_bit / 1e6, places=5)

    def test_points_that_a_chip_is_not_specified_for_are_told(self):
        tree = self.make("qca-qca7000", "[DeviceTree]\nCompatible=qca,qca7000\n")
        self.assertEqual(tree.run("plan"), 0, tree.said)
        self.assertNotIn("specified", tree.out)
        conf = tree.path("etc/t1s-sweep/t1s-sweep.conf")
        conf.write_text(conf.read_text("utf-8").replace("10M 5M", "18M 10M 500k"), "utf-8")
        self.assertEqual(tree.run("plan"), 0, tree.said)
        self.assertIn("QCA7000 is specified for 1 to 16 MHz: 2 points lie outside", tree.out)

    def test_another_link_rate_can_be_set(self):
        tree = self.make("wiznet-w5500", "[DeviceTree]\nCompatible=wiznet,w5500\n"
                         "[Report]\nLinkRate=10M\n")
        self.assertEqual(tree.run("--json", "plan"), 0, tree.said)
        self.assertAlmostEqual(json.loads(tree.out)["wire_limit_mbit_s"], 9.5641, places=4)

    def test_a_chip_that_is_not_known_needs_its_link_rate_only(self):
        tree = self.make("wiznet-w5500", "[DeviceTree]\nCompatible=vendor,other\n")
        tree.overlay_path.write_bytes(
            tree.original.replace(b"wiznet,w5500\0", b"vendor,other\0"))
        tree.original = tree.overlay_bytes()
        tree.boot()
        self.assertEqual(tree.run("begin"), 2, tree.said)
        self.assertIn("LinkRate=", tree.said)
        conf = tree.path("etc/t1s-sweep/t1s-sweep.conf")
        conf.write_text(conf.read_text("utf-8") + "[Report]\nLinkRate=100M\n", "utf-8")
        self.assertEqual(self.sweep(tree), [10 * MHZ, 5 * MHZ], tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.assertEqual(tree.run("--json", "plan"), 0, tree.said)
        self.assertIsNone(json.loads(tree.out)["points"][0]["spi_ceiling_mbit_s"])


if __name__ == "__main__":
    unittest.main()
