"""From a frozen scope and a policy to a plan: one cycle, its guards and limits, and the plan as data."""
