"""The reader alone: few modules, nothing of bake, no compiler, at once."""

import json
import os
import subprocess
import sys
from pathlib import Path

from levelbake import level

MOST_MODULES = 13

CODE = """
import json, sys, numpy, h5py
before = set(sys.modules)
import levelbake
print(json.dumps(sorted({*sys.modules} - before)))
"""


def test_a_fresh_process_loads_the_reader_alone() -> None:
    folder = Path(level.__file__).parent.parent
    env = {**os.environ, "PYTHONPATH": str(folder)}
    ran = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=env, check=True
    )
    loaded = json.loads(ran.stdout)
    ours = [name for name in loaded if name.partition(".")[0] == "levelbake"]
    assert 0 < len(ours) <= MOST_MODULES
    others = {name.partition(".")[0] for name in loaded} - {"levelbake"}
    assert others <= {*sys.stdlib_module_names, "numpy", "h5py"}
    assert "subprocess" not in others
