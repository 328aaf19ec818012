-- Servers of one database agree on what matters.

-- What each of them is set to, by the name of the setting: a list of texts, keys and secrets as their names only. A server
-- that joins others compares its own with those of whoever holds a lease.
alter table nodes add column settings jsonb not null default '{}';
