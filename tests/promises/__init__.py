"""Tests that fail when a promise of the README's privacy section is broken."""
