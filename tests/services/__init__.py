"""What tests need around them: PostgreSQL, Redis, Chromium, and artifactr itself as a real process."""
