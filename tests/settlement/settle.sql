-- The end of a match as server/src/matches/settle.rs writes it, in its one statement: the last entry of the journal, the
-- outcome, both players set free, and the payout.
with this as (
    select id, first from bench_matches where n = (select nextval('bench_next'))
), ended as (
    update matches set
        status = 'ended', ended_at = clock_timestamp(), winner = 'first', ending = 'resignation', payout = 900, fee = 100
    from this
    where matches.id = this.id and owner = '00000000-0000-0000-0000-000000000001' and epoch = 1 and status = 'live'
    returning matches.id, this.first
), rows as (
    insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
    select e.id, r.seq, 1, r.kind, r.seat, r.detail, r.first_ms, r.second_ms, r.at
    from ended e, unnest(array[1], array['ended'], array[null::text], array['resignation'], array[600000], array[600000],
                         array[clock_timestamp()]) as r (seq, kind, seat, detail, first_ms, second_ms, at)
), freed as (
    delete from live_stakes using ended where match_id = ended.id
)
select settle_stakes(id, 'win', first, array[gen_random_uuid(), gen_random_uuid()]) from ended;
