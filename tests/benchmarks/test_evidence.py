"""What it costs to check facts against a project's files, at first and again."""

import time
from pathlib import Path

import pytest

from app.memory.evidence import EvidenceChecker
from app.memory.evidence_claims import claims
from app.project import Project
from tests.memory.evidence_cases import (
    CARGO,
    COMPOSE,
    DOCKERFILE,
    FACTS,
    GO_MOD,
    PACKAGE,
    POM,
    PYPROJECT,
    WORKFLOW,
)

pytestmark = pytest.mark.benchmark

COUNT = 200
MODULES = 40


def project(root: Path) -> Path:
    """A mixed project: 40 modules, 2,000 source files, manifests of every kind."""
    files = {
        "pyproject.toml": PYPROJECT,
        "web/package.json": PACKAGE,
        "go.mod": GO_MOD,
        "Cargo.toml": CARGO,
        "Dockerfile": DOCKERFILE,
        "compose.yaml": COMPOSE,
        ".github/workflows/build.yml": WORKFLOW,
        "pom.xml": POM.replace(
            "</project>",
            "<modules>"
            + "".join(f"<module>module{n}</module>" for n in range(MODULES))
            + "</modules></project>",
        ),
    }
    for number in range(MODULES):
        files[f"module{number}/pom.xml"] = POM
        for source in range(50):
            files[f"module{number}/src/main/java/Type{source}.java"] = "class Type {}\n"
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def facts() -> list[str]:
    """200 different facts, a tenth of them about files."""
    found = [f"{fact}，第 {number} 条" for number, (_, fact, *_) in enumerate(FACTS)]
    found += [f"入口类在 module{n}/src/main/java/Type{n * 3}.java" for n in range(20)]
    return (found + [f"Gateway timeout number {n} is {n} s" for n in range(COUNT)])[:COUNT]


def test_speed(tmp_path: Path) -> None:
    """Two seconds at most at first; again less than half of that, nothing being read or parsed."""
    root = project(tmp_path / "p")
    contents = facts()
    checker = EvidenceChecker(Project(root))
    claims.cache_clear()
    times = []
    for _ in range(5):
        started = time.perf_counter()
        found = checker.check_now(contents)
        times.append((time.perf_counter() - started) * 1000)
    kinds = [one.kind for one in found]
    first, again = times[0], min(times[1:])
    print(
        f"\nevidence: {COUNT} facts, {MODULES + 8} manifests, 2,000 sources: first {first:.0f} ms, "
        f"again {again:.0f} ms ({', '.join(f'{kind} {kinds.count(kind)}' for kind in set(kinds))})"
    )
    assert again < first / 2
    assert first < 2000
    assert again < 200


def test_a_project_without_manifests(tmp_path: Path) -> None:
    """Where there is nothing to compare with, hardly more than the facts' own reading."""
    (tmp_path / "p").mkdir()
    checker = EvidenceChecker(Project(tmp_path / "p"))
    contents = facts()
    checker.check_now(contents)
    started = time.perf_counter()
    checker.check_now(contents)
    print(
        f"\nevidence: {COUNT} facts, empty project: {(time.perf_counter() - started) * 1000:.0f} ms"
    )
