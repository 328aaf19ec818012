-- How a lease came to its end.

-- Whether others ended the lease because the node was silent for too long, rather than the node itself as it stopped. An
-- operator is told of matches that were handed over, as after each release, apart from those that were taken over.
alter table nodes add column silenced boolean not null default false;
