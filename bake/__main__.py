"""The command ``bake`` as ``python -m bake``."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Python puts the current folder first, whose modules could shadow modules of the command.
    if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).parents[1]:
        del sys.path[0]
    from levelbake_command import main

    main()
