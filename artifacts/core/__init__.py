"""The rules of shared artifacts, in plain Python and Pydantic: no Django, no I/O, no agent framework."""
