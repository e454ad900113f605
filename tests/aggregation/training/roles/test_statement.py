"""A statement is believed whole or not at all, and the hash of the code is of all of it."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from aggregation.training.roles import RoleError, Statement, code_hash, task_digest, verified
from aggregation.training.roles import statement as module
from aggregation.training.roles.statement import sign

pytestmark = pytest.mark.exact

KEY = Ed25519PrivateKey.generate()
VERIFYING = KEY.public_key().public_bytes_raw().hex()
SAID = Statement(
    "aggregator", "0" * 64, {"slug": "a", "rounds": 3}, {"items": 4, "features": 0}, "train", 1, {"k": 0.5}, "ff"
)


def test_every_byte_is_signed() -> None:
    signed = sign(SAID, KEY)
    assert verified(signed, VERIFYING) == SAID
    for place in range(len(signed)):
        changed = signed[:place] + bytes([signed[place] ^ 1]) + signed[place + 1 :]
        with pytest.raises(RoleError, match="not signed by the key"):
            verified(changed, VERIFYING)
    for cut in (signed[:-1], signed + b" ", signed[64:], b""):
        with pytest.raises(RoleError, match="not signed by the key"):
            verified(cut, VERIFYING)


@pytest.mark.parametrize("key", ["", "00", "zz", "0" * 64])
def test_a_key_that_is_none_verifies_nothing(key: str) -> None:
    with pytest.raises(RoleError, match="not signed by the key"):
        verified(sign(SAID, KEY), key)


def test_a_signature_over_other_bytes_is_none_of_a_statement() -> None:
    said = sign(SAID, KEY)[64:]
    with pytest.raises(RoleError, match="not signed by the key"):
        verified(KEY.sign(said) + said, VERIFYING)


def test_tasks_differ_with_every_parameter_and_purpose() -> None:
    task, catalogue = dict(SAID.task), dict(SAID.catalogue)
    digests = {
        task_digest(task, catalogue, "train"),
        task_digest(task, catalogue, "evaluate"),
        task_digest(task | {"rounds": 4}, catalogue, "train"),
        task_digest(task | {"rounds": 3.0}, catalogue, "train"),
        task_digest(task | {"title": ""}, catalogue, "train"),
        task_digest(task, catalogue | {"items": 5}, "train"),
    }
    assert len(digests) == 6
    assert task_digest(dict(reversed(task.items())), catalogue, "train") in digests


def test_code_hash_is_of_every_source_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("library")
    package = root / "training" / "roles"
    package.mkdir(parents=True)
    monkeypatch.setattr(module, "__file__", str(package / "statement.py"))
    hashes = []
    for name, text in (("a.py", "1"), ("a.py", "2"), ("training/b.py", ""), ("training/roles/statement.py", "")):
        (root / name).write_text(text)
        code_hash.cache_clear()
        hashes.append(code_hash())
    (root / "a.py").rename(root / "c.py")
    code_hash.cache_clear()
    hashes.append(code_hash())
    code_hash.cache_clear()
    assert len(set(hashes)) == 5
    assert replace(SAID, code=hashes[0]) != replace(SAID, code=hashes[1])
