"""Signing in with a password, changing it, and a link by mail for those who forgot it: Django's own views in our look.

Where no mail goes out, whoever runs the server helps with `manage.py signin`. Whether an account exists is not said.
"""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm
from django.forms import BaseForm
from django.http import HttpResponse
from django.urls import reverse_lazy

from artifacts.web.joining import asks_twice, in_our_look


class Credentials(AuthenticationForm):
    """A name and its password."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "This name and this password do not belong together. Capital letters matter in both.",
    }


class SignIn(views.LoginView):
    """The sign-in page."""

    authentication_form = Credentials

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """It offers a link by mail only where mail goes out."""
        return super().get_context_data(sends_mail=settings.ARTIFACTR_SENDS_MAIL, **kwargs)


class OurLook:
    """A form in our look; a form that is refused says so by its status."""

    def get_form(self, form_class: Any = None) -> Any:
        """The form."""
        form = super().get_form(form_class)  # type: ignore[misc]  # the view that this is mixed into has it
        in_our_look(form)
        if "new_password2" in form.fields:
            asks_twice(form, "new_password1", "new_password2")
        if "email" in form.fields:
            form.fields["email"].label = "E-mail"
        return form

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        """The page again."""
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]  # as above
        response.status_code = 422
        return response


class Change(OurLook, views.PasswordChangeView):
    """Another password, for who knows the old one. Their other sessions end."""

    template_name = "profile/password.html"
    success_url = reverse_lazy("profile")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Say so on the profile page."""
        messages.success(self.request, "Your password is changed. You are signed out everywhere else.")
        return super().form_valid(form)


class Forgotten(OurLook, views.PasswordResetView):
    """Asks for the address that a link is mailed to."""

    template_name = "registration/forgotten.html"
    email_template_name = "registration/forgotten.txt"
    subject_template_name = "registration/forgotten_subject.txt"
    success_url = reverse_lazy("password-sent")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Where no mail goes out, the page says who can help."""
        return super().get_context_data(sends_mail=settings.ARTIFACTR_SENDS_MAIL, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Nothing is sent where there is no server for it."""
        return super().form_valid(form) if settings.ARTIFACTR_SENDS_MAIL else self.form_invalid(form)


class Sent(views.PasswordResetDoneView):
    """Says that a link is on its way, if there is such an account."""

    template_name = "registration/sent.html"


class New(OurLook, views.PasswordResetConfirmView):
    """Takes the new password of whoever comes with a link."""

    template_name = "registration/new_password.html"
    success_url = reverse_lazy("home")
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"
