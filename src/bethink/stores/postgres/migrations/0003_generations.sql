-- Under which mark a space stands: another one after every change that a question could notice.
-- Drawn by lot, so that a backup that was put back, and went on otherwise, has no mark in common with
-- what it might have become. Triggers see to it, in the transaction of the change itself.

ALTER TABLE tenants ADD COLUMN identity uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE spaces ADD COLUMN mark uuid NOT NULL DEFAULT gen_random_uuid();

CREATE FUNCTION spaces_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.mark := gen_random_uuid();
    RETURN NEW;
END $$;
-- the counts of a space change with everything that its searches see
CREATE TRIGGER changed BEFORE UPDATE ON spaces FOR EACH ROW EXECUTE FUNCTION spaces_changed();

CREATE FUNCTION memories_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bethink.spaces SET mark = DEFAULT WHERE id = NEW.space;
    RETURN NULL;
END $$;
-- what no count shows; that a memory was accessed is no change
CREATE TRIGGER changed AFTER UPDATE ON memories FOR EACH ROW
    WHEN ((OLD.identity, OLD.content, OLD.kind, OLD.section, OLD.tags, OLD.entities, OLD.source,
           OLD.provenance, OLD.confidence, OLD.occurred_at, OLD.created_at, OLD.updated_at,
           OLD.valid_from, OLD.valid_to, OLD.reinforcement, OLD.metadata)
          IS DISTINCT FROM
          (NEW.identity, NEW.content, NEW.kind, NEW.section, NEW.tags, NEW.entities, NEW.source,
           NEW.provenance, NEW.confidence, NEW.occurred_at, NEW.created_at, NEW.updated_at,
           NEW.valid_from, NEW.valid_to, NEW.reinforcement, NEW.metadata))
    EXECUTE FUNCTION memories_changed();

-- when something begins or ceases to hold by itself
CREATE INDEX memories_valid_from ON memories (space, valid_from) WHERE valid_from IS NOT NULL;
CREATE INDEX memories_valid_to ON memories (space, valid_to) WHERE valid_to IS NOT NULL;
