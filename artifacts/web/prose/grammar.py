"""Which Markdown we read: CommonMark with tables, strike-through and plain web addresses, and never raw HTML.

Two of its tokens are rewritten before they are rendered: images become links, because a page that loads what a text
names tells strangers who read it; and a table's alignment becomes a class, because the page forbids style attributes.
"""

import re
from collections.abc import Iterator

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

DEEPER = 2
"""How many levels a text's headings go down: the page's own are above them."""

LONGEST_ADDRESS = 2_000
"""What goes on for more characters without a space is no address: looking through it takes time with its square."""

SPACE = re.compile(r"\s")


class Addresses(LinkifyIt):  # type: ignore[misc]  # it has no types
    """Finds `https://…`, and nothing that merely looks like the name of a host, a file or a person."""

    def __init__(self) -> None:
        super().__init__(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
        for schema in ("ftp:", "//", "mailto:"):
            self.add(schema, None)

    def test_schema_at(self, text: str, name: str, position: int) -> int:
        """How long the address is whose scheme ends there; 0 for none."""
        near = text[position : position + LONGEST_ADDRESS + 1]
        if len(near) > LONGEST_ADDRESS and not SPACE.search(near):
            return 0
        return int(super().test_schema_at(near, name, 0))


class Parser(MarkdownIt):
    """A parser that links to nothing which hides where it leads."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 (its parent's name)
        """No scheme that runs anything, and no other host without its scheme: `//host` looks like a page of ours."""
        return super().validateLink(url) and not url.lstrip().replace("%5C", "/").startswith("//")


def grammar() -> MarkdownIt:
    """A parser; parsing keeps no state in it."""
    parser = Parser("commonmark", {"html": False, "linkify": True})
    parser.enable(["table", "strikethrough", "linkify"])
    parser.inline.ruler.disable(
        "linkify"
    )  # it looks back over all of the text at each `://`, and adds little
    parser.linkify = Addresses()
    parser.core.ruler.push("tame", _tame)
    return parser


def _tame(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + DEEPER)}"
        elif token.type in ("th_open", "td_open"):
            _align_by_class(token)
        elif token.children:
            token.children = list(_images_as_links(token.children))


def _align_by_class(token: Token) -> None:
    style = str(token.attrs.pop("style", ""))
    if style.startswith("text-align:"):
        token.attrs["class"] = f"align-{style.removeprefix('text-align:')}"


def _images_as_links(tokens: list[Token]) -> Iterator[Token]:
    inside = 0
    for token in tokens:
        inside += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type != "image":
            yield token
        elif inside:
            yield _text(token)
        else:
            yield Token("link_open", "a", 1, attrs={"href": token.attrs.get("src", "")})
            yield _text(token)
            yield Token("link_close", "a", -1)


def _text(image: Token) -> Token:
    return Token("text", "", 0, content=image.content or "image")
