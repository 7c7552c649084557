"""How the weights of the gate are fitted."""
