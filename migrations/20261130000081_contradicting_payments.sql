-- A payment that was told of before, and now otherwise: nothing is booked, and somebody has to look.
alter table payment_events drop constraint payment_events_outcome_known, add constraint payment_events_outcome_known check (
    outcome in (
        'credited', 'failed', 'paid', 'returned', 'suspense', 'repeated', 'contradicts', 'ignored', 'unmatched',
        'unknown_type', 'unreadable'
    )
);
