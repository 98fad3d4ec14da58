# SPDX-License-Identifier: MIT
"""The sender's sshd and iperf3 in an attacker's hands: a wrong number on a row at most."""
import json
import os
import re
import unittest

from hostile import HONEST, Attack, HostileTree, PeersTest

MEMORY_MAX_KB = 128 * 1024  # the service has 256M
SANITIZED = "T1S_SANITIZED" in os.environ  # a sanitizer's own memory comes on top
ESCAPES = "\033[2J\033]0;owned\007\r\nJul 14 sshd: fake\x9b31m"
MARKUP = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"
# what a terminal, a journal or a spreadsheet would take for more than text
CONTROL_BYTES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
STATUSES = ("OK", "FAILED", "NO_DATA")


class HostileSenderTest(PeersTest):
    def setUp(self):
        self.attack = Attack(self.peers)
        self.addCleanup(self.attack.stop)
        self.tree = HostileTree(self.peers)
        self.addCleanup(self.tree.remove)
        self.tree.boot()
        self.assertEqual(self.tree.run("begin"), 0, self.tree.said)

    def measure(self, expected=0):
        self.assertEqual(self.tree.measure(), expected, self.tree.said)
        self.assertNotRegex(self.tree.said, CONTROL_BYTES)
        if not SANITIZED:
            self.assertLess(self.tree.peak_kb, MEMORY_MAX_KB)
        names = [self.comm(pid) for pid in self.peers.netspaces.pids("pi")]
        self.assertNotIn("t1s-sweep", names)

    @staticmethod
    def comm(pid):
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                return file.read().strip()
        except OSError:
            return ""

    def assert_row(self, *statuses):
        """One row, whatever is in it, and the sweep goes on: the file can be read by us and
        by others, every report is made, and the next step does its work."""
        self.assertNotRegex(self.tree.results_path().read_text(encoding="utf-8"), CONTROL_BYTES)
        rows = self.tree.rows()
        self.assertEqual(len(rows), 1, self.tree.said)
        self.assertIn(rows[0]["status"], statuses or STATUSES)
        for name in ("text", "html", "markdown", "json"):
            self.assertEqual(self.tree.run("report", f"--format={name}",
                                           self.tree.results_path()), 0, self.tree.said)
            self.assertNotRegex(self.tree.out, CONTROL_BYTES)
            if name == "html":
                self.assertNotIn("<script>alert", self.tree.out)
                self.assertNotIn("<img src=x", self.tree.out)
        json.loads(self.tree.out)
        self.assertEqual(self.tree.run("status"), 0, self.tree.said)
        self.assertNotRegex(self.tree.out, CONTROL_BYTES)
        self.assertEqual(self.tree.run("advance"), 0, self.tree.said)
        self.assertNotRegex(self.tree.said, CONTROL_BYTES)
        self.assertEqual((self.tree.state()["phase"], self.tree.overlay_hz()),
                         ("rebooting", 10000000))
        return rows[0]

    def assert_stops(self, word):
        self.measure()
        self.assertIn(word, self.tree.said)
        self.assertEqual(self.tree.run("advance"), 1)
        self.assertEqual(self.tree.state()["phase"], "stopped")
        self.assertEqual(self.tree.overlay_bytes(), self.tree.original)

    # Output without end

    def test_output_without_end_is_a_failed_row(self):
        self.attack.answer(client="exec cat /dev/zero")
        self.measure()
        self.assertIn("longer than any result", self.assert_row("FAILED")["note"])

    def test_errors_without_end_are_a_failed_row(self):
        self.attack.answer(client="exec yes >&2")
        self.measure()
        self.assert_row("FAILED")

    def test_a_version_without_end_stops_the_sweep(self):
        self.attack.answer(version="exec yes 'iperf 3.12'")
        self.assert_stops("answers without end")

    def test_facts_without_end_are_left_out(self):
        self.attack.answer(facts="exec yes 'Enabled: Yes'")
        self.measure()
        self.assert_row("OK")

    def test_facts_that_never_come_are_left_out(self):
        self.attack.answer(facts="exec sleep 600")
        self.measure()
        self.assert_row("OK")

    @unittest.skipUnless("T1S_SLOW" in os.environ, "takes some minutes")
    def test_commands_that_never_end_end_the_boot_and_not_more(self):
        """Where the sender's own timeout(1) is the attacker's, too."""
        for name in ("version", "client"):
            with self.subTest(name):
                self.setUp()
                self.attack.answer(**{name: "exec sleep 600"})
                self.assertEqual(self.tree.measure(timeout_s=200), 1, self.tree.said)
                self.assertIn("session", self.tree.said)
                self.assertEqual(self.tree.run("advance"), 1)
                self.attack.stop()
                self.measure()
                self.assert_row("OK")

    # Documents

    def client_says(self, document, real=True):
        """The client's document is this, after a real run or without any."""
        command = f"exec cat {self.attack.file('document', document)}"
        self.attack.answer(client=f"({HONEST}) >/dev/null; {command}" if real else command)
        self.measure()

    def test_a_document_of_brackets_is_no_result(self):
        self.client_says('{"end":' + "[" * 400000)
        self.assert_row()

    def test_a_document_of_very_many_values_takes_little_memory(self):
        for count in (250000, 7000000):  # just as long as a result may be, and too long
            with self.subTest(count):
                self.setUp()
                self.client_says('{"intervals":[' + "0," * count + "0]}")
                self.assert_row()

    def test_a_document_of_very_many_names_takes_little_memory(self):
        for count in (45000, 900000):
            with self.subTest(count):
                self.setUp()
                self.client_says("{" + ",".join(f'"{i:x}":{{}}' for i in range(count)) + "}",
                                 real=False)
                self.assert_row("FAILED", "NO_DATA")

    def test_one_very_long_word_is_no_result(self):
        self.client_says('{"error":"' + "A" * 300000 + '"}', real=False)
        self.assert_row("FAILED", "NO_DATA")

    def test_bytes_that_are_no_text_are_no_result(self):
        self.client_says(bytes(range(256)) * 40)
        self.assert_row()

    def test_numbers_beyond_all_bounds_are_a_wrong_number_at_most(self):
        for number in ("18446744073709551616", "18446744073709551615", "-1", "1e400", "-1e400",
                       "NaN", "9" * 4000):
            with self.subTest(number[:24]):
                self.setUp()
                self.attack.answer(client=f"({HONEST}) | sed -E 's/(\"(packets|bytes|seconds|"
                                          "lost_packets|jitter_ms|bits_per_second|blksize)\":)"
                                          f"[^,]*/\\1 {number}/'")
                self.measure()
                row = self.assert_row("OK", "FAILED")
                if row["received_mbit_s"]:
                    self.assertLess(float(row["received_mbit_s"]), 10.5)

    # Words

    def test_words_of_the_sender_are_text_everywhere(self):
        words = json.dumps(ESCAPES + MARKUP)
        self.client_says(f'{{"error":{words},"start":{{"version":{words}}}}}', real=False)
        self.assert_row("FAILED", "NO_DATA")

    def test_error_output_of_the_sender_is_text_everywhere(self):
        name = self.attack.file("words", ESCAPES + MARKUP)
        self.attack.answer(client=f"cat {name} >&2; exit 1")
        self.measure()
        self.assert_row("FAILED")

    def test_a_version_of_escapes_stops_the_sweep_and_shows_none(self):
        name = self.attack.file("words", ESCAPES + MARKUP)
        self.attack.answer(version=f"cat {name}; cat {name} >&2")
        self.assert_stops("no iperf3 on the sender")
        self.assertNotRegex(self.tree.said, CONTROL_BYTES)

    def test_facts_of_escapes_are_left_out(self):
        name = self.attack.file("words", f"{ESCAPES}\nEnabled: {ESCAPES}\nNode count: {2**70}\n")
        self.attack.answer(facts=f"cat {name}; cat {name} >&2")
        self.measure()
        self.assert_row("OK")

    # iperf3's own protocol

    def control(self, script):
        self.attack.answer(client=self.attack.control(script))
        self.measure()
        return self.assert_row("FAILED", "NO_DATA")

    def test_a_length_of_parameters_beyond_all_bounds_is_no_result(self):
        for size in (0xffffffff, 0x7fffffff, 0x80000000):
            with self.subTest(hex(size)):
                self.setUp()
                self.control(f"tell('{{}}', {size})\ns.sendall(b'x' * 100000)\n")

    def test_parameters_that_ask_for_too_much_are_no_result(self):
        for name, value in (("parallel", 100000), ("len", 2**31 - 1), ("len", -1),
                            ("time", 2**31 - 1), ("window", 2**31 - 1), ("MSS", 2**31 - 1),
                            ("title", "x" * 1000000), ("bandwidth", 2**63)):
            with self.subTest(f"{name}={str(value)[:20]}"):
                self.setUp()
                self.control(f"parameters[{name!r}] = {value!r}\ntell(json.dumps(parameters))\n"
                             "print(s.recv(1))\ntime.sleep(0.5)\n")

    def test_parameters_that_are_a_bomb_are_no_result(self):
        self.control("tell('[' * 1000000)\n")

    def test_a_client_that_says_nothing_is_no_result(self):
        self.control("time.sleep(2)\n")


if __name__ == "__main__":
    unittest.main()
