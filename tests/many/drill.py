"""A drill: three hosts take in reports and count them while parts of them, and the servers they share, die."""

import datetime
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.many.collector import MARKER, Collector
from tests.many.hosts import Host, Site
from tests.many.servers import NAME, Failed, wait_until

WORKERS: Final = (("b", "worker-1"), ("b", "worker-2"), ("c", "worker-1"), ("c", "worker-2"))


@dataclass(frozen=True)
class Plan:
    """Numbers of deaths, and lengths of absences.

    Attributes
    ----------
    kills : int
        Of workers, at random.
    web_kills, database_restarts, broker_restarts, bucket_restarts : int
    bucket_outage : float
        Seconds without a bucket.
    slow_bucket : float
        Seconds that each answer of the bucket takes for a while.
    full_disk, clock_ahead : bool
        Whether the disk of a host of workers fills up, and whether another has a clock an hour ahead.
    copies : int
        How often each message is published.
    days, batch, threads : int
        Finished days that are reported for, reports in a batch, and batches that are sent at a time.
    pause, between : float
        Seconds at most between two batches of a thread, and between two faults.
    patience : float
        Seconds after the last fault until all has to be counted.
    """

    kills: int
    web_kills: int
    database_restarts: int
    broker_restarts: int
    bucket_restarts: int
    bucket_outage: float
    slow_bucket: float
    full_disk: bool
    clock_ahead: bool
    copies: int
    days: int
    batch: int
    pause: float
    threads: int
    between: float
    patience: float
    seed: int = 1


