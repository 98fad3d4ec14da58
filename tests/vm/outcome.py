# SPDX-License-Identifier: MIT
"""What must be true when a sweep has come to its end, whatever happened on the way."""
import csv
import json

import journal
from rig import UNIT

# The journal's events, by their ids in units/t1s-sweep.catalog
BEGUN = "e6fe449a66be42dbac3753ad61dab5a7"
MEASURED = "1c660ea484734b96a928264df6c423ee"
FINISHED = "d7722e88ab21450ba91f7418c94696d8"
SHARE_TOLERANCE = 0.02
# What comes in beside the datagrams: iperf3's control connection and ARP
CONTROL_SHARE_MAX = 0.1
# A link that passes less may leave no datagram to count, and any status is right
SHARE_OF_A_LINK = 0.001


def curve(path):
    """The share of each frequency that a curve file lists."""
    with open(path, encoding="ascii") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {int(row["spi_hz"]): float(row["share"]) for row in rows}


def received_share(row):
    """The share of datagrams that arrived; none where the row says of none."""
    packets = int(row["packets"] or 0)
    return 1 - int(row["lost_packets"]) / packets if packets else 0


def arrived_share(row):
    """The share of datagrams that reached the guest's interface, and the control packets
    with them. A guest that is held up for long loses some of them behind the interface."""
    packets = int(row["packets"] or 0)
    tested, omitted = float(row["test_seconds"]), float(row["omit_seconds"])
    arrived = int(row["iface_rx_packets"]) * tested / (tested + omitted)
    return arrived / packets if packets else 0


def counting_rows(rig):
    """The rows that stand for their points, each with what the link passed there."""
    shares = curve(rig.curve)
    for row in rig.rows():
        passed = shares[int(row["spi_requested_hz"])]
        if row["status"] == "OK" or passed < SHARE_OF_A_LINK:
            yield row, passed


def _wrong_shares(row, passed):
    received, arrived = received_share(row), arrived_share(row)
    if received > passed + SHARE_TOLERANCE:
        yield f"{row['spi_requested_hz']} Hz: {received:.4f} received, the link passed {passed}"
    if not -SHARE_TOLERANCE <= arrived - passed <= CONTROL_SHARE_MAX:
        yield f"{row['spi_requested_hz']} Hz: {arrived:.4f} arrived, the link passed {passed}"


def _wrong_rows(rig, points_hz):
    rows = list(counting_rows(rig))
    measured = [int(row["spi_requested_hz"]) for row, _ in rows]
    if measured != points_hz:
        yield f"rows of {measured}, expected {points_hz}"
    for row, passed in rows:
        frequency = row["spi_requested_hz"]
        if row["live_hz"] != frequency:
            yield f"measured at {row['live_hz']} Hz, requested {frequency}"
        if passed >= SHARE_OF_A_LINK:
            yield from _wrong_shares(row, passed)
    if len({row["boot_id"] for row, _ in rows}) != len(rows):
        yield "two points measured in one boot"


def _wrong_overlay(rig, original):
    if rig.overlay_bytes() != original:
        yield "the overlay is not what it was"
    left = [path.name for path in rig.overlay_path().parent.glob("*.t1s-*")]
    if left:
        yield f"left on the boot partition: {left}"
    if rig.boots[-1].live_hz != 20000000:
        yield f"the last boot ran with {rig.boots[-1].live_hz} Hz"


def _wrong_end(rig):
    if rig.armed():
        yield f"{UNIT} is still enabled"
    # not from the journal: its last lines are what a power cut costs
    state = json.loads((rig.state_folder() / "state.json").read_text(encoding="utf-8"))
    if state["phase"] != "finished":
        yield f"phase {state['phase']}"
    failed = rig.journal(f"UNIT={UNIT}", "JOB_RESULT=failed")
    if failed:
        yield f"{UNIT} failed: {[entry['MESSAGE'] for entry in failed]}"


def problems(rig, points_hz, original):
    """What is wrong with a finished sweep over these points; [] if it is as it must be.
    original: the overlay before it."""
    found = [*_wrong_rows(rig, points_hz), *_wrong_overlay(rig, original), *_wrong_end(rig)]
    if found:
        found.append(rig.messages())
    return found


def events(rig, message_id):
    """The journal's entries of one event, oldest first."""
    return rig.journal("-t", journal.PROGRAM, f"MESSAGE_ID={message_id}")
