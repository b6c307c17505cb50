-- A checksum of what a memory says (rows.py), so that an altered row is noticed. A row that has none
-- is older than checksums; it gets one when its tenant's store is opened (schema.py).

ALTER TABLE memories ADD COLUMN checksum bytea;
CREATE INDEX memories_unsealed ON memories (tenant) WHERE checksum IS NULL;
