"""Write the words of a named dictionary to standard output."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.management.arguments import add_use_case
from reports.management.named import use_case_named
from reports.words import accepted_words, named_dictionaries


class Command(BaseCommand):
    help = "Write the words that were accepted into a named dictionary, one a line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_use_case(parser)
        parser.add_argument("--dictionary", required=True, metavar="NAME", help="name of the dictionary")
        parser.add_argument("--locale", metavar="L", help="only the part of this locale, such as en_US (default: all)")

    def handle(self, *args: Any, use_case: str, dictionary: str, locale: str | None, **options: Any) -> None:
        found = use_case_named(use_case)
        words = accepted_words(found, dictionary, locale)
        if not words:
            known = ", ".join(f"{part.name} ({part.locale})" for part in named_dictionaries(found)) or "none"
            part = f" of {locale}" if locale is not None else ""
            raise CommandError(f"No word{part} is accepted into {dictionary!r}. Named dictionaries: {known}.")
        for word in words:
            self.stdout.write(word)
