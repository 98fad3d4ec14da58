# SPDX-License-Identifier: MIT
"""LAVA's own schema takes the example job, and its steps run what the package holds.
Usage: lava.py JOB EXAMPLES"""
import os
import pathlib
import re
import sys

try:
    import lava_common.schemas
    import yaml
except ImportError:
    print("skipped: needs lava-common")
    sys.exit(77)

job = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text("utf-8"))
lava_common.schemas.validate(job, strict=True)
definition = job["actions"][-1]["test"]["definitions"][0]["repository"]
steps = "\n".join(definition["run"]["steps"])
used = re.findall(r"/usr/share/doc/t1s-sweep/examples/(\S+)", steps)
assert used and all(os.path.exists(os.path.join(sys.argv[2], name)) for name in used), used
assert set(re.findall(r"\$(\w+)", steps)) <= set(definition["params"]), steps
