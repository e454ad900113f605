"""Rows that people keep of their own: annotations of days, saved views, embed links and subscriptions."""

import uuid

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports.models.uploads import utc_today
from reports.models.use_cases import UseCase
from reports.models.validators import validate_share, validate_storable


class Annotation(models.Model):
    """Event on a day, such as a release, shown beside the day's results."""

    # None: about all use cases.
    use_case = models.ForeignKey(UseCase, on_delete=models.CASCADE, related_name="annotations", null=True, blank=True)
    day = models.DateField()
    text = models.CharField(max_length=120)
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("annotation")
        verbose_name_plural = _("annotations")
        ordering = ["day", "pk"]
        indexes = [models.Index(fields=["use_case", "day"], name="annotation_of_use_case")]

    def __str__(self) -> str:
        return f"{self.day} {self.text}"


class SavedView(models.Model):
    """Page with everything that was chosen on it, under a name. It shows its readers only what they may see."""

    class Page(models.TextChoices):
        """The names of the addresses that can be saved; each takes the use case and a query string."""

        EXPLORE = "use_case", _("histogram")
        COMPARE = "compare", _("comparison")
        TREND = "trend", _("trend")
        ELEMENT = "element", _("element")
        CHANGES = "changes", _("what changed")
        LOCALES = "locales", _("all locales")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("owner"), on_delete=models.CASCADE, related_name="saved_views"
    )
    name = models.CharField(_("name"), max_length=80)
    use_case = models.ForeignKey(
        UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="saved_views"
    )
    page = models.CharField(_("page"), max_length=10, choices=Page.choices)
    query = models.CharField(_("query string"), max_length=2000, blank=True)
    # None: the owner's alone.
    shared_with = models.ForeignKey(
        Group, verbose_name=_("shared with"), on_delete=models.SET_NULL, related_name="+", null=True, blank=True
    )
    saved_at = models.DateTimeField(_("saved"), auto_now_add=True)
    # A cache of the front page's answers where the view is pinned, by what they depend on.
    answers = models.JSONField(default=dict, editable=False)

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_view_name_unique")]

    def __str__(self) -> str:
        return self.name


class Pin(models.Model):
    """Saved view on a person's front page.

    If it is for the team it is on the front page of everybody in the group that its owner shares the view with.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("person"), on_delete=models.CASCADE, related_name="pins"
    )
    view = models.ForeignKey(SavedView, verbose_name=_("saved view"), on_delete=models.CASCADE, related_name="pins")
    for_team = models.BooleanField(_("for the whole group"), default=False)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("pin")
        verbose_name_plural = _("pins")
        ordering = ["position", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "view"], name="pin_once")]

    def __str__(self) -> str:
        return str(self.view)


class Visit(models.Model):
    """Page among the last that a person visited: for that person alone, with the day and no time."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("person"), on_delete=models.CASCADE, related_name="visits"
    )
    use_case = models.ForeignKey(UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="+")
    page = models.CharField(_("page"), max_length=10, choices=SavedView.Page.choices)
    query = models.CharField(_("query string"), max_length=2000, blank=True)
    day = models.DateField(_("day"), default=utc_today)

    class Meta:
        verbose_name = _("visit")
        verbose_name_plural = _("visits")
        ordering = ["-pk"]
        # Visits that are over are deleted by day.
        indexes = [models.Index(fields=["day"], name="visit_of_day")]

    def __str__(self) -> str:
        return f"{self.use_case} {self.get_page_display()}"


