//! Who counts as there to be paired, and who as gone: pure rules over what is known of a player's sockets.

use std::time::{Duration, Instant};

use crate::bus::Presence;

/// How long a poster may be without a socket.
pub const AWAY: Duration = Duration::from_secs(15);

/// Whether a poster can be paired: a socket is open, or they posted a moment ago and have opened no socket since. (One
/// that was open before, and closes after, says nothing: it may be the line that was lost before they posted.)
/// `posted` is `None` for a posting from before this process: then only a socket counts.
pub fn is_there(presence: Presence, posted: Option<Instant>, now: Instant) -> bool {
    let lately = posted.is_some_and(|posted| now.saturating_duration_since(posted) < AWAY);
    match presence {
        Presence::Online => true,
        Presence::Left { opened, .. } => lately && posted.is_some_and(|posted| opened < posted),
        Presence::Unseen => lately,
    }
}

/// Whether a posting is to be withdrawn: for [`AWAY`] there has been no socket, counted from the posting, or from
/// the start of the process where that is later.
pub fn is_gone(presence: Presence, posted: Instant, now: Instant) -> bool {
    let since = match presence {
        Presence::Online => return false,
        Presence::Left { left, .. } => left.max(posted),
        Presence::Unseen => posted,
    };
    now.saturating_duration_since(since) >= AWAY
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "any instant will do as the start of a table")]
    use super::*;

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    fn left(start: Instant, opened: u64, left: u64) -> Presence {
        Presence::Left { opened: after(start, opened), left: after(start, left) }
    }

    #[test]
    fn a_poster_is_there_with_a_socket_or_for_a_moment_after_posting_without_one() {
        let start = Instant::now();
        let now = after(start, 100);
        let cases = [
            (Presence::Online, None, true),
            (Presence::Online, Some(after(start, 0)), true),
            (Presence::Unseen, None, false),
            (Presence::Unseen, Some(after(start, 86)), true),
            (Presence::Unseen, Some(after(start, 85)), false),
            (left(start, 40, 50), Some(after(start, 90)), true),
            // A socket that was open before the posting was found to be closed after it.
            (left(start, 40, 95), Some(after(start, 90)), true),
            (left(start, 40, 95), Some(after(start, 85)), false),
            // A socket was opened after the posting and closed again: they left.
            (left(start, 91, 95), Some(after(start, 90)), false),
            (left(start, 91, 95), None, false),
        ];
        for (presence, posted, there) in cases {
            assert_eq!(is_there(presence, posted, now), there, "{presence:?} {posted:?}");
        }
    }

    #[test]
    fn a_posting_goes_after_fifteen_seconds_without_a_socket() {
        let start = Instant::now();
        let now = after(start, 100);
        let cases = [
            (Presence::Online, after(start, 0), false),
            (Presence::Unseen, after(start, 85), true),
            (Presence::Unseen, after(start, 86), false),
            (left(start, 5, 85), after(start, 10), true),
            (left(start, 5, 86), after(start, 10), false),
            (left(start, 5, 10), after(start, 90), false),
        ];
        for (presence, posted, gone) in cases {
            assert_eq!(is_gone(presence, posted, now), gone, "{presence:?}");
        }
    }
}
