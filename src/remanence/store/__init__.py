"""What keeps memories: the protocol in `base`, SQLite in `sqlite`; they know no rules."""
