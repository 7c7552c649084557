"""People, projects, tools, companies and places that memories name: stored with facts, listed, joined, split."""
