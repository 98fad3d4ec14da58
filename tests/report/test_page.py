#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report as a page, opened in a headless Chromium: no message on the console, no request
to anybody, readable on a phone, in the dark and on paper.
Usage: test_page.py PROGRAM DATA [FOLDER FOR SCREENSHOTS]"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
SHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
REFERENCE = DATA / "samples/be-iis-t1s-spi-sweep.csv"
PHONE = 360
SHEET = 688  # A4 less its margins

HOSTILE = "</title><script>console.log('x')</script><img src=http://192.0.2.1/x.png onerror=alert(1)>"


def page(folder, name, files, *options):
    path = folder / name
    subprocess.run([PROGRAM, f"--config={folder}/none.conf", "report", "--format=html",
                    f"--output={path}", *options, *map(str, files)], check=True)
    return path


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="t1s-page-")
        cls.folder = pathlib.Path(cls.kept.name)
        (cls.folder / "none.conf").write_text("[DeviceTree]\nSpiClock=200M\n")
        cls.browser = browser.Browser(browser.find()).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.kept.cleanup()

    def tearDown(self):
        self.browser.view(1200, 900)

    def open(self, path):
        return self.browser.open(path.as_uri())

    def shot(self, name):
        if SHOTS:
            self.browser.shot(SHOTS / f"{name}.png")

    def assert_quiet(self, path):
        events = self.open(path)
        self.assertEqual(browser.requests(events), [path.as_uri()])
        self.assertEqual(browser.complaints(events), [])

    def assert_fits(self):
        width = self.browser.evaluate("document.documentElement.scrollWidth")
        self.assertLessEqual(width, self.browser.evaluate("innerWidth"))

    def shown_plots(self):
        return self.browser.evaluate(
            "[...document.querySelectorAll('svg.plot')]"
            ".filter(s => s.getBoundingClientRect().width > 0)"
            ".map(s => s.getAttribute('class'))")

    def test_a_page_that_does_ask_and_complain_is_found_out(self):
        path = self.folder / "bad.html"
        path.write_text("<script>console.error('x')</script><img src='http://127.0.0.1:9/x.png'>")
        events = self.open(path)
        self.assertIn("http://127.0.0.1:9/x.png", browser.requests(events))
        self.assertTrue(browser.complaints(events))

    def test_reference_sweep_opens_without_a_word_or_a_request(self):
        path = page(self.folder, "reference.html", [REFERENCE], "--controller=snps,dw-apb-ssi")
        self.assert_quiet(path)
        self.assertEqual(self.shown_plots(), ["plot wide"])
        self.assert_fits()
        self.shot("light")

    def test_summary_has_two_sentences_and_the_answer(self):
        self.open(page(self.folder, "summary.html", [REFERENCE]))
        text = self.browser.evaluate("document.querySelector('.short').innerText")
        self.assertEqual(text.count(". ") + 1, 2, text)
        self.assertIn("13 MHz", text)
        self.assertIn("1.54", text)

    def test_plot_table_conditions_and_limits_are_there(self):
        self.open(page(self.folder, "parts.html", [REFERENCE]))
        text = self.browser.evaluate("document.body.innerText")
        for part in ("What was found", "Measured with", "Limits of what was tested",
                     "Requested SPI frequency (MHz)", "Received (Mbit/s)", "Loss (%)",
                     "wire limit 9.5389 Mbit/s", "two groups", "one clock"):
            self.assertIn(part, text)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('tbody tr').length"), 16)

    def test_phone_gets_a_plot_of_its_own_and_nothing_sticks_out(self):
        self.browser.view(PHONE, 844)
        self.open(page(self.folder, "phone.html", [REFERENCE], "--controller=snps,dw-apb-ssi"))
        self.assertEqual(self.shown_plots(), ["plot narrow"])
        self.assert_fits()
        smallest = self.browser.evaluate(
            "Math.min(...[...document.querySelectorAll('svg.narrow text')]"
            ".filter(t => t.textContent.trim() && !t.parentNode.getAttribute('transform')"
            ".includes('rotate')).map(t => t.getBoundingClientRect().height))")
        self.assertGreaterEqual(smallest, 9)
        self.shot("phone")

    def test_dark_page_is_dark_and_its_plot_is_light_on_it(self):
        self.browser.view(1200, 900, "dark")
        self.open(page(self.folder, "dark.html", [REFERENCE], "--controller=snps,dw-apb-ssi"))
        colours = self.browser.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " ...[...document.querySelectorAll('svg.wide text')].map("
            "t => getComputedStyle(t).fill)]")
        levels = [sum(map(int, c[4:-1].split(","))) for c in colours]
        self.assertLess(levels[0], 150)
        self.assertGreater(min(levels[1:]), 400)
        self.shot("dark")

    def test_paper_gets_the_wide_plot_also_from_a_phone_in_the_dark(self):
        self.browser.view(PHONE, 844, "dark", "print")
        self.open(page(self.folder, "print.html", [REFERENCE]))
        self.assertEqual(self.shown_plots(), ["plot wide"])
        self.assertEqual(
            self.browser.evaluate("getComputedStyle(document.body).backgroundColor"),
            "rgb(255, 255, 255)")
        self.shot("print")

    def test_table_fits_a_sheet_of_paper(self):
        self.browser.view(SHEET, 1000, media="print")
        self.open(page(self.folder, "sheet.html", [REFERENCE], "--controller=snps,dw-apb-ssi"))
        self.assertLessEqual(*self.browser.evaluate(
            "(t => [t.scrollWidth, t.clientWidth])(document.querySelector('.scroll'))"))

    def test_several_sweeps_are_laid_over_each_other_with_their_names(self):
        second = self.folder / "after-the-fix.csv"
        second.write_bytes(REFERENCE.read_bytes().replace(b"8.722153", b"9.538153"))
        path = page(self.folder, "two.html", [REFERENCE, second])
        self.assert_quiet(path)
        self.assertEqual(self.shown_plots(), ["plot wide"])
        text = self.browser.evaluate("document.querySelector('svg.wide').textContent")
        self.assertIn("be-iis-t1s-spi-sweep.csv", text)
        self.assertIn("after-the-fix.csv", text)
        self.shot("two")

    def test_hostile_names_are_nothing_but_text(self):
        path = self.folder / "hostile.csv"
        lines = REFERENCE.read_text().splitlines()
        rows = [line.replace("BE-IIS-HPP-T1S-I", f'"{HOSTILE}"') + f',"{HOSTILE[-60:]}"'
                for line in lines[1:]]
        path.write_text("\n".join([lines[0] + ",kernel", *rows]) + "\n")
        result = page(self.folder, "hostile.html", [path])
        self.assert_quiet(result)
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 0)
        self.assertEqual(self.browser.evaluate("document.images.length"), 0)
        self.assertIn("<script>", self.browser.evaluate("document.querySelector('h1').innerText"))

    def test_page_without_gnuplot_has_all_but_the_plot_and_says_why(self):
        path = self.folder / "noplot.html"
        subprocess.run([os.path.abspath(PROGRAM), f"--config={self.folder}/none.conf", "report",
                        "--format=html", f"--output={path}", str(REFERENCE)],
                       check=True, env={"PATH": str(self.folder)})
        self.assert_quiet(path)
        text = self.browser.evaluate("document.body.innerText")
        self.assertIn("gnuplot is not installed", text)
        self.assertIn("Limits of what was tested", text)


if __name__ == "__main__":
    if not browser.find():
        print("skipped: no Chromium is installed")
        sys.exit(77)
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
