"""A summary in its four sections, as the preview shows and edits them; put together again."""

from dataclasses import dataclass, replace

from app.compaction.summary_check import by_heading, cleaned


@dataclass(frozen=True, slots=True)
class Sections:
    """A summary's text, taken apart.

    Attributes:
        heads: the four lines that are headings, as they were written.
        bodies: what stands under each; what stood before the first heading belongs to its body.
    """

    heads: tuple[str, ...]
    bodies: tuple[str, ...]

    def edited(self, bodies: tuple[str, ...]) -> "Sections":
        """The same headings over other texts."""
        return replace(self, bodies=bodies)

    @property
    def text(self) -> str:
        """The whole summary."""
        pieces = zip(self.heads, self.bodies, strict=True)
        return cleaned("\n\n".join(f"{head}\n{cleaned(body)}" for head, body in pieces))


def sections_of(text: str) -> Sections:
    """Takes a summary apart that `check_summary` found nothing wrong with."""
    before, *pieces = by_heading(cleaned(text))
    bodies = [cleaned(body) for _, body in pieces]
    if bodies and (told := cleaned(before[1])):
        bodies[0] = f"{told}\n\n{bodies[0]}"
    return Sections(tuple(head.strip() for head, _ in pieces), tuple(bodies))
