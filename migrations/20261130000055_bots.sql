-- Bots that anybody can play friendly matches against, as a developer of a client does. Each is a row among the players,
-- so that a match with one is a match like every other; none has an account of the ledger, or a way to log in.
alter table players
    add column bot text,
    add constraint players_bot_known check (bot in ('easy', 'medium', 'hard')),
    add constraint players_bot_has_no_account check (bot is null or guest);
create unique index players_one_bot_a_level on players (bot) where bot is not null;

-- The same identifiers as in server/src/players/bots.rs. The key is as the server folds a name (`i` is `l`). Nobody else is
-- called so: the service's name is reserved.
insert into players (id, guest, display_name, display_name_key, bot) values
    ('019ac000-0000-7000-8000-000000000001', true, 'Stakeboard bot, easy', 'stakeboard bot, easy', 'easy'),
    ('019ac000-0000-7000-8000-000000000002', true, 'Stakeboard bot, medium', 'stakeboard bot, medlum', 'medium'),
    ('019ac000-0000-7000-8000-000000000003', true, 'Stakeboard bot, hard', 'stakeboard bot, hard', 'hard');

-- Money and bots never meet in a match, whatever the server believes.
create function refuse_staked_bot() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
    if exists (select from players where id in (new.first_player, new.second_player) and bot is not null) then
        raise exception 'a bot plays for nothing' using errcode = 'check_violation', constraint = 'matches_no_staked_bot';
    end if;
    return new;
end
$$;
create trigger matches_no_staked_bot before insert or update of stake, first_player, second_player on matches
    for each row when (new.stake > 0) execute function refuse_staked_bot();
