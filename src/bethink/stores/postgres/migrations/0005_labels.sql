-- What filters ask for by name: tags, entities, where from, and kinds other than the usual one.
-- A policy must be checked before an operator that is not leakproof, so no index on tags itself
-- could be used. A label is the beginning of a hash (labels.py), since names may be of any length:
-- what it finds is looked at again.

CREATE TABLE labels (
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    space bigint NOT NULL,
    label bigint NOT NULL,
    memory bigint NOT NULL,
    PRIMARY KEY (space, label, memory)
);

-- of all tenants, once: the owner of the table may look past its own policy
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
INSERT INTO labels (tenant, space, label, memory)
SELECT DISTINCT m.tenant, m.space,
    ('x' || left(encode(sha256(convert_to(n.field || ' ' || n.value, 'UTF8')), 'hex'), 16))
        ::bit(64)::bigint, m.row
FROM memories m, LATERAL (
    SELECT 'tags' AS field, value FROM jsonb_array_elements_text(m.tags) AS value
    UNION ALL SELECT 'entities', value FROM jsonb_array_elements_text(m.entities) AS value
    UNION ALL SELECT 'source', m.source WHERE m.source <> ''
    UNION ALL SELECT 'kind', m.kind WHERE m.kind <> 'note'
) n;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
