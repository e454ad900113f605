"""Files of ratings and features."""

from pathlib import Path

import numpy as np
import pytest

from aggregation.training import DataError, read_features, read_ratings

pytestmark = pytest.mark.exact

FORMS = {
    "plain": "a\tx\t4\nb\tx\t3.5\na\ty\t1\n",
    "u.data": "a\tx\t4\t881250949\nb\tx\t3.5\t881250949\na\ty\t1\t881250949\n",
    "ratings.dat": "a::x::4::978300760\nb::x::3.5::978300760\na::y::1::978300760\n",
    "ratings.csv": "userId,movieId,rating,timestamp\na,x,4,1\nb,x,3.5,1\n\na,y,1,1\n",
}


def written(folder: Path, text: str) -> Path:
    path = folder / "file"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_ratings_is_read(tmp_path: Path, form: str) -> None:
    ratings = read_ratings(written(tmp_path, FORMS[form]))
    assert (ratings.user_names, ratings.item_names) == (["a", "b"], ["x", "y"])
    assert ratings.users.tolist() == [0, 0, 1]
    assert ratings.items.tolist() == [0, 1, 0]
    assert ratings.values.tolist() == [4, 1, 3.5]
    assert ratings.offsets.tolist() == [0, 2, 3]
    assert ratings.by_item.tolist() == [0, 2, 1]


def test_items_are_in_the_order_of_their_names_whoever_rated_them_first(tmp_path: Path) -> None:
    ratings = read_ratings(written(tmp_path, "b\tz\t4\nb\tx\t3\na\ty\t2\na\tz\t1\n"))
    assert ratings.item_names == ["x", "y", "z"]
    held = zip(ratings.users, ratings.items, ratings.values, strict=True)
    assert {(ratings.user_names[user], ratings.item_names[item], value) for user, item, value in held} == {
        ("b", "z", 4), ("b", "x", 3), ("a", "y", 2), ("a", "z", 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tx\t4\na\tx\t5\n", "line 2: user a has rated item x before"),
        ("a\tx\t4\na\ty\n", "line 2: expected a user, an item and a rating, found 2"),
        ("a\tx\tgood\n", "line 1: the rating 'good' is no number"),
        ("a\tx\tnan\n", "line 1: the rating 'nan' is no number"),
        ("", "there are no ratings"),
        ("a\tx\t4\n\0\tx\t4\n", "line 2: the name of a user must have 1 to 200 characters and no NUL"),
        (f"a\t{'x' * 201}\t4\n", "line 1: the name of an item must have"),
    ],
)
def test_ratings_that_cannot_be_read_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_ratings(written(tmp_path, text))


def test_features_are_standardised_numbers_and_names(tmp_path: Path) -> None:
    path = written(tmp_path, "y\t2000\tdrama\tcrime\nx\t1990\tdrama\nother\t1\tpoetry\n")
    features = read_features(path, ["x", "y", "z"])
    assert features.names == ["column 2", "crime", "drama"]
    np.testing.assert_allclose(features.values, [[-1, 0, 1], [1, 1, 1], [0, 0, 0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\t1\nx\t2\n", "line 2: item x"),
        ("y\t1\n", "none of the items"),
        ("x\tred\0\n", "line 1: the name of a feature must have"),
        (f"x\tred\n{'y' * 201}\tred\n", "line 2: the name of an item must have"),
    ],
)
def test_features_that_cannot_be_used_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_features(written(tmp_path, text), ["x"])
