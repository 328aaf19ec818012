//! The stable codes of errors, the same over HTTP and on the socket.

/// Declares the codes with their HTTP status, so that neither list can miss one.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $status:literal;)*) => {
        /// What went wrong, as a client's program sees it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as it is sent.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The HTTP status it is answered with.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

codes! {
    /// A field, parameter or frame is not of the documented form.
    InvalidRequest = "invalid_request", 422;
    /// No valid token of a session that still runs.
    Unauthenticated = "unauthenticated", 401;
    /// A callback without a signature that holds, or from another time.
    BadSignature = "bad_signature", 401;
    /// The address or the password is wrong; which one is not said.
    BadCredentials = "bad_credentials", 401;
    /// The password is right; a code of the second factor is needed too.
    CodeNeeded = "code_needed", 401;
    /// The code of the second factor is wrong, too old, or was used.
    BadCode = "bad_code", 401;
    /// The password was given by the operator: one of the player's own has to take its place.
    NewPasswordNeeded = "new_password_needed", 401;
    /// The staff's work needs a session that began with a second factor.
    SecondFactorNeeded = "second_factor_needed", 403;
    /// The second factor is on already, or was not begun.
    SecondFactorSettled = "second_factor_settled", 409;
    /// The caller's role does not allow it.
    Forbidden = "forbidden", 403;
    /// The page that opens the socket is of another site.
    OriginRefused = "origin_refused", 403;
    /// Only the two players of a match may act in it.
    NotAPlayer = "not_a_player", 403;
    /// A guest can't handle money.
    AccountNeeded = "account_needed", 403;
    /// The player whom the staff would act on is a guest.
    GuestAccount = "guest_account", 403;
    /// The password of one of the staff is not for others of the staff to reset.
    StaffAccount = "staff_account", 403;
    /// There is no such thing, or it is not for the caller to see.
    NotFound = "not_found", 404;
    /// A friendly match: nobody paid for it and nobody was paid.
    NoReceipt = "no_receipt", 404;
    /// The ledger has no seal yet.
    NothingSealed = "nothing_sealed", 404;
    /// The path exists, the method does not.
    MethodNotAllowed = "method_not_allowed", 405;
    /// The request took too long to arrive or to answer.
    RequestTimeout = "request_timeout", 408;
    /// The body is larger than the limit.
    PayloadTooLarge = "payload_too_large", 413;
    /// The body is not `application/json`.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// Too many requests in too short a time.
    RateLimited = "rate_limited", 429;
    /// More open seeks than a player may have.
    TooManySeeks = "too_many_seeks", 429;
    /// More open tables than a player may have.
    TooManyTables = "too_many_tables", 429;
    /// More friendly matches at once than a player may be in.
    TooManyMatches = "too_many_matches", 429;
    /// Money calls need an `Idempotency-Key`.
    IdempotencyKeyMissing = "idempotency_key_missing", 400;
    /// The `Idempotency-Key` is empty, too long or of other characters than it may be.
    BadIdempotencyKey = "bad_idempotency_key", 400;
    /// The key was used before with another body.
    IdempotencyKeyReused = "idempotency_key_reused", 422;
    /// The first request with this key is still under way.
    IdempotencyInProgress = "idempotency_in_progress", 409;
    /// The address has an account.
    EmailTaken = "email_taken", 409;
    /// The name is taken, or looks like one that is.
    DisplayNameTaken = "display_name_taken", 409;
    /// Below the configured age.
    Underage = "underage", 422;
    /// The password is too easy to guess.
    WeakPassword = "weak_password", 422;
    /// An account can't be signed up for again with its own token.
    AlreadyRegistered = "already_registered", 409;
    /// The account has money, a pending deposit, a withdrawal under way or a live match.
    AccountInUse = "account_in_use", 409;
    /// The caller has reported the match before.
    AlreadyReported = "already_reported", 409;
    /// The match has ended.
    MatchOver = "match_over", 409;
    /// The match goes on: what is asked for comes after its end.
    MatchNotOver = "match_not_over", 409;
    /// It is the rival's turn.
    NotYourTurn = "not_your_turn", 409;
    /// The move was meant for another position.
    StalePly = "stale_ply", 409;
    /// The rules of the game forbid the move; `reason` says which one.
    IllegalMove = "illegal_move", 422;
    /// The caller has a live staked match.
    AlreadyPlaying = "already_playing", 409;
    /// The caller has a live staked match of this game: the bots are closed to them.
    PlayingForStakes = "playing_for_stakes", 409;
    /// There is no move of the caller's to take back.
    NothingToUndo = "nothing_to_undo", 409;
    /// The caller has less than the amount available.
    InsufficientFunds = "insufficient_funds", 409;
    /// The caller has a withdrawal that has not come to its end.
    WithdrawalOpen = "withdrawal_open", 409;
    /// The withdrawal has been decided on, or cancelled.
    WithdrawalDecided = "withdrawal_decided", 409;
    /// The payment provider has not been asked for the withdrawal, or has answered.
    NotSubmitted = "not_submitted", 409;
    /// Withdrawals can't be cancelled here.
    CancellationOff = "cancellation_off", 409;
    /// No new staked matches for now: all, of this game, or for this player.
    StakesClosed = "stakes_closed", 409;
    /// The stake is not the one the caller agreed to.
    StakeChanged = "stake_changed", 409;
    /// The poster is not there.
    HostAway = "host_away", 409;
    /// The host of the table is in another match.
    HostPlaying = "host_playing", 409;
    /// The table is no longer open, or never was.
    TableGone = "table_gone", 409;
    /// The seek is no longer open.
    SeekGone = "seek_gone", 409;
    /// The account is frozen: no new stakes, no deposits.
    Frozen = "frozen", 403;
    /// The operator requires a verified identity.
    IdentityNeeded = "identity_needed", 403;
    /// Whoever asked for something can't be the one who approves it.
    OwnRequest = "own_request", 403;
    /// It has been approved or rejected before.
    AlreadyDecided = "already_decided", 409;
    /// Whoever asked for it is no administrator any more: it can only be rejected.
    AskerGone = "asker_gone", 409;
    /// The transfer is one step of several, or not in suspense, or in another currency.
    NotCorrectable = "not_correctable", 409;
    /// The transfer has been reversed or assigned before, or waits for that.
    AlreadyCorrected = "already_corrected", 409;
    /// The player's balance would go below zero or beyond what can be counted.
    BalanceOutOfBounds = "balance_out_of_bounds", 409;
    /// The player takes a break or has excluded themselves, to the time in `until`.
    OnBreak = "on_break", 403;
    /// It would be above a limit the player has set; `limit` names it.
    LimitReached = "limit_reached", 409;
    /// The staff does not act on its own account.
    OwnAccount = "own_account", 422;
    /// Nobody plays against themselves.
    OwnSeek = "own_seek", 422;
    /// The same, at a table.
    OwnTable = "own_table", 422;
    /// The rival has no draw offer open.
    NoOpenOffer = "no_open_offer", 409;
    /// The draw offer named is no longer open.
    OfferGone = "offer_gone", 409;
    /// The caller's last draw offer is still open.
    OfferOpen = "offer_open", 409;
    /// The rival has not moved since the caller's last draw offer was turned down.
    OfferTooSoon = "offer_too_soon", 409;
    /// No proposal of a rematch is open that this could be about, or its proposer can no longer play.
    RematchGone = "rematch_gone", 409;
    /// The socket did not read what was sent to it.
    TooSlow = "too_slow", 429;
    /// A newer socket of the same player took its place.
    TooMany = "too_many", 429;
    /// A frame that is not JSON text of at most 4 KiB.
    Protocol = "protocol", 400;
    /// Every bot that could play is taken.
    BotsBusy = "bots_busy", 503;
    /// More work than can be taken on now.
    Overloaded = "overloaded", 503;
    /// The service can't write at the moment; clocks stand still. What was under way may have been done.
    Paused = "paused", 503;
    /// The server is going down; another or the same one is back soon.
    Stopping = "stopping", 503;
    /// The service's own fault.
    Internal = "internal", 500;
}
