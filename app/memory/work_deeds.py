"""What a call did to a file, as the call spells it: what readers of calls give the worklog."""

from dataclasses import dataclass

from app.conversation.work import Action


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing done to one file.

    Attributes:
        path: as it is spelt.
        action: what was done; `created` counts as `edited` where the file was known before.
        detail: more of it, in no language.
        source: the old path of a renamed file.
        folder: what both are relative to, from the project's root; "" for the root.
        old: text that an edit took away, with what stands around it.
        new: text that was put there, or the whole content.
        heads: what stands in a diff behind `@@`: the function around the change.
        sure: it is new, whatever was known.
        settled: it was done even if the call failed: what failed came after it.
        early: it may have been: something came after it.
    """

    path: str
    action: Action
    detail: str = ""
    source: str = ""
    folder: str = ""
    old: str = ""
    new: str = ""
    heads: tuple[str, ...] = ()
    sure: bool = False
    settled: bool = False
    early: bool = False
