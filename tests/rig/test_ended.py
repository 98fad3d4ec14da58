# SPDX-License-Identifier: MIT
"""The morning after: the answer in the journal, reports beside the results, word sent."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from scenario import Scenario

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs/examples"
FINISHED = "d7722e88ab21450ba91f7418c94696d8"
HOOK_UNIT = "t1s-sweep-ended-webhook.service"
PORT = 8080

# Takes one request after the other and keeps each body as a line.
SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1], "ab") as file:
            file.write(body.replace(b"\\n", b" ") + b"\\n")
        self.send_response(204)
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.HTTPServer((sys.argv[2], int(sys.argv[3])), Handler).serve_forever()
"""

# Before the rig ends a boot the hook must have had its turn, bounded.
WAIT_FOR_HOOK = f"""[Service]
ExecStartPre=/bin/sh -c 'for i in $(seq 300); do \
case $(systemctl show -P ActiveState {HOOK_UNIT}):$(systemctl show \
-P InactiveExitTimestampMonotonic {HOOK_UNIT}) in *:0|activating:*) sleep 0.2;; *) break;; \
esac; done'
"""


class EndedTest(Scenario):
    def answer(self):
        entry, = self.rig.journal(f"MESSAGE_ID={FINISHED}")
        return entry

    def folder(self):
        return self.rig.results_files()[0].parent

    def assert_reports(self, names):
        """Written by the measuring user, whole, and about all that was measured."""
        folder = self.folder()
        self.assertEqual(sorted(path.name for path in folder.glob("report.*")), names,
                         self.said())
        owner = self.rig.results_files()[0].stat().st_uid
        for name in names:
            self.assertEqual((folder / name).stat().st_uid, owner)
        report = json.loads((folder / "report.json").read_text("utf-8"))
        self.assertEqual(len(report["points"]), len(set(self.points_hz())))
        self.assertEqual(report["rows"], len(self.rig.rows()))
        self.assertIn("Lowest request with full throughput",
                      (folder / "report.txt").read_text("utf-8"))
        return report

    def test_one_line_has_the_answer_and_the_reports_lie_beside_the_results(self):
        rig = self.make_rig({"Sweep": {"Points": "20M 8M 7M"}})
        rig.sweep()
        self.assert_over("finished")
        entry = self.answer()
        self.assertIn("full throughput down to 20.000 MHz, a margin of 1.00", entry["MESSAGE"])
        self.assertEqual(entry["T1S_LOWEST_FULL_HZ"], "20000000")
        self.assertEqual(entry["T1S_MARGIN"], "1.000")
        self.assertAlmostEqual(float(entry["T1S_WIRE_LIMIT_MBIT_S"]), 9.5389, 3)
        self.assertAlmostEqual(float(entry["T1S_BEST_MBIT_S"]),
                               float(rig.rows()[0]["received_mbit_s"]), 5)
        self.assert_reports(["report.html", "report.json", "report.txt"])
        page = (self.folder() / "report.html").read_text("utf-8")
        if shutil.which("gnuplot"):
            self.assertIn("<svg", page)

    def test_without_gnuplot_the_page_is_there_and_nothing_fails(self):
        rig = self.make_rig({"Sweep": {"Points": "20M 8M", "ClosingBaseline": "yes"}})
        rig.guest.add_drop_in("t1s-sweep.service", "no-gnuplot",
                              "[Service]\nInaccessiblePaths=-/usr/bin/gnuplot "
                              "-/usr/bin/gnuplot-nox -/usr/bin/gnuplot-qt\n")
        rig.sweep()
        self.assert_over("finished")
        self.assert_reports(["report.html", "report.json", "report.txt"])
        self.assertIn("no plot", (self.folder() / "report.html").read_text("utf-8"))

    @unittest.skipUnless(shutil.which("curl"), "needs curl")
    def test_the_example_posts_the_report_once_at_the_end(self):
        rig = self.make_rig({"Sweep": {"Points": "20M 8M"}})
        bodies = rig.folder / "posted"
        server = subprocess.Popen(
            rig.netspaces.inside("sender", sys.executable, "-c", SERVER, bodies,
                                 "192.0.2.130", PORT), stdin=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        units = rig.guest.root / "etc/systemd/system"
        shutil.copy(EXAMPLES / HOOK_UNIT, units)
        rig.guest.add_drop_in(HOOK_UNIT, "here", "[Service]\n"
                              f"Environment=HOOK=http://192.0.2.130:{PORT}/\n")
        rig.guest.add_drop_in(
            "t1s-sweep.service", "notify",
            (EXAMPLES / "notify.conf").read_text("utf-8").replace("-mail.", "-webhook."))
        rig.guest.add_drop_in("rig-end.service", "hook", WAIT_FOR_HOOK)
        rig.sweep()
        self.assert_over("finished")
        posted = bodies.read_text("utf-8").splitlines() if os.path.exists(bodies) else []
        self.assertEqual(len(posted), 1, self.said())
        self.assertEqual(json.loads(posted[0]), self.assert_reports(
            ["report.html", "report.json", "report.txt"]))


if __name__ == "__main__":
    sys.exit(unittest.main())
