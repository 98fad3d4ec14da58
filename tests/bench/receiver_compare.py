#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does our receiver receive what stock iperf3 does?

Puts both, in turn, at the end of one veth link between two network namespaces and sends
them the same UDP tests from a stock iperf3 client. Prints for each offered rate what both
received (median over the rounds, lowest and highest), the ratio of the medians, and the
receivers' CPU time. All of it runs at a real-time priority, so that other programs' work
does not decide. Where the ratio is below 0.99 the rounds are done again, up to three times in
all; exit 1 if it is still below.

    sudo tests/bench/receiver_compare.py BUILD [ROUNDS [SECONDS]]     (a release build)
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RATES = ("10M", "100M", "1G")
LENGTH = 1448
OMIT_S = 1
RATIO_MIN = 0.99
ADDRESS, CLIENT_ADDRESS, PORT = "10.213.77.1", "10.213.77.2", "5201"
BATCHES_MAX = 3
PATIENCE_S = 15
SKIPPED = 77


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


class Link:
    """Two namespaces with one veth link; gone at the end."""

    def __init__(self):
        self.receiver = f"t1s-bench-{os.getpid()}-r"
        self.sender = f"t1s-bench-{os.getpid()}-s"

    def __enter__(self):
        try:
            for name in (self.receiver, self.sender):
                run("ip", "netns", "add", name)
            run("ip", "-n", self.receiver, "link", "add", "t1s0", "type", "veth",
                "peer", "name", "t1s0", "netns", self.sender)
            for name, address in ((self.receiver, ADDRESS), (self.sender, CLIENT_ADDRESS)):
                run("ip", "-n", name, "address", "add", f"{address}/30", "dev", "t1s0")
                run("ip", "-n", name, "link", "set", "t1s0", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in (self.receiver, self.sender):
            subprocess.run(["ip", "netns", "delete", name], check=False,
                           stderr=subprocess.DEVNULL)

    def popen(self, name, *command, **files):
        return subprocess.Popen(["ip", "netns", "exec", name, *command],
                                stdin=subprocess.DEVNULL, **files)

    def wait_listening(self, process):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            out = subprocess.run(
                ["ip", "netns", "exec", self.receiver, "ss", "-Hltn", f"sport = :{PORT}"],
                check=True, capture_output=True, text=True).stdout
            if out.strip():
                return
            if process.poll() is not None:
                raise SystemExit("the receiver ended before it listened")
            time.sleep(0.01)
        raise SystemExit("the receiver does not listen")


def wait_usage(process, seconds):
    """CPU seconds of the process and the children it has waited for."""
    deadline = time.monotonic() + seconds + PATIENCE_S
    while time.monotonic() < deadline:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise SystemExit("the receiver did not end with the test")


def measure(link, server, rate, seconds, folder):
    """(received bit/s, lost %, CPU s) of one test with one of the two receivers."""
    result = folder / "receiver.json"
    files = {}
    if server[0] == "iperf3":
        files["stdout"] = open(result, "wb")  # pylint: disable=consider-using-with
    receiver = link.popen(link.receiver, *server, **files)
    link.wait_listening(receiver)
    client = link.popen(link.sender, "iperf3", "-c", ADDRESS, "-p", PORT, "-u", "-b", rate,
                        "-l", str(LENGTH), "-t", str(seconds), "-O", str(OMIT_S), "-J",
                        stdout=subprocess.DEVNULL)
    try:
        client.wait(seconds + OMIT_S + PATIENCE_S)
    finally:
        client.kill()
        client.wait()
    cpu_s = wait_usage(receiver, 0)
    if "stdout" in files:
        files["stdout"].close()
    received = json.loads(result.read_text())["end"]["sum_received"]
    return received["bits_per_second"], received["lost_percent"], cpu_s


def add_rounds(link, servers, rate, rounds, seconds, folder, samples):
    for i in range(rounds):
        # who comes first alternates, so that a drift of the machine hits both
        for name in sorted(servers, reverse=i % 2 == 1):
            samples[name].append(measure(link, servers[name], rate, seconds, folder))


def show(rate, name, values):
    """Prints one receiver's line; returns its median rate."""
    rates, losses, cpus = zip(*values)
    median = statistics.median(rates)
    print(f"{rate:>5}  {name:<10} {median / 1e6:10.4f} "
          f"[{min(rates) / 1e6:9.4f} …{max(rates) / 1e6:10.4f}] Mbit/s  "
          f"loss {statistics.median(losses):6.3f} %  "
          f"CPU {statistics.median(cpus):6.3f} s", flush=True)
    return median


def compare(link, servers, rate, rounds, seconds, folder):
    """Prints one offered rate's lines; returns the ratio of the medians."""
    samples = {name: [] for name in servers}
    ratio = 0.0
    for _ in range(BATCHES_MAX):
        add_rounds(link, servers, rate, rounds, seconds, folder, samples)
        medians = {name: show(rate, name, values) for name, values in samples.items()}
        ratio = medians["t1s-sweep"] / medians["iperf3 -s"]
        print(f"{rate:>5}  ratio {ratio:.4f} over {len(samples['t1s-sweep'])} rounds",
              flush=True)
        if ratio >= RATIO_MIN:
            break
    return ratio


def take_priority():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except PermissionError:
        print("no real-time priority here: what else the machine does will show")


def main():
    if os.geteuid() != 0:
        print("skipped: must be root for network namespaces")
        return SKIPPED
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    take_priority()
    with tempfile.TemporaryDirectory(prefix="t1s-bench-") as name, Link() as link:
        folder = pathlib.Path(name)
        servers = {
            "t1s-sweep": [str(build / "tests/bench/receiver-once"), ADDRESS, PORT, "t1s0",
                          CLIENT_ADDRESS, str(folder / "receiver.json"),
                          str(seconds + OMIT_S + PATIENCE_S)],
            "iperf3 -s": ["iperf3", "-s", "-1", "-J", "-B", ADDRESS, "-p", PORT],
        }
        print(f"{rounds} rounds of {seconds} s (+ {OMIT_S} s omitted), UDP, {LENGTH} B, "
              f"one veth link, {os.cpu_count()} CPUs")
        ratios = [compare(link, servers, rate, rounds, seconds, folder)
                  for rate in RATES]
    return 0 if min(ratios) >= RATIO_MIN else 1


if __name__ == "__main__":
    sys.exit(main())
