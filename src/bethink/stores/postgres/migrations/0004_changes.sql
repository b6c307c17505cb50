-- What changed, for engines that follow this store: names only, and only while a tenant is followed.
-- A set, not a log: what changes again takes a new number and gives up the old one.

ALTER TABLE tenants
    ADD COLUMN followed boolean NOT NULL DEFAULT false,
    ADD COLUMN last_change bigint NOT NULL DEFAULT 0,
    ADD COLUMN changes_dropped bigint NOT NULL DEFAULT 0; -- up to this number some may be gone

CREATE TABLE changes (
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    number bigint NOT NULL,
    what text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    space bigint, -- of a memory: its changes go when the whole space does
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, what, name)
);
CREATE INDEX changes_number ON changes (tenant, number);

CREATE TABLE followers (
    tenant bigint NOT NULL DEFAULT nullif(current_setting('bethink.tenant', true), '')::bigint,
    name text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (tenant, name)
);
