"""How large things may be. A site's settings say it; the rules are given it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`artifact_bytes` of an artifact's data as JSON, `patch_operations` of a JSON patch, `title_characters`."""

    artifact_bytes: int = 1024 * 1024
    patch_operations: int = 500
    title_characters: int = 200


USUAL = Limits()
