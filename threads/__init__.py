"""Chats with an agent: messages, runs that pause and survive, and the agent itself."""
