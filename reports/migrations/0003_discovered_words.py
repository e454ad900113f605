"""Discovered words: runs in steps, read-outs without a dictionary, how words were found, what people decided."""

from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def refuse_if_there_are_words(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The tables before cannot hold what has no dictionary, nor the program before read it: nothing is lost by itself."""
    versions: Any = apps.get_model("reports", "Version")
    found = versions.objects.filter(algorithm="SequenceFragmentPuzzle").values_list("use_case__slug", flat=True)
    if slugs := sorted(set(found)):
        raise RuntimeError(
            "The release before does not know Sequence Fragment Puzzle. These use cases have versions of it, and would"
            f" have to be removed with all their reports and results: {', '.join(slugs)}"
        )


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0002_groups_drafts_keys"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Discovery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "reports",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None, verbose_name="reports from each position"
                    ),
                ),
                (
                    "cuts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(),
                        size=None,
                        verbose_name="cut of each position, in reports from it",
                    ),
                ),
                (
                    "kept",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), size=None, verbose_name="fragments kept at each position"
                    ),
                ),
                (
                    "capped",
                    models.BooleanField(default=False, verbose_name="more fragments passed a cut than were kept"),
                ),
                ("joined", models.PositiveBigIntegerField(verbose_name="words put together")),
                (
                    "strictness",
                    models.FloatField(
                        default=1,
                        help_text="So as not to put too many words together.",
                        verbose_name="factor by which cuts were raised",
                    ),
                ),
                ("candidates", models.PositiveIntegerField(verbose_name="candidates that solve the puzzle")),
                ("smallest_share", models.FloatField(verbose_name="share that is found with probability 0.9")),
                ("by_day", models.BooleanField(default=False, verbose_name="says on which days words stand out")),
            ],
            options={
                "verbose_name": "discovery",
                "verbose_name_plural": "discoveries",
            },
        ),
        migrations.CreateModel(
            name="WordDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locale", models.CharField(max_length=20, verbose_name="locale")),
                ("word", models.CharField(help_text="Without pads.", max_length=16, verbose_name="word")),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("accepted", "accepted"),
                            ("rejected", "rejected"),
                            ("truncated", "truncated"),
                            ("foreign", "foreign"),
                            ("undecided", "undecided"),
                        ],
                        max_length=10,
                        verbose_name="verdict",
                    ),
                ),
                (
                    "dictionary",
                    models.SlugField(
                        blank=True, help_text="Of an accepted word.", max_length=80, verbose_name="dictionary"
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=500, verbose_name="note")),
                ("decided_at", models.DateTimeField(auto_now_add=True, verbose_name="decided")),
            ],
            options={
                "verbose_name": "decision about a word",
                "verbose_name_plural": "decisions about words",
                "ordering": ["-pk"],
            },
        ),
        migrations.AlterModelOptions(
            name="part",
            options={
                "ordering": ["run", "step", "locale", "start_shard", "start_row"],
                "verbose_name": "part",
                "verbose_name_plural": "parts",
            },
        ),
        migrations.RemoveConstraint(
            model_name="part",
            name="part_once",
        ),
        migrations.AddField(
            model_name="histogramentry",
            name="first_day",
            field=models.DateField(blank=True, null=True, verbose_name="first day seen"),
        ),
        migrations.AddField(
            model_name="histogramentry",
            name="is_new",
            field=models.BooleanField(default=False, verbose_name="new since the run before"),
        ),
        migrations.AddField(
            model_name="histogramentry",
            name="last_day",
            field=models.DateField(blank=True, null=True, verbose_name="last day seen"),
        ),
        migrations.AddField(
            model_name="part",
            name="facts",
            field=models.JSONField(blank=True, default=dict, verbose_name="facts"),
        ),
        migrations.AddField(
            model_name="part",
            name="locale",
            field=models.CharField(blank=True, default="", max_length=20, verbose_name="locale"),
        ),
        migrations.AddField(
            model_name="part",
            name="sealing",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="reports.sealing",
                verbose_name="sealing",
            ),
        ),
        migrations.AddField(
            model_name="part",
            name="step",
            field=models.PositiveSmallIntegerField(
                choices=[(0, "reading out"), (1, "sketching days"), (2, "reading fragments"), (3, "joining words")],
                default=0,
                verbose_name="step",
            ),
        ),
        migrations.AlterField(
            model_name="histogram",
            name="revision",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="histograms",
                to="reports.dictionaryrevision",
                verbose_name="dictionary revision",
            ),
        ),
        migrations.AlterField(
            model_name="part",
            name="start_row",
            field=models.PositiveIntegerField(default=0, verbose_name="first row"),
        ),
        migrations.AlterField(
            model_name="part",
            name="stop_row",
            field=models.PositiveIntegerField(default=0, verbose_name="end row"),
        ),
        migrations.AlterField(
            model_name="part",
            name="stop_shard",
            field=models.PositiveIntegerField(default=0, verbose_name="end shard"),
        ),
        migrations.AlterField(
            model_name="readout",
            name="revision",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="read_outs",
                to="reports.dictionaryrevision",
                verbose_name="dictionary revision",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="revision",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                to="reports.dictionaryrevision",
                verbose_name="dictionary revision",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(
                condition=models.Q(("sealing", None)),
                fields=("run", "step", "locale", "start_shard", "start_row"),
                name="part_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(
                condition=models.Q(("sealing__isnull", False)),
                fields=("run", "locale", "sealing"),
                name="part_once_for_a_sealing",
            ),
        ),
        migrations.AddConstraint(
            model_name="readout",
            constraint=models.UniqueConstraint(
                condition=models.Q(("revision", None)), fields=("sealing", "locale"), name="sketches_once"
            ),
        ),
        migrations.AddField(
            model_name="discovery",
            name="histogram",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="discovery",
                to="reports.histogram",
                verbose_name="histogram",
            ),
        ),
        migrations.AddField(
            model_name="worddecision",
            name="decided_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="decided by",
            ),
        ),
        migrations.AddField(
            model_name="worddecision",
            name="use_case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="word_decisions",
                to="reports.usecase",
                verbose_name="use case",
            ),
        ),
        migrations.AddIndex(
            model_name="worddecision",
            index=models.Index(fields=["use_case", "locale", "word", "-id"], name="decision_newest"),
        ),
        migrations.AddConstraint(
            model_name="worddecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict", "accepted"), ("dictionary", ""), _connector="XOR"),
                name="decision_dictionary_if_accepted",
            ),
        ),
        # Last, because backwards it comes first.
        migrations.RunPython(migrations.RunPython.noop, refuse_if_there_are_words),
    ]
