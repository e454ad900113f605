import uuid

import django.db.models.deletion
from django.db import migrations, models


def _version(related_name: str) -> "models.ForeignKey[models.Model, models.Model]":
    return models.ForeignKey(
        "reports.Version", on_delete=django.db.models.deletion.CASCADE, related_name=related_name, db_index=False
    )


class Migration(migrations.Migration):
    """The digests of before were of bytes and a day, which nothing of what is stored can be compared with."""

    dependencies = [("reports", "0005_embed_links")]

    operations = [
        migrations.RemoveConstraint(model_name="batch", name="batch_content_once"),
        migrations.RemoveField(model_name="batch", name="content_hmac"),
        migrations.CreateModel(
            name="UploadDigest",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("hmac", models.BinaryField(db_index=True, max_length=32)),
                ("version", _version("upload_digests")),
                ("day", models.DateField()),
            ],
            options={"indexes": [models.Index(fields=["version", "day"], name="upload_digest_day")]},
        ),
        migrations.CreateModel(
            name="RecordFingerprint",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("hmac", models.BinaryField(max_length=8)),
                ("version", _version("record_fingerprints")),
                ("day", models.DateField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["version", "day"], name="record_fingerprint_day"),
                    models.Index(fields=["version", "hmac"], name="record_fingerprint_known"),
                ]
            },
        ),
    ]
