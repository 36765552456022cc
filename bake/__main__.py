"""The command ``bake`` as ``python -m bake``."""

from levelbake_command import main

if __name__ == "__main__":
    main()
