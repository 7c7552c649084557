"""A policy from its text to what the planner runs: document, rules, compiled."""
