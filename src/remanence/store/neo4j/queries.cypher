// Every statement that the store asks a server, by name; LINKS stands for the types of links, joined by |.
// Who writes a scope locks its node before anything is compared, and its gate last of all (see neo_transactions.py).

// name: lock_scope
MERGE (s:Scope {name: $scope})
ON CREATE SET s.position = 0, s.latest_seq = 0, s.worded = 0, s.memories = 0, s.links = 0, s.forbidden = 0, s.is_new = true
SET s.lock = 1
WITH s
OPTIONAL MATCH (l:Lease {scope: $scope, name: $lease})
WITH s, l
CALL () {
  UNWIND $parts AS key
  MATCH (p:Part {scope: $scope, run: key[0], part: key[1]})
  USING INDEX SEEK p:Part(scope, run, part)
  RETURN collect(p {.run, .part, .position, .asked, .assigned, .assigned_count, .count}) AS parts
}
RETURN properties(s) AS scope, l.fence AS fence, parts

// name: close_gate
MATCH (s:Scope {name: $scope})
SET s += $values, s.is_new = null
WITH s
MERGE (g:Gate {scope: $scope})
ON CREATE SET g.writes = 1, g.lock = 1
ON MATCH SET g.writes = g.writes + 1
SET g.moved_to = s.moved_to
RETURN g.writes AS writes

// name: close_gate_of_new_scopes
MATCH (g:Gate {scope: ''})
SET g.writes = g.writes + 1

// name: pass_gate
MATCH (g:Gate {scope: $scope})
USING INDEX SEEK g:Gate(scope)
SET g.lock = 1
WITH g
RETURN g.writes AS writes, g.moved_to AS moved_to

// name: hold_scope
MATCH (s:Scope {name: $scope})
SET s.lock = 1
RETURN true AS is_held

// name: read_scope
MATCH (s:Scope {name: $scope})
RETURN properties(s) AS scope

// name: survey_scopes
MATCH (s:Scope)
WHERE s.position > 0
OPTIONAL MATCH (v:Setting {scope: s.name})
WHERE v.name IN $names
RETURN s.name AS scope, s.position AS position, collect([v.name, v.value]) AS settings
ORDER BY scope

// name: list_scopes
MATCH (s:Scope)
WHERE s.position >= 0
RETURN properties(s) AS scope
ORDER BY s.name

// name: remove_nodes
CALL () {
  MATCH (n:Memory {scope: $scope})
  USING INDEX SEEK n:Memory(scope, seq)
  WHERE n.seq IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Gone {scope: $scope})
  USING INDEX SEEK n:Gone(scope, seq)
  WHERE n.seq IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Part {scope: $scope})
  USING INDEX SEEK n:Part(scope, position)
  WHERE n.position IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Stem {scope: $scope})
  USING INDEX SEEK n:Stem(scope, key)
  WHERE n.key IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Vector {scope: $scope})
  USING INDEX SEEK n:Vector(scope, seq)
  WHERE n.seq IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Conversation {scope: $scope})
  USING INDEX SEEK n:Conversation(scope, name)
  WHERE n.name IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Forbidden {scope: $scope})
  USING INDEX SEEK n:Forbidden(scope, fold)
  WHERE n.fold IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Erased {scope: $scope})
  USING INDEX SEEK n:Erased(scope, mark)
  WHERE n.mark IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Box {scope: $scope})
  USING INDEX SEEK n:Box(scope, box)
  WHERE n.box IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Trace {scope: $scope})
  USING INDEX SEEK n:Trace(scope, trace)
  WHERE n.trace IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Setting {scope: $scope})
  USING INDEX SEEK n:Setting(scope, name)
  WHERE n.name IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Counter {scope: $scope})
  USING INDEX SEEK n:Counter(scope, name)
  WHERE n.name IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Lease {scope: $scope})
  USING INDEX SEEK n:Lease(scope, name)
  WHERE n.name IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Heard {scope: $scope})
  USING INDEX SEEK n:Heard(scope, minute)
  WHERE n.minute IS NOT NULL
  DETACH DELETE n
}
CALL () {
  MATCH (n:Span {scope: $scope})
  USING INDEX SEEK n:Span(scope, began)
  WHERE n.began IS NOT NULL
  DETACH DELETE n
}

