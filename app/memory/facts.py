"""A fact as it stands in the file of long-term memory, and as Haima sees it.

The format is that of the article (FACTS 1.9): `id, content, type, timestamp, lastVerifiedAt,
metadata, tokenCount`; instants in ISO-8601 UTC; all values in `metadata` are strings. What Haima
adds stands in `metadata`: `author`, `node`, `message`, `quote`.
"""

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal, get_args

FactScope = Literal["global", "project"]

FactState = Literal["conflicting", "contradicted", "stale", "unverified", "fresh"]

FACT_STATES: tuple[FactState, ...] = get_args(FactState)
"""The first that holds is the fact's state (DESIGN 4, "Evidence")."""

Author = Literal["you", "model", "extraction", "import"]
"""Who wrote it: the user, the model because the user asked, the extraction, an imported file."""

AUTHORS: tuple[Author, ...] = get_args(Author)

FACT = "FACT"
"""The type of ours; another tool's other types are kept and shown."""

AUTOMATIC = "auto_user_fact"
"""`metadata.source` of an extracted fact; every other of ours has `EXPLICIT` (FACTS 1.9)."""

EXPLICIT = "fact"

PINNED = "pinned"
"""The member of `metadata` that says so."""

_TRUE = frozenset({"true", "1", "yes", "on"})
_MILLISECONDS = 10**11
"""A number of that size as an instant counts milliseconds."""

Tokens = Callable[[str], int]
"""Estimates the tokens of a text."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a fact comes from.

    Attributes:
        who: who wrote it.
        node, message: ids of the session and of the message it was said in; "" unknown.
        quote: the user's words, verbatim.
        external: foreign sources that stood in the context then.
    """

    who: Author
    node: str = ""
    message: str = ""
    quote: str = ""
    external: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """One entry of the file, read tolerantly; what isn't read here stands in `fields`.

    Attributes:
        id: as in the file; one made of its content where it has none or one that is taken.
        content: what is remembered; foreign text.
        type: `FACT` for ours.
        timestamp: when it was written; None: unknown or not an instant.
        last_verified: when it was last confirmed; where that is missing, `timestamp`.
        scope: `project` only where the file says exactly that, in any case.
        project: the key of its project (`project_key`); "" for a global one, and for one that
            names none and is visible nowhere.
        source: `metadata.source`.
        token_count: the file's, whoever counted; an estimate where it has none.
        pending: no user has confirmed it yet.
        provenance: who and where.
        domain: facts of one domain can be duplicates and can conflict: one type, scope and
            project; None: this one can't.
        fields: the whole entry as parsed, in its order, unknown fields included.
    """

    id: str
    content: str
    type: str
    timestamp: datetime | None
    last_verified: datetime | None
    scope: FactScope
    project: str
    source: str
    token_count: int
    pending: bool
    provenance: Provenance
    domain: tuple[str, str, str] | None
    fields: Mapping[str, object]

    @property
    def metadata(self) -> Mapping[str, object]:
        """The entry's metadata as parsed; empty where it has none."""
        return _metadata(self.fields)

    @property
    def verified(self) -> datetime | None:
        """When the user last confirmed it; None: never, as far as is known."""
        return None if self.pending else self.last_verified

    @property
    def pinned(self) -> bool:
        """Whether it stands in every prompt, as far as there is room."""
        return _text(self.metadata, PINNED).lower() in _TRUE

    def visible_in(self, project: str) -> bool:
        """Whether the project with that key may see it."""
        return self.scope == "global" or (bool(self.project) and self.project == project)


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact to be saved.

    Attributes:
        content: one line or more; not blank.
        scope: where it shall hold.
        project: the project's path, for the scope `project`.
        provenance: where it comes from.
        pending: the user hasn't confirmed it: an extracted one.
        written: when it was written elsewhere, with its zone; None: it is written now.
    """

    content: str
    scope: FactScope
    project: str
    provenance: Provenance
    pending: bool = False
    written: datetime | None = None

    def __post_init__(self) -> None:
        if not self.content.strip():
            raise ValueError("a fact can't be blank")
        if self.scope == "project" and not project_key(self.project):
            raise ValueError("a project fact needs its project, as an absolute path")


@lru_cache(1_024)
def project_key(path: str) -> str:
    """What names a project: its path, links resolved as far as it exists.

    "" where it isn't an absolute path: `.` of another process would mean another folder here.
    """
    try:
        return os.path.realpath(path) if os.path.isabs(path) else ""  # noqa: PTH117
    except (OSError, ValueError):
        return ""


def new_id() -> str:
    """A new fact's id: `fact-` and eight hex digits."""
    return f"fact-{secrets.token_hex(4)}"


