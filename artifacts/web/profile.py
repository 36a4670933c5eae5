"""A person's own page: their name, their address for mail, their time zone and theme, and what follows from them."""

import zoneinfo
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_http_methods

from artifacts.models import Profile
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.joining import in_our_look

LONGEST_NAME = 150


class ProfileForm(forms.Form):
    """What a person says of themselves. A name is one field: not everybody's has two parts."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        required=False,
        help_text="Shown with all that you write. Without one, your user name is.",
    )
    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="Where a link goes if you forget your password. Nobody else sees it.",
    )
    time_zone = forms.ChoiceField(label="Time zone", required=False)
    theme = forms.ChoiceField(choices=Profile.Theme.choices, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        in_our_look(self)
        zones = [
            (zone, zone.replace("_", " ")) for zone in sorted(zoneinfo.available_timezones() - {"localtime"})
        ]
        self.fields["time_zone"].choices = [("", "As the device has it"), *zones]  # type: ignore[attr-defined]
        self.fields["name"].widget.attrs["autocomplete"] = "name"
        self.fields["email"].widget.attrs["autocomplete"] = "email"

    def clean_name(self) -> str:
        """One line."""
        return " ".join(self.cleaned_data["name"].split())


@require_http_methods(["GET", "POST"])
@private
def profile(request: SignedIn) -> HttpResponse:
    """The page, and what is saved there."""
    user, stored = request.user, profile_of(request)
    if request.method == "GET":
        told = {
            "name": user.get_full_name(),
            "email": user.email,
            "time_zone": stored.time_zone,
            "theme": stored.theme,
        }
        return render(request, "profile/page.html", {"form": ProfileForm(initial=told)})
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return render(request, "profile/page.html", {"form": form}, status=422)
    said = form.cleaned_data
    if said["name"] != user.get_full_name():
        user.first_name, user.last_name = said["name"], ""
    user.email = said["email"]
    user.save(update_fields=["first_name", "last_name", "email"])
    chosen = {"time_zone": said["time_zone"], "theme": said["theme"]}
    Profile.objects.update_or_create(user=user, defaults=chosen)
    messages.success(request, "Saved.")
    return see_other("profile")


def profile_of(request: HttpRequest) -> Profile:
    """How whoever asks wants their pages; a stranger, as their browser has it."""
    user = getattr(request, "user", None)  # a page about an error may come before there is one
    if user is None or not user.is_authenticated:
        return Profile()
    return Profile.objects.filter(user=user.pk).first() or Profile(user_id=user.pk)


def preferences(request: HttpRequest) -> dict[str, Any]:
    """For every template: the profile."""
    return {"profile": request.profile if hasattr(request, "profile") else lazy_profile(request)}


def lazy_profile(request: HttpRequest) -> Profile:
    """The profile of whoever asks, read when something of it is needed: most requests need nothing."""
    return cast(Profile, SimpleLazyObject(lambda: profile_of(request)))


def in_own_time_zone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware: times in a page are those of its reader, if they have named a time zone."""

    def answered(request: HttpRequest) -> HttpResponse:
        stored = request.profile = lazy_profile(request)  # type: ignore[attr-defined]
        with timezone.override(OwnTimeZone(stored)):
            return get_response(request)

    return answered


class OwnTimeZone(tzinfo):
    """Somebody's time zone. It is looked up when the first time is drawn."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    @cached_property
    def zone(self) -> tzinfo:
        """The one that they named, or else the site's."""
        name = self._profile.time_zone
        return zoneinfo.ZoneInfo(name) if name else timezone.get_default_timezone()

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return self.zone.utcoffset(at)

    def dst(self, at: datetime | None) -> timedelta | None:
        return self.zone.dst(at)

    def tzname(self, at: datetime | None) -> str | None:
        return self.zone.tzname(at)

    def fromutc(self, at: datetime) -> datetime:
        return self.zone.fromutc(at.replace(tzinfo=self.zone))
