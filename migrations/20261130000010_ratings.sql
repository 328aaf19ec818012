-- Ratings: one a player and game, by Glicko-2, from staked matches only. Numbers of skill, never of money.

create table ratings (
    player_id uuid not null references players,
    game text not null,
    rating double precision not null,
    -- As of `rated_at`: it grows with idle time.
    deviation double precision not null,
    volatility double precision not null,
    won integer not null default 0,
    drawn integer not null default 0,
    lost integer not null default 0,
    rated_at timestamptz not null,
    -- Until then the deviation stays below the bound of the leaderboards, also if nothing more is played; null where
    -- it is not below it.
    settled_until timestamptz,
    primary key (player_id, game),
    constraint ratings_of_some_match check (won >= 0 and drawn >= 0 and lost >= 0 and won + drawn + lost > 0),
    constraint ratings_in_range check (deviation > 0 and deviation <= 350 and volatility > 0)
) with (fillfactor = 80);
create index ratings_best on ratings (game, rating desc, player_id) where settled_until is not null;
grant select, insert, update on ratings to stakeboard_server;

-- What each staked match did to the ratings of its two players. The numbers of a player's matches of a game count up by
-- one: of two settlements that started from the same rating one meets the constraint.
create table rating_changes (
    player_id uuid not null references players,
    match_id uuid not null references matches,
    game text not null,
    number integer not null,
    result text not null,
    rating_before double precision not null,
    -- With what the idle time before the match added.
    deviation_before double precision not null,
    rating double precision not null,
    deviation double precision not null,
    volatility double precision not null,
    rated_at timestamptz not null,
    primary key (player_id, match_id),
    constraint rating_changes_in_order unique (player_id, game, number),
    constraint rating_changes_result_known check (result in ('won', 'drawn', 'lost')),
    constraint rating_changes_number_positive check (number > 0)
);
create index rating_changes_by_match on rating_changes (match_id);
create trigger rating_changes_append_only before update or delete or truncate on rating_changes
    for each statement execute function refuse_change();
grant select, insert on rating_changes to stakeboard_server;

-- What a match did to the ratings of its players, written down and put into effect. In the transaction that settles it.
create function change_ratings(p_match uuid, p_game text, p_at timestamptz, p_changes jsonb)
returns void language sql as $$
    insert into rating_changes
        (player_id, match_id, game, number, result, rating_before, deviation_before, rating, deviation, volatility, rated_at)
    select c.player_id, p_match, p_game, c.number, c.result, c.rating_before, c.deviation_before, c.rating, c.deviation,
        c.volatility, p_at
    from jsonb_to_recordset(p_changes) as c (
        player_id uuid, number integer, result text, rating_before double precision, deviation_before double precision,
        rating double precision, deviation double precision, volatility double precision
    );
    insert into ratings as r
        (player_id, game, rating, deviation, volatility, won, drawn, lost, rated_at, settled_until)
    select c.player_id, p_game, c.rating, c.deviation, c.volatility,
        (c.result = 'won')::integer, (c.result = 'drawn')::integer, (c.result = 'lost')::integer, p_at, c.settled_until
    from jsonb_to_recordset(p_changes) as c (
        player_id uuid, result text, rating double precision, deviation double precision, volatility double precision,
        settled_until timestamptz
    )
    on conflict (player_id, game) do update set
        rating = excluded.rating, deviation = excluded.deviation, volatility = excluded.volatility,
        won = r.won + excluded.won, drawn = r.drawn + excluded.drawn, lost = r.lost + excluded.lost,
        rated_at = excluded.rated_at, settled_until = excluded.settled_until;
$$;
