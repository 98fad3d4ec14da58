# SPDX-License-Identifier: MIT
"""A sweep as a labgrid test. The account may use sudo without a password.

    pytest --lg-env labgrid-env.yaml labgrid_sweep.py
"""
import json
import time

import pytest
from labgrid.driver.exception import ExecutionError

PROGRAM = "/usr/sbin/t1s-sweep"
INTERVAL_S = 30
PATIENCE_S = 12 * 3600


def ask(ssh, arguments):
    """What the program answers, as a dictionary; None while the Pi is away."""
    try:
        out, _, code = ssh.run(f"{PROGRAM} --json {arguments}", timeout=30)
    except ExecutionError:
        return None
    return json.loads("\n".join(out)) if code == 0 else None


def connect_again(target, ssh):
    """A reboot ends the connection that the driver keeps."""
    try:
        target.deactivate(ssh)
        target.activate(ssh)
    except ExecutionError:
        pass


@pytest.fixture(scope="module", name="sweep")
def fixture_sweep(target):
    """Runs a sweep to its end: (status, report)."""
    ssh = target.get_driver("SSHDriver")
    before = ask(ssh, "status")["sweep_id"]
    ssh.run_check(f"sudo {PROGRAM} check")
    ssh.run_check("sudo systemctl enable t1s-sweep")
    ssh.run("sudo reboot")
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        time.sleep(INTERVAL_S)
        connect_again(target, ssh)
        status = ask(ssh, "status")
        if status and status["sweep_id"] != before and status["phase"] in (
                "finished", "stopped"):
            return status, ask(ssh, "report")
    pytest.fail("the sweep did not end in time")


def test_the_sweep_is_finished(sweep):
    status, _ = sweep
    assert status["phase"] == "finished", status["reason"]


def test_the_setting_in_use_has_a_margin(sweep):
    _, report = sweep
    assert report["summary"]["margin"] >= 1.2, report["summary"]["sentences"]


def test_no_higher_frequency_is_worse(sweep):
    _, report = sweep
    assert report["summary"]["not_monotonic"] == []
