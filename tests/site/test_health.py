"""Whoever probes is answered, whatever host they name, and told what is missing."""

from unittest.mock import patch

import pytest
from channels.layers import InMemoryChannelLayer
from django.db import InterfaceError, OperationalError
from django.db.backends.utils import CursorWrapper
from django.test import Client


def test_alive_needs_no_database(client: Client) -> None:
    response = client.get("/healthz", headers={"host": "10.0.0.7"})
    assert (response.status_code, response.content) == (200, b"alive\n")
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_ready_when_database_and_layer_answer(client: Client) -> None:
    response = client.get("/readyz", headers={"host": "10.0.0.7"})
    assert (response.status_code, response.content) == (200, b"ready\n")


@pytest.mark.django_db
@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("connection already closed")])
def test_a_database_that_is_away_is_said(
    client: Client, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with patch.object(CursorWrapper, "execute", side_effect=error):
        response = client.get("/readyz")
    assert (response.status_code, response.content) == (503, b"The database does not answer.\n")
    assert not caplog.records, "who probes is told, the log not with each probe"


@pytest.mark.django_db
def test_a_layer_that_is_away_is_said(client: Client) -> None:
    with patch.object(InMemoryChannelLayer, "group_send", side_effect=ConnectionError("gone")):
        response = client.get("/readyz")
    assert (response.status_code, response.content) == (503, b"The channel layer does not answer.\n")
