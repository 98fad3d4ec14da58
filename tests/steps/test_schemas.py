# SPDX-License-Identifier: MIT
"""What --json gives is what the schemas in docs/schema say: no member more, none less."""
import copy
import json
import os
import sys
import unittest

from tree import TESTS, Tree

try:
    import jsonschema
except ImportError:
    print("skipped: needs python3-jsonschema")
    sys.exit(77)

SCHEMAS = TESTS.parent / "docs/schema"
DATA = TESTS / "data"
REFERENCE = DATA / "samples/be-iis-t1s-spi-sweep.csv"
SWEEP = "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\n"


def closed(schema):
    """The schema with every object limited to the members that it knows."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    new = {key: closed(value) for key, value in schema.items()}
    if "properties" in new and "required" in new:
        new["additionalProperties"] = False
    return new


class SchemaTest(unittest.TestCase):
    def make(self, configuration=SWEEP):
        tree = Tree(configuration)
        self.addCleanup(tree.remove)
        return tree

    def schema(self, name):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        return schema

    def assert_fits(self, name, document):
        schema = self.schema(name)
        jsonschema.Draft202012Validator(schema).validate(document)
        jsonschema.Draft202012Validator(closed(schema)).validate(document)
        # members of later versions must not make a reader stumble
        more = {**document, "of_a_later_version": 1}
        jsonschema.Draft202012Validator(schema).validate(more)

    def ask(self, tree, verb, *arguments, status=0):
        self.assertEqual(tree.run("--json", verb, *arguments), status, tree.said)
        return json.loads(tree.out)

    def check(self, tree, verb, *arguments, status=0):
        self.assert_fits(verb, self.ask(tree, verb, *arguments, status=status))

    def test_report(self):
        tree = self.make()
        self.check(tree, "report", REFERENCE)
        self.check(tree, "report", "--controller=brcm,bcm2835-spi", REFERENCE)
        self.check(tree, "report", REFERENCE, REFERENCE)

    def test_report_of_published_measurements(self):
        tree = self.make()
        for path in sorted((DATA / "published").glob("*.csv")):
            self.check(tree, "report", path)

    def test_report_of_several_workloads_with_runs_that_failed(self):
        tree = self.make(SWEEP + "[Workload a]\n[Workload b]\n")
        self.assertEqual(tree.run("begin"), 0, tree.said)
        for workload in ("a", "b"):
            tree.add_row(workload=workload)
            tree.add_row(workload=workload, status="FAILED", received="", note="why")
            tree.add_row(workload=workload, direction="send", received=1)
        self.check(tree, "report")
        self.check(tree, "report", tree.results_path(), REFERENCE)

    def test_status_before_during_and_after(self):
        tree = self.make()
        self.check(tree, "status")
        for _ in range(2):
            self.assertEqual(tree.run("begin"), 0, tree.said)
            self.check(tree, "status")
            tree.add_row()
            self.check(tree, "status")
            self.assertEqual(tree.run("advance"), 0, tree.said)
            self.check(tree, "status")
            tree.boot()
        self.assertEqual(tree.run("begin"), 0, tree.said)
        self.check(tree, "status")

    def test_plan(self):
        self.check(self.make(), "plan")
        self.check(self.make("Search=knee\n"), "plan")
        self.check(self.make("SkipEqualClock=yes\n"), "plan")
        tree = self.make()
        tree.boot(live_hz=0)
        self.check(tree, "plan")

    def test_check(self):
        self.check(self.make(), "check", status=1)

    def test_explain(self):
        tree = self.make()
        for path in sorted([*DATA.glob("samples/*.json"), *DATA.glob("workloads/*.json"),
                            *DATA.glob("samples/*.txt")]):
            self.check(tree, "explain", path)

    def test_overlay(self):
        tree = self.make()
        self.check(tree, "overlay", tree.overlay_path)

    def test_a_verb_with_json_has_a_schema(self):
        verbs = {"report", "status", "plan", "check", "explain", "overlay"}
        self.assertEqual({path.name.split(".")[0] for path in SCHEMAS.glob("*.json")}, verbs)
        page = (TESTS.parent / "docs/man/t1s-sweep.8.scd").read_text("utf-8")
        told = page.split("# JSON")[1].split("# RESULTS")[0]
        self.assertEqual({line.strip("*") for line in told.splitlines()
                          if line.startswith("*")}, verbs)

    def test_what_does_not_fit_is_refused(self):
        tree = self.make()
        good = self.ask(tree, "plan")
        for spoil in (lambda d: d.pop("boots"), lambda d: d.update(boots="4"),
                      lambda d: d["points"][0].pop("pass"),
                      lambda d: d["points"][0].update(sclk_predicted_hz=0)):
            bad = copy.deepcopy(good)
            spoil(bad)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.Draft202012Validator(self.schema("plan")).validate(bad)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit(77)
    unittest.main()
