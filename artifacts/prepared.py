"""Queries that are made again and again, each compiled once instead of anew every time.

Django takes several times as long to build a query as a database takes to answer it. A prepared query is written as any
other, with `Given` where its values come; it is compiled when it is first asked, and reads as the ORM reads.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Expression, Model, QuerySet, UUIDField
from django.db.models.query import FlatValuesListIterable, ValuesListIterable
from django.db.models.sql.compiler import SQLCompiler

from artifacts.statements import AnyField


class Given(Expression):
    """The place of a value, which the database takes as this field's."""

    def __init__(self, name: str, field: AnyField) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """A place, and itself instead of the value."""
        return "%s", (self,)

    def stored(self, values: dict[str, Any], database: BaseDatabaseWrapper) -> Any:
        """What stands in the place this time."""
        return self.output_field.get_db_prep_value(values[self.name], database)


def given_id(name: str) -> Given:
    """The place of a UUID, or of one as text."""
    return Given(name, UUIDField())


def given_number(name: str) -> Given:
    """The place of an integer."""
    return Given(name, BigIntegerField())


@dataclass(frozen=True, slots=True)
class Part:
    """Where an instance stands in a row, and to what instance it belongs as `field`."""

    model: type[Model]
    place: slice
    names: list[str]
    field: AnyField | None = None

    def read(self, row: Sequence[Any]) -> Model | None:
        """The instance; None if a join found nothing."""
        values = row[self.place]
        return None if values[0] is None else self.model.from_db(DEFAULT_DB_ALIAS, self.names, values)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query as the database takes it, and how to read what it finds: columns, then instances or values."""

    sql: str
    values: Sequence[Any]
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    parts: Sequence[Part]
    is_flat: bool

    def read(self, found: Sequence[Any], database: BaseDatabaseWrapper) -> Any:
        """A row of what was found."""
        row = list(found)
        for place, converters, column in self.converters:
            for convert in converters:
                row[place] = convert(row[place], column, database)
        if not self.parts:
            return row[0] if self.is_flat else tuple(row)
        first, *others = self.parts
        instance = first.read(row)
        for part in others:
            assert part.field is not None  # only the first belongs to none
            setattr(instance, part.field.name, part.read(row))
        return instance


class Prepared[Row]:
    """A query of instances, with what each refers to, or of values. `query` makes it when it is first asked."""

    def __init__(self, query: Callable[[], QuerySet[Any, Row]]) -> None:
        self._query = query

    def rows(self, **values: Any) -> list[Row]:
        """What it finds. Raises `ValidationError` or `ValueError` where a column cannot hold a given value."""
        database, compiled = connections[DEFAULT_DB_ALIAS], self._compiled
        wanted = [
            value.stored(values, database) if isinstance(value, Given) else value for value in compiled.values
        ]
        with database.cursor() as cursor:
            cursor.execute(compiled.sql, wanted)
            found = cursor.fetchall()
        return [compiled.read(row, database) for row in found]

    def first(self, **values: Any) -> Row | None:
        """The first of what it finds, if it finds anything."""
        return next(iter(self.rows(**values)), None)

    def first_if_any(self, **values: Any) -> Row | None:
        """`first`, for values from outside: what a column cannot hold is in no row."""
        try:
            return self.first(**values)
        except (ValidationError, ValueError):
            return None

    @cached_property
    def _compiled(self) -> Compiled:
        queryset = self._query()
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, values = compiler.as_sql()
        columns = [column for column, *_ in compiler.select]
        converters = compiler.get_converters(columns)
        is_of_values = issubclass(queryset._iterable_class, ValuesListIterable | FlatValuesListIterable)
        return Compiled(
            sql,
            values,
            [(place, found, column) for place, (found, column) in converters.items()],
            [] if is_of_values else list(_parts(compiler.klass_info, columns)),
            issubclass(queryset._iterable_class, FlatValuesListIterable),
        )


def _parts(info: dict[str, Any], columns: Sequence[Any]) -> Iterator[Part]:
    """The instance that a row is, and those that it refers to."""
    places = info["select_fields"]
    place = slice(places[0], places[-1] + 1)
    names = [column.target.attname for column in columns[place]]
    yield Part(info["model"], place, names, info.get("field"))
    for related in info.get("related_klass_infos", ()):
        yield from _parts(related, columns)
