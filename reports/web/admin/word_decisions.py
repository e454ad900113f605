"""Decisions about discovered words; they are made on the site's own pages."""

from django.contrib import admin

from reports.models import WordDecision
from reports.web.admin.noted import NotedAdmin


@admin.register(WordDecision)
class WordDecisionAdmin(NotedAdmin):
    use_case_path = "use_case"
    list_display = ("word", "use_case", "locale", "verdict", "dictionary", "note", "decided_by", "decided_at")
    list_filter = ("verdict",)
    list_select_related = ("use_case", "decided_by")
    search_fields = ("word", "dictionary", "note")
    fields = ("use_case", "locale", "word", "verdict", "dictionary", "note", "decided_by", "decided_at")
