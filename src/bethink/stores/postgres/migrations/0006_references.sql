-- What a row refers to is of its own tenant, too. Foreign keys and unique indexes are looked at past
-- row-level security: a row of one tenant could name a space, a memory or an offer of another, hold a
-- place there that the other then cannot take, and learn that it exists. So what is written must
-- refer to something that its tenant sees. A memory's space was looked at when it was written; what
-- belongs to a memory in a space is looked at where both are known.
--
-- TRUNCATE heeds no policy; nobody here needs it.

DO $$
DECLARE
    own text := 'tenant = (SELECT nullif(current_setting(''bethink.tenant'', true), '''')::bigint)';
    in_space text := 'EXISTS (SELECT FROM spaces s WHERE s.id = space)';
    of_offer text := 'EXISTS (SELECT FROM offers o WHERE o.row = offer)';
    wall record;
BEGIN
    FOR wall IN
        SELECT * FROM (VALUES
            ('memories', in_space),
            ('segments', in_space),
            ('words', in_space),
            ('embedded', in_space),
            ('labels', in_space),
            ('changes', 'space IS NULL OR ' || in_space),
            ('passages', 'EXISTS (SELECT FROM memories m WHERE m.row = memory AND m.space = passages.space)'),
            ('revisions', 'EXISTS (SELECT FROM memories m WHERE m.row = memory)'),
            ('offer_parents', of_offer),
            ('rulings', of_offer),
            ('standing', of_offer || ' AND EXISTS (SELECT FROM rulings r WHERE r.number = ruling)')
        ) AS named (name, refers)
        UNION ALL
        SELECT c.relname, in_space FROM pg_class c -- those of vectors, as schema.py makes new ones
        WHERE c.relnamespace = 'bethink'::regnamespace AND c.relkind = 'r'
            AND c.relname ~ '^vectors_'
    LOOP
        EXECUTE format(
            'ALTER POLICY own_tenant ON %I WITH CHECK (%s AND (%s))', wall.name, own, wall.refers
        );
    END LOOP;
END $$;

REVOKE TRUNCATE ON ALL TABLES IN SCHEMA bethink FROM CURRENT_USER;
