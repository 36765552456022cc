"""The command ``bake`` as ``python -m levelbake``."""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    # Python puts the current folder first in sys.path; its modules would hide the command's.
    if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).parents[1]:
        del sys.path[0]
    if find_spec("levelbake_command") is None:
        sys.stderr.write(
            "error: this is the reader alone; run `pip install levelbake` to install the command\n"
        )
        sys.exit(1)
    import_module("levelbake_command").main()
