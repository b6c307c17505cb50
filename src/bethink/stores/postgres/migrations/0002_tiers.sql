-- What waits before it is remembered, what is recent, what happened. Spaces go by name here: they
-- need not be there yet. Offers and rulings only grow at their end; what changes stands in standing.

CREATE TABLE offers (
    row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    id text COLLATE "C" NOT NULL,
    source_hash text COLLATE "C" NOT NULL,
    identity text COLLATE "C" NOT NULL,
    details text NOT NULL,
    memory text NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX offers_source ON offers (tenant, source_hash);
CREATE INDEX offers_identity ON offers (tenant, identity);

CREATE TABLE offer_parents (
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    parent text COLLATE "C" NOT NULL,
    offer bigint NOT NULL REFERENCES offers (row) ON DELETE CASCADE,
    PRIMARY KEY (tenant, parent, offer)
);
CREATE INDEX offer_parents_offer ON offer_parents (offer);

CREATE TABLE rulings (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    offer bigint NOT NULL REFERENCES offers (row) ON DELETE CASCADE,
    decision text NOT NULL,
    reason text NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamptz NOT NULL,
    memory_id text NOT NULL,
    undo boolean NOT NULL,
    supersedes text NOT NULL
);
CREATE INDEX rulings_offer ON rulings (offer);

CREATE TABLE standing (
    offer bigint PRIMARY KEY REFERENCES offers (row) ON DELETE CASCADE,
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    space text COLLATE "C" NOT NULL,
    decision text COLLATE "C" NOT NULL,
    ruling bigint NOT NULL
);
CREATE INDEX standing_space ON standing (tenant, space, decision);
CREATE INDEX standing_decision ON standing (tenant, decision);

CREATE TABLE working (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the greater, the newer
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    id text COLLATE "C" NOT NULL,
    space text COLLATE "C" NOT NULL,
    expires_at timestamptz NOT NULL,
    memory text NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX working_space ON working (tenant, space, number);
CREATE INDEX working_expiry ON working (tenant, expires_at);

CREATE TABLE events (
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    id bigint NOT NULL,
    at timestamptz NOT NULL,
    kind text COLLATE "C" NOT NULL,
    spaces text[] COLLATE "C" NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (tenant, id)
);
