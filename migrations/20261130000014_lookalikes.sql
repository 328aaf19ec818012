-- What a display name looks like, by Unicode's table of confusables: no two players look the same. Worked out by the
-- server, which also fills it in at its start for players of before; null for those who have left for good.
alter table players add column display_name_skeleton text;
create unique index players_display_name_looks_taken on players (display_name_skeleton);
create index players_without_skeleton on players (id) where display_name_skeleton is null and deleted_at is null;
