"""The pages of members and of invitations: who may do what there, and what each link lets in."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from artifacts.invitations import accept, invite, withdraw
from artifacts.members import add_member, remove_member, role_of
from artifacts.models import Invitation
from tests.artifacts.web.people import Team, browser

LINK = re.compile(r'id="link" value="http://testserver(/invitations/[\w-]+/)"')
PASSWORD = "a long enough password"
ACCOUNT = {"username": "dora", "password1": PASSWORD, "password2": PASSWORD}
MAILER = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}


def members(team: Team) -> str:
    return reverse("members", args=[team.workspace])


def member(team: Team, user: User, name: str = "member") -> str:
    return reverse(name, args=[team.workspace, user.pk])


def invited(team: Team, email: str = "dora@example.org", role: str = "editor") -> tuple[str, str]:
    """The page after inviting somebody, and the path of the link that it shows."""
    answer = browser(team.alice).post(
        reverse("invitations", args=[team.workspace]), {"email": email, "role": role}
    )
    assert answer.status_code == 201
    html = answer.content.decode()
    found = LINK.search(html)
    assert found
    return html, found[1]


def test_an_owner_adds_somebody_by_name(team: Team) -> None:
    client = browser(team.alice)
    answer = client.post(members(team), {"username": "charlie", "role": "viewer"}, follow=True)
    assert "charlie is now a member." in answer.content.decode()
    assert role_of(team.charlie.pk, team.workspace) == "viewer"


@pytest.mark.parametrize(
    ("username", "role"), [("nobody", "viewer"), ("bob", "viewer"), ("charlie", "x"), ("", "")]
)
def test_what_is_refused_keeps_what_was_typed(team: Team, username: str, role: str) -> None:
    answer = browser(team.alice).post(members(team), {"username": username, "role": role})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert 'class="error"' in html
    assert not username or f'value="{username}"' in html
    assert role_of(team.charlie.pk, team.workspace) is None
    assert role_of(team.bob.pk, team.workspace) == "editor"


def test_only_an_owner_is_offered_and_allowed_to_manage(team: Team) -> None:
    for user in (team.bob, team.vera):
        html = browser(user).get(members(team)).content.decode()
        assert "Add somebody" not in html
        assert "Change" not in html
        assert "Leave" in html
        posts = [
            (members(team), {"username": "charlie", "role": "owner"}),
            (member(team, user), {"role": "owner"}),
            (member(team, team.alice, "removal"), {}),
            (reverse("invitations", args=[team.workspace]), {"email": "d@x.org", "role": "owner"}),
        ]
        for path, data in posts:
            assert browser(user).post(path, data).status_code == 403
    assert role_of(team.alice.pk, team.workspace) == "owner"
    assert not Invitation.objects.exists()


def test_a_stranger_finds_no_member(team: Team) -> None:
    for name in ("member", "removal"):
        answer = browser(team.charlie).post(member(team, team.bob, name), {"role": "viewer"})
        assert answer.status_code == 404
    assert role_of(team.bob.pk, team.workspace) == "editor"
    assert browser(team.alice).get(member(team, team.charlie)).status_code == 404


def test_an_owner_gives_another_role(team: Team) -> None:
    client = browser(team.alice)
    answer = client.post(member(team, team.bob), {"role": "viewer"}, follow=True)
    assert "The role of bob is now viewer." in answer.content.decode()
    assert client.post(member(team, team.bob), {"role": "emperor"}).status_code == 422
    assert role_of(team.bob.pk, team.workspace) == "viewer"


def test_the_last_owner_is_told_why_they_stay(team: Team) -> None:
    for name, data in (("member", {"role": "viewer"}), ("removal", {})):
        answer = browser(team.alice).post(member(team, team.alice, name), data)
        assert answer.status_code == 422
        assert b"keeps at least one owner" in answer.content


def test_one_leaves_and_sees_nothing_more(team: Team) -> None:
    client = browser(team.bob)
    answer = client.post(member(team, team.bob, "removal"))
    assert (answer.status_code, answer["Location"]) == (303, "/")
    assert client.get(members(team)).status_code == 404


def test_a_script_gets_the_members_without_the_page(team: Team) -> None:
    html = browser(team.alice, htmx=True).get(members(team)).content
    assert b"<html" not in html
    assert b"<input class" not in html


def test_a_link_is_shown_once_and_listed_without_itself(team: Team) -> None:
    html, link = invited(team)
    assert "This installation sends no mail." in html
    later = browser(team.alice).get(members(team)).content.decode()
    assert "dora@example.org" in later
    assert link not in later
    assert "dora@example.org" not in browser(team.bob).get(members(team)).content.decode()


def test_a_newcomer_makes_an_account_and_is_in(team: Team) -> None:
    _, link = invited(team)
    client = browser()
    assert b"alice invites you" in client.get(link).content
    answer = client.post(f"{link}account/", ACCOUNT)
    assert (answer.status_code, answer["Location"]) == (303, reverse("workspace", args=[team.workspace]))
    assert client.get(answer["Location"]).status_code == 200
    assert role_of(User.objects.get(username="dora").pk, team.workspace) == "editor"
    assert browser().get(link).status_code == 410, "used"
    assert browser().post(f"{link}account/", {**ACCOUNT, "username": "eve"}).status_code == 410
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"username": "alice"},
        {"username": "ALICE"},
        {"username": ""},
        {"username": "<script>"},
        {"password2": "another password"},
        {"password1": "123", "password2": "123"},
    ],
)
def test_an_account_that_cannot_be_spends_nothing(team: Team, wrong: dict[str, str]) -> None:
    _, link = invited(team)
    answer = browser().post(f"{link}account/", {**ACCOUNT, **wrong})
    assert answer.status_code == 422
    assert b'class="error"' in answer.content
    assert PASSWORD.encode() not in answer.content
    assert browser().get(link).status_code == 200


def test_who_has_an_account_signs_in_and_joins(team: Team) -> None:
    _, link = invited(team)
    assert f"/sign-in/?next={link}" in browser().get(link).content.decode()
    client = browser(team.charlie)
    assert b"Join as charlie" in client.get(link).content
    assert client.post(f"{link}acceptance/").status_code == 303
    assert role_of(team.charlie.pk, team.workspace) == "editor"
    assert client.get(link)["Location"] == reverse("workspace", args=[team.workspace])


def test_looking_at_a_link_spends_nothing(team: Team) -> None:
    _, link = invited(team)
    for client in (browser(), browser(team.charlie), browser(team.bob)):
        for path in (link, f"{link}acceptance/", f"{link}account/"):
            assert client.get(path).status_code in (200, 303)
    assert browser().post(f"{link}acceptance/").status_code == 303
    assert browser(team.charlie).post(f"{link}account/", ACCOUNT).status_code == 303
    assert role_of(team.charlie.pk, team.workspace) is None


def test_a_link_that_is_over_says_so_and_is_not_logged(team: Team, caplog: pytest.LogCaptureFixture) -> None:
    gone = invite(team.alice, team.workspace, "a@x.org", "viewer")
    withdraw(team.alice, team.workspace, str(gone.invitation.pk))
    used = invite(team.alice, team.workspace, "b@x.org", "viewer")
    accept(team.charlie, used.token)
    for token in ("nonsense", gone.token, used.token):
        for client in (browser(), browser(team.rob), browser(htmx=True)):
            if token != used.token or client.session.get("_auth_user_id") is None:
                answer = client.get(f"/invitations/{token}/")
                assert answer.status_code == 410
                assert b"This link joins nobody" in answer.content
                assert "no-store" in answer["Cache-Control"]
        assert token not in caplog.text


def test_without_a_token_of_the_form_nothing_is_posted(team: Team) -> None:
    _, link = invited(team)
    careful = Client(enforce_csrf_checks=True)
    assert careful.post(f"{link}account/", ACCOUNT).status_code == 403
    careful.force_login(team.charlie)
    assert careful.post(f"{link}acceptance/").status_code == 403
    assert role_of(team.charlie.pk, team.workspace) is None


def test_an_owner_withdraws_an_invitation(team: Team) -> None:
    _, link = invited(team)
    path = reverse("withdrawal", args=[team.workspace, Invitation.objects.get().pk])
    assert browser(team.bob).post(path).status_code == 403
    assert browser(team.charlie).post(path).status_code == 404
    assert browser(team.alice).post(path).status_code == 303
    assert browser().get(link).status_code == 410


def test_whom_an_owner_invited_is_over_once_they_are_removed(team: Team) -> None:
    add_member(team.alice, team.workspace, team.bob, "owner")
    token = invite(team.bob, team.workspace, "d@x.org", "owner").token
    remove_member(team.alice, team.workspace, team.bob)
    assert browser(team.bob).post(f"/invitations/{token}/acceptance/").status_code == 410


def test_where_mail_is_sent_the_link_goes_by_it(team: Team, settings: Any) -> None:
    settings.ARTIFACTR_SENDS_MAIL, settings.MAILERS = True, MAILER
    User.objects.filter(pk=team.alice.pk).update(first_name="Eve\nBcc: x@x.org", last_name="<b>")
    html, link = invited(team)
    assert "is on its way" in html
    (sent,) = mail.outbox
    assert sent.to == ["dora@example.org"]
    assert f"http://testserver{link}" in sent.body
    assert "<b>" in sent.body, "plain text"


def test_mail_that_fails_is_said_and_the_link_still_shown(team: Team, settings: Any) -> None:
    settings.ARTIFACTR_SENDS_MAIL = True
    unreachable = {"host": "127.0.0.1", "port": 1, "timeout": 1}
    settings.MAILERS = {
        "default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": unreachable}
    }
    html, link = invited(team)
    assert "could not be sent" in html
    assert browser().get(link).status_code == 200


def test_the_sidebar_leads_to_the_other_workspaces(team: Team) -> None:
    html = browser(team.bob).get(members(team)).content.decode()
    own = str(team.bob.memberships.earliest("pk").workspace_id)
    assert f'href="{reverse("workspace", args=[own])}"' in html
    assert "Workspaces" not in browser(team.alice).get(members(team)).content.decode()
