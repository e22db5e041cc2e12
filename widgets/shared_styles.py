"""What the styles of a widget come to is worked out once, not again for each widget and each key.

Textual matches every rule against every widget when it is mounted, at each change of focus, of a
class and of the theme, and reads all styles anew when a screen with a file of styles is opened: a
third of what a screen costs. Here what was worked out is kept:

- the rules in a text of styles, for each set of variables (a theme);
- the values for a widget, by all that a selector can ask: its type, id, classes and pseudo
  classes, and those of its ancestors where a rule has more than one part;
- what setting these values one by one makes of a widget that is new, and that a widget has them:
  where others are to stand, only those that differ are set;
- the nodes that stand for parts of a widget (its component classes).

Where a rule asks about siblings or descendants (`:first-child`, `:focus-within`) nothing is kept,
as in Textual's own cache, which lasts for one update. It leans on private parts of one version of
Textual; with another all stays as that has it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import textual
from textual.cache import LRUCache
from textual.css.model import CombinatorType, RuleSet
from textual.css.styles import RulesMap, Styles
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.dom import DOMNode

VERSION: Final = "8.2.8"
"""The only version whose private parts are known."""

_ROOM: Final = 256
"""How many results are kept for one kind of widget."""

_SAME: Final = CombinatorType.SAME
_UNKEPT: Final = Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE

_apply = Stylesheet.apply
_parse_rules = Stylesheet._parse_rules
_process_component_classes = Stylesheet._process_component_classes
_replace_rules: Any = vars(Stylesheet)["replace_rules"].__func__


class Result(NamedTuple):
    """What one widget's styles came to, and what Textual notes on it about its rules."""

    rules: RulesMap
    hover: bool
    focus_within: bool
    order: bool
    odd_or_even: bool


@dataclass(slots=True)
class Kind:
    """The rules that may concern widgets of one type, id and set of classes.

    Attributes:
        own: pseudo classes these rules ask about.
        above: those they ask ancestors about.
        deep: whether they ask about ancestors at all.
        kept: whether results may be kept.
        results: by what the widget and its ancestors answered.
    """

    own: tuple[str, ...]
    above: tuple[str, ...]
    deep: bool
    kept: bool
    results: dict[object, Result] = field(default_factory=dict)


class Book:
    """What is kept for one list of rules."""

    def __init__(self) -> None:
        self.kinds: dict[object, Kind] = {}

    def kind(self, sheet: Stylesheet, node: DOMNode, classes: frozenset[str]) -> Kind:
        """The rules that may concern a node."""
        key = (type(node), node._id, classes)
        kind = self.kinds.get(key)
        if kind is None:
            names = sheet.rules_map.keys() & node._selector_names
            kind = _kind({rule for name in names for rule in sheet.rules_map[name]})
            if len(self.kinds) >= _ROOM:
                self.kinds.clear()
            self.kinds[key] = kind
        return kind


_parsed: LRUCache[object, LRUCache[tuple[object, ...], list[RuleSet]]] = LRUCache(8)
_books: LRUCache[tuple[RuleSet, ...], Book] = LRUCache(32)
_made: LRUCache[int, tuple[RulesMap, RulesMap]] = LRUCache(2_048)


def _kind(rules: Iterable[RuleSet]) -> Kind:
    own: set[str] = set()
    above: set[str] = set()
    deep = False
    for rule in rules:
        own |= rule.pseudo_classes
        for one in rule.selector_set:
            last = len(one.selectors) - 1
            while last and one.selectors[last].combinator is _SAME:
                last -= 1
            deep = deep or last > 0 or one.selectors[0].combinator is CombinatorType.CHILD
            for selector in one.selectors[:last]:
                above |= selector.pseudo_classes
    return Kind(tuple(own), tuple(above), deep, own.isdisjoint(_UNKEPT))


def _answers(node: DOMNode, names: tuple[str, ...]) -> tuple[bool, ...]:
    """Which pseudo classes a node has; one that it doesn't know it has not."""
    checks: dict[str, Any] = node._PSEUDO_CLASSES
    return tuple([name in checks and checks[name](node) for name in names])


def _key(node: DOMNode, kind: Kind) -> object:
    """All that the rules can ask about a node."""
    own = _answers(node, kind.own)
    if not kind.deep:
        return own
    key: list[object] = [own]
    above = node._parent
    while isinstance(above, DOMNode):
        key.append((type(above), above._id, frozenset(above._classes)))
        if kind.above:
            key.append(_answers(above, kind.above))
        above = above._parent
    return tuple(key)


def _book(sheet: Stylesheet) -> Book:
    """What is kept for the rules of a stylesheet."""
    rules = sheet.rules
    kept: tuple[list[RuleSet], Book] | None = vars(sheet).get("_haima_book")
    if kept is None or kept[0] is not rules:
        key = tuple(rules)
        if key not in _books:
            _books[key] = Book()
        kept = vars(sheet)["_haima_book"] = (rules, _books[key])
    return kept[1]


