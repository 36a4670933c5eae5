"""The statements that every commit makes, each written once instead of being built anew every time.

Django takes several times as long to build a statement as a database takes to carry it out. These write one row of one
table; how the table and its columns are called, and how values are stored, the model says as it always does.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model

type AnyField = Field[Any, Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with a place for each of its values, which are as the database takes them."""

    sql: str
    values: list[Any]


def inserting(row: Model) -> Statement:
    """A new row. A key that the database counts stays unknown."""
    database, fields = connections[DEFAULT_DB_ALIAS], _inserted(type(row))
    return Statement(
        _insert(type(row)), [_stored(field, field.pre_save(row, True), database) for field in fields]
    )


def updating(row: Model, *names: str) -> Statement:
    """The named columns of a row, as it has them now."""
    model, database = type(row), connections[DEFAULT_DB_ALIAS]
    fields = [_field(model, name) for name in (*names, "pk")]
    return Statement(
        _update(model, names), [_stored(field, field.value_from_object(row), database) for field in fields]
    )


def execute(*statements: Statement) -> None:
    """Carry them out, in order; in one round trip where the database takes several at once."""
    database = connections[DEFAULT_DB_ALIAS]
    if not getattr(database.features, "uses_server_side_binding", True):  # which only PostgreSQL's have
        values = [value for statement in statements for value in statement.values]
        statements = (Statement("; ".join(statement.sql for statement in statements), values),)
    with database.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.sql, statement.values)


@cache
def _insert(model: type[Model]) -> str:
    columns = [_quoted(str(field.column)) for field in _inserted(model)]
    return f"INSERT INTO {_table(model)} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"  # noqa: S608 (of names that models have)


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> str:
    return f"UPDATE {_table(model)} SET {_equal(model, names, ', ')} WHERE {_equal(model, ('pk',), '')}"  # noqa: S608 (as above)


def _equal(model: type[Model], names: tuple[str, ...], between: str) -> str:
    return between.join(f"{_quoted(_field(model, name).column)} = %s" for name in names)


@cache
def _inserted(model: type[Model]) -> list[AnyField]:
    """All columns but a key that the database counts."""
    return [field for field in model._meta.concrete_fields if field is not model._meta.auto_field]


@cache
def _field(model: type[Model], name: str) -> Any:
    return model._meta.pk if name == "pk" else model._meta.get_field(name)


def _stored(field: AnyField, value: Any, database: BaseDatabaseWrapper) -> Any:
    return field.get_db_prep_save(value, database)


def _table(model: type[Model]) -> str:
    return _quoted(model._meta.db_table)


def _quoted(name: str) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name)
