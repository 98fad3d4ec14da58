# SPDX-License-Identifier: MIT
"""The fake firmware reads config.txt and overlays as the Raspberry Pi's does."""
import contextlib
import pathlib
import subprocess
import sys
import unittest

import fdt
import firmware
from cleanup import scratch_folder

BASE = """/dts-v1/;
/ {
	#address-cells = <1>; #size-cells = <1>;
	chosen { };
	soc {
		#address-cells = <1>; #size-cells = <1>;
		spi0: spi@7e204000 {
			compatible = "brcm,bcm2835-spi";
			reg = <0x7e204000 0x200>;
			#address-cells = <1>; #size-cells = <0>;
			status = "disabled";
		};
	};
};
"""
OVERLAY = """/dts-v1/;
/plugin/;
/ {
	compatible = "brcm,bcm2835";
	fragment@0 {
		target = <&spi0>;
		__overlay__ {
			#address-cells = <1>; #size-cells = <0>;
			status = "okay";
			eth: ethernet@0 {
				compatible = "vendor,mac-phy";
				reg = <0>;
				interrupts = <6 8>;
				spi-max-frequency = <20000000>;
			};
		};
	};
	__overrides__ {
		speed = <&eth>, "spi-max-frequency:0";
		int_pin = <&eth>, "interrupts:0";
		trigger = <&eth>, "interrupts:4";
		many = <&eth>, "interrupts:0", <&eth>, "interrupts:4";
	};
};
"""
NODE = "soc/spi@7e204000/ethernet@0"


def compile_source(text):
    return subprocess.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", "-", "-"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


class FirmwareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base, cls.overlay = compile_source(BASE), compile_source(OVERLAY)

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.boot = pathlib.Path(scratch_folder(stack, "t1s-firmware-test."))
        self.said = []
        self.install("overlays/NAME.dtbo", self.overlay)

    def install(self, name, content):
        path = self.boot / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def active(self, config, **kwargs):
        """The frequency at which the node is active with this config.txt."""
        self.install("config.txt", config)
        root = firmware.load(self.boot, self.base, log=self.said.append, **kwargs)
        return firmware.active_frequency(root, "vendor,mac-phy", 0)

    def test_an_overlay_that_is_not_named_is_not_loaded(self):
        self.assertIsNone(self.active("# dtoverlay=NAME\n"))

    def test_the_overlay_brings_its_own_value(self):
        self.assertEqual(self.active("dtoverlay=NAME\r\n"), 20000000)

    def test_a_parameter_shadows_the_value(self):
        self.assertEqual(self.active("dtoverlay=NAME,int_pin=5,speed=8000000\n"), 8000000)

    def test_a_later_dtparam_shadows_the_value(self):
        self.assertEqual(self.active("dtoverlay=NAME\ndtparam=speed=7000000\n"), 7000000)

    def test_after_an_empty_dtoverlay_a_dtparam_is_not_the_overlays(self):
        self.assertEqual(
            self.active("dtoverlay=NAME\ndtoverlay=\ndtparam=speed=7000000\n"), 20000000)

    def test_parameters_reach_every_cell_they_name(self):
        blob = firmware.apply_parameters(self.overlay, [("many", "0x19")])
        node = dict(fdt.parse(blob).walk())["/fragment@0/__overlay__/ethernet@0"]
        self.assertEqual(node.cells("interrupts"), [25, 25])
        blob = firmware.apply_parameters(self.overlay, [("trigger", "2")])
        node = dict(fdt.parse(blob).walk())["/fragment@0/__overlay__/ethernet@0"]
        self.assertEqual(node.cells("interrupts"), [6, 2])

    def test_an_unknown_parameter_is_told_and_the_rest_applied(self):
        self.assertEqual(self.active("dtoverlay=NAME,spead=1,speed=9000000\n"), 9000000)
        self.assertEqual(self.said, ["firmware: unknown dtparam spead=1"])

    def test_sections_of_other_boards_do_not_count(self):
        self.assertEqual(self.active(
            "dtoverlay=NAME\n[pi5]\ndtparam=speed=1\n[none]\ndtparam=speed=2\n"), 20000000)
        self.assertEqual(self.active(
            "dtoverlay=NAME\n[pi5]\ndtparam=speed=1\n[all]\ndtparam=speed=3\n"), 3)
        self.assertEqual(self.active("[pi4]\ndtoverlay=NAME,speed=4\n"), 4)

    def test_included_files_count(self):
        self.install("more.txt", "dtparam=speed=6000000\n")
        self.assertEqual(self.active("dtoverlay=NAME\ninclude more.txt\n"), 6000000)

    def test_a_file_that_includes_itself_ends(self):
        self.assertEqual(self.active("include config.txt\ndtoverlay=NAME\n"), 20000000)

    def test_prefixes_choose_the_file_and_are_left_in_chosen(self):
        self.install("new/ov/NAME.dtbo",
                     firmware.apply_parameters(self.overlay, [("speed", "12000000")]))
        self.install("new/ov/README", "")
        config = "os_prefix=new/\noverlay_prefix=ov/\ndtoverlay=NAME\n"
        self.assertEqual(self.active(config), 12000000)
        chosen = firmware.load(self.boot, self.base).children["chosen"]
        self.assertEqual(chosen.strings("os_prefix"), ["new/"])
        self.assertEqual(chosen.strings("overlay_prefix"), ["ov/"])

    def test_without_a_readme_in_it_the_os_prefix_has_no_overlays(self):
        self.install("new/overlays/NAME.dtbo", b"not this one")
        self.assertEqual(self.active("os_prefix=new/\ndtoverlay=NAME\n"), 20000000)

    def test_an_overlay_that_a_hat_names_needs_no_line(self):
        self.assertEqual(self.active("", hat_overlay="NAME"), 20000000)

    def test_without_config_txt_the_base_tree_boots(self):
        root = firmware.load(self.boot, self.base)
        self.assertEqual(root.strings("compatible")[0], "raspberrypi,4-model-b")

    def test_a_missing_overlay_is_left_out_and_told(self):
        self.assertIsNone(self.active("dtoverlay=GONE\n"))
        self.assertIn("Failed to load overlay 'GONE'", self.said[0])

    def test_an_overlay_cut_anywhere_never_stops_the_boot(self):
        for size in (0, 3, 39, 100, len(self.overlay) // 2, len(self.overlay) - 1):
            with self.subTest(size=size):
                self.install("overlays/NAME.dtbo", self.overlay[:size])
                self.assertIsNone(self.active("dtoverlay=NAME,speed=1\n"))

    def test_a_tree_that_is_flattened_again_is_the_same(self):
        blob = compile_source(BASE)
        again = fdt.flatten(fdt.parse(blob))
        sources = [subprocess.run(
            ["dtc", "-q", "-I", "dtb", "-O", "dts", "-s", "-"], input=data,
            stdout=subprocess.PIPE, check=True).stdout for data in (blob, again)]
        self.assertEqual(*sources)

    def test_the_tree_is_unfolded_as_the_kernel_shows_it(self):
        self.install("config.txt", "dtoverlay=NAME\n")
        folder = self.boot / "base"
        (folder / "left over").mkdir(parents=True)
        firmware.unfold(firmware.load(self.boot, self.base), folder)
        self.assertEqual(
            (folder / NODE / "spi-max-frequency").read_bytes(), b"\x01\x31\x2d\x00")
        self.assertEqual((folder / NODE / "compatible").read_bytes(), b"vendor,mac-phy\0")
        self.assertEqual((folder / NODE / "name").read_bytes(), b"ethernet\0")
        self.assertEqual((folder / "soc/spi@7e204000/status").read_bytes(), b"okay\0")
        self.assertEqual((folder / "chosen/overlay_prefix").read_bytes(), b"overlays/\0")
        self.assertFalse((folder / "left over").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
