"""Every user action once: its keys, its words, its place in the footer, the leader and the help.

Bindings, footer, leader menu, help and palette are all made from this table, so none of them can
name a key that does nothing. Where a key depends on what runs (Esc), several entries share it and
the screen says which of them counts now. The words stand under `actions.<name>` (what it does) and
`actions.<name>_label` (one word for footer and leader).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Region = Literal[
    "everywhere",
    "prompt",
    "conversation",
    "gauge",
    "panel",
    "context",
    "questions",
    "first_run",
    "models",
    "doctor",
    "help",
    "viewer",
    "viewer_field",
    "sessions",
    "facts",
    "facts_field",
    "work",
    "replay",
]
"""Where an action works; also a group of the help screen, whose title is `actions.at_<region>`."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a user can do.

    Attributes:
        name: unique; also what a screen's `offers(name)` is asked.
        region: where its keys work.
        keys: Textual's names of the keys, full-width twins included; "" where another entry binds.
        shown: the keys as people write them, for the help; "": not listed there.
        footer: the key as the footer writes it; "": not in the footer.
        runs: Textual action to run it from a list; "" for what only makes sense as a key.
        binds: Textual action of the binding, where it differs from `runs`.
        leader: its letter after Ctrl+G and the digit that is its twin (STYLE 8), "l8".
        priority: whether the key works whatever has the focus.
    """

    name: str
    region: Region
    keys: str = ""
    shown: str = ""
    footer: str = ""
    runs: str = ""
    binds: str = ""
    leader: str = ""
    priority: bool = False


_MARKS = "question_mark fullwidth_question_mark"
_SLASHES = "slash fullwidth_solidus ideographic_comma"
_COLONS = "colon fullwidth_colon"
_PAGES = "↑ ↓ PgUp PgDn"
_BEFORE = "left_square_bracket left_black_lenticular_bracket fullwidth_left_square_bracket pageup"
_BEHIND = (
    "right_square_bracket right_black_lenticular_bracket fullwidth_right_square_bracket pagedown"
)
_PLUS = "plus equals_sign fullwidth_plus_sign fullwidth_equals_sign"
_MINUS = "minus fullwidth_hyphen_minus"

ACTIONS: tuple[Action, ...] = (
    Action("help", "everywhere", "f1", "F1 ?", "F1", "app.help", leader="?", priority=True),
    Action("help_sign", "everywhere", _MARKS, footer="?", runs="app.help"),
    Action("memory", "everywhere", "f2", "F2", "F2", "app.memory", leader="m1", priority=True),
    Action("sessions", "everywhere", "f3", "F3", "F3", "app.sessions", leader="s2", priority=True),
    Action("context", "everywhere", "f5", "F5", "F5", "app.context", leader="x4", priority=True),
    Action("compact", "everywhere", "f7", "F7", "F7", "app.compact", leader="c5", priority=True),
    Action("replay", "everywhere", "f8", "F8", "F8", "app.replay", leader="r6", priority=True),
    Action("actions", "everywhere", "f9", "F9", "", "app.actions", leader="a9", priority=True),
    Action("leader", "everywhere", "ctrl+g", "^G", "^G", binds="app.leader", priority=True),
    Action("back", "everywhere", "escape", "Esc", binds="screen.back"),
    Action(
        "interrupt", "everywhere", "ctrl+c super+c", "Ctrl+C", binds="app.interrupt", priority=True
    ),
    Action("redraw", "everywhere", "ctrl+l", "Ctrl+L", runs="app.redraw", priority=True),
    Action("language", "everywhere", "", "^G l", "^G l", "app.language", leader="l8"),
    Action("palette", "everywhere", "", "^G p", "", "app.palette", leader="p"),
    Action("editor", "everywhere", "", "^G v", "", "app.editor", leader="v"),
    Action("doctor", "everywhere", "", "^G d", "", "app.doctor", leader="d"),
    Action("stop", "everywhere", "", "", "Esc", binds="screen.back"),
    Action("send", "prompt", "enter", "Enter", binds="submit"),
    Action("newline", "prompt", "ctrl+j shift+enter", "Ctrl+J", binds="newline"),
    Action("history", "prompt", "up", "↑ ↓", binds="older"),
    Action("newer", "prompt", "down", binds="newer"),
    Action("search", "prompt", "ctrl+r", "Ctrl+R", runs="screen.search_history"),
    Action("scroll", "prompt", "pageup", "PgUp PgDn", binds="screen.page(-1)"),
    Action("scroll_down", "prompt", "pagedown", binds="screen.page(1)"),
    Action("whole_paste", "prompt", "ctrl+o", "Ctrl+O", binds="whole_paste"),
    Action("complete", "prompt", "tab", "Tab", binds="complete"),
    Action("commands", "prompt", "", "/ 、", runs="screen.type('/')"),
    Action("files", "prompt", "", "@", runs="screen.type('@')"),
    Action("card", "conversation", "", "↑ ↓", "↑ ↓"),
    Action("expand", "conversation", "", "Enter", "Enter", "screen.expand"),
    Action("undo_mark", "conversation", "", "Enter ↩", "Enter", "screen.expand"),
    Action("bring_back_card", "conversation", "b", "b", "b", "screen.bring_back_item"),
    Action("open_card", "conversation", "o", "o", "o", "screen.open_item"),
    Action("pin_card", "conversation", "p", "p", "p", "screen.pin_item"),
    Action("copy", "conversation", "", "c", "c", "screen.copy_item"),
    Action("fork_here", "conversation", "", "/fork", runs="screen.fork_here"),
    Action("to_prompt", "conversation", "", "Esc", "Esc", binds="screen.back"),
    Action("window", "gauge", "", "w", "w"),
    Action("open_context", "gauge", "", "Enter", "Enter"),
    Action("to_prompt_from_gauge", "gauge", "", "Esc", "Esc", binds="screen.back"),
    Action("held_item", "panel", "", "↑ ↓", "↑ ↓"),
    Action("tab", "panel", "left", "← → F5", "← →", binds="tab(-1)"),
    Action("tab_right", "panel", "right", binds="tab(1)"),
    Action("view_item", "panel", "", "Enter", "", "screen.view_item"),
    Action("bring_back_item", "panel", "b", "b", "b", "screen.bring_back_item"),
    Action("open_item", "panel", "o", "o", "o", "screen.open_item"),
    Action("pin_item", "panel", "p", "p", "p", "screen.pin_item"),
    Action("leave_fact_out", "panel", "x", "x", "x", "screen.leave_fact_out"),
    Action("verify_fact", "panel", "v", "v", "v", "screen.verify_fact"),
    Action("edit_told", "panel", "e", "e", "e", "screen.edit_told"),
    Action("undo_rule", "panel", "u", "u", "u", "screen.undo_work"),
    Action("open_work", "panel", "", "", "Enter", "screen.view_item"),
    Action("all_memories", "panel", "", "", "F2", binds="app.memory"),
    Action("panel_window", "panel", "w", "w", "w", binds="window"),
    Action("panel_actions", "panel", "", "", "F9", binds="app.actions"),
    Action("to_prompt_from_panel", "panel", "", "Esc", "Esc", binds="screen.back"),
    Action("panel_back", "panel", "", "", "Esc", binds="screen.back"),
    Action("context_item", "context", "", "↑ ↓", "↑ ↓"),
    Action("context_turn", "context", "", "← →", "← →"),
    Action("context_edges", "context", "", "Home End"),
    Action("go_to", "context", "", "Enter", "Enter"),
    Action("open_largest", "context", "o", "o", "o", "screen.open_item"),
    Action("pin_largest", "context", "p", "p", "p", "screen.pin_item"),
    Action("context_window", "context", "", "w", "w"),
    Action("next_window", "context", "", "", "w"),
    Action("switch_window", "context", "", "", "Enter"),
    Action("end_preview", "context", "", "", "Esc", binds="screen.back"),
    Action("context_compact", "context", "", "", "F7", binds="app.compact"),
    Action("context_chart", "context", "tab shift+tab", "Tab", "Tab", "screen.chart"),
    Action("context_items", "context", "", "", "Tab", "screen.chart"),
    Action("leave_context", "context", "", "Esc", "Esc", binds="screen.back"),
    Action("pick", "questions", "", "1 … 4"),
    Action("next_button", "questions", "", "Tab ← →"),
    Action("press", "questions", "", "Enter"),
    Action("safe", "questions", "", "Esc"),
    Action("choose", "first_run", "", "↑ ↓", "↑ ↓"),
    Action("digit", "first_run", "", "0–9", "0–9"),
    Action("go_on", "first_run", "", "Enter", "Enter"),
    Action("look_again", "first_run", "r", "r", "r", "screen.look_again"),
    Action("demo", "first_run", "", "Esc", "Esc", binds="screen.back"),
    Action("quit", "first_run", "", "Ctrl+C", "^C", binds="app.interrupt"),
    Action("finding", "doctor", "", "↑ ↓", "↑ ↓"),
    Action("details", "doctor", "enter", "Enter", "Enter", "screen.details"),
    Action("check_again", "doctor", "r", "r", "r", "screen.check_again"),
    Action("copy_report", "doctor", "c", "c", "c", "screen.copy_report"),
    Action("log", "doctor", "l", "l", "l", "screen.log"),
    Action("leave_doctor", "doctor", "", "Esc", "Esc", binds="screen.back"),
    Action("find", "help", _SLASHES, "/", "/", binds="screen.find"),
    Action("scroll_help", "help", "", "↑ ↓", "↑ ↓"),
    Action("entry", "help", "", "↑ ↓", "↑ ↓"),
    Action("run_entry", "help", "", "Enter", "Enter"),
    Action("log_from_help", "help", "l", "l", "l", "screen.log"),
    Action("leave_help", "help", "", "Esc", "Esc", binds="screen.back"),
    Action("file_line", "viewer", "", "↑ ↓", _PAGES),
    Action("file_edges", "viewer", "", "PgUp PgDn"),
    Action("file_select", "viewer", "", "Shift+↑ ↓"),
    Action("find_in_file", "viewer", _SLASHES, "/", "/", "screen.find"),
    Action("next_hit", "viewer", "n", "n N", "n N", "screen.hit(1)"),
    Action("previous_hit", "viewer", "N", binds="screen.hit(-1)"),
    Action("to_line", "viewer", _COLONS, ":", ":", "screen.to_line"),
    Action("bring_back", "viewer", "b", "b", "b", "screen.bring_back"),
    Action("bring_back_short", "viewer", "", "", "b", "screen.bring_back"),
    Action("copy_lines", "viewer", "c", "c", "c", "screen.copy_lines"),
    Action("open_editor", "viewer", "o", "o", "o", "screen.open_editor"),
    Action("leave_viewer", "viewer", "", "Esc", "Esc", binds="screen.back"),
    Action("field_take", "viewer_field", "", "Enter", "Enter"),
    Action("field_hits", "viewer_field", "", "↑ ↓", "↑ ↓"),
    Action("field_leave", "viewer_field", "", "Esc", "Esc", binds="screen.back"),
    Action("session", "sessions", "", "↑ ↓"),
    Action("resume", "sessions", "enter", "Enter", "Enter", "screen.resume"),
    Action("fork", "sessions", "f", "f", "f", "screen.fork"),
    Action("preview", "sessions", "space", "Space", "Space", "screen.preview"),
    Action("fold", "sessions", "left", "← →", "← →", binds="screen.fold(False)"),
    Action("unfold", "sessions", "right", binds="screen.fold(True)"),
    Action("retitle", "sessions", "t", "t", "t", "screen.retitle"),
    Action("delete", "sessions", "d", "d", "d", "screen.delete"),
    Action("undo", "sessions", "u", "u", "u", "screen.undo"),
    Action("leave_sessions", "sessions", "", "Esc", "Esc", binds="screen.back"),
    Action("fact", "facts", "", "↑ ↓"),
    Action("verify", "facts", "v", "v", "v", "screen.verify"),
    Action("replace_fact", "facts", "r", "r", "r", "screen.rewrite_fact(False)"),
    Action("edit_fact", "facts", "e", "e", "e", "screen.rewrite_fact(True)"),
    Action("delete_fact", "facts", "d", "d", "d", "screen.delete_fact"),
    Action("add_fact", "facts", "a", "a", "a", "screen.add_fact"),
    Action("undo_fact", "facts", "u", "u", "u", "screen.undo_fact"),
    Action("pin_fact", "facts", "p", "p", "p", "screen.pin_fact"),
    Action("filter_facts", "facts", _SLASHES, "/", "/", "screen.filter_facts"),
    Action("fact_inbox", "facts", "i", "i", "i", "screen.fact_inbox"),
    Action("mark_fact", "facts", "space", "Space", "", "screen.mark_fact"),
    Action("open_source", "facts", "", "Enter", "Enter", "screen.open_source"),
    Action("fact_details", "facts", "", "Enter", "Enter", "screen.fact_details"),
    Action("choose_filter", "facts", "", "", "Enter"),
    Action("next_part", "facts", "tab", "Tab", binds="screen.next_part(1)"),
    Action("previous_part", "facts", "shift+tab", binds="screen.next_part(-1)"),
    Action("delete_everywhere", "facts", "D", "D", "", "screen.delete_everywhere"),
    Action("leave_facts", "facts", "", "Esc", "Esc", binds="screen.back"),
    Action("facts_take", "facts_field", "", "Enter", "Enter"),
    Action("facts_step", "facts_field", "", "↑ ↓", "↑ ↓"),
    Action("facts_field_leave", "facts_field", "", "Esc", "Esc", binds="screen.back"),
    Action("replay_step", "replay", "left", "← →", "← →", binds="screen.step(-1)"),
    Action("replay_step_on", "replay", "right", binds="screen.step(1)"),
    Action("replay_ten", "replay", "shift+left", "Shift+← →", binds="screen.step(-10)"),
    Action("replay_ten_on", "replay", "shift+right", binds="screen.step(10)"),
    Action("replay_play", "replay", "space", "Space", "Space", "screen.play"),
    Action("replay_marks", "replay", _BEFORE, "[ ]", "[ ]", binds="screen.mark(-1)"),
    Action("replay_pages", "replay", "", "PgUp PgDn"),
    Action("replay_marks_short", "replay", "", "", "[ ]", binds="screen.mark(1)"),
    Action("replay_marks_on", "replay", _BEHIND, binds="screen.mark(1)"),
    Action("replay_speed", "replay", _PLUS, "+ -", "+ -", binds="screen.speed(1)"),
    Action("replay_slower", "replay", _MINUS, binds="screen.speed(-1)"),
    Action("replay_policy", "replay", "p", "p", "p", "screen.policy"),
    Action("replay_open", "replay", "enter", "Enter", "Enter", "screen.open_step"),
    Action("replay_edges", "replay", "home", "Home End", binds="screen.edge(False)"),
    Action("replay_end", "replay", "end", binds="screen.edge(True)"),
    Action("replay_numbers", "replay", "tab", "Tab", "Tab", "screen.swap"),
    Action("replay_plots", "replay", "", "", "Tab", "screen.swap"),
    Action("leave_replay", "replay", "", "Esc", "Esc", binds="screen.back"),
    Action("told_row", "work", "", "↑ ↓", "↑ ↓"),
    Action("other_column", "work", "tab", "Tab", "Tab", binds="screen.other_column"),
    Action("column_back", "work", "shift+tab", binds="screen.other_column"),
    Action("edit_work", "work", "e", "e", "e", "screen.edit_told"),
    Action("add_rule", "work", "a", "a", "a", "screen.add_rule"),
    Action("delete_told", "work", "d", "d", "d", "screen.delete_told"),
    Action("undo_work", "work", "u", "u", "u", "screen.undo_work"),
    Action("open_told", "work", "o", "o", "o", "screen.open_told"),
    Action("told_names", "work", "", "Enter", "Enter", "screen.all_names"),
    Action("leave_work", "work", "", "Esc", "Esc", binds="screen.back"),
)
"""In the order footer, leader and help show them. Only what works is here."""


def actions_of(*regions: Region) -> Iterator[Action]:
    """The actions of some regions, in the table's order."""
    return (action for action in ACTIONS if action.region in regions)


def bindings(*regions: Region) -> list[BindingType]:
    """What those regions' keys do, for the `BINDINGS` of a widget or a screen."""
    return [_binding(action) for action in actions_of(*regions) if action.keys]


def bindings_named(*names: str) -> list[BindingType]:
    """The same for single actions."""
    return [_binding(action) for action in ACTIONS if action.name in names]


def _binding(action: Action) -> Binding:
    keys = ",".join(action.keys.split())
    runs = action.binds or action.runs
    return Binding(keys, runs, show=False, priority=action.priority)
