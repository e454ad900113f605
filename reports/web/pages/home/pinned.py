"""Pins of a person to the front page, and of others for a team of theirs, each with its answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from reports import access
from reports.models import Pin, SavedView, UseCase
from reports.web.pages.bookmarks.pins import unpinned
from reports.web.pages.bookmarks.query_strings import READERS, address, in_words
from reports.web.pages.bookmarks.visits import Visited, last_visited
from reports.web.pages.home.pin_answers import Answer, answer_of


@dataclass(frozen=True)
class PinCard:
    """A pin with its answer; `is_own` if the reader may move it, `may_share` if they may pin it for a group."""

    pin: Pin
    address: str
    asked: str
    answer: Answer | None
    is_own: bool
    may_share: bool

    @property
    def view(self) -> SavedView:
        return self.pin.view


@dataclass(frozen=True)
class Pinned:
    """The part of the front page that is the reader's own."""

    cards: Sequence[PinCard]
    # The views that might be pinned, too.
    more: Sequence[SavedView]
    visited: Sequence[Visited]

    @property
    def own(self) -> list[PinCard]:
        return [card for card in self.cards if card.is_own]

    @property
    def seen(self) -> list[UseCase]:
        """The use cases of which results are shown."""
        return [card.view.use_case for card in self.cards if card.answer is not None]


def pinned(reader: User) -> Pinned:
    """One's own pins first, in their order; a view that several people pinned stands there once."""
    found = access.pins(reader).filter(view__page__in=READERS).select_related("view__use_case", "view__shared_with")
    pins = sorted(found, key=lambda pin: (pin.owner_id != reader.pk, pin.position, pin.pk))
    once = {pin.view_id: pin for pin in reversed(pins)}
    shown = [pin for pin in pins if once[pin.view_id] is pin]
    return Pinned([_card(pin, reader) for pin in shown], unpinned(reader, pins), last_visited(reader))


def _card(pin: Pin, reader: User) -> PinCard:
    view, is_own = pin.view, pin.owner_id == reader.pk
    return PinCard(
        pin=pin,
        address=address(view.use_case, view.page, view.query),
        asked=in_words(view.page, view.query),
        answer=answer_of(view),
        is_own=is_own,
        may_share=is_own and view.owner_id == reader.pk and view.shared_with is not None,
    )