// name: read_rows
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})
USING INDEX SEEK m:Memory(scope, seq)
RETURN collect(m.row) AS rows

// name: read_memories
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})
USING INDEX SEEK m:Memory(scope, seq)
RETURN collect(properties(m)) AS memories

// name: read_fingerprints
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})
USING INDEX SEEK m:Memory(scope, seq)
RETURN collect([m.seq, m.fingerprint]) AS pairs

// name: read_claims
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {scope: $scope, id: id})
  USING INDEX SEEK m:Memory(scope, id)
  RETURN m
  UNION
  UNWIND $keys AS key
  MATCH (m:Memory {scope: $scope, key: key})
  USING INDEX SEEK m:Memory(scope, key)
  RETURN m
  UNION
  UNWIND $fingerprints AS fingerprint
  MATCH (m:Memory {scope: $scope, fingerprint: fingerprint})
  USING INDEX SEEK m:Memory(scope, fingerprint)
  RETURN m
}
RETURN m.id AS id, m.key AS key, m.fingerprint AS fingerprint, m.row AS row

// name: read_named
CALL () {
  UNWIND $seqs AS seq
  MATCH (m:Memory {scope: $scope, seq: seq})
  USING INDEX SEEK m:Memory(scope, seq)
  RETURN m
  UNION
  UNWIND $names AS id
  MATCH (m:Memory {scope: $scope, id: id})
  USING INDEX SEEK m:Memory(scope, id)
  RETURN m
  UNION
  UNWIND $names AS key
  MATCH (m:Memory {scope: $scope, key: key})
  USING INDEX SEEK m:Memory(scope, key)
  RETURN m
}
RETURN collect(properties(m)) AS memories

// part: asked_for
CALL () {
  MATCH (m:Memory {scope: $scope})
  USING INDEX SEEK m:Memory(scope, seq)
  WHERE m.seq > 0 AND $among IS NOT NULL
  WITH m ORDER BY m.scope DESC, m.seq DESC LIMIT coalesce($among, 0)
  RETURN min(m.seq) AS least
}
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq > $after AND m.seq < $before
  AND ($among IS NULL OR m.seq >= least)
  AND ($statuses IS NULL OR m.status IN $statuses)
  AND ($only IS NULL OR m.seq IN $only)
  AND m.id STARTS WITH $beginning AND m.id ENDS WITH $ending
  AND all(tag IN $tags WHERE tag IN coalesce(m.tags, []))
  AND all(name IN keys($equal) WHERE m[name] IN $equal[name] OR (m[name] IS NULL AND name IN $absent))
  AND m.said_at >= $said[0] AND m.said_at <= $said[1]
  AND m.said_at + 1000000 * m.said_offset >= $said[2] AND m.said_at + 1000000 * m.said_offset <= $said[3]

// name: find_memories
@asked_for
WITH m ORDER BY m.scope DESC, m.seq DESC LIMIT $limit
RETURN properties(m) AS memory

// name: find_oldest_memories
@asked_for
WITH m ORDER BY m.scope, m.seq LIMIT $limit
RETURN properties(m) AS memory

// name: read_session_tail
MATCH (m:Memory {scope: $scope, session: $session})
USING INDEX SEEK m:Memory(scope, session, seq)
WHERE m.seq > 0
WITH m ORDER BY m.scope DESC, m.session DESC, m.seq DESC LIMIT $limit
RETURN m.said_at AS said_at, m.text AS text

// name: read_recent_tail
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq > 0
WITH m ORDER BY m.scope DESC, m.seq DESC LIMIT $reach
WHERE m.session IS NULL
  AND (m.thread = $thread OR ($thread IS NULL AND m.thread IS NULL AND (m.agent = $agent OR ($agent IS NULL AND m.agent IS NULL))))
