-- What the staff did: who, when, to whom, and why (O-1). Kept like the ledger: rows are only added.

create table audit_log (
    id uuid primary key,
    at timestamptz not null default clock_timestamp(),
    -- Null for an act on the command line of the server's machine.
    actor uuid references players,
    action text not null,
    -- Whose data was read or whose affairs were changed.
    player_id uuid references players,
    -- What else it was about: a match, a withdrawal, a switch …
    subject text,
    reason text,
    detail jsonb
);
create index audit_log_by_actor on audit_log (actor, id);
create index audit_log_by_player on audit_log (player_id, id);
create trigger audit_log_append_only before update or delete or truncate on audit_log
    for each statement execute function refuse_change();
grant select, insert on audit_log to stakeboard_server;
