"""What the verbs decide about single memories: forget, confirm, supersede, tag, pin, hold, link. Pure."""
