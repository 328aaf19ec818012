#!/bin/bash
# Run once by the Postgres image, when its volume is new: the owner of the schema, the role the server works as,
# and the database. The same statements are in README.md.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set owner_password="$STAKEBOARD_OWNER_PASSWORD" --set server_password="$STAKEBOARD_SERVER_PASSWORD" <<'SQL'
create role stakeboard_owner login password :'owner_password';
create role stakeboard_server login password :'server_password';
create database stakeboard owner stakeboard_owner;
revoke connect, temporary on database stakeboard from public;
grant connect on database stakeboard to stakeboard_server;
SQL
