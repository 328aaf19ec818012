-- Money for a deposit whose player has deleted the account meanwhile: there is nobody to credit it to.
alter table payments drop constraint payments_suspense_known, add constraint payments_suspense_known check (
    suspense in (
        'unknown_reference', 'wrong_currency', 'wrong_amount', 'already_paid', 'not_submitted', 'no_room',
        'account_deleted'
    )
);