def apply(
    self: Stylesheet,
    node: DOMNode,
    *,
    animate: bool = False,
    cache: dict[tuple[Any, ...], RulesMap] | None = None,
) -> None:
    """Like `Stylesheet.apply`; values that are known are not worked out again."""
    kind = _book(self).kind(self, node, frozenset(node._classes))
    if not kind.kept:
        _apply(self, node, animate=animate, cache=cache)
        return
    key = _key(node, kind)
    known = kind.results.get(key)
    if known is None:
        found: dict[tuple[Any, ...], RulesMap] = {}
        _apply(self, node, animate=animate, cache=found)
        for rules in found.values():
            if len(kind.results) >= _ROOM:
                kind.results.clear()
            kind.results[key] = Result(
                rules,
                node._has_hover_style,
                node._has_focus_within,
                node._has_order_style,
                node._has_odd_or_even,
            )
        return
    node._has_hover_style = known.hover
    node._has_focus_within = known.focus_within
    node._has_order_style = known.order
    node._has_odd_or_even = known.odd_or_even
    self.replace_rules(node, known.rules, animate=animate)
    self._process_component_classes(node)


def replace_rules(
    cls: type[Stylesheet], node: DOMNode, rules: RulesMap, animate: bool = False
) -> None:
    """Like `Stylesheet.replace_rules`; values that stand already are not set one by one.

    They are set through properties, which keep another form of many of them: the values that stand
    never equal the rules they come from. Before a widget is mounted setting them does no more.
    """
    base = node._css_styles
    applied: tuple[RulesMap, int] | None = vars(node).get("_haima_rules")
    if applied is not None and applied[1] == base._updates and not rules.get("transitions"):
        if applied[0] is not rules:
            _set_others(base, applied[0], rules)
            vars(node)["_haima_rules"] = rules, base._updates
        node.notify_style_update()
        return
    fresh = not base._rules and not node._is_mounted
    made = _made.get(id(rules)) if fresh else None
    if made is not None and made[0] is rules:
        base.merge_rules(made[1])
        if "layout" in rules:  # has a state, so each widget has its own
            base.layout = rules["layout"]
        node.notify_style_update()
    else:
        _replace_rules(cls, node, rules, animate)
        if fresh:
            values = base.get_rules()
            values.pop("layout", None)
            _made[id(rules)] = rules, values
    if not rules.get("transitions"):
        vars(node)["_haima_rules"] = rules, base._updates


def _set_others(base: Styles, old: RulesMap, new: RulesMap) -> None:
    """Sets the values that differ between the rules that stand and those that are to stand."""
    was, comes = old.get, new.get
    for name in old.keys() | new.keys():
        value = comes(name)
        if was(name) != value:
            setattr(base, name, value)


def process_component_classes(self: Stylesheet, node: DOMNode) -> None:
    """Like `Stylesheet._process_component_classes`; a part keeps the node that stands for it."""
    classes = node._get_component_classes()
    if not classes:
        return
    kept = node._component_styles.copy()
    node._component_styles.clear()
    changed = False
    for name in sorted(classes):
        styles = kept.get(name)
        part = styles.node if styles is not None else None
        if part is None:
            part = DOMNode(classes=name)
            part._attach(node)
        before = part._css_styles._rules.copy() if styles is not None else None
        self.apply(part, animate=False)
        changed = changed or before != part._css_styles._rules
        node._component_styles[name] = part.styles
    if changed:
        node.refresh()


def parse_rules(
    self: Stylesheet,
    css: str,
    read_from: CSSLocation,
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    """Like `Stylesheet._parse_rules`; what was read with the same variables is not read again."""
    variables = self._variables
    kept: tuple[object, object] | None = vars(self).get("_haima_parsed")
    if kept is None or kept[0] is not variables:
        key = frozenset(variables.items())
        if key not in _parsed:
            _parsed[key] = LRUCache(512)
        vars(self)["_haima_parsed"] = (variables, None)
        self._parse_cache = _parsed[key]
    return _parse_rules(self, css, read_from, is_default_rules, tie_breaker, scope)


def set_variables(self: Stylesheet, variables: dict[str, str]) -> None:
    """Like `Stylesheet.set_variables`; what was read with others is kept for when they are back."""
    vars(self).pop("_haima_parsed", None)
    self._parse_cache = LRUCache(64)
    _set_variables(self, variables)


_set_variables = Stylesheet.set_variables


def share_styles() -> None:
    """Puts it in place; a second call changes nothing, nor does one for another Textual."""
    if textual.__version__ == VERSION:
        Stylesheet.apply = apply  # type: ignore[method-assign]
        Stylesheet.replace_rules = classmethod(replace_rules)  # type: ignore[assignment]
        Stylesheet._process_component_classes = (  # type: ignore[method-assign]
            process_component_classes
        )
        Stylesheet._parse_rules = parse_rules  # type: ignore[method-assign]
        Stylesheet.set_variables = set_variables  # type: ignore[method-assign]
