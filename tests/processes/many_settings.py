"""The site as it is, with the model and the tools of `many_stage.py`, and without limits."""

from artifactr_site.settings import *  # noqa: F403

ARTIFACTR_MODEL = "python:tests.processes.many_stage:model"
ARTIFACTR_TOOLSETS = ["tests.processes.many_stage.tools"]
ARTIFACTR_RUN_REQUESTS = ARTIFACTR_RUN_TOOL_CALLS = ARTIFACTR_RUN_TOKENS = None
ARTIFACTR_PERSON_RUNS = ARTIFACTR_PERSON_MESSAGES_A_MINUTE = None
