# SPDX-License-Identifier: MIT
"""The link emulator between a real iperf3 client and server: the counts must come out."""
import contextlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time
import unittest

from cleanup import scratch_folder, stop_process
from netspace import T1S, Link, Netspaces

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("T1S_LINK", "t1s-link")
RECEIVER_ADDRESS = T1S["pi"][1].split("/")[0]
# The emulator's table for these tests: one frequency for each share to be tried.
SHARES = {20: 1, 19: 0.9054, 18: 0.5, 17: 0.0206, 16: 0.00006, 15: 0}


@unittest.skipIf(os.geteuid() != 0, "network namespaces need root")
class LinkTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(scratch_folder(self.stack, "t1s-link-test."))
        self.spaces = Netspaces(self.stack)
        curve = self.folder / "curve.csv"
        curve.write_text("spi_hz,share\n" + "".join(
            f"{mhz}000000,{share:.6f}\n" for mhz, share in SHARES.items()), encoding="ascii")
        self.live = self.folder / "live"
        self.link = Link(self.spaces, PROGRAM, self.folder, self.live, curve)
        self.link.start()

    def set_share(self, share):
        mhz = next(mhz for mhz, value in SHARES.items() if value == share)
        self.live.write_bytes(struct.pack(">I", mhz * 1000000))
        deadline = time.monotonic() + 5
        while (self.link.stats() or {}).get("live_hz") != mhz * 1000000:
            self.assertLess(time.monotonic(), deadline, "the link did not see the frequency")
            time.sleep(0.02)

    def start_server(self):
        server = subprocess.Popen(
            self.spaces.inside("pi", "iperf3", "-s", "-1", "-J", "--forceflush"),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        self.stack.callback(stop_process, server)
        deadline = time.monotonic() + 5
        while ":5201" not in subprocess.run(
                self.spaces.inside("pi", "ss", "-Hltn"), stdout=subprocess.PIPE, text=True,
                check=True).stdout:
            self.assertLess(time.monotonic(), deadline, "iperf3 -s does not listen")
            time.sleep(0.02)
        return server

    def iperf3(self, *arguments, timeout=20):
        """Both ends' results of one run, from the sender to the receiver."""
        server = self.start_server()
        client = subprocess.run(
            self.spaces.inside("sender", "iperf3", "-c", RECEIVER_ADDRESS, "-J",
                               "--connect-timeout", "1000", *arguments),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=timeout, check=False)
        if b'"error"' not in client.stdout:
            server.wait(timeout)
            return json.loads(client.stdout), json.loads(server.stdout.read())
        stop_process(server)
        return json.loads(client.stdout), None

    def flood(self, share, seconds=2):
        self.set_share(share)
        before = self.link.stats()["ab"]
        client, server = self.iperf3("-u", "-b", "10M", "-l", "1448", "-t", seconds)
        self.assertNotIn("error", client)
        time.sleep(0.2)
        after = self.link.stats()["ab"]
        self.assertEqual(after["not_delivered"], before["not_delivered"])
        sent = client["end"]["streams"][0]["udp"]["packets"]
        # one of the frames is the handshake
        self.assertEqual(after["udp_frames"] - before["udp_frames"], sent + 1)
        udp = server["end"]["streams"][0]["udp"]
        return sent, udp["packets"] - udp["lost_packets"]

    def test_received_datagrams_are_exactly_the_share_of_the_flood(self):
        for share in (1, 0.9054, 0.5, 0.0206):
            with self.subTest(share=share):
                sent, received = self.flood(share)
                self.assertGreater(sent, 1500)
                self.assertLessEqual(abs(received - share * sent), 2, (sent, received))

    def test_the_control_connection_works_where_almost_nothing_gets_through(self):
        sent, received = self.flood(0.00006)
        self.assertGreater(sent, 1500)
        self.assertLessEqual(received, 2)

    def test_share_0_is_silence_even_for_arp(self):
        self.set_share(0)
        client, _ = self.iperf3("-u", "-b", "10M", "-t", 1)
        self.assertIn("error", client)
        neighbours = json.loads(self.spaces.ip("sender", "-j", "neigh", "show"))
        self.assertFalse([n for n in neighbours if "lladdr" in n], neighbours)

    def test_before_the_first_value_of_the_live_tree_the_link_is_silent(self):
        client, _ = self.iperf3("-u", "-b", "10M", "-t", 1)
        self.assertIn("error", client)

    def test_a_live_tree_that_goes_away_leaves_the_last_share_in_force(self):
        self.set_share(0.5)
        self.live.unlink()
        time.sleep(0.2)
        client, server = self.iperf3("-u", "-b", "10M", "-l", "1448", "-t", 1)
        self.assertNotIn("error", client)
        self.assertAlmostEqual(server["end"]["sum"]["lost_percent"], 50, delta=1)

    def test_tcp_bulk_is_held_to_the_share_of_the_wire_limit(self):
        for share in (1, 0.5):
            with self.subTest(share=share):
                self.set_share(share)
                _, server = self.iperf3("-t", 3, "-O", 1)
                rate = server["end"]["sum_received"]["bits_per_second"]
                # what waited behind a lost segment when the omitted time ended counts too
                self.assertLess(rate, share * 9538900 * 1.15)
                self.assertGreater(rate, share * 9538900 * 0.5)

    def test_tcp_in_both_directions_shares_the_wire(self):
        self.set_share(1)
        client, server = self.iperf3("-t", "4", "--bidir")
        rates = [server["end"]["sum_received"]["bits_per_second"],
                 client["end"]["sum_received_bidir_reverse"]["bits_per_second"]]
        self.assertLess(sum(rates), 1.05 * 9538900)
        self.assertGreater(min(rates), 0.2 * sum(rates), rates)

    def test_faults_are_switched_while_it_runs(self):
        self.set_share(1)
        self.link.set_faults("duplicate=10\n")
        time.sleep(0.2)
        _, server = self.iperf3("-u", "-b", "10M", "-l", "1448", "-t", 1)
        self.assertGreater(server["end"]["streams"][0]["udp"]["out_of_order"], 50)
        self.link.set_faults("silent=ab\n")
        time.sleep(0.2)
        client, _ = self.iperf3("-u", "-b", "10M", "-t", 1)
        self.assertIn("error", client)

    def test_a_virtual_machine_is_reached_through_its_socket(self):
        self.set_share(1)
        machine, wire = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(machine.close)
        self.addCleanup(wire.close)
        machine.settimeout(5)
        folder = self.folder / "second"
        folder.mkdir()
        Link(self.spaces, PROGRAM, folder, self.live, self.link.curve,
             ends={"sender": ("vm0", "10.99.0.1/24")}, socket=wire).start()
        datagram = "socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', ('10.99.0.2', 9))"
        subprocess.run(self.spaces.inside(
            "sender", sys.executable, "-c", f"import socket; {datagram}"), check=True)
        asked = machine.recv(2048)
        while asked[12:14] != b"\x08\x06":  # what the kernel says by itself
            asked = machine.recv(2048)
        # the answer: 10.99.0.2 is at this MAC
        mac = bytes.fromhex("020000000002")
        machine.send(asked[6:12] + mac + asked[12:20] + b"\0\2" + mac + asked[38:42]
                     + asked[22:32])
        while asked[12:14] != b"\x08\0":
            asked = machine.recv(2048)
        self.assertEqual(asked[:6], mac)


if __name__ == "__main__":
    sys.exit(unittest.main())
