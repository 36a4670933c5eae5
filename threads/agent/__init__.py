"""The agent: a pydantic-ai agent that takes part in a thread, and the Runner that takes its turns."""
