"""The addresses of artifacts: nouns."""

from django.urls import path

from artifacts.web import views

urlpatterns = [
    path("artifacts/", views.artifacts, name="artifacts"),
    path("artifacts/<uuid:artifact_id>/", views.artifact, name="artifact"),
    path("artifacts/<uuid:artifact_id>/panel/", views.panel, name="artifact-panel"),
    path("artifacts/<uuid:artifact_id>/tools/", views.tools, name="artifact-tools"),
    path("artifacts/<uuid:artifact_id>/form/", views.form, name="artifact-form"),
    path("artifacts/<uuid:artifact_id>/revisions/", views.revisions, name="revisions"),
    path("artifacts/<uuid:artifact_id>/revisions/<int:version>/", views.revision, name="revision"),
    path("published/<uuid:publication_id>/", views.publication, name="publication"),
]
