"""The events of this app by name. `docs/architecture.md` lists the data that each carries."""

THREAD_CREATED = "thread_created"
THREAD_RENAMED = "thread_renamed"
MODE_CHANGED = "thread_mode_changed"
THREAD_ARCHIVED = "thread_archived"
THREAD_UNARCHIVED = "thread_unarchived"
MESSAGE_POSTED = "message_posted"
MESSAGE_DELIVERED = "message_delivered"
MESSAGE_WITHDRAWN = "message_withdrawn"
NOTICE_POSTED = "notice_posted"
CHANGES_TOLD = "changes_told"
RUN_STARTED = "run_started"
AGENT_RESPONDED = "agent_responded"
TOOL_CALLED = "tool_called"
TOOL_RETURNED = "tool_returned"
ARTIFACT_FOLLOWED = "artifact_followed"
ARTIFACT_DROPPED = "artifact_dropped"
QUESTION_ASKED = "question_asked"
APPROVAL_ASKED = "approval_asked"
RUN_PAUSED = "run_paused"
REQUEST_ANSWERED = "request_answered"
STOP_REQUESTED = "stop_requested"
RETRY_REQUESTED = "retry_requested"
RUN_ENDED = "run_ended"
DRAFT_SETTLED = "draft_settled"

ALL = (
    THREAD_CREATED,
    THREAD_RENAMED,
    MODE_CHANGED,
    THREAD_ARCHIVED,
    THREAD_UNARCHIVED,
    MESSAGE_POSTED,
    MESSAGE_DELIVERED,
    MESSAGE_WITHDRAWN,
    NOTICE_POSTED,
    CHANGES_TOLD,
    RUN_STARTED,
    AGENT_RESPONDED,
    TOOL_CALLED,
    TOOL_RETURNED,
    ARTIFACT_FOLLOWED,
    ARTIFACT_DROPPED,
    QUESTION_ASKED,
    APPROVAL_ASKED,
    RUN_PAUSED,
    REQUEST_ANSWERED,
    STOP_REQUESTED,
    RETRY_REQUESTED,
    RUN_ENDED,
    DRAFT_SETTLED,
)
