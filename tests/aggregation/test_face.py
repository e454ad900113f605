"""The face of the library: what it names, what is said of it, and that its examples run."""

import doctest
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import aggregation

pytestmark = pytest.mark.exact


def documented() -> Iterator[tuple[str, Any]]:
    """Every public name, and every method of a sketch and of a simulated fleet."""
    for name in aggregation.__all__:
        yield name, getattr(aggregation, name)
    for owner in (aggregation.Sketch, aggregation.Fleet):
        for name, method in vars(owner).items():
            if not name.startswith("_"):
                yield f"{owner.__name__}.{name}", getattr(method, "__func__", method)


@pytest.mark.parametrize(("name", "named"), [pytest.param(name, named, id=name) for name, named in documented()])
def test_every_public_name_has_examples_that_run(name: str, named: Any) -> None:
    text = inspect.getdoc(named)
    assert text is not None
    assert "Examples\n--------\n" in text
    # As after ``from … import *``: the library has two names, and its examples say neither.
    names = {public: getattr(aggregation, public) for public in aggregation.__all__}
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert example.examples
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(example, out=said.append)
    assert "".join(said) == ""


@pytest.mark.parametrize("function", ["amplified", "discover", "estimate", "normalize", "threshold"])
def test_functions_say_what_goes_in_and_what_comes_out(function: str) -> None:
    named = getattr(aggregation, function)
    text = inspect.getdoc(named) or ""
    assert "Returns\n-------" in text
    assert "Raises\n------" in text
    for parameter in inspect.signature(named).parameters:
        assert f"\n{parameter} : " in text or f", {parameter}" in text or f"{parameter}, " in text


def test_the_face_is_sorted_and_has_all_that_it_names() -> None:
    assert aggregation.__all__ == sorted(aggregation.__all__)
    assert all(hasattr(aggregation, name) for name in aggregation.__all__)