WITH m ORDER BY m.scope DESC, m.seq DESC LIMIT $limit
RETURN m.said_at AS said_at, m.text AS text

// part: in_conversation
WITH m, coalesce(m.thread, m.session) AS name
WHERE name IS NOT NULL
MERGE (c:Conversation {scope: $scope, name: name})
CREATE (m)-[:IN]->(c)

// name: create_memories
UNWIND $rows AS row
MERGE (m:Gone {scope: $scope, seq: row.seq})
REMOVE m:Gone
SET m:Memory
SET m = row
@in_conversation

// name: update_memories
UNWIND $rows AS row
MATCH (m:Memory {scope: $scope, seq: row.seq})
USING INDEX SEEK m:Memory(scope, seq)
SET m += row

// name: move_memories
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})
USING INDEX SEEK m:Memory(scope, seq)
OPTIONAL MATCH (m)-[r:IN]->(former:Conversation)
DELETE r
WITH m, former, coalesce(m.thread, m.session) AS name
CALL (m, name) {
  WITH m, name
  WHERE name IS NOT NULL
  MERGE (c:Conversation {scope: $scope, name: name})
  MERGE (m)-[:IN]->(c)
}
WITH former
WHERE former IS NOT NULL AND NOT EXISTS { (former)<-[:IN]-() }
DETACH DELETE former

// name: remove_memories
UNWIND $rows AS row
MATCH (m:Memory {scope: $scope, seq: row.seq})
USING INDEX SEEK m:Memory(scope, seq)
OPTIONAL MATCH (m)-[r:IN]->(former:Conversation)
DELETE r
REMOVE m:Memory, m:Entity
SET m:Gone
SET m = row
WITH DISTINCT former
WHERE former IS NOT NULL AND NOT EXISTS { (former)<-[:IN]-() }
DETACH DELETE former

// name: mark_entities
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})
USING INDEX SEEK m:Memory(scope, seq)
FOREACH (_ IN CASE WHEN m.category = $category THEN [1] ELSE [] END | SET m:Entity)
FOREACH (_ IN CASE WHEN m.category = $category THEN [] ELSE [1] END | REMOVE m:Entity)

// name: read_links
UNWIND $keys AS key
MATCH (a:Memory {scope: $scope, seq: key[0]})-[r:LINKS]->(b:Memory {scope: $scope, seq: key[1]})
USING INDEX SEEK a:Memory(scope, seq)
USING INDEX SEEK b:Memory(scope, seq)
WHERE type(r) = key[2]
RETURN collect(r.row) AS rows

// name: read_neighbours
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})-[r:LINKS]-(:Memory)
USING INDEX SEEK m:Memory(scope, seq)
WHERE $types IS NULL OR type(r) IN $types
RETURN collect(DISTINCT r.row) AS rows

// name: read_scope_links
MATCH (m:Memory {scope: $scope})-[r:LINKS]->(:Memory)
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq IS NOT NULL AND ($types IS NULL OR type(r) IN $types)
RETURN collect(r.row) AS rows

// name: create_links
UNWIND $rows AS row
MATCH (a:Memory {scope: $scope, seq: row.source})
USING INDEX SEEK a:Memory(scope, seq)
MATCH (b:Memory {scope: $scope, seq: row.target})
USING INDEX SEEK b:Memory(scope, seq)
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.values

// name: update_links
UNWIND $rows AS row
MATCH (a:Memory {scope: $scope, seq: row.source})-[r:LINKS]->(b:Memory {scope: $scope, seq: row.target})
USING INDEX SEEK a:Memory(scope, seq)
USING INDEX SEEK b:Memory(scope, seq)
WHERE type(r) = row.type
SET r = row.values

// name: remove_links
UNWIND $rows AS row
MATCH (a:Memory {scope: $scope, seq: row.source})-[r:LINKS]->(b:Memory {scope: $scope, seq: row.target})
USING INDEX SEEK a:Memory(scope, seq)
USING INDEX SEEK b:Memory(scope, seq)
WHERE type(r) = row.type
DELETE r

