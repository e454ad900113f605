"""Evaluations of people: who sees, shares, cancels and deletes them."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reports.evaluation import cancel_evaluation
from reports.jobs import finish_inline
from reports.jobs.leases import claim
from reports.jobs.working import begin, do
from reports.models import Evaluation
from tests.conftest import logged_in
from tests.reports.evaluation.test_evaluations import do_one, order
from tests.reports.web.pages.evaluation.asking import ASKED
from tests.reports.web.pages.reading import text_of as text

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_only_who_asked_sees_an_evaluation_until_it_is_shared(as_bob: Client, bob: User, charlie: User) -> None:
    evaluation = finish_inline(order())
    Evaluation.objects.update(requested_by=bob)
    address, as_charlie = f"/evaluations/{evaluation.pk}/", logged_in(charlie)
    assert (as_bob.get(address).status_code, as_charlie.get(address).status_code) == (200, 404)
    assert as_charlie.post(f"{address}share/").status_code == 404
    as_bob.post(f"{address}share/")
    assert "Stop sharing" in text(as_bob.get(address))
    assert "Stop sharing" not in text(as_charlie.get(address))
    assert as_charlie.get(f"/evaluations/{evaluation.pk}/ranks.json").status_code == 200
    for deed in ("share", "cancel", "retry"):
        assert as_charlie.post(f"{address}{deed}/").status_code == 404
    as_bob.post(f"{address}share/")
    assert as_charlie.get(address).status_code == 404


def test_a_cancelled_evaluation_shows_its_cells_and_goes_on(as_bob: Client, bob: User) -> None:
    evaluation = order(repetitions=5)
    Evaluation.objects.update(requested_by=bob)
    do_one(evaluation)
    address = f"/evaluations/{evaluation.pk}/"
    as_bob.post(f"{address}cancel/")
    page = as_bob.get(address)
    shown = text(page)
    said = r"Cancelled \d+ % 2 of 8 sets of parameters are done What is done is kept, and below is what it says\."
    assert re.search(said, shown)
    assert "It can go on from there at any time. Go on from there So far" in shown
    assert "Failed" not in shown
    assert 'role="alert"' not in page.content.decode()
    assert "At ε = 2, harmonic counts, with" in shown
    others = [order(), order()]
    Evaluation.objects.update(requested_by=bob)
    refused = as_bob.post(f"{address}retry/", follow=True)
    assert "2 of your evaluations are still under way" in text(refused)
    assert '<a href="/evaluations/#earlier-title">See yours</a>' in refused.content.decode()
    listed = as_bob.post("/evaluations/", ASKED)
    assert '<a href="#earlier-title">See yours</a>' in listed.content.decode()
    in_words = "30 elements · 500 reports · ε = 2, 4 · Count Mean Sketch"
    assert text(listed).count(f"waiting · {in_words}") == 2
    assert f"UTC cancelled · {in_words}" in text(listed)
    cancel_evaluation(others[0])
    as_bob.post(f"{address}retry/")
    assert finish_inline(evaluation).state == Evaluation.State.FINISHED


def test_an_order_says_that_it_waits_for_another_and_not_whose(as_bob: Client, alice: User, bob: User) -> None:
    own, others = order(user=bob), order(user=alice, seed=8)
    address = f"/evaluations/{own.pk}/progress/"
    assert "Waiting for a worker" in text(as_bob.get(address))
    begin(others)
    part = claim(others)
    shown = text(as_bob.get(address))
    assert "Waiting for another evaluation" in shown
    assert "The workers are at another evaluation. They take turns" in shown
    assert "alice" not in shown
    assert str(others.pk) not in shown
    # A worker that is at its own part needs no word of others.
    begin(own)
    claim(own)
    assert "another evaluation" not in text(as_bob.get(address))
    do(part)


def test_who_asked_deletes_an_evaluation_after_a_question(as_bob: Client, bob: User, charlie: User) -> None:
    evaluation = order(user=bob)
    address = f"/evaluations/{evaluation.pk}/"
    shown = as_bob.get(address)
    assert "It is kept until it is deleted. Delete this evaluation" in text(shown)
    assert f'href="{address}delete/"' in shown.content.decode()
    Evaluation.objects.update(shared=True)
    as_charlie = logged_in(charlie)
    assert "Delete this evaluation" not in text(as_charlie.get(address))
    for method in (as_charlie.get, as_charlie.post):
        assert method(f"{address}delete/").status_code == 404
    assert "Delete this evaluation?" in text(as_bob.get(f"{address}delete/"))
    assert Evaluation.objects.exists()
    assert "The evaluation is deleted." in text(as_bob.post(f"{address}delete/", follow=True))
    assert not Evaluation.objects.exists()
    assert as_bob.get(address).status_code == 404
    order(user=bob)
    root = logged_in(User.objects.create_superuser("root"))
    root.post(f"/evaluations/{Evaluation.objects.get().pk}/delete/")
    assert not Evaluation.objects.exists()


def test_a_deleted_person_is_not_taken_for_the_command_line(bob: User) -> None:
    evaluation = finish_inline(order(user=bob))
    root = logged_in(User.objects.create_superuser("root"))
    assert "Asked by bob" in text(root.get(f"/evaluations/{evaluation.pk}/"))
    bob.delete()
    said = "Asked by the command line, or a person who has been deleted since"
    assert said in text(root.get(f"/evaluations/{evaluation.pk}/"))
