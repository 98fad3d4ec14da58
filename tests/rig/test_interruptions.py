# SPDX-License-Identifier: MIT
"""What a person or the other end may do in the middle of a sweep."""
import contextlib
import os
import signal
import sys
import unittest

from guest import systemd_version
from scenario import POINTS_MHZ, Scenario

ALL_POINTS = [mhz * 1000000 for mhz in POINTS_MHZ]
SLOW = {"Workload default": {"Duration": "3s"}}
LOGIND = "org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager"
LOGIND_CALL = f"busctl call {LOGIND}"
WAIT_UNTIL = "until {}; do sleep 0.05; done"
SCHEDULED = f"busctl get-property {LOGIND} ScheduledShutdown | grep -q reboot"
REBOOT_DUE = WAIT_UNTIL.format(SCHEDULED)
MEASURING = WAIT_UNTIL.format(
    "systemctl show -P StatusText t1s-sweep | grep -q 'measuring,'")
LOCKS_STOP_ROOT_FROM = 257


class InterruptionTest(Scenario):
    def act(self, rig, script, timeout_s=60):
        """Runs a script in the next boot, beside the sweep; the boot lasts until it ends."""
        rig.guest.add_unit("act.service", f"""[Unit]
Before=rig-end.service
After=dbus.socket
[Service]
Type=oneshot
TimeoutStartSec={timeout_s}
ExecStart=/bin/sh -ec "{script.replace(chr(10), '; ').replace('%', '%%')}"
""", wanted=True)

    def act_no_more(self, rig):
        rig.guest.add_drop_in("act.service", "off.conf", "[Unit]\nConditionPathExists=/off\n")

    def assert_each_point_once(self):
        self.assertEqual(self.points_hz(), ALL_POINTS, self.said())
        self.assertEqual({row["status"] for row in self.rig.rows()}, {"OK"}, self.said())
        self.assert_over("finished")

    def test_stopped_in_mid_measurement_and_started_again_it_goes_on(self):
        rig = self.make_rig(SLOW)
        self.act(rig, f"{MEASURING}\nsystemctl stop t1s-sweep\nsystemctl start t1s-sweep")
        self.assertTrue(rig.boot().rebooted, self.said())
        self.assertEqual(self.points_hz(), ALL_POINTS[:1], self.said())
        self.act_no_more(rig)
        rig.sweep()
        self.assert_each_point_once()

    def test_a_cancelled_reboot_is_asked_for_again_by_a_start(self):
        rig = self.make_rig({"Sweep": {"RebootDelay": "2s"}})
        self.act(rig, f"{REBOOT_DUE}\n{LOGIND_CALL} CancelScheduledShutdown\n"
                 "systemctl start t1s-sweep")
        self.assertTrue(rig.boot().rebooted, self.said())
        self.assertEqual(self.said().count("rebooting in"), 2, self.said())
        self.act_no_more(rig)
        rig.sweep()
        self.assert_each_point_once()

    def test_disabled_under_way_nothing_runs_and_enabled_again_it_goes_on(self):
        rig = self.make_rig(SLOW)
        rig.boot()
        self.act(rig, f"{MEASURING}\nsystemctl disable --now t1s-sweep")
        self.assertFalse(rig.boot().rebooted, self.said())
        self.assertFalse(rig.armed())
        self.act_no_more(rig)
        self.assertFalse(rig.boot().rebooted, self.said())
        self.assertEqual(self.points_hz(), ALL_POINTS[:1], self.said())
        rig.arm()
        rig.sweep()
        self.assert_each_point_once()

    def lock(self, rig, condition):
        """In the next boot root holds a block lock against shutting down until then."""
        self.act(rig, "systemd-inhibit --what=shutdown --mode=block --who=apt --why=upgrading "
                 f"sh -c '{WAIT_UNTIL.format(condition)}'", timeout_s=100)

    def test_a_lock_against_the_reboot_is_waited_for(self):
        rig = self.make_rig()
        self.lock(rig, f"{SCHEDULED} || systemctl show -P StatusText t1s-sweep | grep -q blocked")
        self.assertTrue(rig.boot().rebooted, self.said())
        if systemd_version() >= LOCKS_STOP_ROOT_FROM:
            self.assert_said(r"the reboot is blocked by apt \(upgrading\); waiting")
        else:
            self.assertNotIn("blocked", self.said())
        self.act_no_more(rig)
        rig.sweep()
        self.assert_each_point_once()

    @unittest.skipIf(systemd_version() < LOCKS_STOP_ROOT_FROM,
                     f"before systemd {LOCKS_STOP_ROOT_FROM} no lock stops root's reboot")
    def test_a_lock_that_stays_costs_a_boot_by_hand_but_no_point(self):
        rig = self.make_rig()
        self.lock(rig, "systemctl is-failed -q t1s-sweep")
        self.assertFalse(rig.boot().rebooted, self.said())
        self.assert_said(r"the reboot is blocked by apt \(upgrading\) \(see")
        self.act_no_more(rig)
        rig.sweep()
        self.assert_each_point_once()

    def in_mid_flood(self, rig, action):
        """One boot in which something is done once when the flood is under way."""
        done = []

        def poll():
            if not done and rig.link.udp_frames() > before + 500:
                done.append(True)
                action()
        before = rig.link.udp_frames()
        return rig.boot(poll=poll)

    def test_a_session_that_breaks_off_is_opened_again(self):
        rig = self.make_rig(SLOW)

        def kill():
            for pid in rig.netspaces.pids("sender"):
                if pid != rig.sender.process.pid:
                    # ending one session process takes others along
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        self.assertTrue(self.in_mid_flood(rig, kill).rebooted, self.said())
        self.assertEqual(self.points_hz(), ALL_POINTS[:1], self.said())
        self.assert_said("session to the sender lost")
        rig.sweep()
        self.assert_each_point_once()

    def test_a_port_that_is_taken_is_told_and_costs_no_point(self):
        rig = self.make_rig()
        self.act(rig, "systemd-run -p DynamicUser=yes iperf3 -s\nsleep 1")
        rig.guest.add_drop_in("t1s-sweep.service", "later.conf", "[Unit]\nAfter=act.service\n")
        rig.boot()
        self.assert_waiting()
        self.assertEqual(rig.rows(), [])
        self.assert_said("port 5201 .* is taken")
        self.act_no_more(rig)
        rig.guest.add_drop_in("t1s-sweep.service", "later.conf", "")
        rig.sweep()
        self.assert_each_point_once()

    def test_restored_while_a_reboot_is_due_says_that_it_still_comes(self):
        rig = self.make_rig({"Sweep": {"RebootDelay": "10s"}})
        self.act(rig, f"{REBOOT_DUE}\nt1s-sweep restore")
        self.assertTrue(rig.boot().rebooted, self.said())
        self.assert_said("asked for .* still comes")
        self.act_no_more(rig)
        rig.sweep(boots_max=1)
        self.assert_over("stopped")


if __name__ == "__main__":
    sys.exit(unittest.main())
