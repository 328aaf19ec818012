-- A password that the operator gave to who has lost theirs: good until then, for one log-in, which puts one of the
-- player's own in its place. Null for a password that its owner has chosen.
alter table players add column password_expires_at timestamptz;
