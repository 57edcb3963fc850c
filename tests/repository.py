"""A git repository with a ledger in it, and the real git on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.helpers import ROOT, Bench, answer, labels, ok, point, proposal

DRIVER = "prompteval ledger merge-driver %O %A %B %P"


class Repository:
    """A git repository with a ledger, and a bench that records runs into it."""

    def __init__(self, root: Path, driver: bool = True) -> None:
        self.root = root / "repository"
        (self.root / "ledger").mkdir(parents=True)
        shutil.copy(ROOT / ".gitattributes", self.root)
        self.bench = Bench(root / "bench", {"a": labels(point())})
        self.bench.ledger = self.ledger = self.root / "ledger" / "prompteval.db"
        self.git("init", "-q", "-b", "main")
        self.git("add", ".gitattributes")
        self.git("commit", "-qm", "Begin")
        if driver:
            self.git("config", "merge.prompteval.driver", DRIVER)

    def run(self, *command: str) -> subprocess.CompletedProcess[bytes]:
        """Run a program in the repository, where `prompteval` is a program too."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT")} | {
            "PYTHONPATH": str(ROOT),
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(self.root),
            "GIT_EDITOR": "true",
            "PATH": f"{self._programs()}{os.pathsep}{os.environ['PATH']}",
        }
        return subprocess.run(command, cwd=self.root, env=environment, check=False, capture_output=True)

    def _programs(self) -> Path:
        folder = self.root / ".git" / "programs"
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "prompteval"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m prompteval "$@"\n')
        program.chmod(0o755)
        return folder

    def git(self, *arguments: str, code: int | None = 0) -> str:
        """Run git, which must end with `code` (None: with any), and return all that it says."""
        done = self.run("git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", *arguments)
        said = (done.stdout + done.stderr).decode()
        assert code in (None, done.returncode), said
        return said

    def state(self, name: str) -> bytes:
        """Return the ledger of a commit, or of a side of a conflict, such as `HEAD^` or `:3`."""
        done = self.run("git", "show", f"{name}:ledger/prompteval.db")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def merge_theirs(self) -> None:
        """End a conflict without a driver: add the run of their side to ours, which git leaves in the work tree."""
        ok("ledger", "merge", "-", "--ledger", self.ledger, input=self.state(":3"))
        self.git("add", "ledger/prompteval.db")

    def record(self, *versions: str) -> None:
        """Record and commit one run a version."""
        for version in versions:
            self.bench.ingest(version, {"a": answer(proposal(f"Alpha {version}"))})
            self.commit(f"Record {version}")

    def commit(self, subject: str) -> None:
        self.git("add", "ledger/prompteval.db")
        self.git("commit", "-qm", subject)

    def branch(self, name: str, start: str = "main") -> None:
        self.git("checkout", "-qb", name, start)

    def part(self) -> None:
        """Record 2 and 3 on the branch `other`, 4 on main, and stay there."""
        self.branch("other")
        self.record("2", "3")
        self.git("checkout", "-q", "main")
        self.record("4")

    def versions(self) -> list[str]:
        assert ok("ledger", "verify", "--ledger", self.ledger).startswith("0 problems")
        assert {path.name for path in self.ledger.parent.iterdir()} <= {"prompteval.db", ".prompteval.db.lock"}
        assert not list(self.root.glob(".merge_file*")) and not list(self.root.glob("..merge_file*"))
        listed = ok("runs", "--format", "csv", "--ledger", self.ledger).splitlines()
        place = listed[0].split(",").index("version")
        return sorted(line.split(",")[place].removeprefix("v") for line in listed[1:])
