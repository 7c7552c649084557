"""A store in a graph on a Neo4j server: memories are nodes, links are relationships, rules are those of all stores."""
