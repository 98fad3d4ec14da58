# SPDX-License-Identifier: MIT
"""Reads and makes flattened device trees (Devicetree Specification, chapter 5)."""
import struct

MAGIC = 0xD00DFEED
BEGIN_NODE, END_NODE, PROPERTY, NOP, END = 1, 2, 3, 4, 9
VERSION, LAST_COMPATIBLE_VERSION, HEADER_BYTES = 17, 16, 40


class FdtError(Exception):
    """The blob is no sound flattened device tree."""


class Property:
    """A property's bytes, and where they stand in the blob."""

    def __init__(self, data, offset):
        self.data, self.offset = data, offset


class Node:
    """A node: properties by name, child nodes by name."""

    def __init__(self):
        self.properties, self.children = {}, {}

    def strings(self, name):
        """A property as a list of strings; [] where it is missing."""
        if name not in self.properties:
            return []
        return self.properties[name].data.rstrip(b"\0").decode().split("\0")

    def cells(self, name):
        """A property as a list of 32-bit numbers; [] where it is missing."""
        data = self.properties[name].data if name in self.properties else b""
        return list(struct.unpack(f">{len(data) // 4}I", data[:len(data) // 4 * 4]))

    def walk(self, path=""):
        """Every node below and with this one, as (path, node)."""
        yield path or "/", self
        for name, child in self.children.items():
            yield from child.walk(f"{path}/{name}")


def _name(blob, offset):
    end = blob.index(b"\0", offset)
    return blob[offset:end].decode()


def _parse(blob):
    magic, total, structs, names = struct.unpack_from(">4I", blob)
    if magic != MAGIC or total > len(blob):
        raise FdtError("no device tree blob, or cut short")
    root, stack, at = None, [], structs
    while True:
        token, = struct.unpack_from(">I", blob, at)
        at += 4
        if token == BEGIN_NODE:
            name = _name(blob, at)
            at += (len(name) + 4) & ~3
            node = Node()
            if stack:
                stack[-1].children[name] = node
            root = root or node
            stack.append(node)
        elif token == END_NODE:
            stack.pop()
        elif token == PROPERTY:
            length, name_at = struct.unpack_from(">2I", blob, at)
            at += 8
            if at + length > total:
                raise FdtError("a property reaches beyond the end")
            stack[-1].properties[_name(blob, names + name_at)] = Property(
                bytes(blob[at:at + length]), at)
            at += (length + 3) & ~3
        elif token == END and root and not stack:
            return root
        elif token != NOP:
            raise FdtError(f"unknown token {token:#x}")


def parse(blob):
    """The root node of a blob; FdtError whatever is wrong with it."""
    try:
        return _parse(blob)
    except (struct.error, ValueError, IndexError) as error:
        raise FdtError(f"broken blob: {error}") from error


def _padded(data):
    return data + bytes(-len(data) % 4)


class _Flattener:
    """Collects the structure block and the strings that it refers to."""

    def __init__(self):
        self.structs, self.names, self.name_at = bytearray(), bytearray(), {}

    def _name_offset(self, name):
        if name not in self.name_at:
            self.name_at[name] = len(self.names)
            self.names += name.encode() + b"\0"
        return self.name_at[name]

    def add(self, name, node):
        self.structs += struct.pack(">I", BEGIN_NODE) + _padded(name.encode() + b"\0")
        for key, value in node.properties.items():
            self.structs += struct.pack(
                ">3I", PROPERTY, len(value.data), self._name_offset(key))
            self.structs += _padded(value.data)
        for child_name, child in node.children.items():
            self.add(child_name, child)
        self.structs += struct.pack(">I", END_NODE)


def flatten(root):
    """The blob of a tree, as a boot loader hands it to the kernel."""
    flattener = _Flattener()
    flattener.add("", root)
    structs = bytes(flattener.structs) + struct.pack(">I", END)
    reserved = bytes(16)  # no memory is reserved
    structs_at = HEADER_BYTES + len(reserved)
    names_at = structs_at + len(structs)
    header = struct.pack(
        ">10I", MAGIC, names_at + len(flattener.names), structs_at, names_at, HEADER_BYTES,
        VERSION, LAST_COMPATIBLE_VERSION, 0, len(flattener.names), len(structs))
    return header + reserved + structs + bytes(flattener.names)
