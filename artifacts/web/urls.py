"""The addresses of artifacts: nouns."""

from django.urls import path

from artifacts.web import beginning, invitations, members, views, workspace

urlpatterns = [
    path("artifacts/", views.artifacts, name="artifacts"),
    path("artifacts/<uuid:artifact_id>/", views.artifact, name="artifact"),
    path("artifacts/<uuid:artifact_id>/panel/", views.panel, name="artifact-panel"),
    path("artifacts/<uuid:artifact_id>/tools/", views.tools, name="artifact-tools"),
    path("artifacts/<uuid:artifact_id>/form/", views.form, name="artifact-form"),
    path("artifacts/<uuid:artifact_id>/revisions/", views.revisions, name="revisions"),
    path("artifacts/<uuid:artifact_id>/revisions/<int:version>/", views.revision, name="revision"),
    path("workspaces/<uuid:workspace_id>/", workspace.workspace, name="workspace"),
    path("workspaces/<uuid:workspace_id>/artifacts/", beginning.beginning, name="beginning"),
    path("workspaces/<uuid:workspace_id>/members/", members.members, name="members"),
    path("workspaces/<uuid:workspace_id>/members/<int:user_id>/", members.member, name="member"),
    path("workspaces/<uuid:workspace_id>/members/<int:user_id>/removal/", members.removal, name="removal"),
    path("workspaces/<uuid:workspace_id>/invitations/", invitations.invitations, name="invitations"),
    path(
        "workspaces/<uuid:workspace_id>/invitations/<uuid:invitation_id>/withdrawal/",
        invitations.withdrawal,
        name="withdrawal",
    ),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("invitations/<str:token>/acceptance/", invitations.acceptance, name="acceptance"),
    path("invitations/<str:token>/account/", invitations.account, name="newcomer-account"),
    path("published/<uuid:publication_id>/", views.publication, name="publication"),
]
