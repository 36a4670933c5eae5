"""From Markdown to clean HTML, by top-level blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from artifacts.web.prose.code import highlighted
from artifacts.web.prose.grammar import grammar

INLINE_TAGS = {"a", "br", "code", "del", "em", "s", "strong"}
BLOCK_TAGS = {"blockquote", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
TABLE_TAGS = {"table", "tbody", "td", "th", "thead", "tr"}
INDENTED = ("blockquote", "ol", "ul")
"""What stands in from the side on which its text begins, right or left."""
ALIGNMENTS = {"align-left", "align-center", "align-right"}
SCHEMES = {"http", "https", "mailto"}
BREAKS = {"softbreak", "hardbreak"}
PRE = re.compile(r"<pre><code>(.*?)</code></pre>", re.DOTALL)


@dataclass(slots=True)
class References:
    """The link definitions that a text has made so far."""

    env: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> "References":
        """The same definitions, so that a trial leaves these alone."""
        return References({"references": dict(self.env.get("references", {}))})


def render(text: str) -> str:
    """The whole text as clean HTML, its code highlighted."""
    return "".join(html for html, _ in blocks(text, References()))


def sketch(text: str, references: References) -> str:
    """A text that is not finished: clean HTML without highlighting."""
    tokens = _parser().parse(text, references.copy().env)
    return "".join(_clean(block, coloured=False) for block in _top_level(tokens))


def blocks(text: str, references: References) -> Iterator[tuple[str, int]]:
    """Each top-level block's clean HTML and the line it starts in. `references` gains what `text` defines."""
    for block in _top_level(_parser().parse(text, references.env)):
        yield _clean(block, coloured=True), block[0].map[0] if block[0].map else 0


def starts(text: str, references: References) -> list[int]:
    """The line in which each top-level block of `text` starts."""
    tokens = _parser().parse(text, references.copy().env)
    return [block[0].map[0] for block in _top_level(tokens) if block[0].map]


def spoken(text: str) -> str:
    """The words of a text as they are read aloud: without marks, and without where its links lead."""
    said = (
        "".join(part.content or " " * (part.type in BREAKS) for part in token.children or [token])
        for token in _parser().parse(text)
    )
    return " ".join(" ".join(said).split())


@cache
def _parser() -> MarkdownIt:
    return grammar()


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=INLINE_TAGS | BLOCK_TAGS | TABLE_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        allowed_classes={"th": ALIGNMENTS, "td": ALIGNMENTS},
        set_tag_attribute_values={"a": {"target": "_blank"}, **{tag: {"dir": "auto"} for tag in INDENTED}},
        url_schemes=SCHEMES,
        link_rel="noopener nofollow",
    )


def _top_level(tokens: list[Token]) -> Iterator[list[Token]]:
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _clean(block: list[Token], *, coloured: bool) -> str:
    """One block, cleaned; what pygments makes of its code is ours and is put in afterwards."""
    code = iter([token for token in block if token.type in ("fence", "code_block")])
    html = _cleaner().clean(_parser().renderer.render(_without_languages(block), _parser().options, {}))

    def pre(match: re.Match[str]) -> str:
        token = next(code)
        inner = highlighted(token.content, token.info) if coloured else None
        return f'<pre tabindex="0"><code>{inner or match[1]}</code></pre>'

    return _scrolling(PRE.sub(pre, html))


def _scrolling(html: str) -> str:
    """Wide tables scroll in a box of their own, which a keyboard can reach."""
    return html.replace("<table>", '<div class="wide" tabindex="0"><table>').replace(
        "</table>", "</table></div>"
    )


def _without_languages(block: list[Token]) -> list[Token]:
    """Tokens whose code is rendered as `<pre><code>` alone, so that it is found again after cleaning."""
    return [
        Token("html_block", "", 0, content=f"<pre><code>{escape(token.content, quote=False)}</code></pre>\n")
        if token.type in ("fence", "code_block")
        else token
        for token in block
    ]
