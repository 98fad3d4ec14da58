# SPDX-License-Identifier: MIT
"""Search=knee on whole trees: begin and advance for real, results made by hand.

The tree is that of a Pi 4: 500 MHz by even dividers, so that 19 and 18 MHz are one clock.
"""
import json
import unittest

from tree import Tree

MHZ = 1000000
SEARCH = "Search=knee\n"
# the reference sweep's rates, 20 to 5 MHz
RATES = dict(zip(range(20, 4, -1), (
    9.539, 9.053, 9.056, 9.054, 9.054, 9.539, 9.539, 9.539, 8.798, 7.114, 7.112, 4.023, 2.784,
    0.206, 0.014, 0.0005)))


class KneeTest(unittest.TestCase):
    def make(self, sweep=SEARCH, **kwargs):
        tree = Tree(sweep, **kwargs)
        self.addCleanup(tree.remove)
        return tree

    def step(self, tree, name, expected=0):
        self.assertEqual(tree.run(name), expected, tree.said)

    def current(self, tree):
        state = tree.state()
        return state["plan"]["points"][state["point"]]

    def measure_point(self, tree, rates=None, scatter=(0, 0.001, -0.001)):
        """One boot with its rows, and the reboot. Returns the frequency in MHz."""
        self.step(tree, "begin")
        self.assertEqual(tree.state()["phase"], "measuring", tree.said)
        mhz = self.current(tree)["hz"] // MHZ
        self.assertEqual(tree.overlay_hz(), mhz * MHZ)
        for repeat, offset in enumerate(scatter, 1):
            tree.add_row(received=(rates or RATES)[mhz] * (1 + offset), repeat=repeat)
        self.step(tree, "advance")
        return mhz

    def search(self, tree, rates=None, boots_max=12):
        """Boots until the sweep has ended. Returns the frequencies measured."""
        measured = []
        for _ in range(boots_max):
            measured.append(self.measure_point(tree, rates))
            if tree.state()["phase"] == "finished":
                return measured
            tree.boot()
            if tree.state()["phase"] == "restoring":
                self.step(tree, "begin")
                return measured
        self.fail(f"no end: {measured}")

    def assert_put_back(self, tree):
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.assertEqual(tree.state()["phase"], "finished")
        self.assertFalse(tree.armed())
        self.assertFalse(tree.pristine_path.exists())

    def test_the_reference_curve_takes_eight_boots_and_gives_13_mhz(self):
        tree = self.make()
        measured = self.search(tree)
        self.assertEqual(measured, [20, 12, 16, 14, 13, 12, 13, 20])
        self.assertEqual(tree.state()["boots"], 8)
        self.assert_put_back(tree)
        self.assertIn("lowest frequency with full throughput: 13.000 MHz (SCLK 12.500 MHz, "
                      "predicted); the next below, 12.000 MHz", tree.state()["reason"])
        self.assertIn("13.000 MHz", tree.said)
        self.assertEqual([int(row["pass"]) for row in tree.rows()][::3],
                         [1, 1, 1, 1, 1, 2, 2, 0])

    def test_candidates_are_the_lowest_request_of_each_clock(self):
        tree = self.make()
        self.step(tree, "begin")
        candidates = tree.state()["search"]["candidates"]
        self.assertEqual([c["hz"] // MHZ for c in candidates],
                         [20, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5])
        self.assertEqual(candidates[0]["sclk_hz"], 500 * MHZ // 26)
        self.assertEqual(len(tree.state()["plan"]["points"]), 2)

    def test_without_a_known_clock_every_request_is_a_candidate(self):
        tree = self.make()
        tree.write("proc/device-tree/compatible", "vendor,board\0")
        self.step(tree, "begin")
        candidates = tree.state()["search"]["candidates"]
        self.assertEqual([c["hz"] // MHZ for c in candidates], list(range(20, 4, -1)))
        self.assertEqual({c["sclk_hz"] for c in candidates}, {0})
        self.assertEqual(self.search(tree), [20, 12, 16, 14, 13, 12, 13, 20])

    def test_an_original_above_the_points_is_the_reference(self):
        tree = self.make(SEARCH + "Start=15M\n")
        self.assertEqual(self.search(tree)[0], 20)
        self.assertIn("13.000 MHz", tree.state()["reason"])

    def test_an_original_below_the_highest_point_is_measured_first_as_a_baseline(self):
        tree = self.make(SEARCH + "Start=25M\n")
        rates = {**RATES, **dict.fromkeys(range(21, 26), 9.539)}
        measured = self.search(tree, rates)
        self.assertEqual(measured[:2], [20, 25])
        self.assertEqual(measured[-1], 20)
        self.assertEqual(tree.rows()[0]["pass"], "0")
        self.assertIn("13.000 MHz", tree.state()["reason"])
        self.assert_put_back(tree)

    def test_without_a_closing_baseline_the_original_is_restored_all_the_same(self):
        tree = self.make(SEARCH + "ClosingBaseline=no\n")
        self.assertEqual(self.search(tree), [20, 12, 16, 14, 13, 12, 13])
        self.assertEqual(tree.state()["boots"], 8)
        self.assert_put_back(tree)

    def test_all_full_and_none_full_are_answers(self):
        tree = self.make()
        self.search(tree, dict.fromkeys(RATES, 9.5))
        self.assertIn("5.000 MHz (SCLK 5.000 MHz, predicted), the lowest of the search",
                      tree.state()["reason"])
        tree = self.make()
        self.search(tree, dict.fromkeys(RATES, 0))
        self.assertIn("no frequency with full throughput", tree.state()["reason"])
        self.assert_put_back(tree)

    def test_a_collapse_does_not_end_a_search(self):
        tree = self.make()
        rates = {mhz: 9.5 if mhz > 17 else 0.01 for mhz in RATES}
        self.search(tree, rates)
        self.assertIn("18.000 MHz", tree.state()["reason"])

    # How many runs

    def test_undecided_points_want_more_runs_and_the_service_does_not_go_on_before(self):
        tree = self.make()
        self.measure_point(tree)
        tree.boot()
        self.step(tree, "begin")
        line = 9.539 * 0.93
        for repeat, offset in enumerate((0.3, -0.3, 0.2), 1):
            self.step(tree, "advance", expected=1)
            self.assertIn("not measured yet", tree.said)
            tree.add_row(received=line + offset, repeat=repeat)
        for repeat in range(4, 10):
            self.step(tree, "advance", expected=1)
            tree.add_row(received=line - (0.2 if repeat % 2 else -0.2), repeat=repeat)
        self.step(tree, "advance")
        self.assertIn("undecided", tree.said)
        self.assertIn("in 9 runs", tree.said)
        self.assertEqual(tree.overlay_hz(), 16 * MHZ)

    def test_repeats_of_the_configuration_are_the_least(self):
        tree = self.make(SEARCH + "[Workload default]\nRepeats=5\n")
        self.step(tree, "begin")
        for repeat in range(1, 6):
            self.step(tree, "advance", expected=1)
            tree.add_row(received=9.5, repeat=repeat)
        self.step(tree, "advance")
        self.assertIn("full", tree.said)

    def test_a_dead_link_takes_one_row_for_a_point(self):
        tree = self.make()
        self.measure_point(tree)
        tree.boot()
        self.step(tree, "begin")
        tree.add_row(status="NO_DATA", received="", attempt=3)
        self.step(tree, "advance")
        self.assertIn("limited", tree.said)
        self.assertEqual(tree.overlay_hz(), 16 * MHZ)

    def test_a_dead_driver_gets_its_second_boot_and_then_decides(self):
        tree = self.make()
        self.measure_point(tree)
        for attempt in (1, 2):
            tree.boot()
            self.step(tree, "begin")
            self.assertEqual(tree.overlay_hz(), 12 * MHZ)
            tree.add_row(status="DRIVER_DEAD", received="", attempt=attempt)
            self.step(tree, "advance")
        self.assertEqual(tree.overlay_hz(), 16 * MHZ)

    # What disturbs

    def test_a_disturbed_boot_in_the_dip_does_not_fool_it(self):
        tree = self.make()
        self.assertEqual(self.measure_point(tree), 20)
        tree.boot()
        self.assertEqual(self.measure_point(tree), 12)
        tree.boot()
        self.assertEqual(self.measure_point(tree, {16: 8.7}), 16)
        self.assertIn("limited", tree.said)
        tree.boot()
        self.assertEqual(self.search(tree), [14, 13, 12, 13, 20])
        self.assertIn("13.000 MHz", tree.state()["reason"])

    def test_a_contradiction_is_measured_once_more_and_told(self):
        tree = self.make()
        for expected in (20, 12, 16, 14, 13):
            self.assertEqual(self.measure_point(tree), expected)
            tree.boot()
        self.assertEqual(self.measure_point(tree, {12: 9.5}), 12)
        self.assertIn("next 12.000 MHz", tree.said)
        tree.boot()
        self.assertEqual(self.search(tree), [12, 13, 20])
        self.assertIn("13.000 MHz", tree.state()["reason"])
        self.assertEqual([int(row["pass"]) for row in tree.rows()
                          if row["spi_requested_hz"] == "12000000"][::3], [1, 2, 3])

    # What a person sees

    def test_the_journal_line_of_a_step_tells_the_verdict_and_what_is_left(self):
        tree = self.make()
        self.step(tree, "begin")
        self.assertIn("search for the knee, at most 9 points", tree.said)
        self.measure_point(tree)
        self.assertRegex(
            tree.said, r"step 1, at most 9 unless results disagree \(20\.000 MHz\): received "
            r"9\.53 Mbit/s, loss 1\.50 %, jitter 0\.100 ms; full \(9\.52 to 9\.56 Mbit/s, full "
            r"from 8\.87\) in 3 runs; next 12\.000 MHz; done about \d\d:\d\d")

    def test_status_counts_the_points_still_expected(self):
        tree = self.make()
        self.measure_point(tree)
        self.assertEqual(tree.run("--json", "status"), 0)
        status = json.loads(tree.out)
        self.assertEqual((status["point"], status["points"]), (2, 9))
        self.assertEqual(status["search"], "knee")
        self.assertIsNotNone(status["eta"])
        self.assertEqual(tree.run("status"), 0)
        self.assertIn("point      2 of at most 9 unless results disagree (12.000 MHz)",
                      tree.out)
        tree.boot()
        self.search(tree)
        self.assertEqual(tree.run("--json", "status"), 0)
        status = json.loads(tree.out)
        self.assertEqual((status["point"], status["points"]), (8, 8))
        self.assertIsNone(status["eta"])

    def test_the_plan_shows_what_the_search_chooses_from(self):
        tree = self.make()
        self.assertEqual(tree.run("plan"), 0)
        self.assertIn("At most 9 points in 9 boots unless results disagree, about ", tree.out)
        self.assertIn("Left out, as another point has the same SCLK: 19.000 MHz.", tree.out)
        self.assertEqual(tree.run("--json", "plan"), 0)
        plan = json.loads(tree.out)
        self.assertEqual(plan["search"], "knee")
        self.assertEqual(plan["points_max"], 9)
        self.assertEqual(len(plan["points"]), 15)
        self.assertEqual([point["spi_requested_hz"] for point in plan["left_out"]],
                         [19 * MHZ])

    # Cut off

    def test_steps_started_again_at_any_point_change_nothing(self):
        tree = self.make()
        measured = []
        for _ in range(12):
            for _ in range(2):
                self.step(tree, "begin")
            measured.append(self.current(tree)["hz"] // MHZ)
            tree.add_row(received=RATES[measured[-1]])
            tree.boot()
            self.step(tree, "begin")
            for repeat in (2, 3):
                tree.add_row(received=RATES[measured[-1]], repeat=repeat)
            for _ in range(2):
                self.step(tree, "advance")
            if tree.state()["phase"] == "finished":
                break
            tree.boot()
        self.assertEqual(measured, [20, 12, 16, 14, 13, 12, 13, 20])

    def test_a_write_lost_in_a_power_cut_is_repeated(self):
        tree = self.make()
        self.measure_point(tree)
        tree.overlay_path.write_bytes(tree.original)
        tree.boot()
        self.step(tree, "begin")
        self.assertIn("setting it again", tree.said)
        self.step(tree, "advance")
        tree.boot()
        self.assertEqual(self.measure_point(tree), 12)

    def test_a_state_lost_after_the_overlay_was_set_is_decided_again(self):
        tree = self.make()
        self.step(tree, "begin")
        before = tree.path("var/lib/t1s-sweep/state.json").read_text("utf-8")
        for repeat in (1, 2, 3):
            tree.add_row(received=9.5, repeat=repeat)
        self.step(tree, "advance")
        self.assertEqual(tree.overlay_hz(), 12 * MHZ)
        tree.write("var/lib/t1s-sweep/state.json", "")
        tree.write("var/lib/t1s-sweep/state.json.previous", before)
        self.step(tree, "advance")
        self.assertEqual(tree.overlay_hz(), 12 * MHZ)
        tree.boot()
        self.assertEqual(self.measure_point(tree), 12)

    def test_a_state_with_points_that_are_no_candidates_is_refused(self):
        tree = self.make()
        self.measure_point(tree)
        state = tree.state()
        state["plan"]["points"][1]["hz"] = 11500000
        state["expected_hz"] = 11500000
        for name in ("state.json", "state.json.previous"):
            tree.write(f"var/lib/t1s-sweep/{name}", json.dumps(state))
        tree.boot()
        self.step(tree, "begin", expected=1)
        self.assertIn("candidates", tree.said)
        self.assertEqual(tree.run("restore"), 0, tree.said)
        self.assertEqual(tree.overlay_bytes(), tree.original)

    def test_restore_ends_a_search(self):
        tree = self.make()
        self.measure_point(tree)
        tree.boot()
        self.step(tree, "restore")
        self.assertEqual(tree.overlay_bytes(), tree.original)
        self.assertFalse(tree.armed())

    def test_skip_equal_clock_measures_the_highest_request_of_each_clock(self):
        tree = self.make("SkipEqualClock=yes\nPoints=20M 19M 18M 17M 16M\nCollapseBelow=0\n"
                         "ClosingBaseline=no\n")
        self.assertEqual(tree.run("plan"), 0)
        self.assertIn("Left out, as another point has the same SCLK: 18.000 MHz.", tree.out)
        self.assertEqual(tree.run("--json", "plan"), 0)
        self.assertEqual(json.loads(tree.out)["left_out"], [
            {"spi_requested_hz": 18 * MHZ, "sclk_predicted_hz": 500 * MHZ // 28}])
        measured = []
        while not measured or tree.state()["phase"] != "restoring":
            measured.append(self.measure_point(tree, scatter=(0,)))
            tree.boot()
        self.step(tree, "begin")
        self.assertEqual(measured, [20, 19, 17, 16])
        self.assert_put_back(tree)

    def test_skip_equal_clock_leaves_nothing_out_where_no_clock_is_known(self):
        tree = self.make("SkipEqualClock=yes\nPoints=19M 18M\n")
        tree.write("proc/device-tree/compatible", "vendor,board\0")
        self.step(tree, "begin")
        self.assertEqual([point["hz"] // MHZ for point in tree.state()["plan"]["points"]],
                         [20, 19, 18, 20])
        self.assertEqual(tree.run("plan"), 0)
        self.assertNotIn("Left out", tree.out)


if __name__ == "__main__":
    unittest.main()
