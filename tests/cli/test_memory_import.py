"""`haima memory import`: what comes from elsewhere is compared like all else, and unconfirmed."""

import json
from pathlib import Path

import pytest

from tests.cli.remembered import HERE, OLD, Remembered
from tests.cli.support import Haima

TEXTS = ("The port is 8080", "项目使用 JDK 21", "Releases are cut on Fridays", "  ")


@pytest.mark.parametrize("form", ["list", "lines"])
def test_a_list_of_texts(memory: Haima, remembered: Remembered, tmp_path: Path, form: str) -> None:
    file = tmp_path / "texts.json"
    lines = "\n".join(json.dumps(text) for text in TEXTS)
    file.write_text(json.dumps(TEXTS) if form == "list" else lines, encoding="utf-8")
    old = remembered.entries
    ran = memory("import", str(file), "--json")
    assert ran.code == 3
    assert "1 saved, 1 there already, 1 wait in the inbox, 1 passed over" in ran.err
    new, pending = ran.records
    assert (new["content"], new["state"]) == (TEXTS[0], "unverified")
    assert new["metadata"]["author"] == "import"
    assert new["metadata"]["project"] == remembered.project
    assert (pending["content"], pending["existing"]) == (TEXTS[1], [HERE])
    assert remembered.entries[:-1] == old, "what was there is neither changed nor confirmed"
    states = {one["id"]: one["state"] for one in memory("list", "--json").records}
    assert states[OLD] == "stale"


def test_an_export_comes_back_in_another_home(
    memory: Haima, remembered: Remembered, tmp_path: Path
) -> None:
    file = tmp_path / "export.json"
    file.write_text(memory("export").out, encoding="utf-8")
    other = tmp_path / "other"
    other.mkdir()
    remembered.file.unlink()
    ran = memory("import", str(file), "--project", str(other))
    assert (ran.code, ran.err) == (0, "")
    assert "4 saved" in ran.out
    records = memory("list", "--json", "--project", str(other)).records
    assert sorted(one["metadata"]["scope"] for one in records) == ["global", *["project"] * 3]
    assert "0 saved, 4 there already" in memory("import", str(file), "--project", str(other)).out


def test_several_projects_stay_apart(memory: Haima, remembered: Remembered, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text(memory("export", "--all").out, encoding="utf-8")
    whole = remembered.entries
    remembered.file.unlink()
    assert "5 saved, 0 there already, 0 wait in the inbox, 0 passed over" in (
        memory("import", str(file)).out
    )
    assert remembered.entries == whole, "in an empty home all comes back as it was"
    remembered.write(whole[:1])
    ran = memory("import", str(file))
    assert ran.code == 0
    assert "3 saved, 1 there already, 0 wait in the inbox, 1 passed over" in ran.out
    assert len(memory("list", "--json").records) == 4
    projects = {entry["metadata"].get("project", "") for entry in remembered.entries}
    assert projects == {remembered.project, ""}, "what is another project's stays out of this one"


@pytest.mark.parametrize("text", ["no JSON", "5", "{}", '[{"id": 1}]'])
def test_a_file_without_memories_is_a_failure(
    memory: Haima, remembered: Remembered, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    before = remembered.file.read_bytes()
    ran = memory("import", str(file))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    absent = memory("import", str(tmp_path / "absent"))
    assert absent.code == 4
    assert "There is no file" in absent.err
    assert remembered.file.read_bytes() == before
