"""The planner: what a policy decides about a frozen scope. Pure; it knows no store, no clock and no model."""
