#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one whole sweep on the boot rig and shows it as it goes; the demo's engine."""
import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

import journal
from cleanup import RigError, exit_on_signals
from rig import REFERENCE_CURVE, Rig

BAR_WIDTH = 32
SHOWN_PRIORITY = 5  # notices and what is worse


def clock(seconds):
    """90 as 1:30."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Screen:
    """Journal lines as they come, and below them one line of progress."""

    def __init__(self, out=sys.stdout):
        self.out, self.tty = out, out.isatty()
        self.begun = time.monotonic()
        self.point, self.points, self.boot = 0, 0, 0
        self.shown = ""

    def say(self, text):
        """A line that stays."""
        if self.tty and self.shown:
            self.out.write("\r\033[K")
            self.shown = ""
        self.out.write(text + "\n")
        self.out.flush()

    def entry(self, entry):
        """A line of the journal; what it tells about the way is kept for the progress."""
        if int(entry.get("PRIORITY", 6)) > SHOWN_PRIORITY:
            return
        stamp = time.localtime(int(entry["__REALTIME_TIMESTAMP"]) / 1e6)
        self.say(f"  {time.strftime('%H:%M:%S', stamp)}  {entry.get('MESSAGE', '')}")
        self.point = int(entry.get("T1S_POINT", self.point))
        self.points = int(entry.get("T1S_POINTS", self.points))

    def progress(self, done):
        """The progress line: points done, boot, and time gone and left."""
        if not self.points:
            return
        filled = BAR_WIDTH * done // self.points
        gone = time.monotonic() - self.begun
        left = f", about {clock(gone / done * (self.points - done))} left" if done else ""
        text = (f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{self.points} points, "
                f"boot {self.boot}, {clock(gone)}{left}")
        if self.tty:
            if text != self.shown:
                self.out.write(f"\r\033[K{text}")
                self.out.flush()
            self.shown = text
        else:
            self.say(text)


class Show:
    """Follows a rig's sweep on a screen."""

    def __init__(self, rig, screen, live_journal):
        self.rig, self.screen = rig, screen
        self.follower = journal.Follower(
            rig.guest.root / "var/log/journal") if live_journal else None

    def done(self):
        """Points that have their rows."""
        points = {(row["sweep_id"], row["point"]) for row in self.rig.rows()}
        return min(len(points), self.screen.points)

    def before_boot(self, number):
        """Called before each boot: what the one before has said, and how far it is."""
        self.poll(now=True)
        if number > 1 and not self.screen.tty:
            self.screen.progress(self.done())
        self.screen.boot = number
        self.screen.say(f"--- boot {number} ---")

    def poll(self, now=False):
        """Called while the guest is on."""
        for entry in self.follower.new_entries(now) if self.follower else ():
            self.screen.entry(entry)
        if self.screen.tty:
            self.screen.progress(self.done())


def parse_settings(texts):
    """SECTION.KEY=VALUE, as a configuration; the section may hold blanks."""
    sections = {}
    for text in texts:
        name, equals, value = text.partition("=")
        section, dot, key = name.rpartition(".")
        if not equals or not dot:
            raise RigError(f"{text}: expected SECTION.KEY=VALUE, as in Sweep.Step=5M")
        sections.setdefault(section, {})[key] = value
    return sections


def save(rig, out):
    """Copies what a person may want to keep out of the rig's folder, which goes away."""
    out.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out / "raw", ignore_errors=True)  # of an earlier run
    for path in rig.results_files():
        shutil.copytree(path.parent, out, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("lock"))
    with open(out / "journal.txt", "w", encoding="utf-8") as file:
        subprocess.run(["journalctl", "-D", rig.guest.root / "var/log/journal", "--no-pager",
                        "-o", "short-precise"], stdout=file, check=False)
    if "SUDO_UID" in os.environ:
        owner = int(os.environ["SUDO_UID"]), int(os.environ.get("SUDO_GID", -1))
        for path in (out, *out.rglob("*")):
            os.chown(path, *owner)


def report(program, out):
    """The program's own report on the results, shown and kept as report.txt."""
    done = subprocess.run([program, "report", out / "results.csv"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (out / "report.txt").write_text(done.stdout, encoding="utf-8")
    print(done.stdout)
    return done.returncode


def show_files(out):
    """The paths of the files, the raw ones as one line."""
    print("Files:")
    for path in sorted(out.iterdir()):
        print(f"  {path}{'/' if path.is_dir() else ''}")


def sweep(arguments):
    """The command."""
    screen = Screen()
    out = pathlib.Path(arguments.out).resolve()
    with contextlib.ExitStack() as stack:
        rig = stack.enter_context(Rig(
            build=arguments.build, curve=arguments.curve, keep=arguments.keep,
            log=screen.say))
        rig.configure(parse_settings(arguments.conf))
        original = rig.overlay_bytes()
        rig.arm()
        show = Show(rig, screen, arguments.live_journal)
        rig.sweep(before_boot=show.before_boot, poll=show.poll)
        show.poll(now=True)
        screen.progress(show.done())
        screen.say("")
        save(rig, out)
        ended = not rig.armed() and rig.overlay_bytes() == original
        screen.say(f"{len(rig.boots)} boots in {clock(time.monotonic() - screen.begun)}; "
                   f"overlay {'as it was' if rig.overlay_bytes() == original else 'CHANGED'}"
                   f", unit {'still enabled' if rig.armed() else 'disabled'}\n")
        if arguments.keep:
            screen.say(f"Kept: {rig.folder}")
    program = next(pathlib.Path(arguments.build).glob("daemon/t1s-sweep"))
    failed = report(program, out)
    show_files(out)
    return 0 if ended and not failed else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("sweep", help="run one sweep to its end")
    verb.add_argument("--build", default="build", help="build whose program runs")
    verb.add_argument("--curve", default=REFERENCE_CURVE, help="CSV spi_hz,share")
    verb.add_argument("--conf", action="append", default=[], metavar="SECTION.KEY=VALUE",
                      help="a setting of the program; may be given several times")
    verb.add_argument("--out", default="out/rig", help="where results are copied to")
    verb.add_argument("--live-journal", action="store_true",
                      help="show the program's journal lines as they come")
    verb.add_argument("--keep", action="store_true", help="leave the rig's folder")
    exit_on_signals()
    try:
        return sweep(parser.parse_args())
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nrig: interrupted; everything it made is taken away", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
