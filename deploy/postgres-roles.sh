#!/bin/bash
# Run once by the Postgres image, when its volume is new: the owner of the schema, the role the server works as,
# and the database. The same statements are in docs/operations.md.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set owner_password="$(cat /run/secrets/owner-password)" \
    --set server_password="$(cat /run/secrets/server-password)" <<'SQL'
create role stakeboard_owner login password :'owner_password';
create role stakeboard_server login password :'server_password';
create database stakeboard owner stakeboard_owner;
revoke connect, temporary on database stakeboard from public;
grant connect on database stakeboard to stakeboard_server;
SQL
