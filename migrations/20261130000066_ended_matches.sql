-- What a match for a stake came to stays as it was settled, and is never removed: reports and receipts go by it. A friendly
-- one is forgotten in time.
create trigger matches_stay_as_they_ended before update on matches
    for each row when (old.status = 'ended' and old.stake > 0) execute function refuse_change();
create trigger matches_for_a_stake_stay before delete on matches
    for each row when (old.stake > 0) execute function refuse_change();
