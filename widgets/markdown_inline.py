"""Emphasis, code, links: the inside of a Markdown paragraph as styled text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markdown_it.tree import SyntaxTreeNode

from widgets.cjk_wrap import breakable
from widgets.ink import Ink
from widgets.palette import Token
from widgets.spans import Span

_LINKS = ("https://", "http://", "mailto:")
"""Addresses a terminal may open; others are shown, not linked."""

_BREAKS = frozenset({"<br>", "<br/>", "<br />"})


@dataclass(frozen=True, slots=True)
class Voice:
    """How words are said: their colour, on what, and with which emphasis."""

    tone: Token = "text"
    on: Token = "bg"
    bold: bool = False
    italic: bool = False
    strike: bool = False
    underline: bool = False
    link: str = ""


def inline_spans(nodes: Sequence[SyntaxTreeNode], ink: Ink, voice: Voice) -> list[Span]:
    """Styled text; a newline in it is a line break that was asked for."""
    spans: list[Span] = []
    for index, node in enumerate(nodes):
        match node.type:
            case "softbreak":
                after = _first_character(nodes[index + 1 :])
                if not (spans and breakable(spans[-1][0][-1:]) and breakable(after)):
                    spans.append(_span(" ", ink, voice))
            case "hardbreak":
                spans.append(_span("\n", ink, voice))
            case _:
                spans.extend(_node_spans(node, ink, voice))
    return spans


def _node_spans(node: SyntaxTreeNode, ink: Ink, voice: Voice) -> list[Span]:
    match node.type:
        case "code_inline":
            tone: Token = "code" if voice.tone == "text" else voice.tone
            return [_span(node.content, ink, replace(voice, tone=tone))]
        case "strong":
            return inline_spans(node.children, ink, replace(voice, bold=True))
        case "em":
            return inline_spans(node.children, ink, replace(voice, italic=True))
        case "s":
            return inline_spans(node.children, ink, replace(voice, strike=True, tone="text3"))
        case "link":
            return _link_spans(node, ink, voice)
        case "image":
            address = str(node.attrs.get("src", ""))
            said = ink.words("transcript.image", text=node.content or address)
            quiet = replace(voice, tone="text2")
            return [_span(said, ink, quiet), *_address(address, said, ink, voice)]
        case "html_inline":
            said = node.content
            return [_span("\n" if said.lower() in _BREAKS else said, ink, voice)]
        case _:
            text = node.content.replace("\t", "    ")
            return [_span(text, ink, voice)] if text else []


def _link_spans(node: SyntaxTreeNode, ink: Ink, voice: Voice) -> list[Span]:
    """A link's words underlined, and its address where they don't say it."""
    address = str(node.attrs.get("href", ""))
    link = address if address.startswith(_LINKS) else ""
    words = inline_spans(node.children, ink, replace(voice, underline=True, link=link))
    said = "".join(text for text, _ in words)
    return [*words, *_address(address, said, ink, voice)]


def _address(address: str, said: str, ink: Ink, voice: Voice) -> list[Span]:
    if not address or address.removeprefix("mailto:") in said or address.startswith("data:"):
        return []
    return [_span(f" ({address})", ink, replace(voice, tone="text3", underline=False))]


def _span(text: str, ink: Ink, voice: Voice) -> Span:
    style = ink.palette.style(
        voice.tone,
        voice.on,
        bold=voice.bold,
        italic=voice.italic,
        strike=voice.strike,
        underline=voice.underline,
        link=voice.link,
    )
    return text, style


def _first_character(nodes: Sequence[SyntaxTreeNode]) -> str:
    """What is read first in what follows a break."""
    for node in nodes:
        text = node.content or _first_character(node.children)
        if text:
            return text[0]
    return ""
