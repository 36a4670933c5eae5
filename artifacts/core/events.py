"""The events of this app by name, and the data that each carries. `docs/architecture.md` lists them."""

WORKSPACE_CREATED = "workspace_created"
MEMBER_JOINED = "member_joined"
MEMBER_CHANGED = "member_changed"
MEMBER_LEFT = "member_left"
INVITATION_MADE = "invitation_made"
INVITATION_ACCEPTED = "invitation_accepted"
INVITATION_WITHDRAWN = "invitation_withdrawn"
ARTIFACT_CREATED = "artifact_created"
ARTIFACT_EDITED = "artifact_edited"
ARTIFACT_ARCHIVED = "artifact_archived"
ARTIFACT_UNARCHIVED = "artifact_unarchived"
ARTIFACT_PUBLISHED = "artifact_published"
ARTIFACT_UNPUBLISHED = "artifact_unpublished"
CHANGE_PROPOSED = "change_proposed"
PROPOSAL_RESOLVED = "proposal_resolved"
PROPOSAL_WITHDRAWN = "proposal_withdrawn"

ABOUT_ARTIFACTS = (
    ARTIFACT_CREATED,
    ARTIFACT_EDITED,
    ARTIFACT_ARCHIVED,
    ARTIFACT_UNARCHIVED,
    ARTIFACT_PUBLISHED,
    ARTIFACT_UNPUBLISHED,
    CHANGE_PROPOSED,
    PROPOSAL_RESOLVED,
    PROPOSAL_WITHDRAWN,
)
ABOUT_MEMBERS = (MEMBER_JOINED, MEMBER_CHANGED, MEMBER_LEFT)
ABOUT_INVITATIONS = (INVITATION_MADE, INVITATION_ACCEPTED, INVITATION_WITHDRAWN)
ALL = (WORKSPACE_CREATED, *ABOUT_MEMBERS, *ABOUT_INVITATIONS, *ABOUT_ARTIFACTS)