@dataclass
class Drill:
    plan: Plan
    folder: Path
    say: Callable[[str], None] = print
    faults: Counter[str] = field(default_factory=Counter)

    def run(self) -> dict[str, Any]:
        """Run it; return what was found. Raises `Failed`, with all that is wrong."""
        self.random = random.Random(self.plan.seed)
        self.site = Site(self.folder, self.plan.copies)
        clock = ("faketime", "-f", "+1h") if self.plan.clock_ahead else ()
        self.hosts = {
            "a": Host(self.site, "a"),
            "b": Host(self.site, "b", small_disk=self.plan.full_disk),
            "c": Host(self.site, "c", clock),
        }
        try:
            self._begin()
            self._break_things()
            self._settle()
            return self._judge()
        finally:
            for host in self.hosts.values():
                host.stop()
            self.site.stop()

    def _begin(self) -> None:
        a = self.hosts["a"]
        token = a.python("tests.many.beginning")
        port = a.start_web()
        a.start_worker("beat", beat=True)
        for host, name in WORKERS:
            self.hosts[host].start_worker(name)
        today = datetime.datetime.now(datetime.UTC).date()
        days = [today - datetime.timedelta(days=number) for number in range(self.plan.days, 0, -1)]
        self.collector = Collector(port, token, self.plan.batch)
        self.collector.start(days, self.plan.threads, self.plan.pause)

    # --- Faults ---

    def _break_things(self) -> None:
        plan = self.plan
        faults: list[Callable[[], None]] = [self._kill_worker] * plan.kills + [self._kill_web] * plan.web_kills
        faults += [lambda: self._restart("database")] * plan.database_restarts
        faults += [lambda: self._restart("broker")] * plan.broker_restarts
        faults += [lambda: self._restart("bucket")] * plan.bucket_restarts
        faults += [self._lose_bucket] * (plan.bucket_outage > 0) + [self._slow_bucket] * (plan.slow_bucket > 0)
        faults += [self._fill_disk] * plan.full_disk
        self.random.shuffle(faults)
        wait_until(lambda: self.collector.accepted or self.collector.problems, "a batch is accepted")
        for fault in faults:
            if self.collector.problems:
                raise Failed("\n".join(self.collector.problems))
            fault()
            for host in self.hosts.values():
                host.raise_the_dead()
            time.sleep(plan.between * self.random.random())

    def _note(self, fault: str) -> None:
        self.faults[fault] += 1
        self.say(f"{sum(self.faults.values()):4}  {fault}; {self.collector.accepted} reports accepted")

    def _kill_worker(self) -> None:
        host, name = self.random.choice(WORKERS)
        self.hosts[host].restart(name)
        self._note("a worker killed")

    def _kill_web(self) -> None:
        self.hosts["a"].restart("web")
        self._note("the web server killed")

    def _restart(self, server: str) -> None:
        getattr(self.site, server).restart()
        self._note(f"{server} restarted")

    def _lose_bucket(self) -> None:
        self.site.bucket.kill()
        time.sleep(self.plan.bucket_outage)
        self.site.bucket.start()
        self._note(f"no bucket for {self.plan.bucket_outage:g} s")

    def _slow_bucket(self) -> None:
        self.site.bucket.delay = self.plan.slow_bucket
        time.sleep(10 * self.plan.slow_bucket)
        self.site.bucket.delay = 0
        self._note(f"a bucket that takes {self.plan.slow_bucket:g} s to answer")

    def _fill_disk(self) -> None:
        with self.hosts["b"].full_disk():
            time.sleep(20)
        self._note("a full disk for 20 s")

    # --- The end ---

    def _settle(self) -> None:
        """Wait, and do nothing else: no run needs a person."""
        self.collector.stop()
        wait_until(lambda: not self.collector.is_running, "what was on its way is accepted", patience=120)

        def is_counted() -> bool:
            for host in self.hosts.values():
                host.raise_the_dead()
            told = self.hosts["a"].python("tests.many.state")
            unfinished = sum(states["waiting"] + states["running"] for states in told["jobs"].values())
            return not told["due"] and not unfinished

        wait_until(is_counted, "all is counted", patience=self.plan.patience, pause=2)

    def _judge(self) -> dict[str, Any]:
        told = self.hosts["a"].python("tests.many.state", "--all")
        wrong = [*self.collector.problems, *told["broken"]]
        failed = sum(states["failed"] for states in told["jobs"].values())
        if failed:
            wrong.append(f"{failed} jobs failed")
        wrong += self._compared(told["published"])
        # Files of a killed process are noted as pending, and swept up hours later.
        lost = {*told["owned"]} - {*told["files"]}
        orphans = {*told["files"]} - {*told["owned"]} - {*told["pending"]}
        if lost or orphans:
            wrong.append(f"files: {len(lost)} lost, {len(orphans)} orphans")
        wrong += [f"{name} says who sent reports" for name in self._marked()]
        self._plant()
        planted = self._marked()
        if {"planted", "base"} - {part for name in planted for part in Path(name).parts}:
            wrong.append(f"a marker in a table and a file is found only in {planted}")
        published = sum(each["n"] for each in told["published"])
        found = {
            "faults": dict(self.faults), "accepted": self.collector.accepted, "answers": dict(self.collector.answers),
            "published": published, "jobs": told["jobs"], "files": len(told["files"]),
        }  # fmt: skip
        if published != self.collector.accepted:
            wrong.append(f"{self.collector.accepted} reports were accepted and {published} published")
        if wrong:
            raise Failed("\n".join([*wrong[:20], json.dumps(found)]))
        return found

    def _compared(self, published: list[dict[str, Any]]) -> list[str]:
        """Compare each published period with what was accepted, to the report."""
        wrong = []
        for each in published:
            first, last = (datetime.date.fromisoformat(day) for day in each["days"])
            n, estimates = self.collector.expected(each["locale"], first, last)
            if n != each["n"]:
                wrong.append(f"{each['locale']} {first}: {each['n']} reports published, {n} accepted")
            elif not np.allclose([each["estimates"][name] for name in estimates], [*estimates.values()], rtol=1e-9):
                wrong.append(f"{each['locale']} {first}: other numbers than from the reports that were accepted")
        return wrong

    def _plant(self) -> None:
        """Write the marker where none may be, to be found."""
        insert = f"INSERT INTO reports_pendingfile (file_name, created_on) VALUES ('{MARKER}', CURRENT_DATE)"  # noqa: S608
        self.site.database.sql(insert, database=NAME)
        self.site.bucket.put("planted", MARKER.encode())

    def _marked(self) -> list[str]:
        """Return where it is said who sent reports: of tables, their log, files and logs of hosts, and the bucket."""
        self.site.database.sql("CHECKPOINT")
        places = [path for path in self.folder.rglob("*") if path.is_file()]
        found = [path for path in places if MARKER.encode() in path.read_bytes()]
        in_bucket = [name for name, content in self.site.bucket.objects() if MARKER.encode() in content]
        return [str(path.relative_to(self.folder)) for path in found] + in_bucket
