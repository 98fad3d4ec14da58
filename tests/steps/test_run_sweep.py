# SPDX-License-Identifier: MIT
"""The example that runs a sweep from another machine, over an ssh that ends at a tree."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from tree import PROGRAM, TESTS, Tree

SCRIPT = TESTS.parent / "docs/examples/run-sweep.sh"
SWEEP = "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\n"
PATIENCE_S = 120

# Runs what it is told with commands of its own in front of the path. While the file "away"
# is there nobody answers.
SSH = """#!/bin/sh
[ ! -e "{folder}/away" ] || exit 255
shift
echo "$*" >> "{folder}/commands"
command=$(echo "$*" | sed 's#/usr/sbin/t1s-sweep#t1s-sweep#')
PATH="{folder}/bin:$PATH" exec sh -c "$command"
"""
COMMANDS = {
    "sudo": 'exec "$@"\n',
    "systemctl": "exit 0\n",
    "reboot": 'touch "{folder}/away"\n',
    "t1s-sweep": '[ "$1" != check ] || exit {check}\nexec "{program}" "--root={root}" "$@"\n',
}


class RunSweepTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(SWEEP)
        self.addCleanup(self.tree.remove)
        scratch = tempfile.TemporaryDirectory(prefix="t1s-run-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def start(self, check=0, **environment):
        self.write("ssh", SSH, check)
        for name, text in COMMANDS.items():
            self.write(f"bin/{name}", "#!/bin/sh\n" + text, check)
        process = subprocess.Popen(
            ["sh", SCRIPT, "pi@192.0.2.131", "lava"], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "SSH": str(self.folder / "ssh"), "INTERVAL_S": "0.2",
                 **environment})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def write(self, name, text, check):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.format(folder=self.folder, program=PROGRAM, check=check,
                                    root=self.tree.root), "utf-8")
        path.chmod(0o755)

    def wait_for_reboot(self):
        deadline = time.monotonic() + PATIENCE_S
        while not (self.folder / "away").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def come_back(self):
        (self.folder / "away").unlink()

    def sweep(self):
        for _ in range(2):
            self.assertEqual(self.tree.run("begin"), 0, self.tree.said)
            self.tree.add_row()
            self.assertEqual(self.tree.run("advance"), 0, self.tree.said)
            self.tree.boot()
        self.assertEqual(self.tree.run("begin"), 0, self.tree.said)

    def commands(self):
        return (self.folder / "commands").read_text("utf-8").splitlines()

    def test_it_arms_reboots_waits_and_writes_the_signals(self):
        self.sweep()  # the one of yesterday is not taken for this one
        process = self.start()
        self.wait_for_reboot()
        self.come_back()
        self.sweep()
        out, said = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=full-at-20000000-hz RESULT=pass", out)
        self.assertEqual([command for command in self.commands() if "sudo" in command],
                         ["sudo /usr/sbin/t1s-sweep check",
                          "sudo systemctl enable t1s-sweep", "sudo reboot"])

    def test_a_sweep_that_was_stopped_is_a_failure_with_its_reason(self):
        process = self.start()
        self.wait_for_reboot()
        self.assertEqual(self.tree.run("begin"), 0)
        self.tree.add_row()
        self.assertEqual(self.tree.run("restore"), 0)
        self.come_back()
        _, said = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn("stopped: ended by hand", said)

    def test_what_is_not_ready_is_not_armed(self):
        process = self.start(check=1)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(len(self.commands()), 1)

    def test_it_does_not_wait_for_ever(self):
        process = self.start(PATIENCE_S="1")
        _, said = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn("no end in time", said)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit(77)
    unittest.main()
