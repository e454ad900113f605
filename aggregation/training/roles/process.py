"""A trusted process: its folder and door are opened, everything else is given up, and then it serves."""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ...private_files import is_private, make_folder, replace_file
from .confinement import confine, require_nothing_of_the_site
from .doors import Answering, Server
from .opened_rounds import OpenedRounds
from .refusals import RoleError
from .statement import code_hash

SIGNING_KEY: Final = "signing-key"
OPENED: Final = "opened-rounds"


@dataclass(frozen=True)
class Kept:
    """Files of a trusted process: read before it becomes another user, whose own these files are."""

    signing_key: Ed25519PrivateKey
    opened: OpenedRounds

    @classmethod
    def of(cls, folder: Path, user: int) -> "Kept":
        """Open a folder for its owner alone, made if there is none."""
        make_folder(folder)
        if not is_private(folder):
            raise RoleError(f"Other people may look into {folder}: chmod 700")
        path = folder / SIGNING_KEY
        if not path.exists():
            replace_file(path, Ed25519PrivateKey.generate().private_bytes_raw())
        opened = OpenedRounds(folder / OPENED)
        if os.geteuid() == 0:
            for own in (folder, path, folder / OPENED):
                os.chown(own, user, user)
        return cls(Ed25519PrivateKey.from_private_bytes(path.read_bytes()), opened)


def serve(role: str, user: int, answers: Callable[[Kept], Mapping[str, Answering]]) -> None:
    """Run a role until it is asked to end.

    Parameters
    ----------
    role : str
    user : int
        Whose number the process takes where root starts it, unless the command names another.
    answers : callable
        What is answered at which path.
    """
    parser = argparse.ArgumentParser(prog=f"python -m aggregation.training.roles.{role}")
    parser.add_argument("--folder", type=Path, required=True, help="its own: signing key, and numbers of opened rounds")
    parser.add_argument("--socket", type=Path, required=True, help="where others ask it")
    parser.add_argument("--user", type=int, default=user, help="number that it takes if root starts it (%(default)s)")
    parser.add_argument("--parent", type=int, help="process with whose death it ends, if the starter wants that")
    options = parser.parse_args()
    try:
        require_nothing_of_the_site()
        kept = Kept.of(options.folder, options.user)
        identity = {
            "role": role,
            "process": os.getpid(),
            "code": code_hash(),
            "verifying_key": kept.signing_key.public_key().public_bytes_raw().hex(),
        }
        answered = dict(answers(kept))
        server = Server(options.socket, answered)
        if os.geteuid() == 0:
            os.chown(options.socket, options.user, options.user)
        said = identity | {"protections": confine(options.user, options.parent)}
    except (RoleError, OSError) as error:
        raise SystemExit(f"error: {error}") from None
    answered["/identity"] = lambda _: json.dumps(said).encode()
    server.answers = answered
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(json.dumps(said), file=sys.stdout, flush=True)
    server.serve_forever(poll_interval=0.1)
