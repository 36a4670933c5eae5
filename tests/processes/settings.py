"""The site as it is, with the model and the tool of `stage.py`."""

from artifactr_site.settings import *  # noqa: F403

ARTIFACTR_MODEL = "python:tests.processes.stage:model"
ARTIFACTR_TOOLSETS = ["tests.processes.stage.tools"]
