from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0012_product_lists"),
    ]

    operations = [
        migrations.AddField(
            model_name="savedview",
            name="answers",
            field=models.JSONField(default=dict, editable=False),
        ),
    ]
