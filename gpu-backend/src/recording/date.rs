//! Days since 1970 as dates of the Gregorian calendar.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today, in UTC, by the system's clock: `2026-03-01`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    civil(since.as_secs() / 86_400)
}

/// The date this many days after 1970-01-01.
///
/// ```
/// assert_eq!(warpsim_gpu::recording::civil(0), "1970-01-01");
/// assert_eq!(warpsim_gpu::recording::civil(19_782), "2024-02-29");
/// ```
pub fn civil(days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    // In steps of 400 years, which are 146097 days each, then year by year.
    let (mut year, mut left) = (1970 + days / 146_097 * 400, days % 146_097);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates_across_leap_years_and_centuries() {
        // From `date -u -d @$((DAYS * 86400)) +%F`.
        let known = [
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (364, "1970-12-31"),
            (365, "1971-01-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (11_322, "2000-12-31"),
            (11_323, "2001-01-01"),
            (20_513, "2026-03-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (146_097, "2370-01-01"),
        ];
        for (days, date) in known {
            assert_eq!(civil(days), date, "{days}");
        }
    }

    #[test]
    fn today_is_a_date_of_this_century() {
        let today = today();
        assert!(today.starts_with("20") && today.len() == 10, "{today}");
    }
}
