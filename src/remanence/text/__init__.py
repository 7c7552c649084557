"""What texts are to the machine: stems, tokens, likeness, shorter forms. Pure; knows no memories of a scope."""
