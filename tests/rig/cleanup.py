# SPDX-License-Identifier: MIT
"""Everything a rig makes is handed back: processes by pid, mounts, namespaces, folders."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

COMMAND_TIMEOUT_S = 30
NICE = -10


class RigError(Exception):
    """Something about the rig itself is not as it must be; the text is for people."""


def run(*command, timeout=COMMAND_TIMEOUT_S, stdin=subprocess.DEVNULL, **kwargs):
    """Runs a command to its end and returns its standard output; failing is an error."""
    done = subprocess.run(
        [str(part) for part in command], stdin=stdin, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False, **kwargs)
    if done.returncode != 0:
        raise RigError(f"{' '.join(map(str, command))}: exit {done.returncode}: "
                       f"{(done.stderr or done.stdout).strip()}")
    return done.stdout


def hurry():
    """Called in a child: on the real machines each end has a processor of its own, here a
    busy one must not make the ends lose what the link has let through."""
    os.setpriority(os.PRIO_PROCESS, 0, NICE)


def stop_process(process, grace_s=3):
    """Ends a child that was started with start_new_session=True, with all it started."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sig)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace_s)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


def scratch_folder(stack, prefix, keep=False):
    """A new folder under $TMPDIR, removed when the stack unwinds unless kept."""
    folder = tempfile.mkdtemp(prefix=prefix)
    os.chmod(folder, 0o755)
    if not keep:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def mount(stack, *arguments, target):
    """Mounts, and unmounts when the stack unwinds. Returns the function that unmounts."""
    run("mount", *arguments, target)
    return stack.callback(
        subprocess.run, ["umount", "--lazy", str(target)], check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def exit_on_signals():
    """SIGTERM and SIGHUP end the program as SIGINT does: through every clean-up."""
    def leave(signum, _frame):
        raise KeyboardInterrupt(signal.Signals(signum).name)
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, leave)
