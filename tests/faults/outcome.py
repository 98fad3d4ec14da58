# SPDX-License-Identifier: MIT
"""A line of the fault matrix: what a fault in a step came to."""
import time

STEPS = ("begin", "measure", "advance")
BOOTS_MAX = 40


class Outcome:
    """The fault, what the step did about it, and how the sweep went on without it."""

    def __init__(self, step, fault):
        self.step, self.fault = step, fault
        self.status = self.seconds = None
        self.said = self.rows = self.end = ""
        self.problems = []

    def line(self):
        status = "-" if self.status is None else f"{self.status} in {self.seconds:.1f} s"
        return (f"{'FAILED' if self.problems else 'ok':6} {self.step:7} {self.fault:44} "
                f"{status:14} rows: {self.rows or 'none':16} then: {self.end}\n"
                f"        said: {self.said or 'nothing'}" +
                "".join(f"\n        PROBLEM: {problem}" for problem in self.problems))


def short_rows(tree):
    """The rows of all points, "1 OK, 2 NO_DATA"; "" where there are none."""
    try:
        rows = tree.rows()
    except (OSError, ValueError):
        return ""
    return ", ".join(f"{row['point']} {row['status']}" for row in rows)


def last_words(said):
    """The line that tells why: the last that is not about what comes next."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


class Run:
    """A sweep on a tree, one step of which meets a fault.

    faulty(tree, step) runs the step with the fault and returns its exit status, or None
    where the fault could not be met there: then it is tried at the next boot. deadline_s is
    what the step may take; end is the phase in which the sweep must end without the fault,
    words what must have been said, status the exit status that is expected.
    """

    def __init__(self, tree, outcome, faulty, boot=2, deadline_s=60, end="finished",
                 words=None, status=None, statuses=("OK",), mend=lambda tree: None):
        self.tree, self.outcome, self.faulty, self.boot = tree, outcome, faulty, boot
        self.deadline_s, self.end, self.words, self.status = deadline_s, end, words, status
        self.statuses, self.mend, self.met = statuses, mend, False
        self.mended = False

    def _problem(self, text):
        self.outcome.problems.append(text)

    def _meet(self, step):
        begun = time.monotonic()
        status = self.faulty(self.tree, step)
        if status is None:
            return self.tree.run(step)
        self.met = True
        self.outcome.status, self.outcome.seconds = status, time.monotonic() - begun
        self.outcome.said = last_words(self.tree.said)
        self.outcome.rows = short_rows(self.tree)
        if self.outcome.seconds > self.deadline_s:
            self._problem(f"took {self.outcome.seconds:.0f} s, {self.deadline_s} s expected "
                          "at most")
        if status not in (0, 1, 2):
            self._problem(f"ended by {status}")
        if status != 0 and not self.tree.said.strip():
            self._problem("failed without a word")
        if self.words and self.words not in self.tree.said:
            self._problem(f"did not say \"{self.words}\": {self.tree.said[-400:]}")
        if self.status is not None and status != self.status:
            self._problem(f"exit status {status}, expected {self.status}")
        return status

    def _boot(self, number):
        """The service: a step runs if the one before it went well."""
        for step in STEPS:
            here = not self.met and step == self.outcome.step and number >= self.boot
            if (self._meet(step) if here else self.tree.run(step)) != 0:
                break
        if self.met and not self.mended:
            self.mended = True
            self.mend(self.tree)

    def go(self):
        for number in range(1, BOOTS_MAX):
            if not self.tree.armed():
                break
            self.tree.boot()
            self._boot(number)
        if not self.met:
            self._problem("the fault was never met")
        self._judge()
        return self.outcome

    def _judge(self):
        tree = self.tree
        try:
            phase, rows = tree.state()["phase"], tree.rows()
        except (OSError, ValueError) as error:
            phase, rows = f"no state ({error})", []
        self.outcome.end = f"{phase}, {len(rows)} rows"
        if phase != self.end:
            self._problem(f"ended {phase}, expected {self.end}; last words: {tree.said[-400:]}")
        if tree.armed() or tree.overlay_bytes() != tree.original:
            self._problem("overlay or unit not put back")
        last = {}
        for row in rows:
            key = (row["point"], row["workload"], row["direction"], row["repeat"])
            if key in last and last[key] in ("OK", "NO_DATA", "NO_LINK"):
                self._problem(f"point {row['point']} was measured twice")
            last[key] = row["status"]
        if phase == "finished" and self.end == "finished":
            if len(last) != tree.points:
                self._problem(f"{len(last)} of {tree.points} points were measured")
            wrong = [status for status in last.values() if status not in self.statuses]
            if wrong:
                self._problem(f"rows that are {wrong}, expected {self.statuses}")
