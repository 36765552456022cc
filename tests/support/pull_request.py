"""A pull request on the example's levels, and the steps of a workflow that look at it."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples"

#: Runs a program in a folder, with more environment variables, as a developer of the game would.
Run = Callable[..., "subprocess.CompletedProcess[str]"]


class PullRequest:
    """A repository with the example in it, an edit, and the steps of a workflow by name."""

    def __init__(self, folder: Path, run: Run, steps: Mapping[str, str]) -> None:
        self.folder = folder
        self.summary = folder.parent / "summary"
        self._run = run
        self._steps = steps
        self.git("init", "-q")
        self.merge_all()

    def merge_all(self) -> None:
        """Commit all files; the commit becomes the base of the pull request."""
        self.git("add", ".")
        self.git(
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "levels",
        )
        self.base = self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str) -> str:
        """Run git in the repository, and return its standard output."""
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def step(self, name: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run a step's script as the service does."""
        shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self._steps[name])
        more = {"BASE": self.base, "GITHUB_STEP_SUMMARY": str(self.summary), **more}
        return self._run(self.folder, *shell, **more)


#: Makes a pull request that the given steps look at.
Proposed = Callable[[Mapping[str, str]], PullRequest]
