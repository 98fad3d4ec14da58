#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report for programs that watch and test: what each of them accepts.
Usage: test_machines.py PROGRAM DATA"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import prometheus_client.openmetrics.parser
    import prometheus_client.parser
except ImportError:
    prometheus_client = None

PROGRAM, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
REFERENCE = DATA / "samples/be-iis-t1s-spi-sweep.csv"
POINTS = 16
SIGNAL = re.compile(r"<LAVA_SIGNAL_(\S+) ([^>]+)>|<LAVA_SIGNAL_TESTSET STOP>")


class Machines(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="t1s machines ")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "none.conf").write_text("")

    def report(self, form, *files):
        return subprocess.run(
            [PROGRAM, f"--config={self.folder}/none.conf", "report", f"--format={form}",
             *map(str, files)], capture_output=True, check=True).stdout.decode()

    def spoiled(self, old, new):
        """A copy of the reference with something else in it."""
        path = self.folder / "spoiled.csv"
        path.write_text(REFERENCE.read_text("utf-8").replace(old, new), "utf-8")
        return path

    def slow_original(self):
        """A sweep whose original setting, the first row, is far from full."""
        lines = REFERENCE.read_text("utf-8").splitlines(keepends=True)
        cells = lines[1].split(",")
        cells[7] = "1.5"
        path = self.folder / "slow.csv"
        path.write_text("".join([lines[0], ",".join(cells), *lines[2:]]), "utf-8")
        return path


class OpenMetrics(Machines):
    def families(self, text):
        """A strict reading by this test's own rules; {family: [(labels, value)]}."""
        self.assertTrue(text.endswith("\n# EOF\n"))
        found, seen, last = {}, set(), None
        for line in text.splitlines()[:-1]:
            comment = re.fullmatch(r"# (HELP|TYPE|UNIT) ([a-z0-9_]+) (.+)", line)
            if comment:
                kind, name, value = comment.groups()
                self.assertNotIn((kind, name), seen)
                seen.add((kind, name))
                if kind == "HELP":
                    found[name], last = [], name
                self.assertEqual(name, last, "families are not interleaved")
                self.assertFalse(found[name], "comments stand before the samples")
                if kind == "TYPE":
                    self.assertEqual(value, "gauge")
                if kind == "UNIT":
                    self.assertTrue(name.endswith("_" + value))
                continue
            sample = re.fullmatch(r"([a-z0-9_]+)\{((?:[a-z_]+=\"(?:[^\"\\]|\\.)*\",?)*)\} (\S+)",
                                  line)
            self.assertTrue(sample, line)
            self.assertEqual(sample[1], last)
            self.assertIn(("TYPE", last), seen)
            self.assertTrue(math.isfinite(float(sample[3])))
            found[last].append((sample[2], float(sample[3])))
        for name, samples in found.items():
            self.assertEqual(len({labels for labels, _ in samples}), len(samples), name)
        return found

    def test_it_holds_the_answer_in_base_units(self):
        found = self.families(self.report("openmetrics", REFERENCE))
        self.assertEqual(found["t1s_sweep_lowest_full_hertz"][0][1], 13e6)
        self.assertAlmostEqual(found["t1s_sweep_margin_ratio"][0][1], 20 / 13)
        self.assertAlmostEqual(found["t1s_sweep_best_bytes_per_second"][0][1], 9.538953e6 / 8)
        self.assertEqual(len(found["t1s_sweep_point_received_bytes_per_second"]), POINTS)
        verdicts = [re.search('verdict="([a-z]+)"', labels)[1]
                    for labels, _ in found["t1s_sweep_point_verdict"]]
        self.assertEqual((verdicts.count("full"), verdicts.count("collapsed")), (8, 3))

    def test_series_of_several_files_do_not_collide(self):
        found = self.families(self.report("openmetrics", REFERENCE, REFERENCE))
        self.assertEqual(len(found["t1s_sweep_lowest_full_hertz"]), 2)

    def test_names_of_files_cannot_end_a_label(self):
        path = self.folder / 'a"b\\c{}.csv'
        shutil.copy(REFERENCE, path)
        found = self.families(self.report("openmetrics", path))
        self.assertIn(r'a\"b\\c{}', found["t1s_sweep_rows"][0][0])

    @unittest.skipUnless(prometheus_client, "needs python3-prometheus-client")
    def test_both_parsers_of_prometheus_client_read_it(self):
        text = self.report("openmetrics", REFERENCE, REFERENCE)
        strict = {family.name: family for family in
                  prometheus_client.openmetrics.parser.text_string_to_metric_families(text)}
        self.assertEqual(strict["t1s_sweep_lowest_full_hertz"].unit, "hertz")
        older = {family.name: family for family in
                 prometheus_client.parser.text_string_to_metric_families(text)}
        self.assertEqual(set(strict), set(older))
        for name, family in strict.items():
            self.assertEqual(len(family.samples), len(older[name].samples), name)
            self.assertEqual(family.type, "gauge")

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_promtool_has_nothing_to_say(self):
        done = subprocess.run(
            ["promtool", "check", "metrics"], capture_output=True, check=False, text=True,
            input=self.report("openmetrics", REFERENCE))
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


