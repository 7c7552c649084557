"""Conversations and other memories in the formats they come in, turned into turns."""
