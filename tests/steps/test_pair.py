# SPDX-License-Identifier: MIT
"""t1s-sweep pair against a real sshd that lets a person in by password: what it leaves on
both ends, what the key can do there afterwards, and whom it refuses to trust."""
import os
import shutil
import stat
import subprocess
import unittest

from live import LiveTree, PeersTest
from login import (BY_KEY_ONLY, BY_PASSWORD, BY_QUESTIONS, PASSWORD, LoginSender, Terminal)
from cleanup import run
from sender import SENDER_HOST

WHO = f"pi@{SENDER_HOST}"
SSH = "etc/t1s-sweep/ssh"
DROP_IN = "etc/t1s-sweep/t1s-sweep.conf.d/10-sender.conf"
CONF = "etc/t1s-sweep/t1s-sweep.conf"
ONE_POINT = "Points=20M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=1\n"
SHORT = "Duration=1s\nOmit=0\n"
ALL_WORKLOADS = (f"[Workload in]\n{SHORT}[Workload out]\nDirection=send\nProtocol=tcp\n{SHORT}"
                 f"[Workload both]\nDirection=both\nOmit=1s\nDuration=1s\n")
OTHER_LINE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI0theroneofsomebodyelseXXXXXXXXXXXXXXXXXXXX me"


def snapshot(folder):
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_ino, path.lstat().st_mode)
            for path in sorted(folder.rglob("*"))}


