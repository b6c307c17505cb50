#!/bin/sh
# Run once by the image of PostgreSQL, as its superuser: a role that stands under row-level security,
# and a database in which it may make its schema.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$BETHINK_DB_PASSWORD" \
    --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE bethink LOGIN PASSWORD :'password';
CREATE DATABASE memory ENCODING 'UTF8' TEMPLATE template0;
GRANT CREATE ON DATABASE memory TO bethink;
\connect memory
CREATE EXTENSION vector;
SQL
