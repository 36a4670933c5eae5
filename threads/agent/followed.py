"""The followed artifacts as they are at this moment, as the agent reads them last in each request."""

import json

from pydantic import ValidationError

from artifacts.core.notes import framed
from artifacts.core.rejections import Rejection
from artifacts.models import Artifact
from threads.models import Focus

TAG = "followed-artifacts"


def followed_artifacts(thread_id: str) -> str | None:
    """What a thread follows, tagged and with everything that others wrote unable to fake a tag. None if nothing."""
    followed = Focus.objects.filter(thread_id=thread_id, artifact__archived_at=None).select_related(
        "artifact"
    )
    shown = "\n".join(_shown(focus.artifact) for focus in followed)
    return f"<{TAG}>\n{shown}\n</{TAG}>" if shown else None


def _shown(artifact: Artifact) -> str:
    title = framed(artifact.title).replace('"', "'")
    head = (
        f'<artifact id="{artifact.pk}" kind="{artifact.kind}" version="{artifact.version}" title="{title}">'
    )
    return f"{head}\n{framed(content(artifact))}\n</artifact>"


def content(artifact: Artifact) -> str:
    """An artifact's content for the agent; as it is stored where its kind is gone, or no longer takes it."""
    try:
        return artifact.instance().render_for_agent()
    except (ValidationError, Rejection):
        return json.dumps(artifact.data, ensure_ascii=False, indent=2)
