//! Age, counted on the calendar.

use time::{Date, format_description::BorrowedFormatItem, macros::format_description};

const FORMAT: &[BorrowedFormatItem<'static>] = format_description!("[year]-[month]-[day]");
/// Nobody alive was born before.
const EARLIEST_YEAR: i32 = 1900;

/// A day on which somebody may have been born.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BirthDate(pub Date);

impl BirthDate {
    /// The date of a text `YYYY-MM-DD`: a real one, not after `today` and not before 1900.
    pub fn parse(text: &str, today: Date) -> Option<Self> {
        // The format alone would let a sign stand before the year.
        let shaped = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let date = Date::parse(text, FORMAT).ok().filter(|_| shaped)?;
        (date <= today && date.year() >= EARLIEST_YEAR).then_some(Self(date))
    }
}

/// The age in whole years on a day. Who was born on 29 February grows older on 1 March of other years.
pub fn age_on(birth: BirthDate, today: Date) -> i32 {
    let birth = birth.0;
    let years = today.year() - birth.year();
    let had_birthday = (today.month() as u8, today.day()) >= (birth.month() as u8, birth.day());
    if had_birthday { years } else { years - 1 }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn years_are_counted_on_the_calendar() {
        let cases = [
            (date!(2008 - 11 - 30), date!(2026 - 11 - 29), 17),
            (date!(2008 - 11 - 30), date!(2026 - 11 - 30), 18),
            (date!(2008 - 12 - 01), date!(2026 - 11 - 30), 17),
            (date!(2008 - 01 - 01), date!(2025 - 12 - 31), 17),
            (date!(2008 - 01 - 01), date!(2026 - 01 - 01), 18),
            (date!(2008 - 02 - 29), date!(2026 - 02 - 28), 17),
            (date!(2008 - 02 - 29), date!(2026 - 03 - 01), 18),
            (date!(2008 - 02 - 29), date!(2028 - 02 - 28), 19),
            (date!(2008 - 02 - 29), date!(2028 - 02 - 29), 20),
            (date!(2008 - 02 - 28), date!(2026 - 02 - 28), 18),
            (date!(2026 - 11 - 30), date!(2026 - 11 - 30), 0),
        ];
        for (birth, today, years) in cases {
            assert_eq!(age_on(BirthDate(birth), today), years, "{birth} on {today}");
        }
    }

    #[test]
    fn only_real_dates_of_the_past_are_birth_dates() {
        let today = date!(2026 - 11 - 30);
        for text in ["1990-05-17", "2008-02-29", "1900-01-01", "2026-11-30"] {
            assert!(BirthDate::parse(text, today).is_some(), "{text}");
        }
        let refused = [
            "",
            "1990-5-17",
            "17/05/1990",
            "1990-13-01",
            "1990-00-10",
            "1990-04-31",
            "2007-02-29",
            "1900-02-29",
            "2026-12-01",
            "1899-12-31",
            "+990-05-17",
            "-990-05-17",
            "1990-05-17 ",
            "1990-05-17T00:00",
            "１990-05-1",
        ];
        for text in refused {
            assert!(BirthDate::parse(text, today).is_none(), "{text}");
        }
    }
}
