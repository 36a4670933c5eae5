"""Workspaces, artifacts and the log they share: one write path, versions, attribution, notes of change."""
