# SPDX-License-Identifier: MIT
"""The sender's Raspberry Pi: a network namespace with a real sshd and the host's iperf3.

sshd runs with a passwd of its own, in which there is one login: the user of SENDER_USER,
without privileges. Nothing of the host's accounts is changed.
"""
import os
import pathlib
import re
import subprocess
import time

from cleanup import RigError, hurry, run, stop_process
from netspace import MANAGEMENT

SENDER_USER = "pi"
SENDER_UID = 29418
SENDER_HOST = MANAGEMENT["sender"].split("/", maxsplit=1)[0]
SSHD_READY_S = 10

# Binds the account files over the host's, in the mount namespace that "ip netns exec"
# has made, and gives sshd the folder it wants in /run. Over a copy of /etc: where the host
# replaces a file of its own, as useradd does, the kernel takes away what is mounted on it.
ENTER = """set -e
mount -t tmpfs tmpfs /run
mkdir /run/sshd
cp -a /etc /run/etc
mount --bind /run/etc /etc
for f in passwd group shadow; do mount --bind "$1/$f" /etc/$f; done
[ ! -e "$1/pam_sshd" ] || mount --bind "$1/pam_sshd" /etc/pam.d/sshd
exec /usr/sbin/sshd -D -e -f "$1/sshd_config"
"""

SSHD_CONFIG = """\
ListenAddress {address}
HostKey "{folder}/host_key"
PidFile none
UsePAM no
PasswordAuthentication no
AuthorizedKeysFile "{folder}/authorized_keys"
StrictModes no
UseDNS no
LogLevel VERBOSE
SetEnv "PATH={folder}/bin"
"""


def without_penalties():
    """A line for sshd_config: many tests fail to log in from one address, for which an sshd
    of OpenSSH 9.8 or later shuts that address out."""
    done = subprocess.run(["ssh", "-V"], stderr=subprocess.PIPE, text=True, check=True)
    version = re.match(r"OpenSSH_(\d+)\.(\d+)", done.stderr)
    known = tuple(map(int, version.groups())) >= (9, 8)
    return "PerSourcePenalties no\n" if known else ""


class Sender:
    """Starts, stops and spoils the sender."""

    def __init__(self, netspaces, folder, public_key):
        self.netspaces = netspaces
        self.folder = pathlib.Path(folder, "sender")
        (self.folder / "bin").mkdir(parents=True)
        self.process = None
        self._make_accounts()
        self.new_host_key()
        self.allow_key(public_key)
        self.write_sshd_config(SSHD_CONFIG)
        self._link_programs()
        netspaces.stack.callback(self.stop)

    def write_sshd_config(self, text):
        """What sshd goes by from its next start on; {address} and {folder} are filled in."""
        (self.folder / "sshd_config").write_text(
            text.format(address=SENDER_HOST, folder=self.folder) + without_penalties(),
            encoding="utf-8")

    def _make_accounts(self):
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, SENDER_UID, SENDER_UID)
        lines = {
            "passwd": f"{SENDER_USER}:x:{SENDER_UID}:{SENDER_UID}::{home}:/bin/sh",
            "group": f"{SENDER_USER}:x:{SENDER_UID}:",
            "shadow": f"{SENDER_USER}:*:19000:0:99999:7:::"}
        for name, line in lines.items():
            host = pathlib.Path("/etc", name).read_text(encoding="utf-8").splitlines()
            kept = [old for old in host if not old.startswith(f"{SENDER_USER}:")]
            path = self.folder / name
            path.write_text("\n".join([*kept, line, ""]), encoding="utf-8")
            path.chmod(0o600 if name == "shadow" else 0o644)

    def _link_programs(self):
        """A PATH that holds what the host has, so that iperf3 can be taken out of it."""
        for place in ("/usr/sbin", "/usr/bin"):
            for name in os.listdir(place):
                link = self.folder / "bin" / name
                if not link.is_symlink():
                    link.symlink_to(f"{place}/{name}")

    def allow_key(self, public_key):
        """Lets in whoever holds this key, and nobody else."""
        (self.folder / "authorized_keys").write_text(public_key, encoding="ascii")

    def new_host_key(self):
        """Gives the sender another identity; sshd shows it from its next start on."""
        for path in self.folder.glob("host_key*"):
            path.unlink()
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "host_key")

    def known_hosts_line(self):
        """What known_hosts has to hold for the sender to be known."""
        key = (self.folder / "host_key.pub").read_text(encoding="ascii").split()
        return f"{SENDER_HOST} {key[0]} {key[1]}\n"

    def set_iperf3(self, script=None):
        """Puts a script in iperf3's place; "" takes it away, None brings back the real one."""
        path = self.folder / "bin/iperf3"
        path.unlink(missing_ok=True)
        if script is None:
            path.symlink_to("/usr/bin/iperf3")
        elif script:
            path.write_text(script, encoding="utf-8")
            path.chmod(0o755)

    def start(self):
        """Starts sshd and returns when it listens."""
        with open(self.folder / "sshd.log", "ab") as log:
            self.process = subprocess.Popen(
                self.netspaces.inside("sender", "sh", "-c", ENTER, "sshd", self.folder),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=hurry)
        deadline = time.monotonic() + SSHD_READY_S
        while b"Server listening" not in self._log_of_this_start():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RigError(f"sshd did not start: {self.log()[-2000:]}")
            time.sleep(0.02)

    def _log_of_this_start(self):
        return (self.folder / "sshd.log").read_bytes().rpartition(b"-- stopped --\n")[2]

    def log(self):
        """What sshd has said."""
        return (self.folder / "sshd.log").read_text(encoding="utf-8", errors="replace")

    def stop(self):
        """Ends sshd and every session it has."""
        if not self.process:
            return
        stop_process(self.process)
        self.process = None
        self.netspaces.end_processes("sender")
        with open(self.folder / "sshd.log", "ab") as log:
            log.write(b"-- stopped --\n")
