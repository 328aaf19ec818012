-- What a server of migration 21 left when it was killed in the middle of play: two staked matches and a friendly one under
-- way, and one that has ended. The journal was one table then, a node had no lease, and nobody was looked for by rating.

insert into nodes (id, started_at, heartbeat_at)
values ('01930000-0000-7000-8000-000000000001', '2026-11-01 11:00:00+00', '2026-11-01 12:00:05+00');

insert into players (id, guest, email, email_key, display_name, display_name_key, password_hash, birth_date)
select id::uuid, false, name || '@test.example', name || '@test.example', name, name, 'none', '1990-01-01'
from (values
    ('01930000-0000-7000-8000-00000000000a', 'ana'), ('01930000-0000-7000-8000-00000000000b', 'bia'),
    ('01930000-0000-7000-8000-00000000000c', 'caio'), ('01930000-0000-7000-8000-00000000000d', 'davi')
) as p (id, name);

select open_account('01930000-0000-7000-8000-0000000000e0', 'external', 'BRL', null, null, null);
select open_account('01930000-0000-7000-8000-0000000000e1', 'adjustment', 'BRL', null, null, null);
select open_account(('01930000-0000-7000-8000-0000000001' || lpad(to_hex(stripe), 2, '0'))::uuid,
    'house_fee', 'BRL', null, null, stripe::smallint)
from generate_series(0, 15) stripe;
select open_account(gen_random_uuid(), 'player', 'BRL', id, null, null) from players order by id;

-- Each paid in 1,000.
insert into deposits (id, player_id, amount, status, ended_at)
select id, id, 1000, 'completed', '2026-11-01 11:10:00+00' from players;
select post_transfers('deposit:' || a.player_id, null, array[gen_random_uuid()], array['deposit'],
    array['01930000-0000-7000-8000-0000000000e0'::uuid], array[a.id], array[1000::bigint])
from accounts a where a.kind = 'player' order by a.player_id;

insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
select id::uuid, 'oware', '{"grand_slam": "no_capture"}', stake, first::uuid, second::uuid, 600000,
    started::timestamptz, '01930000-0000-7000-8000-000000000001'
from (values
    -- Ended before.
    ('01930000-0000-7000-8000-0000000000f0', 50, '01930000-0000-7000-8000-00000000000a',
        '01930000-0000-7000-8000-00000000000b', '2026-11-01 11:20:00+00'),
    -- After four moves, with an offer of a draw.
    ('01930000-0000-7000-8000-0000000000f1', 100, '01930000-0000-7000-8000-00000000000a',
        '01930000-0000-7000-8000-00000000000b', '2026-11-01 11:58:00+00'),
    -- Just begun.
    ('01930000-0000-7000-8000-0000000000f2', 200, '01930000-0000-7000-8000-00000000000c',
        '01930000-0000-7000-8000-00000000000d', '2026-11-01 12:00:03+00'),
    ('01930000-0000-7000-8000-0000000000f3', 0, '01930000-0000-7000-8000-00000000000a',
        '01930000-0000-7000-8000-00000000000c', '2026-11-01 11:59:00+00')
) as m (id, stake, first, second, started);

select hold_stakes('01930000-0000-7000-8000-0000000000f0', gen_random_uuid(), array[gen_random_uuid(), gen_random_uuid()]);
select hold_stakes('01930000-0000-7000-8000-0000000000f1', gen_random_uuid(), array[gen_random_uuid(), gen_random_uuid()]);
select hold_stakes('01930000-0000-7000-8000-0000000000f2', gen_random_uuid(), array[gen_random_uuid(), gen_random_uuid()]);

insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
select id::uuid, seq, 1, kind, seat, detail, first_ms, second_ms, at::timestamptz
from (values
    ('01930000-0000-7000-8000-0000000000f0', 1, 'ended', 'second', 'resignation', 599000, 600000, '2026-11-01 11:20:01+00'),
    ('01930000-0000-7000-8000-0000000000f1', 1, 'moved', 'first', 'C', 590000, 600000, '2026-11-01 11:58:10+00'),
    ('01930000-0000-7000-8000-0000000000f1', 2, 'moved', 'second', 'b', 590000, 580000, '2026-11-01 11:58:30+00'),
    ('01930000-0000-7000-8000-0000000000f1', 3, 'moved', 'first', 'D', 560000, 580000, '2026-11-01 11:59:00+00'),
    ('01930000-0000-7000-8000-0000000000f1', 4, 'moved', 'second', 'a', 560000, 540000, '2026-11-01 11:59:40+00'),
    ('01930000-0000-7000-8000-0000000000f1', 5, 'draw_offered', 'second', null, 540000, 540000, '2026-11-01 12:00:00+00')
) as e (id, seq, kind, seat, detail, first_ms, second_ms, at);

update matches set status = 'ended', ended_at = '2026-11-01 11:20:01+00', winner = 'second', ending = 'resignation',
    payout = 90, fee = 10
where id = '01930000-0000-7000-8000-0000000000f0';
select settle_stakes('01930000-0000-7000-8000-0000000000f0', 'win', '01930000-0000-7000-8000-00000000000b',
    array[gen_random_uuid(), gen_random_uuid()]);

insert into live_stakes (player_id, match_id) values
    ('01930000-0000-7000-8000-00000000000a', '01930000-0000-7000-8000-0000000000f1'),
    ('01930000-0000-7000-8000-00000000000b', '01930000-0000-7000-8000-0000000000f1'),
    ('01930000-0000-7000-8000-00000000000c', '01930000-0000-7000-8000-0000000000f2'),
    ('01930000-0000-7000-8000-00000000000d', '01930000-0000-7000-8000-0000000000f2');
