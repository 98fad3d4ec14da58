#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verb report as a shell sees it: formats, outputs, several files.
Usage: test_command.py PROGRAM DATA"""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
REFERENCE = str(DATA / "samples/be-iis-t1s-spi-sweep.csv")
HAS_GNUPLOT = shutil.which("gnuplot") is not None


class Command(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="t1s-command-")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "none.conf").write_text("")

    def run_it(self, *arguments, expect=0, **more):
        result = subprocess.run(
            [PROGRAM, f"--config={self.folder}/none.conf", *arguments],
            capture_output=True, check=False, **more)
        self.assertEqual(result.returncode, expect, result.stderr.decode())
        return result

    def report(self, *arguments, **more):
        return self.run_it("report", *arguments, **more).stdout

    def test_json_by_either_option_is_the_same(self):
        one = self.run_it("--json", "report", REFERENCE).stdout
        self.assertEqual(one, self.report("--format=json", REFERENCE))
        self.assertEqual(json.loads(one)["summary"]["lowest_full_hz"], 13000000)

    def test_several_files_are_an_array_of_what_each_is_alone(self):
        alone = json.loads(self.report("--format=json", REFERENCE))
        both = json.loads(self.report("--format=json", REFERENCE, REFERENCE))
        self.assertEqual(both, {"reports": [alone, alone]})

    def test_several_files_stand_beside_each_other_in_text_and_markdown(self):
        text = self.report(REFERENCE, REFERENCE).decode()
        self.assertIn("\n 13.000    9.539    9.539\n", text)
        self.assertIn("A: be-iis-t1s-spi-sweep.csv (1)", text)
        text = self.report("--format=markdown", REFERENCE, REFERENCE).decode()
        self.assertIn("| 13.000 | 9.539 | 9.539 |", text)

    def board(self, host, share):
        """The reference as another board would have measured it."""
        lines = pathlib.Path(REFERENCE).read_text().splitlines()
        rows = [line.split(",") for line in lines[1:]]
        for row in rows:
            row[2] = host
            row[7] = f"{float(row[7]) * share:.6f}" if float(row[4]) < 15e6 else row[7]
        path = self.folder / f"{host}.csv"
        path.write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
        return path

    def test_boards_stand_side_by_side_by_their_names_with_what_they_came_to(self):
        files = [self.board("pi-a", 1), self.board("pi-b", 0.5)]
        text = self.report(*files).decode()
        self.assertIn("\n   full   13.000   15.000\n margin     1.54     1.33\n", text)
        self.assertIn("\nB: pi-b, pi-b.csv\n", text)
        self.assertIn("| **Margin** | 1.54 | 1.33 |",
                      self.report("--format=markdown", *files).decode())
        page = self.report("--format=html", *files).decode()
        self.assertRegex(page, r'<th[^>]*>Margin</th><td class="n">1.54</td>'
                               r'<td class="n">1.33</td>')
        both = json.loads(self.report("--format=json", *files))["reports"]
        self.assertEqual([report["receiver_host"] for report in both], ["pi-a", "pi-b"])

    def test_one_of_several_workloads_can_be_chosen(self):
        lines = pathlib.Path(REFERENCE).read_text().splitlines()
        both = self.folder / "both.csv"
        both.write_text("\n".join([lines[0] + ",workload"] + [
            f"{line},{name}" for name in ("bulk", "small") for line in lines[1:]]) + "\n")
        every = json.loads(self.report("--format=json", both))
        self.assertEqual(len(every["workloads"]), 2)
        one = json.loads(self.report("--format=json", "--workload=small", both))
        self.assertEqual(one, every["workloads"][1])
        said = self.run_it("report", "--workload=none", both, expect=1).stderr.decode()
        self.assertIn("which hold: bulk, small", said)

    def test_marks_of_the_reference_sweep(self):
        points = json.loads(self.report("--format=json", REFERENCE))["points"]
        marks = {p["spi_requested_hz"] // 1000000: p["marks"] for p in points}
        for mhz, found in marks.items():
            expected = (["two groups"] if 16 <= mhz <= 19 else
                        ["one clock"] if mhz in (10, 11) else [])
            self.assertEqual(found, expected, mhz)

    def test_markdown_rows_have_as_many_cells_as_the_head(self):
        hostile = self.folder / "hostile.csv"
        hostile.write_text(pathlib.Path(REFERENCE).read_text().replace(
            "BE-IIS-HPP-T1S-I", "a|b*c<d>`e`"))
        text = self.report("--format=markdown", str(hostile)).decode()
        self.assertIn(r"a\|b\*c\<d\>\`e\`", text)
        table = [line.replace(r"\|", "").count("|") for line in text.splitlines()
                 if line.startswith("| ")]
        self.assertEqual(set(table[:18]), {table[0]})

    def test_unknown_format_and_a_contradiction_are_usage_errors(self):
        said = self.run_it("report", "--format=pdf", REFERENCE, expect=2).stderr.decode()
        self.assertIn("expected text, json, markdown, html, openmetrics, junit, lava, svg or "
                      "png", said)
        self.run_it("--json", "report", "--format=html", REFERENCE, expect=2)
        self.run_it("status", "--format=html", expect=2)
        self.run_it("plan", "--output=x", expect=2)

    def test_output_replaces_a_file_as_a_whole(self):
        path = self.folder / "report.md"
        path.write_text("old " * 100000)
        self.assertEqual(self.report("--format=markdown", f"--output={path}", REFERENCE), b"")
        self.assertEqual(path.read_bytes(), self.report("--format=markdown", REFERENCE))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["none.conf", "report.md"])

    def test_output_that_fails_leaves_the_old_file(self):
        path = self.folder / "report.svg"
        path.write_text("old")
        self.run_it("report", "--format=svg", f"--output={path}", REFERENCE, expect=1,
                    env={"PATH": str(self.folder)})
        self.assertEqual(path.read_text(), "old")

    def test_output_into_a_device_leaves_it_a_device(self):
        self.report("--output=/dev/null", REFERENCE)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        said = self.run_it("report", "--output=/dev/full", REFERENCE, expect=1).stderr.decode()
        self.assertIn("cannot write /dev/full: No space left on device", said)

    def test_output_through_a_link_leaves_the_link(self):
        path, link = self.folder / "report.txt", self.folder / "link"
        path.write_text("")
        link.symlink_to(path)
        self.report(f"--output={link}", REFERENCE)
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.read_bytes(), self.report(REFERENCE))

    def test_missing_gnuplot_is_told_with_its_package(self):
        for form in ("svg", "png"):
            said = self.run_it("report", f"--format={form}", REFERENCE, expect=1,
                               env={"PATH": str(self.folder)}).stderr.decode()
            self.assertIn("gnuplot is not installed (apt install gnuplot-nox)", said)

    @unittest.skipUnless(HAS_GNUPLOT, "no gnuplot")
    def test_svg_is_one_and_names_axes_regions_and_lines(self):
        root = xml.etree.ElementTree.fromstring(self.report("--format=svg", REFERENCE))
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        text = " ".join(root.itertext())
        for part in ("Requested SPI frequency (MHz)", "Received (Mbit/s)", "Loss (%)", "full",
                     "limited", "severe", "collapsed", "wire limit 9.5389 Mbit/s", "SCLK",
                     "one clock?", "one of two groups: repeat"):
            self.assertIn(part, text)

    @unittest.skipUnless(HAS_GNUPLOT, "no gnuplot")
    def test_predicted_clock_adds_its_groups_and_the_ceiling(self):
        (self.folder / "none.conf").write_text("[DeviceTree]\nSpiClock=200M\n")
        text = self.report("--format=svg", "--controller=snps,dw-apb-ssi", REFERENCE).decode()
        for part in ("16.67", "14.29", "SPI ceiling (predicted SCLK)"):
            self.assertIn(part, text)

    @unittest.skipUnless(HAS_GNUPLOT, "no gnuplot")
    def test_png_is_one(self):
        data = self.report("--format=png", REFERENCE)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreaterEqual(int.from_bytes(data[16:20], "big"), 1600)

    @unittest.skipUnless(HAS_GNUPLOT, "no gnuplot")
    def test_startup_files_and_names_of_files_command_nothing(self):
        made = self.folder / "made"
        (self.folder / ".gnuplot").write_text(f"system('touch {made}')\n")
        evil = self.folder / f"x'; system('touch made'); `touch made` \"@a\\n.csv"
        shutil.copy(REFERENCE, evil)
        text = self.report("--format=svg", str(evil), REFERENCE, cwd=self.folder,
                           env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}).decode()
        self.assertFalse(made.exists())
        self.assertIn("x?? system(?touch made?)? ?touch made? ??a?n.csv", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
