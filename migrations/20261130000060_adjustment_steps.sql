-- An assignment to the wrong player is reversed: the money is in suspense again, and looks for another player.
alter table adjustments
    drop constraint adjustments_status_known,
    add constraint adjustments_status_known check (
        status in ('waiting', 'done', 'rejected') or (status = 'undone' and kind = 'assignment')
    );
drop index adjustments_once_a_transfer;
create unique index adjustments_once_a_transfer on adjustments (transfer_id) where status in ('waiting', 'done');

-- An adjustment says what was asked for and why. Of that nothing changes, whoever asks, and its state goes one way.
create function refuse_other_adjustment_steps() returns trigger language plpgsql as $$
begin
    if (new.id, new.kind, new.player_id, new.transfer_id, new.amount, new.reason, new.asked_by, new.asked_at)
        is distinct from
        (old.id, old.kind, old.player_id, old.transfer_id, old.amount, old.reason, old.asked_by, old.asked_at)
        or not (
            (old.status = 'waiting' and new.status in ('done', 'rejected'))
            or (old.status = 'done' and new.status = 'undone'
                and (new.decided_by, new.decided_at) is not distinct from (old.decided_by, old.decided_at))
        )
    then
        raise exception 'no such step of an adjustment' using errcode = 'restrict_violation';
    end if;
    return new;
end
$$;
create trigger adjustments_steps before update on adjustments
for each row execute function refuse_other_adjustment_steps();
