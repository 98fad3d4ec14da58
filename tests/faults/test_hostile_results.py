# SPDX-License-Identifier: MIT
"""What the unprivileged user may plant in the results' folder, which is his: it must not
make the privileged steps write, read or delete anything but their own files, nor wait."""
import os
import pathlib
import re
import resource
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "steps"))

from oplog import record  # noqa: E402
from tree import Tree  # noqa: E402

SWEEP = "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\n"
SECRET = "t1s-secret-of-root\n"
# the privileged steps' own files
OWN = re.compile(r"^(var/lib(/t1s-sweep(/(lock|state\.json[a-z.]*))?)?"
                 r"|boot/firmware/overlays(/[^/]*\.dtbo(\.t1s-orig)?)?"
                 r"|etc/systemd/system(/multi-user\.target\.wants(/t1s-sweep\.service)?)?)$")
MEMORY_MAX = 256 << 20
NAMES = ("results.csv", "stop-note")


class HostileResultsTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(SWEEP)
        self.addCleanup(self.tree.remove)
        self.outside = pathlib.Path(tempfile.mkdtemp(prefix="t1s outside "))
        self.addCleanup(shutil.rmtree, self.outside)
        self.log = tempfile.NamedTemporaryFile(prefix="t1s strace ")
        self.addCleanup(self.log.close)
        self.victim = self.outside / "victim"
        self.victim.write_text(SECRET, encoding="ascii")
        self.step("begin")
        self.folder = self.tree.results_path().parent
        self.folder.mkdir(parents=True)

    def step(self, step):
        """Runs a privileged step; it touches its own files only, shows nothing of others'
        and ends."""
        _, said, ops = record(self.tree.command(step), self.tree.root, self.log.name)
        touched = {path for op in ops for path in (op.path, op.other) if path}
        self.assertEqual([path for path in touched if not OWN.match(path)], [])
        self.assertNotIn(SECRET.strip(), said)
        return said

    def privileged_steps(self):
        before = self.snapshot()
        said = "".join(self.step(step) for step in ("advance", "begin", "advance"))
        for verb in ("status", "report"):
            self.tree.run(verb)
            self.assertNotIn(SECRET.strip(), self.tree.said + self.tree.out)
        self.tree.boot()
        said += "".join(self.step(step) for step in ("begin", "advance", "restore"))
        self.assertNotIn(SECRET.strip(), self.tree.path("var/lib/t1s-sweep/state.json").read_text(
            encoding="utf-8"))
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(self.tree.overlay_bytes(), self.tree.original)
        return said

    def snapshot(self):
        """What lies outside, with all that a write or a removal would change."""
        return {str(path): (os.lstat(path).st_mtime_ns, os.lstat(path).st_nlink,
                            path.read_bytes() if path.is_file() else None)
                for path in (self.outside, *self.outside.rglob("*"))}

    def test_the_privileged_steps_write_their_own_files_only(self):
        self.tree.add_row()
        self.privileged_steps()

    def test_links_are_not_followed(self):
        for name in NAMES:
            with self.subTest(name):
                self.setUp()
                (self.folder / name).symlink_to(self.victim)
                self.privileged_steps()

    def test_a_link_in_place_of_the_sweep_s_folder_leads_to_no_write(self):
        self.folder.rmdir()
        self.folder.symlink_to(self.outside)
        self.privileged_steps()

    def test_what_another_name_of_a_secret_holds_is_not_told(self):
        for name in NAMES:
            with self.subTest(name):
                self.setUp()
                os.link(self.victim, self.folder / name)
                self.privileged_steps()

    def test_a_fifo_is_not_waited_for(self):
        for name in NAMES:
            with self.subTest(name):
                self.setUp()
                os.mkfifo(self.folder / name)
                self.privileged_steps()

    @unittest.skipIf(os.geteuid() != 0, "devices are root's")
    def test_a_device_is_not_read(self):
        for name in NAMES:
            for device in (os.makedev(1, 5), os.makedev(5, 0)):  # zero, tty
                with self.subTest(f"{name} {device}"):
                    self.setUp()
                    try:
                        os.mknod(self.folder / name, 0o20666, device)
                    except PermissionError:
                        self.skipTest("no devices can be made here")
                    self.privileged_steps()

    def test_a_folder_in_a_file_s_place_is_an_error(self):
        for name in NAMES:
            with self.subTest(name):
                self.setUp()
                (self.folder / name).mkdir()
                self.privileged_steps()

    def test_a_huge_file_is_not_read_to_its_end(self):
        for name in NAMES:
            with self.subTest(name):
                self.setUp()
                with open(self.folder / name, "wb") as file:
                    file.truncate(1 << 40)
                self.privileged_steps()
                self.assertLess(
                    resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, MEMORY_MAX)

    def test_words_of_a_note_are_text(self):
        (self.folder / "stop-note").write_bytes(b"\033]0;owned\007\r\n" + b"A" * 3000)
        said = self.privileged_steps()
        self.assertNotRegex(said, "[\x00-\x08\x0b-\x1f\x7f]")


if __name__ == "__main__":
    if not shutil.which("strace"):
        print("skipped: needs strace")
        sys.exit(77)
    unittest.main()
