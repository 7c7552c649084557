"""What happens by itself: ticks, the daemon, what comes before the first verb and after the last."""
