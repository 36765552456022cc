"""Third-party packages that benchmarks compare with, if they are installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec


@dataclass(frozen=True)
class Package:
    """A package.

    Attributes:
        package: to import.
    """

    package: str

    @property
    def installed(self) -> bool:
        """Whether the package can be imported."""
        return find_spec(self.package) is not None

    @property
    def label(self) -> str:
        """The name and version."""
        return f"{self.package} {version(self.package)}"
