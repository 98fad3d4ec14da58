# SPDX-License-Identifier: MIT
"""Each command that README and docs tell a person to type is run by a test: commands.txt
says by which. A command that is new in a document, or gone from all, is an error.

Usage: commands.py SOURCE
"""
import json
import pathlib
import re
import sys

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
CONTINUED = re.compile(r"\s*(?:\\|(\|))\n\s*")
COMMENT = re.compile(r"(^|\s{2,})#.*$")
# what stands in running text is a command if it begins so and is whole
PROGRAMS = ("sudo", "t1s-sweep", "systemctl", "systemd-analyze", "journalctl", "ctest", "cmake",
            "man", "apt", "tests/", "packaging/", "./")
# of what our programs run by themselves, and not a person
NOT_TYPED = re.compile(
    r"…|\bVERB\b|^t1s-sweep (gate|may)\b|^sudo -n( -l)?$|^(tests|packaging)/\S*$|^\./\S*$")
PLACES = {"newcomer": "tests/package/test_newcomer.py"}
BY_HAND = "by hand"  # takes an hour, and is the long form of one that is run


def in_blocks(text):
    for language, block in FENCE.findall(text):
        for line in CONTINUED.sub(lambda join: f" {join[1]} " if join[1] else " ", block).splitlines():
            if language == "sh":
                yield COMMENT.sub("", line).strip()
            elif line.startswith("$ "):
                yield line[2:].strip()


def in_running_text(text):
    for code in INLINE.findall(FENCE.sub("", text)):
        code = " ".join(code.split())
        if code.startswith(PROGRAMS) and " " in code and not NOT_TYPED.search(code):
            yield code


def shown(source):
    """Command → the documents that show it."""
    found = {}
    for path in (source / "README.md", *sorted((source / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for command in (*in_blocks(text), *in_running_text(text)):
            if command:
                found.setdefault(command, set()).add(path.name)
    return found


def accounts(path):
    """Command → (place, words that stand there)."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        place, _, rest = line.partition(": ")
        command, _, words = rest.partition("  <- ")
        found[command] = place, words or command
    return found


def wrong_place(source, command, place, words):
    """What is wrong with an account; "" if nothing."""
    if place == BY_HAND:
        return ""
    path = source / PLACES.get(place, place)
    if not path.is_file():
        return f"{path} is no file"
    # a long line of a test may be broken, and its strings with it
    text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
    return "" if words in text else f'"{words}" is not in {path}'


def wrong_presets(source, command):
    presets = json.loads((source / "CMakePresets.json").read_text(encoding="utf-8"))
    for program, kind in (("cmake --preset", "configure"), ("cmake --build --preset", "build"),
                          ("cmake --workflow --preset", "workflow"), ("ctest --preset", "test")):
        names = {preset["name"] for preset in presets[f"{kind}Presets"]}
        for name in re.findall(rf"{program}[ =](\S+)", command):
            if name not in names:
                yield f"there is no {kind} preset {name}"


def main():
    source = pathlib.Path(sys.argv[1])
    documents = shown(source)
    accounted = accounts(source / "tests/docs/commands.txt")
    problems = [f"{', '.join(sorted(where))}: {command}: not in commands.txt"
                for command, where in documents.items() if command not in accounted]
    problems += [f"commands.txt: {command}: in no document"
                 for command in accounted if command not in documents]
    for command, (place, words) in accounted.items():
        wrong = wrong_place(source, command, place, words)
        problems += [f"{command}: {text}" for text in (wrong, *wrong_presets(source, command))
                     if text]
    if len(documents) < 20:
        problems.append("too few commands found: the documents are read wrongly")
    print("\n".join(problems) or f"{len(documents)} commands, each with its test")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