class EmbedLink(models.Model):
    """View that is public for people who have its link. Of its readers only numbers of each day are kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    use_case = models.ForeignKey(UseCase, on_delete=models.CASCADE, related_name="embed_links")
    maker = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    page = models.CharField(max_length=10, choices=SavedView.Page.choices)
    query = models.TextField(blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    # None: until it is revoked.
    until = models.DateTimeField(null=True)
    last_opened = models.DateField(null=True, editable=False)

    class Meta:
        verbose_name = _("embed link")
        verbose_name_plural = _("embed links")
        ordering = ["-made_at", "pk"]

    def __str__(self) -> str:
        return f"{self.use_case} {self.get_page_display()}"

    @property
    def is_over(self) -> bool:
        return self.until is not None and timezone.now() >= self.until


class EmbedViews(models.Model):
    """Number of times that a link was opened on a day."""

    link = models.ForeignKey(EmbedLink, on_delete=models.CASCADE, related_name="views")
    day = models.DateField()
    number = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name = _("views of an embed link")
        verbose_name_plural = _("views of embed links")
        constraints = [models.UniqueConstraint(fields=["link", "day"], name="embed_views_once")]

    def __str__(self) -> str:
        return f"{self.link} {self.day}"


class Subscription(models.Model):
    """A person's request to be notified of news about a use case, or of troubles in the site's operation.

    `told` is its cursor: the newest day that was delivered, by version and locale, because some locales have enough
    reports to be published later than others. Of the operation, the troubles that were told and are not over.
    """

    class Channel(models.TextChoices):
        INBOX = "inbox", _("inbox")
        EMAIL = "email", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("owner"), on_delete=models.CASCADE, related_name="subscriptions"
    )
    # None: the site's operation.
    use_case = models.ForeignKey(
        UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="subscriptions", null=True
    )
    locale = models.CharField(_("locale"), max_length=20, blank=True, help_text=_("Empty: all locales."))
    new_words = models.BooleanField(_("a new word"), default=False)
    new_in_top = models.BooleanField(_("a new entry in the top 10"), default=False)
    significant_change = models.BooleanField(_("a significant change"), default=False)
    # Rules: an element whose share comes to be certainly above one share or below another, and days without anything.
    element = models.CharField(
        _("element"), max_length=200, blank=True, default="", db_default="", validators=[validate_storable]
    )
    above_share = models.FloatField(_("share that it exceeds"), null=True, blank=True, validators=[validate_share])
    below_share = models.FloatField(_("share that it falls below"), null=True, blank=True, validators=[validate_share])
    silent_days = models.PositiveIntegerField(
        _("days in which nothing is published"),
        null=True,
        blank=True,
        validators=[MinValueValidator(2), MaxValueValidator(90)],
    )
    channel = models.CharField(_("channel"), max_length=10, choices=Channel.choices, default=Channel.EMAIL)
    # Mail goes to the address of the account.
    webhook_url = models.URLField(_("webhook address"), max_length=500, blank=True)
    # Language of the messages. Empty: that of the site.
    language = models.CharField(_("language"), max_length=10, blank=True, editable=False)
    # By version and locale, such as "1:en_US", a day in ISO format.
    told = models.JSONField(_("told up to"), default=dict, blank=True, editable=False)
    # The cursor once the message is delivered that was sent last: sent again, it is about the same days.
    batch = models.JSONField(_("being told up to"), default=dict, blank=True, editable=False)
    # The results that were examined for news last, and when: days end with time, too.
    seen_generation = models.PositiveBigIntegerField(_("generation seen"), null=True, blank=True, editable=False)
    seen_on = models.DateField(_("seen on"), null=True, blank=True, editable=False)
    # Deliveries that failed in a row, why the last did (a key of `notifications.IN_WORDS`), and the next attempt.
    failures = models.PositiveIntegerField(_("failures"), default=0, editable=False)
    last_failure = models.CharField(_("last failure"), max_length=40, blank=True, editable=False)
    next_try_at = models.DateTimeField(_("next try"), null=True, blank=True, editable=False)
    # After too many failures, or one that trying again does not mend: until its owner resumes it.
    paused = models.BooleanField(_("paused"), default=False, editable=False)
    last_sent_at = models.DateTimeField(_("last sent"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        ordering = ["use_case", "created_at"]

    def __str__(self) -> str:
        return f"{self.title} → {self.get_channel_display()}"

    @property
    def title(self) -> str:
        return gettext("Operation of this site") if self.use_case is None else self.use_case.title

    @property
    def about(self) -> UseCase:
        """Return the use case. Raises `ValueError` if it is about the site's operation."""
        if self.use_case is None:
            raise ValueError("not about a use case")
        return self.use_case


class InboxMessage(models.Model):
    """News in a person's inbox: which days it is about, and no result; what it says is made again when it is opened."""

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="inbox_messages")
    # As the subscription's own were: what had been told, and what this message told.
    told = models.JSONField()
    batch = models.JSONField()
    up_to = models.DateField()
    made_at = models.DateTimeField(auto_now_add=True)
    is_read = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["-made_at", "-pk"]
        indexes = [models.Index(fields=["subscription", "is_read"], name="inbox_unread")]

    def __str__(self) -> str:
        return f"{self.subscription.title} {self.up_to}"
