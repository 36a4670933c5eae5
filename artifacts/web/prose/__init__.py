"""Markdown that people and models wrote, made into HTML that can do no harm and looks well.

`render` makes a whole text, `bounded` no more of it than a page or a socket message should carry. Text that is still
being written is rendered block by block with `blocks`, so that what is finished is rendered once.
"""

from artifacts.web.prose.bounds import LIMIT, WIDEST, Bounded, bounded
from artifacts.web.prose.rendering import References, blocks, render, sketch, spoken, starts

__all__ = [
    "LIMIT",
    "WIDEST",
    "Bounded",
    "References",
    "blocks",
    "bounded",
    "render",
    "sketch",
    "spoken",
    "starts",
]
