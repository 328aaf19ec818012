-- Rematches (MA-9): what follows the end of a match in its journal, and the proposals that are open.

alter table match_events drop constraint match_events_kind_known;
alter table match_events add constraint match_events_kind_known check (
    kind in (
        'moved', 'draw_offered', 'draw_declined', 'clock_credited', 'ended',
        'rematch_proposed', 'rematch_declined', 'rematch_started'
    )
) not valid;

-- An open proposal. That it was made stands in the journal; this row is what a pairing, a break or an absence takes away.
create table rematches (
    match_id uuid primary key references matches on delete cascade,
    -- What the next match will be called: two who agree at once meet in one match.
    next_match uuid not null,
    proposer uuid not null references players,
    rival uuid not null references players,
    -- By the clock of the server, which compares it with its own start.
    proposed_at timestamptz not null
);
create index rematches_by_proposer on rematches (proposer);
create index rematches_by_rival on rematches (rival);
grant select, insert, update, delete on rematches to stakeboard_server;
