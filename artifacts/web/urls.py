"""The addresses of artifacts: nouns."""

from django.urls import path

from artifacts.web import editing, files, history, planning, proposing, publishing, views

urlpatterns = [
    path("artifacts/", views.artifacts, name="artifacts"),
    path("artifacts/<uuid:artifact_id>/", views.artifact, name="artifact"),
    path("artifacts/<uuid:artifact_id>/panel/", views.panel, name="artifact-panel"),
    path("artifacts/<uuid:artifact_id>/tools/", views.tools, name="artifact-tools"),
    path("artifacts/<uuid:artifact_id>/archive/", views.archive, name="artifact-archive"),
    path("artifacts/<uuid:artifact_id>/presence/", views.here, name="artifact-presence"),
    path("artifacts/<uuid:artifact_id>/form/", editing.form, name="artifact-form"),
    path("artifacts/<uuid:artifact_id>/steps/", planning.steps, name="plan-steps"),
    path("artifacts/<uuid:artifact_id>/revisions/", history.revisions, name="revisions"),
    path("artifacts/<uuid:artifact_id>/comparison/", history.comparison, name="comparison"),
    path("artifacts/<uuid:artifact_id>/revisions/<int:version>/", history.revision, name="revision"),
    path(
        "artifacts/<uuid:artifact_id>/revisions/<int:version>/restoration/",
        history.restoration,
        name="restoration",
    ),
    path("artifacts/<uuid:artifact_id>/file.<str:ending>", files.newest, name="artifact-file"),
    path(
        "artifacts/<uuid:artifact_id>/revisions/<int:version>/file.<str:ending>",
        files.of_revision,
        name="revision-file",
    ),
    path("artifacts/<uuid:artifact_id>/proposals/", proposing.proposals, name="proposals"),
    path("proposals/<uuid:proposal_id>/", proposing.proposal, name="proposal"),
    path("proposals/<uuid:proposal_id>/standing/", proposing.standing_now, name="proposal-standing"),
    path("proposals/<uuid:proposal_id>/changes/", proposing.changes, name="proposal-changes"),
    path("proposals/<uuid:proposal_id>/resolution/", proposing.resolution, name="proposal-resolution"),
    path("proposals/<uuid:proposal_id>/withdrawal/", proposing.withdrawal, name="proposal-withdrawal"),
    path("artifacts/<uuid:artifact_id>/publications/", publishing.publications, name="publications"),
    path("published/<uuid:publication_id>/", publishing.publication, name="publication"),
    path("published/<uuid:publication_id>/withdrawal/", publishing.unpublication, name="unpublication"),
]
