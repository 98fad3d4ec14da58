# SPDX-License-Identifier: MIT
"""What installing, upgrading, removing and purging does and does not do, with and without
a sweep under way. The Debian is not running here; test_booted.py has one that is."""
import contextlib
import re
import stat
import subprocess
import sys
import unittest

import machine
from machine import NEXT_VERSION, RESULTS, STATE_FOLDER, TESTS

RELOAD = ["systemctl daemon-reload"]
UNDER_WAY = "a sweep is under way"
KEY = "etc/t1s-sweep/ssh/id_ed25519"


def event_ids():
    """The events that the journal's catalogue explains."""
    text = (TESTS.parent / "units/t1s-sweep.catalog").read_text(encoding="utf-8")
    return set(re.findall(r"^-- ([0-9a-f]{32})$", text, re.M))


class PackageTest(unittest.TestCase):
    stack = new_machine = next_package = None

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.new_machine, cls.next_package = cls.stack.enter_context(machine.machines())

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        own = contextlib.ExitStack()
        self.addCleanup(own.close)
        self.pi = type(self).new_machine(own)

    def install(self):
        """Installed, and whatever is called from now on is watched."""
        self.pi.watch()
        self.must(self.pi.install())
        self.assertEqual(self.pi.calls(), RELOAD)

    def must(self, status):
        self.assertEqual(status, 0, self.pi.said)

    def explained(self):
        self.must(self.pi.run("journalctl", "--list-catalog"))
        return event_ids() & set(re.findall(r"^[0-9a-f]{32}", self.pi.said, re.M))

    def assert_mode(self, name, mode, owner):
        status = self.pi.path(name).stat()
        self.assertEqual(oct(stat.S_IMODE(status.st_mode)), oct(mode), name)
        self.assertEqual(status.st_uid, owner, name)

    # Installing

    def test_installing_makes_account_folders_and_explanations_and_arms_nothing(self):
        self.install()
        account = re.search(r"^t1s-sweep:x:(\d+):\d+:[^:]*:/nonexistent:/usr/sbin/nologin$",
                            self.pi.read("etc/passwd"), re.M)
        self.assertTrue(account, self.pi.read("etc/passwd"))
        self.assert_mode("etc/t1s-sweep/ssh", 0o700, 0)
        self.assert_mode(STATE_FOLDER, 0o755, 0)
        self.assert_mode(f"{STATE_FOLDER}/results", 0o755, int(account[1]))
        self.assertEqual(self.explained(), event_ids())
        self.assertEqual(self.pi.links_of_unit(), [])
        self.assertEqual(self.pi.status().split()[0], "installed")

    def test_the_installed_program_runs(self):
        self.install()
        self.must(self.pi.run("t1s-sweep", "status"))
        self.assertIn("No sweep was ever begun here", self.pi.said)

    def test_installs_without_proc_into_an_image_being_built(self):
        self.must(self.pi.install(proc=False))
        self.assertEqual(self.pi.links_of_unit(), [])

    def test_an_images_first_boot_does_not_arm_it(self):
        self.install()
        subprocess.run(["systemctl", f"--root={self.pi.root}", "preset-all"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(self.pi.links_of_unit(), [])
        preset = self.pi.path("usr/lib/systemd/system-preset/80-t1s-sweep.preset")
        preset.unlink()
        subprocess.run(["systemctl", f"--root={self.pi.root}", "preset-all"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertNotEqual(self.pi.links_of_unit(), [], "the preset is needed no more")

    def test_installing_again_leaves_a_sweep_under_way_untouched(self):
        self.install()
        self.pi.begin_sweep()
        before = self.pi.snapshot()
        self.must(self.pi.install())
        self.assertEqual(self.pi.snapshot(), before)
        self.assertTrue(self.pi.links_of_unit())
        self.assertEqual(self.pi.calls(), RELOAD)

    # Upgrading

    def upgrade(self):
        self.must(self.pi.install(self.next_package))
        self.assertEqual(self.pi.status(), f"installed {NEXT_VERSION}")
        self.assertEqual(self.pi.calls(), RELOAD)

    def test_an_upgrade_keeps_edits_key_and_results(self):
        self.install()
        edited = self.pi.read("etc/t1s-sweep/t1s-sweep.conf") + "[Sender]\nHost=pi2\n"
        self.pi.write("etc/t1s-sweep/t1s-sweep.conf", edited)
        self.pi.write(KEY, "key").chmod(0o600)
        self.pi.write(RESULTS, "timestamp\n")
        self.upgrade()
        self.assertEqual(self.pi.read("etc/t1s-sweep/t1s-sweep.conf"), edited)
        self.assertEqual(self.pi.read(KEY), "key")
        self.assertEqual(self.pi.read(RESULTS), "timestamp\n")
        self.assertEqual(self.pi.links_of_unit(), [])

    def test_an_upgrade_takes_the_new_configuration_where_it_was_not_edited(self):
        self.install()
        self.upgrade()
        self.assertIn("a comment of the next version",
                      self.pi.read("etc/t1s-sweep/t1s-sweep.conf"))

    def test_an_upgrade_leaves_armed_what_was_armed(self):
        self.install()
        self.pi.arm()
        armed = self.pi.links_of_unit()
        self.upgrade()
        self.assertEqual(self.pi.links_of_unit(), armed)

    def test_an_upgrade_leaves_a_sweep_under_way_untouched(self):
        self.install()
        self.pi.begin_sweep()
        self.pi.write("etc/t1s-sweep/t1s-sweep.conf", "# mine\n")
        before = self.pi.snapshot()
        self.upgrade()
        after = self.pi.snapshot()
        after.pop("etc/t1s-sweep/t1s-sweep.conf.dpkg-dist")
        self.assertEqual(after, before)
        self.assertTrue(self.pi.links_of_unit())

    # Removing

    def test_removing_keeps_configuration_key_results_and_account(self):
        self.install()
        self.pi.write(KEY, "key")
        self.pi.write(RESULTS, "timestamp\n")
        self.must(self.pi.remove())
        self.assertEqual(self.pi.calls(), RELOAD)
        self.assertEqual(self.pi.status().split()[0], "config-files")
        self.assertFalse(self.pi.path("usr/bin/t1s-sweep").exists())
        self.assertTrue(self.pi.path("etc/t1s-sweep/t1s-sweep.conf").exists())
        self.assertEqual(self.pi.read(KEY), "key")
        self.assertEqual(self.pi.read(RESULTS), "timestamp\n")
        self.assertIn("\nt1s-sweep:", self.pi.read("etc/passwd"))
        self.assertEqual(self.explained(), set())

    def test_removed_while_armed_it_does_not_come_back_armed(self):
        self.install()
        self.pi.arm()
        self.must(self.pi.remove())
        self.assertIn("its service was enabled", self.pi.said)
        self.assertEqual(self.pi.links_of_unit(), [])
        self.must(self.pi.install())
        self.assertEqual(self.pi.links_of_unit(), [])

    def test_a_unit_that_is_not_the_packages_stays_enabled(self):
        self.install()
        self.pi.arm()
        own = self.pi.write("etc/systemd/system/t1s-sweep.service",
                            "[Service]\nExecStart=/bin/true\n")
        link = self.pi.path("etc/systemd/system/multi-user.target.wants/t1s-sweep.service")
        link.unlink()
        link.symlink_to("/etc/systemd/system/t1s-sweep.service")
        self.must(self.pi.remove())
        self.assertTrue(link.is_symlink() and own.exists())

    def assert_refused(self, act, because):
        before = self.pi.snapshot()
        self.assertNotEqual(act(), 0, self.pi.said)
        self.assertIn(because, self.pi.said)
        self.assertIn("t1s-sweep restore", self.pi.said)
        self.assertEqual(self.pi.snapshot(), before)
        self.assertEqual(self.pi.status().split()[0], "installed")
        self.assertEqual(self.pi.calls(), [])
        self.must(self.pi.run("t1s-sweep", "--version"))

    def test_removing_is_refused_while_a_sweep_is_under_way(self):
        self.install()
        self.pi.begin_sweep()
        original = self.pi.pristine.read_bytes()
        self.assert_refused(self.pi.remove, UNDER_WAY)
        self.must(self.pi.program("restore"))
        self.must(self.pi.remove())
        self.assertEqual(self.pi.overlay.read_bytes(), original)
        self.assertEqual(self.pi.calls(), RELOAD)

    def test_removing_is_refused_where_the_state_cannot_be_read(self):
        self.install()
        self.pi.begin_sweep()
        for path in self.pi.path(STATE_FOLDER).glob("state.json*"):
            path.write_text("{ torn", encoding="ascii")
        self.assert_refused(self.pi.remove, "its state cannot be read")

    def test_removing_is_refused_where_the_overlay_was_not_put_back(self):
        self.install()
        self.pi.begin_sweep()
        pristine = self.pi.pristine.read_bytes()
        self.must(self.pi.program("restore"))
        self.pi.pristine.write_bytes(pristine)
        self.assert_refused(self.pi.remove, "ended before the original overlay was back")
        self.pi.pristine.unlink()
        self.must(self.pi.remove())

    # Purging

    def test_purging_keeps_the_results_and_says_where_they_are(self):
        self.install()
        self.pi.begin_sweep()
        self.must(self.pi.program("restore"))
        self.pi.write(KEY, "key")
        self.must(self.pi.purge())
        self.assertEqual(self.pi.calls(), RELOAD)
        self.assertEqual(self.pi.status(), "not-installed")
        self.assertIn(f"results are kept in /{STATE_FOLDER}/results", self.pi.said)
        self.assertIn("SSH key is deleted", self.pi.said)
        self.assertTrue(self.pi.path(RESULTS).exists())
        self.assertFalse(self.pi.path("etc/t1s-sweep").exists())
        self.assertEqual(list(self.pi.path(STATE_FOLDER).glob("state.json*")), [])

    def test_purging_deletes_the_results_if_told_so(self):
        self.install()
        self.pi.write(RESULTS, "timestamp\n")
        self.must(self.pi.purge(T1S_PURGE_RESULTS="1"))
        self.assertFalse(self.pi.path(STATE_FOLDER).exists())

    def test_purging_leaves_nothing_where_nothing_was_measured(self):
        self.install()
        self.must(self.pi.purge())
        self.assertFalse(self.pi.path(STATE_FOLDER).exists())
        self.assertFalse(self.pi.path("etc/t1s-sweep").exists())
        self.assertNotIn("results", self.pi.said)

    def test_purging_is_refused_while_a_sweep_is_under_way(self):
        self.install()
        self.pi.begin_sweep()
        self.assert_refused(lambda: self.pi.purge(T1S_PURGE_RESULTS="1"), UNDER_WAY)


if __name__ == "__main__":
    reason = machine.skip_reason()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
