"""A damaged file is refused with a sentence, whatever happened to it; never is something else raised, or sent."""

import contextlib
import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.device import DeviceError
from tests.aggregation.device.helpers import AGREED, SERVER, Bench
from tests.aggregation.helpers import UNHURRIED

pytestmark = pytest.mark.exact


@pytest.fixture(scope="module")
def whole() -> Iterator[bytes]:
    """The file of a device that holds records of two days and has a document that was not answered."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "device").ready()
        bench.observe("energy", 3)
        bench.server.answers = [OSError()] * 5
        bench.send_now()
        bench.observe("words", 1, "wyd", "en")
        bench.clock.next_days()
        bench.observe("emoji", 2, "😂", "fr_FR")
        yield bench.text.encode()


def use(content: bytes) -> int:
    """Do everything with a device of this file, each time anew; return how often it was refused."""
    refused = 0
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr("os.fsync", lambda _descriptor: None)
        bench = Bench(Path(folder) / "device")
        bench.folder.mkdir(mode=0o700)
        actions = (
            bench.device.stored,
            bench.device.sent,
            lambda: bench.device.observe("energy", "www.example.org", "und"),
            lambda: bench.device.send(SERVER, at_once=True),
            lambda: bench.device.opt_in(AGREED),
            lambda: bench.device.opt_in(1),
            bench.device.opt_out,
        )
        for act in actions:
            (bench.folder / "state.json").write_bytes(content)
            with contextlib.suppress(DeviceError):
                act()
                continue
            refused += 1
            assert (bench.folder / "state.json").read_bytes() == content
        assert len(actions) > refused or bench.server.requests == []
    return refused


@settings(UNHURRIED, max_examples=50)
@given(place=st.integers(0, 10**9), put=st.binary(max_size=3), taken=st.integers(0, 3))
def test_bytes_that_were_changed_added_or_lost(whole: bytes, place: int, put: bytes, taken: int) -> None:
    start = place % len(whole)
    use(whole[:start] + put + whole[start + taken :])


@settings(UNHURRIED, max_examples=30)
@given(st.binary(max_size=100), st.integers(0, 10**9))
def test_a_file_that_ends_in_something_else(whole: bytes, end: bytes, place: int) -> None:
    use(whole[: place % len(whole)] + end)


NODES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["1e9", "NaN", "-1"]),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.text(max_size=3), inside, max_size=2),
    max_leaves=3,
)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where something stands in a document, but for the configuration, which is one text."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from places(value, (*path, key))


@settings(UNHURRIED, max_examples=100)
@given(data=st.data(), put=NODES)
def test_values_that_are_of_another_kind(whole: bytes, data: st.DataObject, put: Any) -> None:
    content = copy.deepcopy(json.loads(whole))
    *path, last = data.draw(st.sampled_from(sorted(places(content), key=str)))
    around = content
    for key in path:
        around = around[key]
    if data.draw(st.booleans()):
        around[last] = put
    else:
        del around[last]
    use(json.dumps(content).encode())


@pytest.mark.parametrize(
    "content",
    [
        *(b"\xff", b"\xef\xbb\xbf{}", b"[" * 100_000, "ä".encode("latin-1")),
        *(b"", b"{", b"[]", b"{}", b'{"version": 2}', b"null", b'{"version": 1, "held": 7}'),
    ],
    ids=lambda content: ascii(content[:20]),
)
def test_what_is_no_state_is_refused_by_every_act(content: bytes) -> None:
    assert use(content) == 7


@pytest.mark.parametrize("name", ["use_case", "locale", "algorithm", "parameters", "records"])
def test_a_held_segment_without_a_field_is_refused_by_every_act(whole: bytes, name: str) -> None:
    content = json.loads(whole)
    del content["held"][0]["segments"][0][name]
    assert use(json.dumps(content).encode()) == 7
