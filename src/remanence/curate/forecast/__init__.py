"""What a policy will do in the days to come, and how that is shown. Pure."""
