"""Every address: the admin, signing in and out, and what the two apps serve. Health is in `health.py`."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path

from artifactr_site import passwords
from artifactr_site.signin import sign_in_by_link

admin.site.site_header = admin.site.site_title = "artifactr"
admin.site.index_title = "Review and look after"

handler500 = "artifactr_site.outages.broken"


def icon(request: HttpRequest) -> HttpResponse:
    """Where browsers look for it on a page that names none: one of the admin, a file, an answer in plain text."""
    return redirect(static("icon.svg"))


urlpatterns = [
    path("favicon.ico", icon),
    path("admin/login/", passwords.SignIn.as_view()),  # the one sign-in page, for staff too
    path("admin/", admin.site.urls),
    path("sign-in/", passwords.SignIn.as_view(), name="sign-in"),
    path("sign-in/<str:token>/", sign_in_by_link, name="sign-in-by-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("password/", passwords.Change.as_view(), name="password"),
    path("password/forgotten/", passwords.Forgotten.as_view(), name="password-forgotten"),
    path("password/forgotten/sent/", passwords.Sent.as_view(), name="password-sent"),
    path("password/new/<str:uidb64>/<str:token>/", passwords.New.as_view(), name="password_reset_confirm"),
    path("", include("artifacts.web.urls")),
    path("", include("threads.web.urls")),
]
