"""Which model answers: the demo, a pydantic-ai model string, or one that the installation makes itself."""

from importlib import import_module

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model

from threads.agent.demo import demo_model

OWN = "python:"


def chosen(setting: str) -> Model:
    """The model that `ARTIFACTR_MODEL` names. Raises `UserError` with a sentence that says what to set."""
    if setting == "demo":
        return demo_model()
    if setting.startswith(OWN):
        return _own(setting)
    try:
        return infer_model(setting)
    except ImportError as error:
        raise UserError(
            f"ARTIFACTR_MODEL={setting} needs a package that is not installed: {error}"
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
