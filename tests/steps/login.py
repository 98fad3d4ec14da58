# SPDX-License-Identifier: MIT
"""A sender that lets people in by password, as a Raspberry Pi out of its box does, and a
person at a terminal."""
import contextlib
import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time

from sender import SENDER_UID, Sender

PASSWORD = "correct horse; 'battery' \"staple\" $HOME \\"
SSHD_CONFIG = """\
ListenAddress {address}
HostKey "{folder}/host_key"
PidFile none
AuthorizedKeysFile .ssh/authorized_keys
StrictModes no
UseDNS no
LogLevel VERBOSE
SetEnv "PATH={folder}/bin"
Subsystem sftp internal-sftp
"""
BY_PASSWORD = "UsePAM no\nPasswordAuthentication yes\nKbdInteractiveAuthentication no\n"
BY_QUESTIONS = "UsePAM yes\nPasswordAuthentication no\nKbdInteractiveAuthentication yes\n"
BY_KEY_ONLY = "UsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
PAM = "auth required pam_unix.so\naccount required pam_unix.so\nsession required pam_permit.so\n"
PATIENCE_S = 60


class LoginSender(Sender):
    """With ~/.ssh of its user's own, and a password."""

    def __init__(self, netspaces, folder):
        super().__init__(netspaces, folder, "")
        self.home = self.folder / "home"
        (self.folder / "pam_sshd").write_text(PAM, encoding="ascii")
        self._set_password()
        self.let_in(BY_PASSWORD)

    def _set_password(self):
        hashed = subprocess.run(
            ["perl", "-e", "print crypt($ENV{P}, '$6$t1ssweep$')"], check=True, text=True,
            stdout=subprocess.PIPE, env={**os.environ, "P": PASSWORD}).stdout
        path = self.folder / "shadow"
        path.write_text(path.read_text("utf-8").replace("pi:*:", f"pi:{hashed}:"), "utf-8")

    def let_in(self, how):
        """By what one may log in; from the next start on."""
        self.write_sshd_config(SSHD_CONFIG + how)

    def restart(self, how=BY_PASSWORD):
        self.stop()
        self.let_in(how)
        self.start()

    @property
    def authorized_keys(self):
        return self.home / ".ssh/authorized_keys"

    def write_authorized_keys(self, text):
        self.authorized_keys.parent.mkdir(exist_ok=True)
        self.authorized_keys.write_text(text, encoding="utf-8")
        for path in (self.authorized_keys.parent, self.authorized_keys):
            os.chown(path, SENDER_UID, SENDER_UID)


class Terminal:
    """A program at a terminal of its own, and what a person does there."""

    def __init__(self, command, columns=80, **environment):
        self.leader, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ,
                    (24).to_bytes(2, "little") + columns.to_bytes(2, "little") + bytes(4))
        self.process = subprocess.Popen(
            command, stdin=end, stdout=end, stderr=end, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "xterm", **environment})
        os.close(end)
        self.text = ""
        self.seen = 0

    def _read(self, deadline):
        if not select.select([self.leader], [], [], max(0, deadline - time.monotonic()))[0]:
            raise AssertionError(f"no more was said than: {self.text}")
        try:
            part = os.read(self.leader, 65536)
        except OSError:  # nobody has the other end any more
            part = b""
        self.text += part.decode("utf-8", errors="replace")
        return part

    def expect(self, word):
        """Waits until this is said, behind what was expected before."""
        deadline = time.monotonic() + PATIENCE_S
        while self.text.find(word, self.seen) < 0:
            if not self._read(deadline):
                raise AssertionError(f"\"{word}\" was not said: {self.text}")
        self.seen = self.text.find(word, self.seen) + len(word)

    def listen(self):
        """Takes what was said so far, without waiting for more."""
        while select.select([self.leader], [], [], 0)[0] and self._read(time.monotonic()):
            pass

    def wake(self):
        """Lets a program go on that was stopped, as a shell does by "fg". nsenter stops with
        what it runs, and would not see it end."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGCONT)

    def send(self, text):
        os.write(self.leader, text.encode("utf-8"))

    def line(self, text):
        self.send(text + "\n")

    def echoes(self):
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self.leader)[3] & termios.ECHO)

    def end(self):
        """Waits for the end. Returns the exit status."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        status = self.process.wait(PATIENCE_S)
        os.close(self.leader)
        return status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            os.close(self.leader)
