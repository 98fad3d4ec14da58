# SPDX-License-Identifier: MIT
"""Where a sweep stands: once, again and again, on a terminal and in a pipe."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from tree import Tree

SWEEP = "Points=20M 15M 10M\nCollapseBelow=0\nClosingBaseline=no\n"
PATIENCE_S = 60
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """A terminal of a given size with the program on it."""

    def __init__(self, command, columns=100, lines=40, **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
        variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
            env={**variables, "TERM": "xterm", **environment})
        os.close(slave)
        self.text = ""

    def read_until(self, pattern):
        """Reads until a pattern is there; None: until the end."""
        deadline = time.monotonic() + PATIENCE_S
        while pattern is None or not re.search(pattern, self.text):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError(f"no {pattern} in {self.text!r}")
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            self.text += piece.decode()
        return self.text

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        os.close(self.master)


class StatusTest(unittest.TestCase):
    def make(self, configuration=SWEEP):
        tree = Tree(configuration)
        self.addCleanup(tree.remove)
        return tree

    def at_second_point(self, received=9.5):
        tree = self.make()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        tree.add_row(received=received)
        self.assertEqual(tree.run("advance"), 0, tree.said)
        tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        return tree

    def json(self, tree):
        self.assertEqual(tree.run("--json", "status"), 0, tree.said)
        return json.loads(tree.out)

    def on_terminal(self, tree, **options):
        terminal = Terminal(tree.command("status"), **options)
        self.addCleanup(terminal.close)
        return terminal.read_until(None).replace("\r\n", "\n")

    def watch(self, tree, *options):
        process = subprocess.Popen(
            tree.command("status", "--watch=200ms", *options), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_without_a_sweep_nothing_is_known(self):
        status = self.json(self.make())
        self.assertEqual(status.pop("results"), [])
        service = status.pop("service")
        self.assertEqual(service.pop("enabled"), "enabled")
        self.assertEqual(set(status.values()) | set(service.values()), {None})

    def test_it_tells_point_next_frequency_and_what_was_measured(self):
        status = self.json(self.at_second_point())
        self.assertEqual(
            [status[key] for key in ("phase", "point", "points", "pass", "point_hz",
                                     "expected_hz", "live_hz", "next_hz", "boots")],
            ["measuring", 2, 3, 1, 15000000, 15000000, 15000000, 10000000, 2])
        self.assertEqual(status["results"], [
            {"point": 1, "spi_requested_hz": 20000000, "runs": 1, "status": "OK",
             "received_mbit_s": 9.5, "lost_percent": 1.5}])
        self.assertIsNotNone(status["eta"])

    def test_after_the_last_point_the_original_comes_next(self):
        tree = self.at_second_point()
        tree.add_row()
        self.assertEqual(tree.run("advance"), 0)
        tree.boot()
        self.assertEqual(tree.run("begin"), 0)
        self.assertEqual(self.json(tree)["next_hz"], 20000000)
        tree.add_row()
        self.assertEqual(tree.run("advance"), 0)
        status = self.json(tree)
        self.assertEqual((status["phase"], status["next_hz"]), ("restoring", 20000000))
        tree.boot()
        self.assertEqual(tree.run("begin"), 0)
        status = self.json(tree)
        self.assertEqual((status["phase"], status["next_hz"], status["eta"]),
                         ("finished", None, None))
        self.assertIsNone(status["service"]["doing"])

    def test_of_several_runs_the_median_is_told_and_the_last_status(self):
        tree = self.at_second_point()
        for received in (8, 6, 7):
            tree.add_row(received=received)
        tree.add_row(status="FAILED", received="")
        last = self.json(tree)["results"][-1]
        self.assertEqual((last["runs"], last["received_mbit_s"], last["status"]),
                         (4, 7, "FAILED"))

    def test_a_disabled_service_is_told_with_what_to_do(self):
        tree = self.at_second_point()
        tree.write("usr/lib/systemd/system/t1s-sweep.service", "[Service]\n")
        tree.path("etc/systemd/system/multi-user.target.wants/t1s-sweep.service").unlink()
        self.assertIn("systemctl enable --now", self.json(tree)["service"]["doing"])

    def test_a_stop_switch_is_told(self):
        tree = self.at_second_point()
        tree.write("boot/firmware/t1s-sweep.stop", "")
        self.assertIn("t1s-sweep.stop is there", self.json(tree)["service"]["doing"])

    def test_without_a_readable_configuration_all_else_is_told(self):
        tree = self.at_second_point()
        tree.write("etc/t1s-sweep/t1s-sweep.conf", "[Nonsense]\nNo=1\n")
        status = self.json(tree)
        self.assertEqual((status["point"], status["eta"]), (2, None))

    def test_a_pipe_gets_no_colours_and_no_wrapping(self):
        tree = self.at_second_point()
        tree.environment = {"TERM": "xterm"}
        tree.stop_note("because " * 30)
        self.assertEqual(tree.run("advance"), 0)
        self.assertEqual(tree.run("status"), 0)
        self.assertNotIn("\x1b", tree.out)
        self.assertIn("phase      restoring: " + ("because " * 30).strip(), tree.out)

    def test_a_terminal_gets_colours_unless_they_are_not_wanted(self):
        tree = self.at_second_point()
        self.assertIn("\x1b[32m", self.on_terminal(tree))
        for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.on_terminal(tree, **unwanted))

    def test_a_low_rate_has_another_colour_than_a_full_one(self):
        tree = self.at_second_point()
        tree.add_row(received=1)
        said = self.on_terminal(tree)
        self.assertIn("\x1b[31m", said)

    def test_no_line_is_longer_than_the_terminal(self):
        tree = self.at_second_point()
        tree.stop_note("the addresses route over another interface " * 8)
        self.assertEqual(tree.run("advance"), 0)
        for columns in (60, 80, 200):
            said = ESCAPE.sub("", self.on_terminal(tree, columns=columns))
            # a path is to be copied, and stays whole
            lines = [line for line in said.splitlines() if not line.startswith("results")]
            self.assertLess(max(map(len, lines)), columns, said)

    def test_a_low_terminal_shows_the_points_measured_last(self):
        tree = self.make(f"Points={' '.join(f'{mhz}M' for mhz in range(20, 8, -1))}\n"
                         "CollapseBelow=0\nClosingBaseline=no\n")
        for _ in range(12):
            self.assertEqual(tree.run("begin"), 0)
            tree.add_row()
            self.assertEqual(tree.run("advance"), 0)
            tree.boot()
        rows = re.findall(r"^ *(\d+)\.000 +9\.500",
                          ESCAPE.sub("", self.on_terminal(tree, lines=22)), re.M)
        self.assertEqual(rows, ["12", "11", "10", "9"])

    def test_a_watch_ends_cleanly_by_ctrl_c(self):
        tree = self.at_second_point()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.watch(tree)
            self.assertIn("sweep", process.stdout.readline())
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_a_watch_on_a_terminal_replaces_what_it_showed(self):
        tree = self.at_second_point()
        terminal = Terminal(tree.command("status", "--watch=200ms"))
        self.addCleanup(terminal.close)
        text = terminal.read_until(r"(?s)boots.*boots.*boots")
        self.assertGreaterEqual(text.count("\x1b[H"), 3)

    def test_a_watch_in_a_pipe_writes_what_changes_and_ends_with_the_sweep(self):
        tree = self.at_second_point()
        process = self.watch(tree)
        text = process.stdout.readline()
        while "results" not in text:
            text += process.stdout.readline()
        self.assertEqual(tree.run("restore"), 0)
        text += process.stdout.read()
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.assertIn("phase      stopped: ended by hand", text)

    def test_a_watch_whose_reader_goes_away_ends(self):
        tree = self.at_second_point()
        process = self.watch(tree, "--json")
        process.stdout.readline()
        process.stdout.close()
        tree.add_row()
        self.assertNotEqual(process.wait(PATIENCE_S), 0)

    def test_a_time_that_is_none_is_refused(self):
        tree = self.make()
        for text in ("0", "1ms", "2h", "soon"):
            self.assertEqual(tree.run("status", f"--watch={text}"), 2, text)
        self.assertEqual(tree.run("plan", "--watch"), 2)


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit(77)
    unittest.main()
