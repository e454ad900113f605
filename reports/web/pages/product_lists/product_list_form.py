"""The form in which an owner says what a list for a product holds."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.models import ProductList, UseCase
from reports.product_lists import rules_of
from reports.results import default_version
from reports.words import named_dictionaries

# Fields that a rule needs, and only this rule.
_NEEDED = {
    ProductList.Rule.ORDERED: "length",
    ProductList.Rule.ABOVE: "least_percent",
    ProductList.Rule.WORDS: "dictionary",
}


class ProductListForm(forms.ModelForm):  # type: ignore[type-arg]
    """New list of a use case; asks only for what the rules of its kind need."""

    least_percent = forms.FloatField(
        label=gettext_lazy("Least share, in per cent of reports"),
        min_value=0.001,
        max_value=99.9,
        required=False,
        help_text=gettext_lazy(
            "Of a list above a share. Of what is listed, one in twenty at most is expected not to be above it."
        ),
    )
    dictionary = forms.ChoiceField(label=gettext_lazy("Dictionary of accepted words"), required=False)

    class Meta:
        model = ProductList
        fields = ("name", "rule", "length", "days", "is_public")
        labels = {
            "name": gettext_lazy("Name in the address"),
            "rule": gettext_lazy("What it holds"),
            "length": gettext_lazy("Length of an ordered list"),
            "days": gettext_lazy("Days that are counted, up to the newest"),
            "is_public": gettext_lazy("Everybody may read it, without a login"),
        }
        help_texts = {
            "name": gettext_lazy("Lower-case letters, digits and hyphens, such as emoji-order."),
            "is_public": gettext_lazy(
                "For devices that have no token. It holds names alone, in the order of the rule, and no numbers."
            ),
        }

    def __init__(self, use_case: UseCase, *args: Any, **named: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **named})
        self.instance.use_case = use_case
        rules = rules_of(default_version(use_case))
        self.fields["rule"].choices = [(rule.value, rule.label) for rule in rules]  # type: ignore[attr-defined]
        names = dict.fromkeys(part.name for part in named_dictionaries(use_case))
        self.fields["dictionary"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
        for rule, field in _NEEDED.items():
            if rule not in rules:
                del self.fields[field]
        if ProductList.Rule.WORDS in rules:
            del self.fields["days"]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self.instance.use_case.product_lists.filter(name=name).exists():
            raise forms.ValidationError(_("There is a list of this name already; choose another."))
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        rule = cleaned.get("rule")
        needed = _NEEDED.get(ProductList.Rule(rule)) if rule else None
        if needed and not cleaned.get(needed) and needed not in self.errors:
            self.add_error(needed, _("This rule needs it."))
        # Fields of another rule say nothing of this list.
        self.instance.least_share = (cleaned.get("least_percent") or 0) / 100 if needed == "least_percent" else None
        self.instance.dictionary = cleaned.get("dictionary", "") if needed == "dictionary" else ""
        if needed != "length":
            cleaned["length"] = None
        return cleaned
