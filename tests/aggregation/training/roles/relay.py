"""The server of a round as a process of its own, so that its memory may be looked into while it waits for a line.

It opens round 1 of the task in FOLDER/task.json with FOLDER/shared, writes the statements beside them, relays all
FOLDER/*.sealed when a line comes, and writes what is released to FOLDER/released when the next comes.
"""

import json
import sys
from pathlib import Path

from aggregation.training.roles import Catalogue, Rounds, TrustedProcesses
from aggregation.training.roles.frames import pack_arrays, unpack_arrays


def main(folder: Path) -> None:
    processes = TrustedProcesses.within(folder)
    said = json.loads((folder / "task.json").read_text(encoding="utf-8"))
    rounds = Rounds(processes.aggregator, processes.distributor, said["task"], Catalogue(said["items"]))
    head, arrays = unpack_arrays((folder / "shared").read_bytes())
    statements = rounds.open(1, dict(zip(head["names"], arrays, strict=True)))
    (folder / "aggregator.statement").write_bytes(statements.aggregator)
    (folder / "distributor.statement").write_bytes(statements.distributor)
    print("open", flush=True)
    sys.stdin.readline()
    messages = [path.read_bytes() for path in sorted(folder.glob("*.sealed"))]
    refused = rounds.relay(messages)
    print(f"relayed {len(messages)}, refused {sum(refused.values())}", flush=True)
    sys.stdin.readline()
    released = rounds.release(1)
    names = [release.name for release in released.releases]
    (folder / "released").write_bytes(pack_arrays({"names": names}, [each.array for each in released.releases]))
    print(f"released, refused {sum(released.refused.values())}", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
