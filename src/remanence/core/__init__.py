"""What everything else is made of: errors, times, the nouns, changes, effects, guards, snapshots. Pure."""
