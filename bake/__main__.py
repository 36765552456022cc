"""``python -m bake``, where the ``bake`` command is not on the path."""

from bake.cli import main

if __name__ == "__main__":
    main()
