"""The device as a command: observe, hold, send, and see what it costs."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ..errors import shown
from ..normalization import fold_word
from .configuration import UseCase
from .delivering import Sending
from .device import Device, utc_now
from .errors import DeviceError
from .holding import Observed
from .showing import cost, counted, numbers, summary

FOLDER: Final = Path("~/.ldpsite-device")

# The thing that a use case reports, by its normalization.
_REPORTS: Final = {
    "emoji": "a text that is one emoji",
    "domain": "names of hosts, such as www.example.org",
    "word": "words of its alphabet that the device does not know",
    "raw": "text",
}


def opt_in(device: Device, options: argparse.Namespace) -> None:
    lapsed = device.opt_in(options.epsilon_per_day)
    print(f"Opted in: reports may cost at most ε = {options.epsilon_per_day} a day, all use cases together.")
    if lapsed is not None:
        records = counted(lapsed.records, "held record")
        print(f"The configuration costs {lapsed.epsilon_per_day:f} and is dropped, with {records}.")


def opt_out(device: Device, options: argparse.Namespace) -> None:
    device.opt_out()
    print(
        "Opted out. All that was held is deleted; kept is only the day of the last document and what it cost, and the"
        " hash and day of the last configuration."
    )


def configure(device: Device, options: argparse.Namespace) -> None:
    source = options.source
    if source.startswith(("http://", "https://")):
        configuration = device.fetch_configuration(source)
    else:
        configuration = device.configure(Path(source).read_bytes())
    print(f"Device configuration with SHA-256 {configuration.sha256}")
    print("Everybody should see this hash: a server that gives out different ones could tell devices apart.")
    print(f"It costs at most ε = {configuration.epsilon_per_day:f} a day. Use cases:")
    for slug, use_case in sorted(configuration.use_cases.items()):
        limit = configuration.limit_of[slug]
        shared = f", shared in {limit.budget_group}" if limit.budget_group is not None else ""
        print(
            f"  {slug} ({use_case.title}): at most {limit.reports} a day{shared},"
            f" ε = {use_case.mechanism.report_epsilon:f} each; locales {', '.join(use_case.locales)}"
        )


def observe(device: Device, options: argparse.Namespace) -> None:
    text = sys.stdin.read().removesuffix("\n") if options.text == "-" else options.text
    configuration = device.state().in_force()
    asked = None if configuration is None else configuration.use_cases.get(options.use_case)
    locale = _locale(asked, options)
    outcome = device.observe(options.use_case, text, locale, _local_words(asked, options))
    if outcome is Observed.UNKNOWN_USE_CASE and configuration is not None:
        known = ", ".join(sorted(configuration.use_cases)) or "none"
        raise DeviceError(f"The device configuration has no use case {shown(options.use_case)}; there are: {known}.")
    if outcome is Observed.UNKNOWN_LOCALE and asked is not None:
        known = ", ".join(asked.locales)
        raise DeviceError(f"{asked.slug} has no locale {shown(locale)}; there are: {known}.")
    if outcome is Observed.NOT_CONFIGURED:
        raise DeviceError("The device has no configuration yet: configure it first.")
    if outcome is Observed.NOT_REPORTED and asked is not None:
        print(f"Nothing is held: {asked.slug} reports only {_REPORTS[asked.normalization]}.")
    elif outcome is Observed.DORMANT:
        print("Nothing is held: the owner has not opted in.")
    else:
        print(outcome.value)


def _locale(asked: UseCase | None, options: argparse.Namespace) -> str:
    """Return the locale that was given, or the only one there is."""
    if options.locale is not None or asked is None:
        return options.locale or "und"
    if len(asked.locales) > 1:
        raise DeviceError(f"Say --locale: {asked.slug} has the locales {', '.join(asked.locales)}.")
    return asked.locales[0]


def _local_words(asked: UseCase | None, options: argparse.Namespace) -> frozenset[str]:
    if options.local_words is None or asked is None:
        return frozenset()
    words = options.local_words.read_text(encoding="utf-8").split()
    return frozenset(fold_word(word, asked.keep_case) for word in words)


def send(device: Device, options: argparse.Namespace) -> None:
    delivery = device.send(options.server, at_once=options.now)
    if delivery.reports:
        status = f" ({delivery.status})" if delivery.status else ""
        print(f"A document with {counted(delivery.reports, 'report')}: {delivery.outcome.value}{status}.")
    else:
        print(f"Nothing was sent: {delivery.outcome.value}.")
    for why, records in delivery.dropped.items():
        print(f"Dropped: {counted(records, 'held record')}, {why.value}.")
    if delivery.outcome is not Sending.DORMANT:
        print(cost(device.state(), utc_now().date()))
    if delivery.outcome in (Sending.REFUSED, Sending.UNANSWERED):
        raise SystemExit(1)


def show(device: Device, options: argparse.Namespace) -> None:
    state, today = device.state(), utc_now().date()
    records = {"held": device.stored(), "sent": device.sent()}
    if options.json:
        print(json.dumps(numbers(state, today) | records, indent=1))
        return
    for line in summary(state, today):
        print(line)
    if options.all:
        for title, documents in (("All that is held", records["held"]), ("All that was sent", records["sent"])):
            print(f"{title}:")
            print(json.dumps(documents, indent=1, ensure_ascii=False))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=f"python -m {__package__}", description=__doc__)
    made.add_argument(
        "--folder", type=Path, default=FOLDER, help="where the device keeps its file, for its owner alone (%(default)s)"
    )
    actions = made.add_subparsers(required=True, metavar="ACTION")

    def action(name: str, does: Callable[[Device, argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=text, description=text)
        added.set_defaults(does=does)
        return added

    added = action("opt-in", opt_in, "agree to send reports, and to how much privacy loss a day at most")
    added.add_argument("--epsilon-per-day", required=True, metavar="ε", help="such as 8")
    action("opt-out", opt_out, "fall dormant, and delete all that is held")
    added = action("configure", configure, "follow a device configuration; shows its hash and what it costs")
    added.add_argument("source", metavar="URL|FILE", help="the server's address, or a file")
    added = action("observe", observe, "something happened: privatise it and hold the record")
    added.add_argument("use_case", metavar="USE_CASE")
    added.add_argument("text", metavar="TEXT", help="what was observed; - reads it from the standard input")
    added.add_argument("--locale", help="such as en_US; may be left out if the use case has one only")
    added.add_argument(
        "--local-words", type=Path, metavar="FILE", help="words the device knows, which are not reported"
    )
    added = action("send", send, "send the document of the day: a random sample of what is due, within the limits")
    added.add_argument("server", metavar="URL", help="the server's address")
    added.add_argument("--now", action="store_true", help="do not wait until it is due: to try things out")
    added = action("show", show, "what is held, what was sent, and what it has cost")
    form = added.add_mutually_exclusive_group()
    form.add_argument("--all", action="store_true", help="with every record, exactly as it leaves or has left")
    form.add_argument("--json", action="store_true", help="the same for programs")
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    try:
        options.does(Device(options.folder.expanduser()), options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output, such as `head`, has closed it. Nothing is left to flush when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(128 + signal.SIGPIPE) from None
    except DeviceError as error:
        raise SystemExit(f"error: {error}") from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise SystemExit(f"error: {where}{error.strerror or error}") from None
    except UnicodeError:
        raise SystemExit("error: the text is not UTF-8") from None


if __name__ == "__main__":
    main()
