"""A thread's name, where nobody gave one."""

TITLE_WORDS, TITLE_LENGTH = 8, 60


def title_of(content: str) -> str:
    """The first words of a message, as the name of its thread."""
    words = content.split()
    title = " ".join(words[:TITLE_WORDS])
    if len(title) > TITLE_LENGTH:
        return title[: TITLE_LENGTH - 1].rstrip() + "…"
    return f"{title}…" if len(words) > TITLE_WORDS else title