// name: add_words
UNWIND $rows AS row
MERGE (s:Stem {scope: $scope, key: row.key, block: row.block})
ON CREATE SET s.stem = row.stem, s.hash = row.hash, s.seqs = row.seqs
ON MATCH SET s.seqs = s.seqs + row.seqs

// name: remove_words
UNWIND $rows AS row
MATCH (s:Stem {scope: $scope, key: row.key, block: row.block})
USING INDEX SEEK s:Stem(scope, key, block)
SET s.seqs = [seq IN s.seqs WHERE NOT seq IN row.seqs]
WITH s
WHERE size(s.seqs) = 0
DELETE s

// name: search_words
UNWIND $keys AS key
MATCH (s:Stem {scope: $scope, key: key})
USING INDEX SEEK s:Stem(scope, key)
RETURN s.stem AS stem, s.seqs AS seqs

// name: count_terms
UNWIND $terms AS term
MATCH (s:Stem {scope: $scope, hash: term})
USING INDEX SEEK s:Stem(scope, hash)
RETURN term, sum(size(s.seqs)) AS count

// name: list_words
UNWIND $beginnings AS beginning
MATCH (s:Stem {scope: $scope})
USING INDEX SEEK s:Stem(scope, key)
WHERE s.key STARTS WITH beginning
RETURN DISTINCT s.stem AS stem
ORDER BY stem

// name: list_postings
MATCH (s:Stem {scope: $scope})
USING INDEX SEEK s:Stem(scope, key)
WHERE s.key IS NOT NULL
RETURN s.stem AS stem, s.hash AS hash, s.seqs AS seqs

// name: put_vectors
UNWIND $rows AS row
MERGE (v:Vector {scope: $scope, model: $model, seq: row.seq})
SET v.vector = row.vector, v.bytes = row.bytes

// name: remove_vectors
UNWIND $seqs AS seq
MATCH (v:Vector {scope: $scope, model: $model, seq: seq})
USING INDEX SEEK v:Vector(scope, model, seq)
DELETE v

// name: remove_model_vectors
UNWIND $seqs AS seq
MATCH (v:Vector {scope: $scope, seq: seq})
USING INDEX SEEK v:Vector(scope, seq)
WHERE v.model <> $own
DELETE v

// name: remove_model
MATCH (v:Vector {scope: $scope, model: $model})
USING INDEX SEEK v:Vector(scope, model, seq)
WHERE v.seq IS NOT NULL
WITH v ORDER BY v.scope, v.model, v.seq LIMIT $limit
DELETE v
RETURN count(*) AS count

// name: list_models
MATCH (v:Vector {scope: $scope})
USING INDEX SEEK v:Vector(scope, model, seq)
WHERE v.model IS NOT NULL AND v.seq IS NOT NULL
RETURN collect(DISTINCT v.model) AS models

// name: read_some_vectors
UNWIND $seqs AS seq
MATCH (v:Vector {scope: $scope, model: $model, seq: seq})
USING INDEX SEEK v:Vector(scope, model, seq)
WITH v ORDER BY v.seq
RETURN collect(v.seq) AS seqs, collect(v.vector) AS vectors

// name: read_vectors
MATCH (v:Vector {scope: $scope, model: $model})
USING INDEX SEEK v:Vector(scope, model, seq)
WHERE v.seq > $after
WITH v ORDER BY v.scope, v.model, v.seq LIMIT $limit
RETURN collect(v.seq) AS seqs, collect(v.vector) AS vectors

// name: read_boxes
UNWIND $keys AS key
MATCH (n:Box {scope: $scope, box: key})
USING INDEX SEEK n:Box(scope, box)
RETURN collect([n.box, n.row]) AS rows

// name: read_traces
UNWIND $keys AS key
MATCH (n:Trace {scope: $scope, trace: key})
USING INDEX SEEK n:Trace(scope, trace)
RETURN collect([n.trace, n.row]) AS rows

