import pytest

from aggregation import ParameterError
from aggregation.evaluation import read_counts

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    "text",
    [
        "tea\t5\ncoffee\t0\n",
        "\ufefftea,5\r\ncoffee,0",
        "element,count\n\n tea , 5 \ncoffee,0\n",
        '"tea",5\n"coffee","0"\n',
    ],
)
def test_lists_are_read_with_tabs_or_commas(text: str) -> None:
    assert read_counts(text) == (["tea", "coffee"], [5, 0])


def test_commas_may_be_in_elements_of_a_list_with_tabs() -> None:
    assert read_counts("tea, black\t5\n") == (["tea, black"], [5])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("tea,-5", "Line 2 has a negative count, '-5', of 'tea'; counts are 0 or more."),
        ("tea,2.5", "Line 2 has a fractional count, '2.5', of 'tea'; write whole numbers."),
        ("tea,1e3", "Line 2 has a fractional count, '1e3', of 'tea'; write whole numbers."),
        ("tea,many", "Line 2 has 'many' where the count of 'tea' should be; write a whole number."),
        ("tea,99999999999999", "Line 2 has a count above 1,000,000,000,000, of 'tea'; divide all by one number."),
        ("milk,7", "Line 2 repeats 'milk' of line 1; add up their counts."),
        ("tea", "Line 2 has 1 fields; write an element, a tab or a comma, and its count."),
        (",4", "Line 2 has a count but no element; name it, or leave the line out."),
        ("tea,1\ncoffee,1", "Line 3 is one too many: a list may have 2 elements; leave out the rarest."),
    ],
)
def test_the_first_bad_line_is_named(line: str, reason: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read_counts(f"milk,3\n{line}\nlast,x\n", most=2)
    assert str(caught.value) == reason


@pytest.mark.parametrize("text", ["", "element,count\n", "tea,0\n"])
def test_a_list_in_which_nothing_occurs_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="no element with a count above 0"):
        read_counts(text)
