"""Adapters with the frameworks that they plug into, as installed."""
