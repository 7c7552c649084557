"""The ways in for those who do not write Python: they call the verbs of the engine and decide nothing."""
