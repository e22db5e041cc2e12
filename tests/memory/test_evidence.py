"""What the project's files say about a fact; and that they are silent when it isn't sure."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.evidence import Evidence, EvidenceChecker, weigh
from app.memory.evidence_claims import LONGEST
from app.project import Project
from tests.growth import GENEROUS, growth, on_texts
from tests.memory.evidence_cases import COMPOSE, FACTS, PACKAGE, POM, ROOT

Check = Callable[[str], Evidence]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")


def checker(root: Path, files: dict[str, str]) -> Check:
    """Checks one fact against a project with these files."""
    write(root, files)
    made = EvidenceChecker(Project(root))
    return lambda fact: made.check_now([fact])[0]


@pytest.mark.parametrize(("project", "fact", "verdict", "place"), FACTS)
def test_facts(tmp_path: Path, project: str, fact: str, verdict: str, place: str) -> None:
    found = checker(tmp_path / "p", ROOT[project])(fact)
    assert (found.kind, found.place if place else "") == (verdict, place)
    if verdict != "silent" and found.line:
        text = (tmp_path / "p" / found.file).read_text("utf-8").split("\n")[found.line - 1]
        assert found.text == text.strip()


def test_a_build_file_outweighs_the_environment(tmp_path: Path) -> None:
    files = {"pom.xml": POM, ".tool-versions": "java temurin-17.0.2\n"}
    found = checker(tmp_path / "p", files)("项目使用 Java 17")
    assert found.kind == "contradicts"
    assert [(one.kind, one.file, one.says) for one in found.findings] == [
        ("contradicts", "pom.xml", "21"),
        ("supports", ".tool-versions", "17.0.2"),
    ]
    assert checker(tmp_path / "p", {})("项目使用 Java 21").kind == "supports"


def test_environments_that_disagree_are_silent(tmp_path: Path) -> None:
    files = {".tool-versions": "nodejs 20\n", ".nvmrc": "18\n"}
    check = checker(tmp_path / "p", files)
    assert check("Node 20").kind == check("Node 18").kind == "silent"
    assert check("Node 16").kind == "contradicts"


def test_the_lowest_python_against_the_one_in_use(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nrequires-python = ">=3.11"\n',
        ".python-version": "3.13\n",
    }
    check = checker(tmp_path / "p", files)
    assert check("项目使用 Python 3.11").kind == "silent"
    assert check("项目使用 Python 3.13").kind == "supports"
    assert check("项目使用 Python 3.9").kind == "contradicts"


def test_two_build_tools_are_silent(tmp_path: Path) -> None:
    check = checker(tmp_path / "p", {"pom.xml": POM, "build.gradle": "plugins {}\n"})
    assert check("项目用 Gradle 构建").kind == "silent"


def test_modules_of_maven(tmp_path: Path) -> None:
    files = {
        "pom.xml": "<project><artifactId>top</artifactId><modules><module>deep/core</module>"
        "<module>../outside</module></modules><properties><level>17</level></properties></project>",
        "deep/core/pom.xml": "<project><parent><artifactId>top</artifactId>"
        "<relativePath>../../pom.xml</relativePath></parent><build><plugins><plugin>"
        "<artifactId>maven-compiler-plugin</artifactId>\n<configuration><release>${level}</release>"
        "</configuration></plugin></plugins></build></project>",
    }
    check = checker(tmp_path / "p", files)
    assert check("项目使用 Java 17").place == "deep/core/pom.xml:2"
    assert check("core 使用 Java 11").kind == "contradicts"


@pytest.mark.parametrize(
    "properties",
    [
        "<java.version>${a}</java.version><a>${b}</a><b>${a}</b>",
        "<java.version>${env.JAVA}</java.version>",
        "<java.version>${nowhere}</java.version>",
        "<java.version>lots</java.version>",
        "",
    ],
)
def test_properties_that_are_no_version(tmp_path: Path, properties: str) -> None:
    pom = f"<project><properties>{properties}</properties></project>"
    assert checker(tmp_path / "p", {"pom.xml": pom})("项目使用 Java 17").kind == "silent"


def test_a_profile_makes_a_property_unsure(tmp_path: Path) -> None:
    pom = (
        "<project><properties><java.version>21</java.version></properties><profiles><profile>"
        "<properties><java.version>17</java.version></properties></profile></profiles></project>"
    )
    assert checker(tmp_path / "p", {"pom.xml": pom})("项目使用 Java 17").kind == "silent"


def test_variables_nobody_knows_are_silent(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "ARG V\nFROM python:${V}-slim\nEXPOSE $PORT\n",
        "build.gradle": "def v = '1'\nv = '2'\nsourceCompatibility = computed()\n"
        'dependencies { implementation "a:guava:$v" }\n',
        "compose.yml": "services:\n  api:\n    build: .\n    ports: ['${PORT}:80']\n",
        ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      - with:\n"
        "          python-version: ${{ inputs.python }}\n",
    }
    check = checker(tmp_path / "p", files)
    for fact in ("Python 3.9", "端口是 9000", "项目使用 Java 8", "guava 3"):
        assert check(fact).kind == "silent", fact


def test_what_lies_aside_says_nothing(tmp_path: Path) -> None:
    files = {"examples/pom.xml": POM, "node_modules/package.json": PACKAGE}
    check = checker(tmp_path / "p", files)
    assert check("项目使用 Java 17").kind == check("React 17").kind == "silent"


def test_the_file_a_fact_names(tmp_path: Path) -> None:
    files = {"pom.xml": POM, "Dockerfile": "FROM eclipse-temurin:17-jre\n"}
    check = checker(tmp_path / "p", files)
    assert check("Dockerfile 使用 Java 17").place == "Dockerfile:1"
    assert check("Dockerfile 使用 Java 21").kind == "contradicts"


SOURCES = {
    "app/config.py": "import os\n\n\ndef load_settings() -> None: ...\n",
    "core/src/OrderCodec.java": "class OrderCodec {}\n",
    "docs/说明.md": "hello\n",
    ".gitignore": "out/\n",
}


@pytest.mark.parametrize(
    ("fact", "verdict", "place"),
    [
        ("Settings are loaded in app/config.py", "silent", ""),
        ("The entry point is app/config.py", "supports", "app/config.py"),
        ("配置位于 app/config.py", "supports", "app/config.py"),
        ("配置位于 app/settings.py", "contradicts", "app/settings.py"),
        ("The entry point is app/main.py", "contradicts", "app/main.py"),
        ("订单超时默认 30 分钟，见 OrderProperties.java", "contradicts", "OrderProperties.java"),
        ("编解码在 OrderCodec.java", "supports", "core/src/OrderCodec.java"),
        ("src/OrderCodec.java is the hot path", "supports", "core/src/OrderCodec.java"),
        ("说明在 docs/说明.md", "supports", "docs/说明.md"),
        ("说明在 docs/指南.md", "contradicts", "docs/指南.md"),
        ("load_settings is defined in app/config.py", "supports", "app/config.py:4"),
        ("`load_settings` 在 app/config.py 中", "supports", "app/config.py:4"),
        ("app/config.py 里的 read_settings 读取配置", "contradicts", "app/config.py"),
        ("`read_settings` lives in app/config.py", "contradicts", "app/config.py"),
        ("app/config.py:4 loads them", "silent", ""),
        # Not sure, so silent.
        ("Create src/app/main.py", "silent", ""),
        ("新建 app/main.py", "silent", ""),
        ("app/main.py was deleted", "silent", ""),
        ("不要修改 app/main.py", "silent", ""),
        ("The result is written to app/result.json", "silent", ""),
        ("the bundle is out/app.ts", "silent", ""),
        ("The frontend uses Vue.js and chart.js", "silent", ""),
        ("tests match tests/**/test_x.py", "silent", ""),
        ("see https://example.org/a/b.py", "silent", ""),
        ("配置在 ~/.config/tool.toml", "silent", ""),
        ("secrets are in /etc/app/secrets.yaml", "silent", ""),
        ("look at ../other/main.py", "silent", ""),
        ("name modules path/to/your_module.py", "silent", ""),
        ("Naming: snake_case.py and test_<module>.py", "silent", ""),
        ("dated models: `v1:0.toml`", "silent", ""),
        ("the state is .tool/settings.json", "silent", ""),
        ("the page is web/dist/index.html", "silent", ""),
        ("the route is /api/v1/users", "silent", ""),
        ("release branches are release/1.x/y", "silent", ""),
        ("local secrets are in .env", "silent", ""),
    ],
)
def test_files_and_symbols(tmp_path: Path, fact: str, verdict: str, place: str) -> None:
    found = checker(tmp_path / "p", SOURCES)(fact)
    assert (found.kind, found.place) == (verdict, place)


def test_a_file_that_goes_and_comes_back(tmp_path: Path) -> None:
    check = checker(tmp_path / "p", SOURCES)
    fact = "The entry point is app/config.py"
    place = tmp_path / "p/app/config.py"
    assert check(fact).kind == "supports"
    text = place.read_text()
    place.unlink()
    gone = check(fact)
    assert (gone.kind, gone.findings[0].reason) == ("contradicts", "no_file")
    place.write_text(text)
    assert check(fact).kind == "supports"


def test_a_file_that_changes(tmp_path: Path) -> None:
    check = checker(tmp_path / "p", {"pom.xml": POM})
    assert check("项目使用 Java 21").kind == "supports"
    # The same size, within one tick of the clock.
    (tmp_path / "p/pom.xml").write_text(POM.replace("<java.version>21", "<java.version>17"))
    assert check("项目使用 Java 21").kind == "contradicts"
    (tmp_path / "p/pom.xml").unlink()
    assert check("项目使用 Java 21").kind == "silent"


LAUGHS = (
    '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">'
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]><project><properties><java.version>&i;</java.version></properties></project>"
)
OUTSIDE = (
    '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    "<project><properties><java.version>&x;</java.version></properties></project>"
)

HOSTILE: dict[str, bytes] = {
    "laughs": LAUGHS.encode(),
    "outside": OUTSIDE.encode(),
    "big": b"<project>" + b" " * 10_000_000,
    "bytes": bytes(range(256)) * 50,
    "nul": b"\0" * 5000,
    "deep json": b"[" * 200_000,
    "deep toml": b"a = " + b"[" * 50_000,
    "deep xml": b"<a>" * 100_000,
    "deep yaml": b"\n".join(b" " * n + b"a:" for n in range(900)),
    "one line": b"a" * 500_000,
    "spaces": b" " * 500_000,
    "dollars": b"FROM python:" + b"${A:-" * 50_000,
    "quotes": b"\"'" * 200_000,
    "dashes": b"- " * 200_000,
    "braces": b"dependencies { " + b'"a:b:' * 100_000,
    "stars": b"/*" * 200_000,
    "keys": b"a:b=c\n" * 20_000,
    "numbers": b"java 1.1.1.1.1.1.1." * 20_000,
    "digits": b'{"engines": {"node": ' + b"9" * 100_000 + b"}}",
    "utf-16": "<project/>".encode("utf-16"),
    "half": "端口".encode()[:4],
    "empty": b"",
    "null": b"null",
    "list": b"[1, [2], {}]",
    "wrong kinds": b'{"engines": 3, "dependencies": [1], "scripts": {"dev": 2}, "volta": null}',
    "wrong toml": b"project = 3\ntool = [1]\ndependencies = 'a'\npackage = [[1]]\n",
}

PLACES = (
    *("pyproject.toml", "requirements.txt", ".python-version", "package.json", ".nvmrc"),
    *("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "gradle.properties"),
    *("go.mod", "Cargo.toml", "rust-toolchain", ".tool-versions", "Dockerfile", "compose.yml"),
    *(".gitlab-ci.yml", ".github/workflows/a.yml", "gradle/libs.versions.toml"),
    *("src/main/resources/application.yml", "src/main/resources/application.properties"),
)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_cost_little_and_never_raise(tmp_path: Path, kind: str) -> None:
    found: list[Evidence] = []

    def checked(percent: int) -> Callable[[], object]:
        root, content = tmp_path / str(percent), HOSTILE[kind]
        for name in PLACES:
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content[: len(content) * percent // 100])
        facts = ["项目使用 Java 17", "端口是 8080", "React 18", "Python 3.11"]
        return lambda: found.extend(EvidenceChecker(Project(root)).check_now(facts))

    assert growth(checked, 10, 100, repeats=1) < GENEROUS
    assert len(found) == 8
    if kind != "numbers":  # where `java 1.1` is indeed what it says
        assert {one.kind for one in found} <= {"silent", "supports"}
    assert "root:" not in "".join(one.text for one in found)


def test_one_bad_file_leaves_the_others(tmp_path: Path) -> None:
    files = {
        "pom.xml": POM,
        "core/pom.xml": LAUGHS,
        "package.json": "{",
        "web/package.json": PACKAGE,
    }
    check = checker(tmp_path / "p", files)
    assert check("项目使用 Java 17").kind == "contradicts"
    assert check("React 18").place == "web/package.json:6"


def test_links_that_lead_out_and_pipes_are_no_evidence(tmp_path: Path) -> None:
    import os

    (tmp_path / "pom.xml").write_text(POM)
    root = tmp_path / "p"
    root.mkdir()
    (root / "pom.xml").symlink_to(tmp_path / "pom.xml")
    os.mkfifo(root / "package.json")
    (root / "Dockerfile").mkdir()
    check = checker(root, {})
    assert check("项目使用 Java 17").kind == check("React 18").kind == "silent"


def test_windows_line_ends_and_a_mark_at_the_start(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "compose.yaml").write_bytes(b"\xef\xbb\xbf" + COMPOSE.replace("\n", "\r\n").encode())
    found = EvidenceChecker(Project(root)).check_now(["服务端口是 8080"])[0]
    assert (found.kind, found.place) == ("supports", "compose.yaml:5")


def test_a_root_that_is_gone(tmp_path: Path) -> None:
    found = EvidenceChecker(Project(tmp_path / "none")).check_now(["项目使用 Java 17"])
    assert found == [Evidence("silent")]


def test_a_file_that_moved(tmp_path: Path) -> None:
    check = checker(tmp_path / "p", SOURCES)
    fact = "编解码在 OrderCodec.java"
    assert check(fact).place == "core/src/OrderCodec.java"
    (tmp_path / "p/app/deep/er").mkdir(parents=True)
    (tmp_path / "p/core/src/OrderCodec.java").rename(tmp_path / "p/app/deep/er/OrderCodec.java")
    assert check(fact).place == "app/deep/er/OrderCodec.java"
    (tmp_path / "p/app/deep/er/OrderCodec.java").unlink()
    assert check(fact).kind == "contradicts"


async def test_off_the_loop(tmp_path: Path) -> None:
    write(tmp_path / "p", {"pom.xml": POM})
    found = await EvidenceChecker(Project(tmp_path / "p")).check(["项目使用 Java 21", "Java 17"])
    assert [one.kind for one in found] == ["supports", "contradicts"]


@given(st.text(max_size=300) | st.text("Java 17.v,是端口版本/a`_()0", max_size=300))
def test_any_text_is_a_fact(fact: str) -> None:
    assert weigh(fact, {}).kind == "silent"


@pytest.mark.parametrize("piece", ["Java ", "1.", "a/", "端口", "(", "`a", "x", "a.b ", "a.b::c "])
def test_facts_cost_what_they_are_long(tmp_path: Path, piece: str) -> None:
    check = checker(tmp_path / "p", {"pom.xml": POM})
    checked = on_texts(check, lambda length: piece * (length // len(piece)))
    assert growth(checked, LONGEST // 11, LONGEST // 11 * 10) < GENEROUS
    assert growth(checked, LONGEST * 3, LONGEST * 30) < GENEROUS, "those aren't looked into"


async def test_long_lists_may_use_what_was_found_just_before(tmp_path: Path) -> None:
    """Until a manifest changes; whoever doesn't wish it is told how things are now."""
    made = EvidenceChecker(Project(tmp_path))
    facts = ("The code is in app/memory/facts.py", "We use Python 3.12 here")
    (tmp_path / ".python-version").write_text("3.11\n")
    assert [one.kind for one in await made.check(facts, reuse=True)][1] == "contradicts"
    folder = tmp_path / "app" / "memory"
    folder.mkdir(parents=True)
    (folder / "facts.py").write_text("x = 1\n")
    code, _ = await made.check(facts, reuse=True)
    assert code.kind != "supports"
    assert [one.kind for one in await made.check(facts)] == ["supports", "contradicts"]
    (tmp_path / ".python-version").write_text("3.12.1\n")
    assert [one.kind for one in await made.check(facts, reuse=True)] == ["supports", "supports"]
