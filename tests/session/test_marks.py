"""`haima thresholds` with a limit that was learned."""

from pathlib import Path

from app.config import ModelSettings, Settings
from app.session.learned import LearnedLimits
from app.session.marks import MarksReport
from app.text import Words

SETTINGS = Settings(model=ModelSettings(name="m", base_url="api.example.com/v1", window=200_000))


def test_a_learned_limit_counts_unless_a_window_is_asked_for(tmp_path: Path) -> None:
    limits = LearnedLimits(tmp_path / "limits.json")
    assert next(MarksReport(SETTINGS, limits=limits).records())["window"] == 200_000
    limits.keep("https://api.example.com/v1", "m", 65_536, "stated")
    report = MarksReport(SETTINGS, limits=limits)
    first = next(report.records())
    assert (first["window"], first["source"]) == (65_536, "learned")
    said = report.text(Words("en")).splitlines()[0]
    assert said == "In use: 65,536 tokens, learned from what the endpoint refused."
    assert next(MarksReport(SETTINGS, 32_000, limits).records())["window"] == 32_000


def test_a_broken_file_is_not_its_concern(tmp_path: Path) -> None:
    limits = LearnedLimits(tmp_path / "limits.json")
    limits.path.write_text("{")
    assert next(MarksReport(SETTINGS, limits=limits).records())["window"] == 200_000