def instant(at: datetime) -> str:
    """An instant as the file has it: ISO-8601, UTC, `Z`, microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_instant(value: object) -> datetime | None:
    """An instant of the file; text without a zone is UTC, numbers count from 1970."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1_000 if abs(value) >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def new_fields(draft: Draft, fact_id: str, now: datetime, tokens: Tokens) -> dict[str, object]:
    """A draft as an entry of the file, in the file's order.

    One that was written elsewhere is that old, and unless the user confirms it now it isn't fresher
    than it is old. No date is ahead of the clock here: it would keep a fact fresh for ever.
    """
    origin = draft.provenance
    written = min(draft.written or now, now)
    metadata: dict[str, object] = {
        "source": AUTOMATIC if origin.who == "extraction" else EXPLICIT,
        "scope": draft.scope,
    }
    if draft.scope == "project":
        metadata["project"] = project_key(draft.project)
    if draft.pending:
        metadata["verification_pending"] = "true"
    if origin.external:
        metadata["external_context"] = "true"
        metadata["external_context_sources"] = ",".join(origin.external)
    metadata["author"] = origin.who
    more = {"node": origin.node, "message": origin.message, "quote": origin.quote}
    metadata |= {name: value for name, value in more.items() if value}
    return {
        "id": fact_id,
        "content": draft.content,
        "type": FACT,
        "timestamp": instant(written),
        "lastVerifiedAt": instant(written if draft.pending else now),
        "metadata": metadata,
        "tokenCount": tokens(draft.content),
    }


def entry_id(fields: Mapping[str, object]) -> str:
    """The id an entry has in the file; "" where it has none that can be used."""
    value = fields.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def read_fact(fields: Mapping[str, object], fact_id: str, tokens: Tokens) -> Fact | None:
    """An entry as a fact.

    Args:
        fields: the entry, parsed.
        fact_id: the id it goes by (`entry_id`, unless that is missing or taken).
        tokens: estimates a count that is missing.

    Returns:
        None when it has no content: it is kept in the file and shown to nobody.
    """
    content = fields.get("content")
    if not isinstance(content, str) or not content.strip():
        return None
    metadata = _metadata(fields)
    project_scope = _text(metadata, "scope").strip().lower() == "project"
    source = _text(metadata, "source")
    written = read_instant(fields.get("timestamp"))
    scope: FactScope = "project" if project_scope else "global"
    project = project_key(_text(metadata, "project").strip()) if project_scope else ""
    kind = fields.get("type")
    kind = kind if isinstance(kind, str) else FACT
    return Fact(
        id=fact_id,
        content=content,
        type=kind,
        timestamp=written,
        last_verified=read_instant(fields.get("lastVerifiedAt")) or written,
        scope=scope,
        project=project,
        source=source,
        token_count=_count(fields, content, tokens),
        pending=_text(metadata, "verification_pending").lower() in _TRUE,
        provenance=_provenance(metadata, source),
        domain=None if project_scope and not project else _domain(kind, scope, project),
        fields=fields,
    )


@lru_cache(1_024)
def _domain(kind: str, scope: str, project: str) -> tuple[str, str, str]:
    """One object a domain: so ten thousand are compared in no time."""
    return kind, scope, project


def _count(fields: Mapping[str, object], content: str, tokens: Tokens) -> int:
    count = fields.get("tokenCount")
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    return tokens(content)


def _provenance(metadata: Mapping[str, object], source: str) -> Provenance:
    author = _text(metadata, "author")
    external = _text(metadata, "external_context_sources")
    return Provenance(
        who=next(
            (one for one in AUTHORS if one == author),
            "extraction" if source == AUTOMATIC else "you",
        ),
        node=_text(metadata, "node"),
        message=_text(metadata, "message"),
        quote=_text(metadata, "quote"),
        external=tuple(name for part in external.split(",") if (name := part.strip())),
    )


def _metadata(fields: Mapping[str, object]) -> Mapping[str, object]:
    value = fields.get("metadata")
    return value if isinstance(value, dict) else {}


def _text(metadata: Mapping[str, object], name: str) -> str:
    value = metadata.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ""