class PairTest(PeersTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.peers.sender.stop()
        cls.sender = LoginSender(cls.peers.netspaces, cls.peers.folder / "login")
        cls.sender.start()

    def setUp(self):
        self.how = BY_PASSWORD
        self.addCleanup(self.repair)

    def repair(self):
        shutil.rmtree(self.sender.home / ".ssh", ignore_errors=True)
        self.sender.set_iperf3()
        if self.how != BY_PASSWORD:
            self.let_in(BY_PASSWORD)

    def let_in(self, how):
        self.how = how
        self.sender.restart(how)

    def make(self, rest="", sweep=ONE_POINT):
        """A machine fresh from the package: no key, no sender."""
        tree = LiveTree(self.peers, sweep, rest=rest)
        self.addCleanup(tree.remove)
        tree.boot()
        shutil.rmtree(tree.path(SSH))
        text = tree.path(CONF).read_text("utf-8")
        tree.write(CONF, text.replace("Host=192.0.2.130\nUser=pi\n", ""))
        return tree

    def fingerprint(self):
        return run("ssh-keygen", "-lf", self.sender.folder / "host_key").split()[1]

    def pair(self, tree, *options, typed=PASSWORD):
        """Without a terminal: the password comes from a pipe. Returns the exit status."""
        done = subprocess.run(
            tree.command("pair", WHO, *options), input=f"{typed}\n" if typed else "", text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=90, check=False)
        tree.out, tree.said = done.stdout, done.stderr
        return done.returncode

    def paired(self, rest="", sweep=ONE_POINT):
        tree = self.make(rest, sweep)
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}"), 0, tree.said)
        return tree

    def terminal(self, tree, *options):
        terminal = Terminal(tree.command("pair", WHO, *options))
        self.addCleanup(terminal.kill)
        return terminal

    def assert_nothing_installed(self):
        path = self.sender.authorized_keys
        self.assertNotIn("t1s-sweep", path.read_text() if path.exists() else "")

    # How it goes

    def test_a_person_says_yes_and_types_the_password_once(self):
        tree = self.make()
        terminal = self.terminal(tree)
        terminal.expect(self.fingerprint())
        terminal.expect("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub")
        terminal.expect("[yes/no] ")
        terminal.line("yes")
        terminal.expect(f"Password of {WHO}")
        terminal.expect(": ")
        self.assertFalse(terminal.echoes())
        terminal.line(PASSWORD)
        self.assertEqual(terminal.end(), 0, terminal.text)
        self.assertNotIn("battery", terminal.text)
        self.assertIn("Next: sudo t1s-sweep check", terminal.text)
        self.assert_left_behind(tree)

    def assert_left_behind(self, tree):
        key = tree.path(SSH) / "id_ed25519"
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(key.parent.stat().st_mode), 0o700)
        public = run("ssh-keygen", "-y", "-f", key).split()[1]
        self.assertIn("(ED25519)", run("ssh-keygen", "-lf", key))
        self.assertEqual(tree.path(SSH, ).joinpath("known_hosts").read_text(),
                         self.sender.known_hosts_line())
        self.assertEqual(tree.path(DROP_IN).read_text().splitlines()[2:],
                         ["[Sender]", f"Host={SENDER_HOST}", "User=pi", "Interface=t1s0"])
        line, = self.sender.authorized_keys.read_text().splitlines()
        self.assertTrue(line.startswith('restrict,command="exec /bin/sh -c'), line)
        self.assertIn(f" ssh-ed25519 {public} t1s-sweep@", line)
        self.assertEqual(stat.S_IMODE(self.sender.authorized_keys.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.sender.authorized_keys.parent.stat().st_mode), 0o700)
        self.assertEqual(sorted(path.name for path in tree.path(SSH).iterdir()),
                         ["id_ed25519", "id_ed25519.pub", "known_hosts"])
        self.assertEqual(list(self.sender.authorized_keys.parent.iterdir()),
                         [self.sender.authorized_keys])

    def test_without_a_terminal_fingerprint_and_password_are_given(self):
        tree = self.make()
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}"), 0, tree.said)
        self.assert_left_behind(tree)

    def test_a_repeated_call_changes_nothing_and_asks_nothing(self):
        tree = self.paired()
        before = snapshot(tree.root), snapshot(self.sender.home)
        self.assertEqual(self.pair(tree, typed=""), 0, tree.said)
        self.assertEqual((snapshot(tree.root), snapshot(self.sender.home)), before)
        self.assertIn("Paired", tree.out)

    def test_after_it_check_holds_nothing_against_the_sender_and_a_sweep_measures(self):
        tree = self.paired(ALL_WORKLOADS)
        self.assertEqual(tree.run("check"), 0, tree.out)
        self.assertIn("✓ restriction", tree.out)
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.assertEqual(tree.run("measure"), 0, tree.said)
        self.assertEqual([row["status"] for row in tree.rows()], ["OK"] * 4)
        version = " ".join(run("iperf3", "--version").split()[:2])
        self.assertEqual({row["iperf_sender"] for row in tree.rows()}, {version})
        self.assertEqual({row["sender_kernel"] for row in tree.rows()}, {os.uname().release})

    def test_a_sender_that_asks_questions_is_answered(self):
        self.let_in(BY_QUESTIONS)
        self.assert_left_behind(self.paired())

    def test_a_sender_without_passwords_is_entered_by_a_key_that_it_takes(self):
        self.let_in(BY_KEY_ONLY)
        tree = self.make()
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}"), 1)
        self.assertIn("--key=FILE", tree.said)
        key = tree.path("mine")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        mine = key.with_name("mine.pub").read_text()
        self.sender.write_authorized_keys(mine)
        self.assertEqual(self.pair(tree, f"--key={key}", typed=""), 0, tree.said)
        lines = self.sender.authorized_keys.read_text().splitlines()
        self.assertEqual(lines[0], mine.strip())
        self.assertEqual(len(lines), 2)

    def test_the_passphrase_of_that_key_is_asked_for(self):
        self.let_in(BY_KEY_ONLY)
        tree = self.make()
        key = tree.path("mine")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "open sesame", "-f", key)
        self.sender.write_authorized_keys(key.with_name("mine.pub").read_text())
        terminal = self.terminal(tree, f"--key={key}", f"--fingerprint={self.fingerprint()}")
        terminal.expect("Passphrase of ")
        terminal.expect("mine: ")
        terminal.line("open sesame")
        self.assertEqual(terminal.end(), 0, terminal.text)
        self.assertNotIn("sesame", terminal.text)
        tree = self.make()
        self.assertEqual(self.pair(tree, f"--key={key}", f"--fingerprint={self.fingerprint()}",
                                   typed="wrong"), 1)
        self.assertIn("not the passphrase", tree.said)

    # Whom it trusts

    def test_without_somebody_to_ask_or_a_fingerprint_nothing_is_trusted(self):
        tree = self.make()
        self.assertEqual(self.pair(tree), 1)
        self.assertIn(f"--fingerprint={self.fingerprint()}", tree.said)
        self.assertFalse(tree.path(SSH).joinpath("known_hosts").exists())
        self.assert_nothing_installed()

    def test_another_fingerprint_is_not_trusted(self):
        tree = self.make()
        self.assertEqual(self.pair(tree, "--fingerprint=SHA256:AAAA"), 1)
        self.assertIn("not SHA256:AAAA", tree.said)
        self.assertFalse(tree.path(SSH).joinpath("known_hosts").exists())
        self.assert_nothing_installed()

    def test_a_person_who_does_not_say_yes_is_not_asked_for_the_password(self):
        for answer in ("no", "", "y", "\x04"):
            tree = self.make()
            terminal = self.terminal(tree)
            terminal.expect("[yes/no] ")
            terminal.send(answer if answer == "\x04" else answer + "\n")
            self.assertEqual(terminal.end(), 1, terminal.text)
            self.assertNotIn("Password", terminal.text)
            self.assertFalse(tree.path(SSH).joinpath("known_hosts").exists())

    def test_a_host_key_that_changed_is_asked_about_and_takes_the_place_of_the_old_one(self):
        tree = self.paired()
        known = tree.path(SSH) / "known_hosts"
        others = f"# mine\nother.example ssh-rsa AAAA\n{SENDER_HOST}0 ssh-rsa AAAA"
        known.write_text(known.read_text() + others)
        self.sender.new_host_key()
        self.let_in(BY_PASSWORD)
        self.assertEqual(self.pair(tree), 1)
        self.assertIn("NOT the pinned one", tree.out)
        self.assertNotIn(self.sender.known_hosts_line(), known.read_text())
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}", typed=""), 0,
                         tree.said)
        self.assertEqual(known.read_text(), others + "\n" + self.sender.known_hosts_line())

    def test_a_pinned_key_is_still_compared_with_a_fingerprint_that_is_given(self):
        tree = self.paired()
        self.assertEqual(self.pair(tree, "--fingerprint=SHA256:AAAA"), 1)

    # Who does not get in

    def test_a_wrong_password_is_told_and_the_next_try_goes_on_from_there(self):
        for how in (BY_PASSWORD, BY_QUESTIONS):
            self.let_in(how)
            tree = self.make()
            self.assertEqual(
                self.pair(tree, f"--fingerprint={self.fingerprint()}", typed="wrong"), 1)
            self.assertIn("refused the password", tree.said)
            self.assert_nothing_installed()
            self.assertFalse(tree.path(DROP_IN).exists())
            self.assertEqual(self.pair(tree), 0, tree.said)
            self.repair()

    def test_no_password_at_all_is_told(self):
        tree = self.make()
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}", typed=""), 1)
        self.assertIn("no password was given", tree.said)

    def test_ctrl_c_at_the_password_leaves_the_terminal_as_it_was(self):
        terminal = self.terminal(self.make(), f"--fingerprint={self.fingerprint()}")
        terminal.expect("kept): ")
        terminal.send("half a passw\x03")
        terminal.expect("no password was given")
        self.assertTrue(terminal.echoes())
        self.assertEqual(terminal.end(), 1)
        self.assertNotIn("half", terminal.text)

    def test_what_is_typed_can_be_corrected(self):
        terminal = self.terminal(self.make(), f"--fingerprint={self.fingerprint()}")
        terminal.expect("kept): ")
        terminal.line("nonsense\x15" + "x\x7f" + PASSWORD[:4] + "yy\x7f\x08" + PASSWORD[4:])
        self.assertEqual(terminal.end(), 0, terminal.text)

    def test_a_sender_that_is_away_is_told(self):
        tree = self.make()
        self.sender.stop()
        self.addCleanup(self.sender.start)
        self.assertEqual(self.pair(tree), 1)
        self.assertIn("refused the connection", tree.said)

    def test_a_key_that_sshd_does_not_look_for_there_is_told(self):
        self.let_in(BY_PASSWORD.replace("UsePAM", "AuthorizedKeysFile /nowhere/%u\nUsePAM"))
        path = self.sender.folder / "sshd_config"
        self.sender.stop()
        path.write_text(path.read_text().replace("AuthorizedKeysFile .ssh/authorized_keys\n", ""))
        self.sender.start()
        self.how = None
        tree = self.make()
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}"), 1)
        self.assertIn("AuthorizedKeysFile", tree.said)
        self.assertFalse(tree.path(DROP_IN).exists())

    # What was there before

    def test_the_account_s_other_keys_stay_as_they_are(self):
        self.sender.write_authorized_keys(f"# mine\n\n{OTHER_LINE}")
        self.paired()
        text = self.sender.authorized_keys.read_text()
        self.assertTrue(text.startswith(f"# mine\n\n{OTHER_LINE}\nrestrict,"), text)
        self.assertTrue(text.endswith("\n"))

    def test_a_file_that_is_a_link_stays_one(self):
        self.sender.write_authorized_keys("")
        real = self.sender.home / "dotfiles"
        self.sender.authorized_keys.replace(real)
        self.sender.authorized_keys.symlink_to(real)
        self.addCleanup(real.unlink)
        self.paired()
        self.assertTrue(self.sender.authorized_keys.is_symlink())
        self.assertIn("restrict,", real.read_text())

    def test_a_key_installed_by_hand_is_restricted(self):
        tree = self.paired()
        public = tree.path(SSH).joinpath("id_ed25519.pub").read_text()
        self.sender.write_authorized_keys(f"{public.strip()} by hand\n{OTHER_LINE}\n")
        self.assertEqual(tree.run("check"), 0, tree.out)
        self.assertIn("! restriction    our key may run anything there", tree.out)
        self.assertEqual(self.pair(tree), 0, tree.said)
        self.assertIn("may run anything; to be changed", tree.out)
        lines = self.sender.authorized_keys.read_text().splitlines()
        self.assertEqual(lines[0], OTHER_LINE)
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[1].startswith("restrict,"))

    def test_another_iperf3_needs_another_gate(self):
        tree = self.paired()
        tree.write("etc/t1s-sweep/t1s-sweep.conf.d/20-mine.conf",
                   "[Sender]\nIperf3=/usr/bin/iperf3\n")
        self.assertEqual(tree.run("check"), 1, tree.out)
        self.assertIn("✗ restriction    our key may not run this on the sender: LC_ALL=C "
                      "timeout 10 '/usr/bin/iperf3' --version", tree.out)
        self.assertEqual(self.pair(tree), 0, tree.said)
        self.assertEqual(len(self.sender.authorized_keys.read_text().splitlines()), 1)
        self.assertEqual(tree.run("check"), 0, tree.out)

    def test_an_iperf3_for_which_there_can_be_no_gate_is_told(self):
        tree = self.make("[Sender]\nIperf3=/opt/my iperf3\n")
        self.assertEqual(self.pair(tree), 2)
        self.assertIn("Iperf3=/opt/my iperf3", tree.said)

    def test_a_missing_iperf3_is_told_and_is_no_failure(self):
        self.sender.set_iperf3("")
        tree = self.paired()
        self.assertIn("sudo apt install iperf3", tree.out)

    def test_a_later_drop_in_that_says_something_else_is_told(self):
        tree = self.make()
        tree.write("etc/t1s-sweep/t1s-sweep.conf.d/50-mine.conf", "[Sender]\nHost=other\n")
        self.assertEqual(self.pair(tree, f"--fingerprint={self.fingerprint()}"), 1)
        self.assertIn("a later drop-in", tree.said)

    def test_with_a_configuration_of_one_s_own_the_drop_in_lies_beside_it(self):
        tree = self.make()
        tree.write("my.conf", tree.path(CONF).read_text("utf-8"))
        tree.environment = {}
        done = subprocess.run(
            tree.command(f"--config={tree.path('my.conf')}", "pair", WHO,
                         f"--fingerprint={self.fingerprint()}"),
            input=f"{PASSWORD}\n", text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            timeout=90, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Host=", tree.path("my.conf.d/10-sender.conf").read_text())
        self.assertFalse(tree.path(DROP_IN).exists())

    def test_what_is_no_user_at_a_host_is_refused(self):
        tree = self.make()
        for who in ("pi", "@host", "pi@", "pi@-oProxyCommand", "pi@ho st", "p;i@host",
                    "pi@host\nUser=root", "pi@ho#st", f"pi@{'x' * 300}"):
            self.assertEqual(tree.run("pair", who), 2, who)
            self.assertIn("expected USER@HOST", tree.said)
        self.assertFalse(tree.path(SSH).exists())

    # What the key can do

    def ssh(self, tree, *arguments, options=()):
        return subprocess.run(
            self.peers.netspaces.inside(
                "pi", "ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
                "-o", f"UserKnownHostsFile=\"{tree.path(SSH)}/known_hosts\"",
                "-i", tree.path(SSH) / "id_ed25519", *options, WHO, *arguments),
            stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=60, check=False)

    def test_the_key_runs_nothing_but_a_sweep_s_commands(self):
        tree = self.paired()
        witness = self.sender.home / "witness"
        touch = f"touch {witness}"
        client = "timeout 9 iperf3 -c 10.10.10.2"
        plca = "timeout 9 sudo -n ethtool --set-plca-cfg t1s0 enable on node-id"
        for command in (
                touch, f"uname -r; {touch}", f"uname -r & {touch}", f"uname -r | {touch}",
                f"uname -r && {touch}", f"uname -r\n{touch}", f"uname $({touch})",
                f"uname `{touch}`", f"$({touch})", f"LC_ALL=C {touch}",
                f"timeout 9 sh -c '{touch}'", f"timeout 9 {touch}", f"timeout -k 1 9 {touch}",
                f"PATH=/tmp {touch}", "uname -r -a", "date +%s -s 2020", "date -s 2020",
                f"{client} --logfile {witness}", f"{client} --pidfile {witness}",
                f"{client} -F {witness}", f"{client} -s", f"{client} -c --logfile={witness}",
                f"{client} -b 1>{witness}", f"timeout 9 iperf3 -s --logfile {witness}",
                "iperf3 -c 10.10.10.2 -t 86400", "iperf3 --version", "timeout 9 iperf3",
                "timeout 9 iperf3 --version -s", "timeout 9 ip -o link set t1s0 down",
                "timeout 9 ip -o route get 10.10.10.2 from 10.10.10.1 table main",
                "timeout 9 ip -o -batch /etc/passwd", "timeout 9 ethtool --set-plca-cfg t1s0",
                f"{plca} 255", f"{plca} -1", f"{plca} 01", f"{plca} 1 node-cnt",
                f"{plca} 1 node-cnt 0", f"{plca} 1 node-cnt 256", f"{plca} 1 burst-cnt 2",
                f"{plca} 1 node-cnt 2 -x", f"{plca} $(id -u)", f"{plca} 1>{witness}",
                "timeout 9 sudo -n ethtool --set-plca-cfg t1s0 enable off node-id 1",
                "timeout 9 sudo -n ethtool --set-plca-cfg --help enable on node-id 1",
                "timeout 9 sudo -n ethtool -s t1s0 speed 10", f"timeout 9 sudo -n {touch}",
                f"timeout 9 sudo -n {touch} t1s0 enable on node-id 1",
                f"timeout 9 sudo -n -l {touch}", f"timeout 9 sudo {touch}", "timeout 9 sudo -n",
                "timeout 9 sudo -n -l", "timeout 9 sudo -n -u pi ethtool --set-plca-cfg t1s0",
                "sudo -n ethtool --set-plca-cfg t1s0 enable on node-id 1",
                "timeout 9 ethtool --get-plca-cfg t1s0 -x", "timeout --help uname -r",
                "t1s-sweep gate; id", "t1s-sweep", "t1s-sweep may", f"t1s-sweep may {touch}",
                ";", " ", "''", "*", "[", "scp -t /tmp", "internal-sftp",
                "/usr/lib/openssh/sftp-server"):
            done = self.ssh(tree, command)
            self.assertEqual((done.returncode, done.stderr), (
                126, "t1s-sweep: this key may not run that command\n"), command)
            self.assertFalse(witness.exists(), command)
        self.assertEqual(self.ssh(tree, "timeout 9 ip -o address show").returncode, 0)
        self.assertEqual(self.ssh(tree, "uname -r").stdout, os.uname().release + "\n")

    def test_the_key_opens_no_terminal_no_subsystem_and_no_way_through(self):
        tree = self.paired()
        done = self.ssh(tree, options=["-tt"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("PTY allocation request failed", done.stderr)
        done = self.ssh(tree, options=["-T"])
        self.assertEqual(done.returncode, 126, done)
        done = self.ssh(tree, "sftp", options=["-s"])
        self.assertEqual(done.returncode, 126, done)
        done = self.ssh(tree, options=["-W", f"{SENDER_HOST}:22"])
        self.assertIn("administratively prohibited", done.stderr)
        done = self.ssh(tree, "uname -r", options=["-o", "ExitOnForwardFailure=yes",
                                                   "-R", "0:127.0.0.1:22"])
        self.assertNotEqual(done.returncode, 0)

    def test_a_login_shell_of_another_kind_does_not_matter(self):
        passwd = self.sender.folder / "passwd"
        text = passwd.read_text("utf-8")
        self.addCleanup(passwd.write_text, text, "utf-8")
        passwd.write_text(text.replace(f"{self.sender.home}:/bin/sh",
                                       f"{self.sender.home}:/bin/bash"), "utf-8")
        tree = self.paired()
        self.assertEqual(tree.run("check"), 0, tree.out)


if __name__ == "__main__":
    unittest.main()
