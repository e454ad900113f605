"""Planner: what would be seen, and at which cost, before anything is collected."""