// name: put_boxes
UNWIND $rows AS row
MERGE (n:Box {scope: $scope, box: row.box})
SET n = row

// name: put_traces
UNWIND $rows AS row
MERGE (n:Trace {scope: $scope, trace: row.trace})
SET n = row

// name: remove_boxes
UNWIND $keys AS key
MATCH (n:Box {scope: $scope, box: key})
USING INDEX SEEK n:Box(scope, box)
DELETE n

// name: remove_traces
UNWIND $keys AS key
MATCH (n:Trace {scope: $scope, trace: key})
USING INDEX SEEK n:Trace(scope, trace)
DELETE n

// name: read_forbidden
UNWIND $keys AS key
MATCH (n:Forbidden {scope: $scope, fold: key})
USING INDEX SEEK n:Forbidden(scope, fold)
RETURN collect([n.fold, n.row]) AS rows

// name: put_forbidden
UNWIND $rows AS row
MERGE (n:Forbidden {scope: $scope, fold: row.fold})
SET n = row

// name: remove_forbidden
UNWIND $keys AS key
MATCH (n:Forbidden {scope: $scope, fold: key})
USING INDEX SEEK n:Forbidden(scope, fold)
DELETE n

// name: list_forbidden
MATCH (n:Forbidden {scope: $scope})
USING INDEX SEEK n:Forbidden(scope, fold)
WHERE n.fold IS NOT NULL AND ($folds IS NULL OR n.fold IN $folds)
RETURN n.fold AS fold, n.row AS row

// name: put_erased
UNWIND $rows AS row
MERGE (n:Erased {scope: $scope, mark: row[0]})
WITH n, row
WHERE n.kind IS NULL OR NOT n.kind IN $lasting
SET n.at = row[1], n.kind = row[2]

// name: read_erased
UNWIND $marks AS mark
MATCH (n:Erased {scope: $scope, mark: mark})
USING INDEX SEEK n:Erased(scope, mark)
WITH n
WHERE n.kind <> $kept
RETURN n.mark AS mark, n.at AS at

// name: list_erased
MATCH (n:Erased {scope: $scope})
USING INDEX SEEK n:Erased(scope, mark)
WHERE n.mark IS NOT NULL
RETURN n.mark AS mark, n.at AS at, n.kind AS kind
ORDER BY at, mark

// name: read_texts
UNWIND $fingerprints AS fingerprint
MATCH (m:Memory {scope: $scope, fingerprint: fingerprint})
USING INDEX SEEK m:Memory(scope, fingerprint)
RETURN collect(DISTINCT m.text) AS texts

// name: page_accessors
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq > $after AND m.accessors IS NOT NULL
WITH m ORDER BY m.scope, m.seq LIMIT $limit
RETURN collect([m.seq, m.accessors]) AS rows

// name: write_parts
UNWIND $rows AS row
MATCH (p:Part {scope: $scope, position: row.position})
USING INDEX SEEK p:Part(scope, position)
SET p += row

// name: delete_parts
UNWIND $positions AS position
MATCH (p:Part {scope: $scope, position: position})
USING INDEX SEEK p:Part(scope, position)
DETACH DELETE p

// name: strip_gone
UNWIND $seqs AS seq
MATCH (m:Gone {scope: $scope, seq: seq})
USING INDEX SEEK m:Gone(scope, seq)
SET m = {scope: $scope, seq: seq}

// name: list_ends
MATCH (p:Part {scope: $scope})
USING INDEX SEEK p:Part(scope, position)
WHERE p.position > 0 AND p.ends_through IS NOT NULL
RETURN p.ends_through AS through, p.at AS at, p.detail AS detail
ORDER BY p.position

// name: list_held_parts
MATCH (p:Part {scope: $scope})
WHERE p.position <= $through AND (p.kept IS NOT NULL OR p.position >= $since)
RETURN properties(p) AS part
ORDER BY p.position

