"""The addresses of threads and of what their agents ask: nouns."""

from django.urls import path

from threads.web import views

urlpatterns = [
    path("", views.home, name="home"),
    path("threads/", views.threads, name="threads"),
    path("threads/<uuid:thread_id>/", views.thread, name="thread"),
    path("threads/<uuid:thread_id>/earlier/", views.earlier, name="earlier"),
    path("threads/<uuid:thread_id>/events/<int:seq>/", views.event, name="event"),
    path("threads/<uuid:thread_id>/messages/", views.messages, name="messages"),
    path("threads/<uuid:thread_id>/stop/", views.stopping, name="stop"),
    path("threads/<uuid:thread_id>/mode/", views.mode, name="thread-mode"),
    path("requests/<uuid:request_id>/form/", views.request_form, name="request-form"),
    path("requests/<uuid:request_id>/answer/", views.request_answer, name="request-answer"),
]
