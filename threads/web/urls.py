"""The addresses of threads and of what their agents ask: nouns."""

from django.urls import path

from threads.web import files, governing, pasting, repenting, searching, sights, views

urlpatterns = [
    path("", views.home, name="home"),
    path("threads/", views.threads, name="threads"),
    path("threads/<uuid:thread_id>/", views.thread, name="thread"),
    path("threads/<uuid:thread_id>/earlier/", views.earlier, name="earlier"),
    path("threads/<uuid:thread_id>/events/<int:seq>/", views.event, name="event"),
    path("threads/<uuid:thread_id>/events/<int:seq>/words.md", files.words_of_event, name="event-words"),
    path("threads/<uuid:thread_id>/file.<str:ending>", files.whole_thread, name="thread-file"),
    path("threads/<uuid:thread_id>/sight/", sights.sight, name="sight"),
    path("threads/<uuid:thread_id>/messages/", views.messages, name="messages"),
    path("threads/<uuid:thread_id>/messages/<int:seq>/withdrawal/", repenting.withdrawal, name="withdrawal"),
    path("threads/<uuid:thread_id>/documents/", pasting.documents, name="thread-documents"),
    path("threads/<uuid:thread_id>/menu/", governing.menu, name="menu"),
    path("threads/<uuid:thread_id>/title/", governing.title, name="title"),
    path("threads/<uuid:thread_id>/focus/", governing.focus, name="focus"),
    path("threads/<uuid:thread_id>/archival/", governing.archival, name="archival"),
    path("workspaces/<uuid:workspace_id>/archived/", governing.archived_threads, name="archived-threads"),
    path("workspaces/<uuid:workspace_id>/threads/", sights.listed, name="listed-threads"),
    path("workspaces/<uuid:workspace_id>/search/", searching.search, name="search"),
    path("threads/<uuid:thread_id>/stop/", views.stopping, name="stop"),
    path("runs/<uuid:run_id>/retry/", repenting.another_try, name="retry"),
    path("threads/<uuid:thread_id>/mode/", views.mode, name="thread-mode"),
    path("requests/waiting/", views.waiting, name="waiting"),
    path("requests/<uuid:request_id>/form/", views.request_form, name="request-form"),
    path("requests/<uuid:request_id>/answer/", views.request_answer, name="request-answer"),
]
