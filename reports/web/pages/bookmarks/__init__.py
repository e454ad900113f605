"""Bookmarks of what people look at: saved views and subscriptions."""
