# SPDX-License-Identifier: MIT
"""What a person types: mistakes are told, with what to do, and cost nothing."""
import os
import subprocess
import unittest

from tree import PROGRAM, Tree

TWO_POINTS = "Points=20M 15M\nCollapseBelow=0\nClosingBaseline=no\n"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class CommandLineTest(unittest.TestCase):
    def make(self):
        """A tree that anybody may read, with a sweep at its second point."""
        tree = Tree(TWO_POINTS)
        self.addCleanup(tree.remove)
        tree.root.chmod(0o755)
        for verb in ("begin", "advance"):
            self.assertEqual(tree.run(verb), 0, tree.said)
            tree.add_row()
        tree.boot()
        return tree

    def as_nobody(self, *command):
        """As call(), by a user without rights."""
        if self.call(*NOBODY, PROGRAM, "--version")[0] != 0:
            self.skipTest("the build lies in a folder that only root may enter")
        return self.call(*NOBODY, *command)

    def call(self, *command):
        """Exit status and all that was said."""
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=30, check=False)
        return done.returncode, done.stdout

    def test_an_option_of_another_verb_is_named(self):
        self.assertEqual(self.call(PROGRAM, "--json", "begin")[0], 2)
        self.assertIn('"begin" does not take --json', self.call(PROGRAM, "--json", "begin")[1])
        self.assertIn("--set=", self.call(PROGRAM, "--set=20M", "status")[1])

    def test_a_configuration_that_is_not_there_is_a_configuration_error(self):
        tree = self.make()
        for name in ("missing", "", "/dev/zero", str(tree.root)):
            status, said = self.call(PROGRAM, f"--config={name}", "plan")
            self.assertEqual(status, 2, said)

    def test_a_configuration_that_the_measuring_user_cannot_read_says_how_to_mend_it(self):
        tree = self.make()
        tree.path("etc/t1s-sweep/t1s-sweep.conf").chmod(0o600)
        status, said = self.as_nobody(*tree.command("plan"))
        self.assertEqual(status, 2, said)
        self.assertIn("chmod a+r", said)

    def test_without_root_the_steps_that_change_something_ask_for_it(self):
        tree = self.make()
        for arguments in (["begin"], ["advance"], ["restore"],
                          ["overlay", tree.overlay_path, "--set=20M"]):
            status, said = self.as_nobody(*tree.command(*arguments))
            self.assertEqual(status, 1, said)
            self.assertIn("sudo", said)

    def test_without_root_everything_can_be_looked_at(self):
        tree = self.make()
        for arguments in (["status"], ["report"], ["plan"], ["overlay", tree.overlay_path]):
            status, said = self.as_nobody(*tree.command(*arguments))
            self.assertEqual(status, 0, said)

    def test_root_does_not_measure_where_the_service_does(self):
        status, said = self.call(PROGRAM, "measure")
        self.assertEqual(status, 1, said)
        self.assertIn("systemctl start t1s-sweep", said)

    def test_with_standard_error_closed_no_file_of_ours_takes_its_place(self):
        tree = self.make()
        done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *tree.command("restore")],
                              timeout=30, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(tree.path("var/lib/t1s-sweep/lock").read_bytes(), b"")
        self.assertEqual(tree.overlay_bytes(), tree.original)

    def test_what_cannot_be_written_out_is_a_failure(self):
        tree = self.make()
        for verb in ("status", "report", "plan"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(tree.command(verb), stdout=full, timeout=30,
                                      stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit(77)
    unittest.main()
