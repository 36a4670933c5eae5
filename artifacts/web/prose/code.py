"""Code in colour, by classes of our own stylesheet."""

from functools import lru_cache

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LONGEST = 20_000
"""Characters above which code stays plain."""

WIDEST = 90_000
"""Characters of HTML above which code stays plain: a socket message has to carry it."""


def highlighted(code: str, info: str) -> str | None:
    """The inside of a `<code>`, or None where the language is unknown or colour would cost too much."""
    lexer = _lexer(info.split(maxsplit=1)[0].lower() if info.split() else "")
    if lexer is None or len(code) > LONGEST:
        return None
    html: str = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return html if len(html) <= WIDEST else None


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    if not language or language in ("text", "plain"):
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
