#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The fault matrix: steps of a boot by faults, each tried, with what came of it.

    matrix.py                     everything (an hour)
    matrix.py --part disk         calls on files that fail (matrix_disk.py)
    matrix.py --part machine      the machine's own faults (matrix_machine.py)
    matrix.py --part peer         link and sender (matrix_peer.py)
    matrix.py --part elsewhere    what tests of their own try, by those tests
    matrix.py --sample 20 --seed 1
    matrix.py --only WORD         lines whose fault holds the word
"""
import argparse
import random
import sys

PARTS = ("disk", "machine", "peer", "elsewhere")


def lines_of(part):
    """The lines of a part; its module is loaded only where it is wanted."""
    return list(__import__(f"matrix_{part}").lines())


def choose(arguments):
    """The lines that the command line asks for."""
    chosen = [line for part in arguments.part or PARTS for line in lines_of(part)]
    if arguments.only:
        chosen = [line for line in chosen if arguments.only in line.__defaults__[0].fault]
    if arguments.sample and arguments.sample < len(chosen):
        chosen = random.Random(arguments.seed).sample(chosen, arguments.sample)
    return chosen


def run(lines, log=print):
    """Tries each; returns the outcomes with a problem."""
    failed = []
    try:
        for line in lines:
            outcome = line()
            log(outcome.line())
            if outcome.problems:
                failed.append(outcome)
    finally:
        if "matrix_peer" in sys.modules:
            sys.modules["matrix_peer"].close()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--only")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    lines = choose(parser.parse_args())
    failed = run(lines, lambda text: print(text, flush=True))
    print(f"{len(lines)} faults tried, {len(failed)} with a problem")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
