"""A fleet that types words that are on no list, in three languages. Some would be more than text, if they could."""

import json
from pathlib import Path

from django.core.management import call_command

from reports.models import UseCase, Version
from tests.reports.small_fleet import words_definition

# With shares. Words that run from right to left; accents; and attempts to be more than text: markup, entities that
# become markup when they are read twice, the end of an attribute, formulas.
WORDS = {
    "en_US": {
        "<b>": 0.22, "=1+1": 0.17, '"><i>': 0.14, "<img/>": 0.12, "'&#39;": 0.11, "&lt;b>": 0.09, "@a": 0.08, "-1": 0.07
    },
    "fr_FR": {"été": 0.4, "ñoño": 0.3, "ça": 0.2, "œuf": 0.1},
    "he_IL": {"שלום": 0.5, "לא": 0.3, "כן": 0.2},
}  # fmt: skip
ALPHABETS = {"en_US": "<>/b=1+\"'&#39;()@a-imgltx", "fr_FR": "abcefnotuéñçœ", "he_IL": "אבוכלמםןנש"}


def define_search(folder: Path) -> Version:
    """Defined by a file, as operators do."""
    parameters = words_definition()["parameters"] | {"length": 6}
    file = folder / "use_cases.json"
    definition = words_definition(locales=list(WORDS), alphabet=ALPHABETS, parameters=parameters)
    file.write_text(json.dumps([definition], ensure_ascii=False), encoding="utf-8")
    call_command("apply_use_cases", file)
    active = UseCase.objects.get().active_version()
    assert active is not None
    return active


def simulated(folder: Path) -> Path:
    """A file of what a fleet sends that types the words above."""
    shares = folder / "shares.tsv"
    lines = [f"{locale}\t{word}\t{share}" for locale, words in WORDS.items() for word, share in words.items()]
    shares.write_text("\n".join(["locale\telement\tshare", *lines]), encoding="utf-8")
    call_command("simulate_devices", "words", shares=shares, reports=4500, output=folder)
    return folder / "words.ndjson"
