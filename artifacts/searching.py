"""Finding artifacts by their words: the title and every text in their data, whatever their kind."""

import re
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Func, Q, QuerySet, TextField
from django.db.models.sql.compiler import SQLCompiler

from artifacts.core.text import cleaned
from artifacts.models import Artifact

WORDS, LENGTH = 8, 200
"""So many words of a search count, and so many characters."""


class Texts(Func):
    """Every text in a JSON column, one a line, the names of its fields left out."""

    output_field = TextField()
    template = (
        "(SELECT string_agg(value #>> '{}', E'\\n')"
        " FROM jsonb_path_query(%(expressions)s, 'strict $.** ? (@.type() == \"string\")') AS value)"
    )

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any) -> Any:
        """SQLite walks JSON with a function of its own."""
        walk = "(SELECT group_concat(atom, char(10)) FROM json_tree(%(expressions)s) WHERE type = 'text')"
        return self.as_sql(compiler, connection, template=walk, **extra)


def wanted(words: str) -> list[str]:
    """The words of a search that count."""
    return cleaned(words)[:LENGTH].split()[:WORDS]


def found(artifacts: QuerySet[Artifact], words: str) -> QuerySet[Artifact]:
    """Those that hold every one of the words, in any case and order; all of them where there are no words."""
    looked_for = wanted(words)
    if looked_for:
        artifacts = artifacts.alias(texts=Texts(F("data")))
    for word in looked_for:
        # A regular expression, because SQLite's LIKE tells upper from lower case beyond ASCII.
        pattern = re.escape(word)
        artifacts = artifacts.filter(Q(title__iregex=pattern) | Q(texts__iregex=pattern))
    return artifacts
