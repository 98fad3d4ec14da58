# SPDX-License-Identifier: MIT
"""Plays the Raspberry Pi firmware between two boots: reads config.txt from the boot
folder, merges the overlays it names into the base tree, and unfolds the result into files
as the kernel shows them in /sys/firmware/devicetree/base.

As on the Pi, an overlay that is missing or broken is left out and the boot goes on.
Emulated: [section] filters by board, include, os_prefix, overlay_prefix, dtoverlay with
parameters, dtparam behind it, and an overlay named by a HAT's EEPROM. Of parameters,
those that set whole 32-bit cells ("property:offset") and those that set text.
"""
import pathlib
import shutil
import struct
import subprocess
import tempfile

import fdt

INCLUDE_DEPTH_MAX = 10
MODEL = "Raspberry Pi 4 Model B Rev 1.4"
COMPATIBLE = ("raspberrypi,4-model-b", "brcm,bcm2711")
SECTIONS = ("all", "pi4")
TOOL_TIMEOUT_S = 20


class Overlay:
    """A dtoverlay line with the parameters that belong to it."""

    def __init__(self, name, parameters=()):
        self.name, self.parameters = name, list(parameters)


class Config:
    """What config.txt asks for."""

    def __init__(self):
        self.os_prefix, self.overlay_prefix = "", "overlays/"
        self.overlays = []


def _parameters(texts):
    for text in texts:
        name, _, value = text.partition("=")
        if name.strip():
            yield name.strip(), value.strip()


class _Reader:
    """Reads config.txt line by line; the section in force goes on through includes."""

    def __init__(self, folder, hat_overlay):
        self.folder, self.config = pathlib.Path(folder), Config()
        self.in_section, self.current = True, None
        if hat_overlay:
            self._add_overlay(hat_overlay)

    def read(self, name, depth=0):
        try:
            text = (self.folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return
        for line in text.splitlines():
            self._line(line.strip(), depth)

    def _line(self, line, depth):
        if line.startswith("[") and line.endswith("]"):
            self.in_section = line[1:-1].lower() in SECTIONS
        elif not self.in_section or line.startswith("#"):
            return
        elif line.startswith("include ") and depth < INCLUDE_DEPTH_MAX:
            self.read(line[len("include "):].strip(), depth + 1)
        else:
            self._setting(*(part.strip() for part in line.partition("=")[::2]))

    def _setting(self, key, value):
        if key == "os_prefix":
            self.config.os_prefix = value
        elif key == "overlay_prefix":
            self.config.overlay_prefix = value
        elif key == "dtoverlay":
            self._add_overlay(value)
        elif key == "dtparam" and self.current:
            self.current.parameters += _parameters(value.split(","))

    def _add_overlay(self, value):
        name, *parameters = value.split(",")
        # an empty one ends the reach of the one before it: dtparam is the base tree's again
        self.current = Overlay(name, _parameters(parameters)) if name else None
        if self.current:
            self.config.overlays.append(self.current)


def read_config(folder, hat_overlay=None):
    """What config.txt in this boot folder asks for; without one, nothing."""
    reader = _Reader(folder, hat_overlay)
    reader.read("config.txt")
    return reader.config


def _override_targets(data):
    """The (phandle, text) pairs of an __overrides__ entry."""
    at = 0
    while at + 4 <= len(data):
        phandle, = struct.unpack_from(">I", data, at)
        end = data.index(b"\0", at + 4)
        yield phandle, data[at + 4:end].decode()
        at = end + 1


def _set_parameter(blob, root, by_phandle, parameter, value):
    """Sets in place what the parameter points to. True if that could be done."""
    overrides = root.children.get("__overrides__")
    if not overrides or parameter not in overrides.properties:
        return False
    for phandle, target in _override_targets(overrides.properties[parameter].data):
        name, colon, offset = target.partition(":")
        node = by_phandle.get(phandle)
        if not colon or not node or name not in node.properties:
            return False
        struct.pack_into(">I", blob, node.properties[name].offset + int(offset or 0),
                         int(value, 0))
    return True


def apply_parameters(blob, parameters, log=print):
    """The overlay with its parameters set, as the firmware sets them while loading it."""
    blob, root = bytearray(blob), fdt.parse(blob)
    by_phandle = {cell: node for _, node in root.walk() for cell in node.cells("phandle")}
    for parameter, value in parameters:
        if not _set_parameter(blob, root, by_phandle, parameter, value):
            log(f"firmware: unknown dtparam {parameter}={value}")
    return bytes(blob)


def _merge(base, overlay):
    """The base blob with an overlay merged in; FdtError if fdtoverlay refuses it."""
    with tempfile.TemporaryDirectory(prefix="t1s-firmware.") as folder:
        paths = {name: pathlib.Path(folder, name) for name in ("base", "overlay", "merged")}
        paths["base"].write_bytes(base)
        paths["overlay"].write_bytes(overlay)
        done = subprocess.run(
            ["fdtoverlay", "-i", paths["base"], "-o", paths["merged"], paths["overlay"]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=TOOL_TIMEOUT_S, text=True, check=False)
        if done.returncode != 0:
            raise fdt.FdtError(done.stderr.strip())
        return paths["merged"].read_bytes()


def compile_tree(source):
    """A device tree source as a blob with symbols."""
    return subprocess.run(
        ["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", "-", source],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=TOOL_TIMEOUT_S,
        check=True).stdout


def _text(*strings):
    return fdt.Property(b"".join(text.encode() + b"\0" for text in strings), 0)


def load(boot_folder, base, hat_overlay=None, log=print):
    """The tree that the kernel would be given, as the firmware leaves it in memory."""
    config = read_config(boot_folder, hat_overlay)
    prefix = config.os_prefix + config.overlay_prefix
    if not pathlib.Path(boot_folder, f"{prefix}README").exists():
        prefix = config.overlay_prefix  # that system has no overlays of its own
    merged = base
    for overlay in config.overlays:
        path = pathlib.Path(boot_folder, f"{prefix}{overlay.name}.dtbo")
        try:
            merged = _merge(
                merged, apply_parameters(path.read_bytes(), overlay.parameters, log))
        except (OSError, ValueError, struct.error, fdt.FdtError) as error:
            log(f"firmware: Failed to load overlay '{overlay.name}': {error}")
    root = fdt.parse(merged)
    root.properties["model"] = _text(MODEL)
    root.properties["compatible"] = _text(*COMPATIBLE)
    chosen = root.children.setdefault("chosen", fdt.Node())
    chosen.properties["os_prefix"] = _text(config.os_prefix)
    chosen.properties["overlay_prefix"] = _text(config.overlay_prefix)
    return root


def unfold(root, folder):
    """Writes a tree as the kernel shows it: nodes are folders, properties raw files."""
    folder = pathlib.Path(folder)
    for old in folder.iterdir() if folder.exists() else ():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    for path, node in root.walk():
        here = folder / path.lstrip("/")
        here.mkdir(parents=True, exist_ok=True)
        name = here.name.split("@")[0] if path != "/" else ""
        (here / "name").write_bytes(name.encode() + b"\0")
        for key, value in node.properties.items():
            (here / key).write_bytes(value.data)


def active_frequency(root, compatible, chip_select, key="spi-max-frequency"):
    """The requested frequency of the node in use, in Hz, or None where there is none."""
    for _, node in root.walk():
        status = node.strings("status") or ["okay"]
        if (compatible in node.strings("compatible") and status[0] in ("okay", "ok")
                and node.cells("reg") == [chip_select] and node.cells(key)):
            return node.cells(key)[0]
    return None