// name: page_counts
MATCH (p:Part {scope: $scope})
USING INDEX SEEK p:Part(scope, position)
WHERE p.position > $after AND p.line IS NULL
WITH p ORDER BY p.scope, p.position LIMIT $limit
RETURN p.position AS position, p.at AS at, p.count AS count, p.uses AS uses
ORDER BY position

// name: list_keepers
CALL () {
  MATCH (m:Memory {scope: $scope})
  USING INDEX SEEK m:Memory(scope, seq)
  WHERE m.seq IS NOT NULL AND (m.status = $status OR m.hold_until > $now)
  RETURN m
  UNION
  MATCH (m:Gone {scope: $scope})
  USING INDEX SEEK m:Gone(scope, seq)
  WHERE m.seq IS NOT NULL AND m.at >= $before
  RETURN m
}
RETURN collect(m.seq) AS seqs

// name: create_gone
UNWIND $rows AS row
CREATE (m:Gone)
SET m = row

// name: list_gone
MATCH (m:Gone {scope: $scope})
USING INDEX SEEK m:Gone(scope, seq)
WHERE m.seq IS NOT NULL AND m.id IS NOT NULL
RETURN m.seq AS seq, m.id AS id, m.key AS key, m.position AS position, m.at AS at

// name: find_gone
MATCH (m:Gone {scope: $scope})
USING INDEX SEEK m:Gone(scope, seq)
WHERE m.seq IS NOT NULL AND m.id IS NOT NULL AND (m.seq IN $seqs OR m.id IN $names OR m.key IN $names
  OR any(ending IN $endings WHERE m.id ENDS WITH ending))
MATCH (p:Part {scope: $scope, position: m.position})
USING INDEX SEEK p:Part(scope, position)
RETURN m.seq AS seq, m.id AS id, m.key AS key, m.run AS run, m.at AS at, p AS part
ORDER BY seq

// name: mark_uncleaned
MERGE (r:Remanence {name: 'remanence'})
SET r.uncleaned = true

// name: find_uncleaned
MATCH (r:Remanence {name: 'remanence'})
RETURN coalesce(r.uncleaned, false) AS uncleaned

// name: end_uncleaned
MATCH (r:Remanence {name: 'remanence'})
SET r.uncleaned = null

// name: find_boxes
MATCH (n:Box {scope: $scope})
USING INDEX SEEK n:Box(scope, box)
WHERE n.box IS NOT NULL AND ($only IS NULL OR n.box IN $only) AND ($session IS NULL OR n.session = $session)
  AND ($trace IS NULL OR n.trace = $trace) AND ($is_open IS NULL OR $is_open = (n.sealed_at IS NULL))
  AND ($before IS NULL OR n.box < $before)
  AND ($holding IS NULL OR any(seq IN $holding WHERE seq IN n.members))
RETURN n.box AS box, n.row AS row
ORDER BY box DESC LIMIT $limit

// name: find_traces
MATCH (n:Trace {scope: $scope})
USING INDEX SEEK n:Trace(scope, trace)
WHERE n.trace IS NOT NULL AND ($only IS NULL OR n.trace IN $only) AND ($since IS NULL OR n.last_at >= $since)
RETURN n.trace AS trace, n.row AS row
ORDER BY n.last_at DESC, trace DESC LIMIT $limit

// part: parts
WITH p ORDER BY p.scope, p.position LIMIT $limit
RETURN CASE WHEN $rows THEN properties(p) ELSE p {.*, kept: null} END AS part
ORDER BY p.position

// name: read_parts
MATCH (p:Part {scope: $scope})
USING INDEX SEEK p:Part(scope, position)
WHERE p.position > $after
@parts

// name: read_run
MATCH (p:Part {scope: $scope, run: $run})
USING INDEX SEEK p:Part(scope, run, position)
WHERE p.position > $after
@parts

