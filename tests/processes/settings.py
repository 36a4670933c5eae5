"""The site as it is, with the model and the tool of `stage.py`, and without a limit of how much one person says."""

from artifactr_site.settings import *  # noqa: F403

ARTIFACTR_MODEL = "python:tests.processes.stage:model"
ARTIFACTR_TOOLSETS = ["tests.processes.stage.tools"]
ARTIFACTR_PERSON_RUNS = ARTIFACTR_PERSON_MESSAGES_A_MINUTE = None
