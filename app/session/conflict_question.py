"""A conflict as a question: both sides with all that is known of them, and which is better founded.

The better founded side is the one that the project's files support; age, use and authorship say
nothing about which of two facts is true (DESIGN 1: the user decides, what is guessed is marked).
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from app.events import ConflictQuestion, ConflictSide, EvidenceLine
from app.memory.asked import was_asked_for
from app.memory.disagreement import disagreement
from app.memory.evidence import SILENT, Evidence, Finding
from app.memory.facts import Draft
from app.memory.freshness import state_of
from app.memory.memories import Known
from app.memory.slots import jieba_words

_PLACES = 3
"""Places of the project that a side names at most."""


async def conflict_question(
    question_id: str,
    draft: Draft,
    existing: Known,
    *,
    evidence: Evidence = SILENT,
    titles: Mapping[str, str] | None = None,
    written: datetime | None = None,
    place: int = 1,
    count: int = 1,
) -> ConflictQuestion:
    """Which of the two holds? Works in a thread, as does the reading of jieba's dictionary.

    Args:
        question_id: of the question; unique among all questions.
        draft: the fact to be saved.
        existing: the one it contradicts.
        evidence: what the project's files say about the draft.
        titles: of sessions, by their ids; those that are known.
        written: when the draft came up, of one that waited; None: now. What was written elsewhere
            (`Draft.written`) is as old as it says.
        place: where the question stands in its row, from 1.
        count: how many there are in the row.
    """
    titles = titles or {}
    subject = await asyncio.to_thread(
        disagreement, existing.fact.content, draft.content, jieba_words
    )
    return ConflictQuestion(
        id=question_id,
        existing=_existing(existing, titles),
        incoming=_incoming(draft, evidence, titles, written),
        subject=subject,
        place=place,
        count=count,
        better=_better(existing.evidence, evidence),
    )


def _existing(known: Known, titles: Mapping[str, str]) -> ConflictSide:
    fact, origin = known.fact, known.fact.provenance
    return ConflictSide(
        id=fact.id,
        content=fact.content,
        scope=fact.scope,
        written=fact.timestamp,
        author=origin.who,
        asked=was_asked_for(origin),
        verified=fact.verified,
        used=known.use.count if known.use else 0,
        session=titles.get(origin.node, ""),
        node=origin.node,
        quote=origin.quote,
        # That it is in conflict is what the question says; its card says the rest.
        state=state_of(
            contradicted=known.evidence.kind == "contradicts",
            stale=known.freshness.stale,
            unverified=fact.pending,
        ),
        evidence=_lines(known.evidence),
    )


def _incoming(
    draft: Draft, evidence: Evidence, titles: Mapping[str, str], written: datetime | None
) -> ConflictSide:
    origin = draft.provenance
    return ConflictSide(
        id="",
        content=draft.content,
        scope=draft.scope,
        written=draft.written or written,
        author=origin.who,
        asked=was_asked_for(origin),
        session=titles.get(origin.node, ""),
        node=origin.node,
        quote=origin.quote,
        state=state_of(contradicted=evidence.kind == "contradicts", unverified=True),
        evidence=_lines(evidence),
    )


def _better(existing: Evidence, incoming: Evidence) -> Literal["existing", "incoming", ""]:
    for_old, for_new = existing.kind == "supports", incoming.kind == "supports"
    if for_old == for_new:
        return ""
    return "existing" if for_old else "incoming"


def _lines(evidence: Evidence) -> tuple[EvidenceLine, ...]:
    return tuple(_line(one) for one in evidence.findings[:_PLACES])


def _line(finding: Finding) -> EvidenceLine:
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    gone = finding.reason in ("no_file", "no_symbol")
    return EvidenceLine(kind=finding.kind, place=place, says=finding.says, gone=gone)
