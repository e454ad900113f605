"""Proposed dictionaries: entries that are changed, merged or refused are shown before they count."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from aggregation.normalization import PROFILES, normalize
from reports.definitions import Entry, Proposal, read_proposal
from reports.definitions.dictionary import digest
from reports.models import Version

pytestmark = [pytest.mark.exact]


def propose(text: str, form: str = "lines", profile: str = "domain", *, keep_case: bool = False) -> Proposal:
    return read_proposal(text, form, Version(normalization=profile, keep_case=keep_case))


def test_lines_are_normalised_merged_or_refused() -> None:
    proposal = propose("example.org\r\n\r\nEXAMPLE.com\n  \nexample.com.\n127.0.0.1\nmünchen.example")
    assert proposal.entries == [
        Entry("example.org", "example.org"),
        Entry("example.com", "EXAMPLE.com"),
        Entry("xn--mnchen-3ya.example", "münchen.example"),
    ]
    assert (proposal.changed.total, proposal.merged.total, proposal.refused.total) == (2, 1, 1)
    assert [entry[:3] for entry in proposal.changed] == [
        ("line 3", "'EXAMPLE.com'", "'example.com'"),
        ("line 7", "'münchen.example'", "'xn--mnchen-3ya.example'"),
    ]
    assert [entry[:3] for entry in proposal.merged] == [("line 5", "'example.com.'", "line 3")]
    assert proposal.merged[0].dropped == ""
    (refused,) = proposal.refused
    assert refused[:2] == ("line 6", "'127.0.0.1'")
    assert "www.example.org" in refused.outcome


def test_csv_has_display_forms_and_categories() -> None:
    proposal = propose('\ufeffelement,display,category\nexample.org,,shops\n"b.example","B, b",\n', "csv")
    assert proposal.entries == [Entry("example.org", "example.org", "shops"), Entry("b.example", "B, b", "")]
    assert (proposal.changed, proposal.merged, proposal.refused) == ([], [], [])


def test_blanks_around_a_line_are_left_out_and_said_to_be() -> None:
    proposal = propose(" kiwi\t\nkiwi\n big kiwi \n\u3000\n", profile="raw")
    assert proposal.entries == [Entry("kiwi", "kiwi"), Entry("big kiwi", "big kiwi")]
    assert [entry[:3] for entry in proposal.changed] == [
        ("line 1", "' kiwi\\t'", "'kiwi'"),
        ("line 3", "' big kiwi '", "'big kiwi'"),
    ]
    assert proposal.merged[0][:3] == ("line 2", "'kiwi'", "line 1")


def test_blanks_in_csv_count_as_in_what_is_exported() -> None:
    proposal = propose('element,display\n" kiwi ",\nkiwi,\n', "csv", "raw")
    assert proposal.entries == [Entry(" kiwi ", " kiwi "), Entry("kiwi", "kiwi")]
    assert (proposal.changed.total, proposal.merged.total) == (0, 0)


def test_what_a_merged_entry_loses_is_said() -> None:
    text = "element,display,category\na.example,A,news\nA.example,,\na.example,A,news\nA.example,Ah,politics\n"
    assert [entry.dropped for entry in propose(text, "csv").merged] == [
        "",
        "",
        "its display form 'Ah' is dropped; its category 'politics' is dropped",
    ]


def test_padding_is_no_change() -> None:
    proposal = propose("hello\nWorld\nunbelievable\nsnake_case", profile="word")
    assert [entry.element for entry in proposal.entries] == ["hello_____", "world_____", "unbelievab"]
    assert [(entry.written, entry.outcome) for entry in proposal.changed] == [
        ("'World'", "'world'"),
        ("'unbelievable'", "'unbelievab'"),
    ]
    assert "“_”" in proposal.refused[0].outcome
    assert propose("World", profile="word", keep_case=True).changed.total == 0


def test_of_many_twenty_are_listed_and_all_counted() -> None:
    lines = [f"HOST-{number}.example" for number in range(50)]
    proposal = propose("\n".join([*lines, *lines, *["no host"] * 50]))
    assert len(proposal.entries) == 50
    assert (len(proposal.changed), proposal.changed.total) == (20, 50)
    assert (len(proposal.merged), proposal.merged.total) == (20, 50)
    assert (len(proposal.refused), proposal.refused.total) == (20, 50)


def test_of_ten_megabytes_sixty_characters_are_shown() -> None:
    proposal = propose("x" * 10_000_000 + "\nexample.org")
    assert [entry.element for entry in proposal.entries] == ["example.org"]
    (refused,) = proposal.refused
    assert len(refused.written) <= 60
    assert "500 characters" in refused.outcome


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 501, "\u0958" * 300])
def test_what_cannot_be_stored_is_refused(text: str) -> None:
    proposal = propose(text, profile="raw")
    assert (proposal.entries, proposal.refused.total) == ([], 1)


@pytest.mark.parametrize("formula", ['=HYPERLINK("https://example.org","x")', "+1", "-1", "@SUM(1)", "\tx", "'=1"])
def test_formulas_are_texts(formula: str) -> None:
    text = formula.strip()  # of a line of its own
    assert propose(formula, profile="raw").entries == [Entry(text, text)]
    quoted = '"' + formula.replace('"', '""') + '"'
    assert propose(f"element\n{quoted}\n", "csv", "raw").entries == [Entry(formula, formula)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["line 1", "element, display, category"]),
        ("display\nx\n", ["line 1", "element, display, category"]),
        ("element,count\nx,5\n", ["line 1", "element, display, category"]),
        ("element,element\na,b\n", ["line 1", "element, display, category"]),
        ("element,display\na,b\n\na,b,c\n", ["line 4", "more columns"]),
        ("element\na\0b\n", ["line 2", "NUL"]),
        ('element\na\n"b\nc\n', ["line 3", "never closed"]),
        ('element\n"a"b\n', ["line 2", "doubled"]),
        ("element\n" + "x" * 200_000, ["line 2", "131072"]),
        ('element\n"' + "x\n" * 200_000, ["line 2", "131072", "quotes"]),
    ],
)
def test_what_is_no_csv_is_refused_with_the_line(text: str, words: list[str]) -> None:
    with pytest.raises(ValidationError, match=words[0]) as caught:
        propose(text, "csv", "raw")
    assert all(word in str(caught.value) for word in words)
    assert len(str(caught.value)) < 200


@given(profile=st.sampled_from(PROFILES), text=st.text(max_size=600))
def test_every_entry_reads_the_same_again(profile: str, text: str) -> None:
    """Exported entries are what is applied."""
    for entry in propose(text, profile=profile).entries:
        written = entry.element.rstrip("_") if profile == "word" else entry.element
        assert normalize(profile, written) == entry.element


DIGEST = "69ccf790d59f68b7bb5d92aa5eb46c1be62e3537328c5e680b20cee8f79bfcc4"
OF_MANY = "aeecb56a7617a02213a212091c126510d1b5d7027a5713b4adb1525d5b53ef63"


def test_the_digest_stays_what_it_was() -> None:
    """Stored digests tell whether a definition changes a dictionary; the program must not change them by itself."""
    entries = [Entry("❤", "❤️", "hearts"), Entry('a"b\\', "\n")]
    assert digest(entries) == DIGEST
    assert digest(entries * 600) == OF_MANY