// name: read_parts_of_memory
CALL () {
  MATCH (m:Memory {scope: $scope, seq: $seq})
  USING INDEX SEEK m:Memory(scope, seq)
  RETURN m
  UNION ALL
  MATCH (m:Gone {scope: $scope, seq: $seq})
  USING INDEX SEEK m:Gone(scope, seq)
  RETURN m
}
MATCH (m)-[:CHANGED_IN]->(p:Part)
WHERE p.position > $after AND ($run IS NULL OR p.run = $run)
WITH DISTINCT p ORDER BY p.position LIMIT $limit
RETURN properties(p) AS part
ORDER BY p.position

// name: read_seen
MATCH (p:Part {scope: $scope})
USING INDEX SEEK p:Part(scope, position)
WHERE p.position > $after
RETURN p.verb AS verb, p.seen AS seen
LIMIT $limit

// name: sum_destroyed
MATCH (p:Part {scope: $scope})
USING INDEX SEEK p:Part(scope, at)
WHERE p.at > $after AND p.at <= $until
RETURN sum(p.destroyed) AS destroyed

// name: create_parts
MATCH (s:Scope {name: $scope})
UNWIND $rows AS row
CREATE (p:Part)
SET p = row[0]
CREATE (s)-[:DID]->(p)
WITH p, row
UNWIND row[1] AS seq
CALL (seq) {
  MATCH (m:Memory {scope: $scope, seq: seq})
  USING INDEX SEEK m:Memory(scope, seq)
  RETURN m
  UNION ALL
  MATCH (m:Gone {scope: $scope, seq: seq})
  USING INDEX SEEK m:Gone(scope, seq)
  RETURN m
}
CREATE (m)-[:CHANGED_IN]->(p)

// name: put_settings
UNWIND $rows AS row
MERGE (v:Setting {scope: $scope, name: row[0]})
SET v.value = row[1]

// name: remove_settings
UNWIND $names AS name
MATCH (v:Setting {scope: $scope, name: name})
USING INDEX SEEK v:Setting(scope, name)
DELETE v

// name: read_settings
MATCH (v:Setting {scope: $scope})
USING INDEX SEEK v:Setting(scope, name)
WHERE v.name IS NOT NULL AND (v.name IN $names OR any(beginning IN $under WHERE v.name STARTS WITH beginning))
RETURN v.name AS name, v.value AS value
ORDER BY name

// name: add_counts
UNWIND $rows AS row
MERGE (c:Counter {scope: $scope, name: row[0]})
SET c.count = coalesce(c.count, 0) + row[1]
WITH c
WHERE c.count = 0
DELETE c

// name: read_counters
MATCH (c:Counter {scope: $scope})
USING INDEX SEEK c:Counter(scope, name)
WHERE c.name IS NOT NULL AND any(beginning IN $under WHERE c.name STARTS WITH beginning)
RETURN c.name AS name, c.count AS count
ORDER BY name

// name: read_leases
UNWIND $names AS name
MATCH (l:Lease {scope: $scope, name: name})
USING INDEX SEEK l:Lease(scope, name)
RETURN l.name AS name, l.holder AS holder, l.until AS until, l.fence AS fence

// name: list_leases
MATCH (l:Lease {scope: $scope})
USING INDEX SEEK l:Lease(scope, name)
WHERE l.name IS NOT NULL
RETURN l.name AS name, l.holder AS holder, l.until AS until, l.fence AS fence

// name: put_leases
UNWIND $rows AS row
MERGE (l:Lease {scope: $scope, name: row[0]})
SET l.holder = row[1], l.until = row[2], l.fence = row[3]

// name: read_clock
RETURN timestamp() AS now

// name: add_turns
UNWIND $rows AS row
MERGE (h:Heard {scope: $scope, minute: row[0]})
SET h.turns = coalesce(h.turns, 0) + row[1]

// name: read_heard
MATCH (h:Heard {scope: $scope})
USING INDEX SEEK h:Heard(scope, minute)
WHERE h.minute IS NOT NULL
RETURN h.minute AS minute, h.turns AS turns
ORDER BY minute

