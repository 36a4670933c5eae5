"""Which model answers: the demo, a pydantic-ai model string, or one that the installation makes itself."""

import asyncio
import re
from importlib import import_module
from weakref import WeakKeyDictionary

from django.conf import settings
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.settings import ModelSettings

from threads.agent.demo import DEMO

OWN = "python:"
VARIABLE = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`")

_inferred: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Model]] = WeakKeyDictionary()
"""Models with connections of their own, which belong to the loop in which they were opened."""


async def chosen(setting: str) -> Model:
    """The model that `ARTIFACTR_MODEL` names. Raises `UserError` with a sentence that says what to set."""
    if setting == "demo":
        return DEMO
    if setting.startswith(OWN):
        return _own(setting)
    known = _inferred.setdefault(asyncio.get_running_loop(), {})
    if setting not in known:
        known[setting] = await asyncio.to_thread(
            _inferred_from, setting
        )  # it imports a client, which takes long
    return known[setting]


async def close_models() -> None:
    """Close the connections of the models that were used in this loop."""
    for model in _inferred.pop(asyncio.get_running_loop(), {}).values():
        async with model:
            pass  # a provider closes its client as it is left


def request_settings(model: Model) -> ModelSettings:
    """How long a model may be silent, and that nobody but us tries again: people should see what is waited for."""
    silence = settings.ARTIFACTR_MODEL_SILENCE_SECONDS
    wanted = ModelSettings(first_event_timeout=silence, timeout=silence, max_retries=0)
    for name in model.unsupported_settings & {"timeout", "max_retries"}:
        wanted.pop(name)
    return wanted


def _inferred_from(setting: str) -> Model:
    try:
        return infer_model(setting)
    except ImportError as error:
        raise UserError(
            f"ARTIFACTR_MODEL={setting} needs a package that is not installed: {error}"
        ) from error
    except UserError as error:
        if (missing := VARIABLE.search(str(error))) is None:
            raise UserError(f"ARTIFACTR_MODEL={setting} cannot be used: {error}") from error
        raise UserError(
            f"ARTIFACTR_MODEL={setting} needs the environment variable {missing[1]}. Set it, and start artifactr again."
        ) from error


def _own(setting: str) -> Model:
    module, _, name = setting.removeprefix(OWN).partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(
            f"ARTIFACTR_MODEL={setting} cannot be imported: {error}. Write python:package.module:name."
        ) from error
    model = found if isinstance(found, Model) else found()
    if not isinstance(model, Model):
        raise UserError(
            f"ARTIFACTR_MODEL={setting} is neither a pydantic-ai Model nor a function returning one."
        )
    return model