class JUnit(Machines):
    # element: (attributes that must be there, that may be, elements inside in this order)
    SHAPE = {
        "testsuites": ({"name", "tests", "failures", "errors"}, set(), ["testsuite"]),
        "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, set(),
                      ["properties", "testcase"]),
        "properties": (set(), set(), ["property"]),
        "property": ({"name", "value"}, set(), []),
        "testcase": ({"classname", "name"}, set(),
                     ["skipped", "error", "failure", "system-out"]),
        "skipped": ({"message"}, set(), []),
        "error": ({"message"}, set(), []),
        "failure": ({"message"}, set(), []),
        "system-out": (set(), set(), []),
    }

    def assert_shape(self, element):
        must, may, inside = self.SHAPE[element.tag]
        self.assertTrue(must <= set(element.attrib) <= must | may, element.attrib)
        tags = [child.tag for child in element]
        self.assertEqual(tags, sorted(tags, key=inside.index))
        for child in element:
            self.assert_shape(child)

    def read(self, *files):
        root = xml.etree.ElementTree.fromstring(self.report("junit", *files))
        self.assert_shape(root)
        self.assertEqual(root.tag, "testsuites")
        for suite in root:
            cases = suite.findall("testcase")
            names = [case.get("name") for case in cases]
            self.assertEqual(len(set(names)), len(names))
            for attribute, tag in (("failures", "failure"), ("errors", "error"),
                                   ("skipped", "skipped")):
                self.assertEqual(int(suite.get(attribute)), len(suite.findall(f".//{tag}")))
            self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(int(root.get("tests")), len(root.findall(".//testcase")))
        self.assertEqual(int(root.get("failures")), len(root.findall(".//failure")))
        return root

    def test_what_lies_below_a_good_setting_is_not_asked_for(self):
        root = self.read(REFERENCE)
        self.assertEqual((root.get("tests"), root.get("failures"), root.get("errors")),
                         (str(POINTS + 1), "0", "0"))
        self.assertEqual(root[0].get("skipped"), "8")

    def test_a_setting_that_is_not_full_fails(self):
        root = self.read(self.slow_original())
        failed = [case.get("name") for case in root.findall(".//testcase")
                  if case.find("failure") is not None]
        self.assertEqual(failed, ["full-at-20000000-hz"])

    def test_each_file_is_a_suite_with_a_name_of_its_own(self):
        names = [suite.get("name") for suite in self.read(REFERENCE, REFERENCE)]
        self.assertEqual(len(set(names)), 2)

    def test_text_of_the_file_stays_text(self):
        self.read(self.spoiled("BE-IIS-HPP-T1S-I", "<a href='x'>&\"]]>"))


class Lava(Machines):
    def signals(self, *files):
        found = []
        for line in self.report("lava", *files).splitlines():
            match = SIGNAL.fullmatch(line)
            if not match:
                self.assertNotIn("LAVA_SIGNAL", line)
            elif match[1] == "TESTCASE":
                found.append(dict(pair.split("=", 1) for pair in match[2].split(" ")))
            else:
                found.append(line)
        return found

    def test_each_point_is_a_case_with_its_rate(self):
        cases = self.signals(REFERENCE)
        self.assertEqual(len(cases), POINTS + 1)
        self.assertEqual(cases[1], {
            "TEST_CASE_ID": "full-at-20000000-hz", "RESULT": "pass", "UNITS": "Mbit/s",
            "MEASUREMENT": "9.538953"})
        results = [case["RESULT"] for case in cases]
        self.assertEqual((results.count("pass"), results.count("skip")), (9, 8))

    def test_a_setting_that_is_not_full_fails(self):
        cases = {case["TEST_CASE_ID"]: case for case in self.signals(self.slow_original())}
        self.assertEqual(cases["full-at-20000000-hz"]["RESULT"], "fail")

    def test_several_files_are_sets(self):
        found = self.signals(REFERENCE, REFERENCE)
        sets = [signal for signal in found if isinstance(signal, str)]
        self.assertEqual(len(sets), 4)
        self.assertRegex(sets[0], r"^<LAVA_SIGNAL_TESTSET START [\w.-]+>$")
        self.assertEqual(sets[1], "<LAVA_SIGNAL_TESTSET STOP>")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