// name: cover_span
OPTIONAL MATCH (n:Span {scope: $scope})
WHERE n.began <= $ended AND n.ended >= $began
WITH collect(n) AS met
WITH met, reduce(b = $began, n IN met | CASE WHEN n.began < b THEN n.began ELSE b END) AS began,
  reduce(e = $ended, n IN met | CASE WHEN n.ended > e THEN n.ended ELSE e END) AS ended
FOREACH (n IN met | DELETE n)
WITH began, ended
WHERE began < ended
CREATE (:Span {scope: $scope, began: began, ended: ended})

// name: create_spans
UNWIND $rows AS row
CREATE (:Span {scope: $scope, began: row[0], ended: row[1]})

// name: read_spans
MATCH (n:Span {scope: $scope})
USING INDEX SEEK n:Span(scope, began)
WHERE n.began IS NOT NULL
RETURN n.began AS began, n.ended AS ended
ORDER BY began

// part: details
WITH m ORDER BY m.scope, m.seq
RETURN collect(CASE WHEN $names THEN [m.category, m.state, m.agent, m.speaker, m.thread, m.session] END) AS names,
  collect(CASE WHEN $tags THEN coalesce(m.tags, []) END) AS tags,
  collect(CASE WHEN $tags THEN coalesce(m.tag_times, []) END) AS tag_times,
  collect(CASE WHEN $accessors THEN coalesce(m.accessors, '') END) AS accessors,
  collect(CASE WHEN $attributes THEN coalesce(m.attributes, '') END) AS attributes

// name: gather_rows
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq > $after AND m.seq <= $through
WITH m ORDER BY m.scope, m.seq
RETURN collect(m.row) AS rows

// name: gather_details
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq > $after AND m.seq <= $through
@details

// name: gather_some_details
UNWIND $seqs AS seq
MATCH (m:Memory {scope: $scope, seq: seq})
USING INDEX SEEK m:Memory(scope, seq)
@details

// name: select_rows
UNWIND $choices AS choice
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq IS NOT NULL AND all(name IN keys(choice) WHERE CASE name
  WHEN 'tag' THEN any(tag IN coalesce(m.tags, []) WHERE tag IN choice.tag)
  ELSE m[name] IN choice[name] END)
RETURN collect(DISTINCT m.seq) AS seqs

// name: list_resting
UNWIND $seqs AS seq
MATCH (o:Memory {scope: $scope, seq: seq})<-[r:LINKS]-(m:Memory)
USING INDEX SEEK o:Memory(scope, seq)
WHERE type(r) IN $types AND m.status IN $statuses
RETURN seq, collect(DISTINCT m.agent) AS agents

// name: measure_scopes
UNWIND $scopes AS name
OPTIONAL MATCH (m:Memory {scope: name})
WHERE m.seq IS NOT NULL
WITH name, count(m) AS memories, sum(coalesce(m.bytes, 0)) AS bytes
OPTIONAL MATCH (v:Vector {scope: name, model: $own})
WHERE v.seq IS NOT NULL
RETURN name, memories, bytes, sum(coalesce(v.bytes, 0)) AS vectors

// name: page_memories
MATCH (m:Memory {scope: $scope})
USING INDEX SEEK m:Memory(scope, seq)
WHERE m.seq > $after
WITH m ORDER BY m.scope, m.seq LIMIT $limit
RETURN collect(properties(m)) AS memories

// name: list_links
MATCH (a:Memory {scope: $scope})-[r:LINKS]->(b:Memory {scope: $scope})
USING INDEX SEEK a:Memory(scope, seq)
WHERE a.seq IS NOT NULL
RETURN a.seq AS source, b.seq AS target, type(r) AS type, r.row AS row, properties(r) AS values

// name: list_strays
MATCH (a:Memory {scope: $scope})-[r:LINKS]-(b:Memory)
USING INDEX SEEK a:Memory(scope, seq)
WHERE a.seq IS NOT NULL AND b.scope <> $scope
RETURN collect(DISTINCT a.seq) AS seqs
