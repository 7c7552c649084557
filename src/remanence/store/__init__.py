"""What keeps memories: the protocol in `base`, the reference in `memory`, SQLite in `sql`; they know no rules."""
