"""When rules are due, what ticks remember of a scope, and until when nothing will happen. Pure."""
