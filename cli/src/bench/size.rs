//! The size of a workload: `NAME@SIZE`, and the small sizes for counting instructions.

use std::fmt;

/// The sizes that a workload can have.
pub(crate) struct Sizes {
    /// The unit that it counts, in the plural.
    pub(crate) unit: &'static str,
    /// The usual one.
    pub(crate) usual: u64,
    /// One that takes few instructions, for runs under an instrument that slows down.
    pub(crate) small: u64,
    /// A size is a multiple of this.
    pub(crate) step: u64,
    /// The largest that the kernel and its oracle can do.
    pub(crate) largest: u64,
}

/// A size that a workload cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoSuchSize {
    text: String,
    unit: &'static str,
    step: u64,
    largest: u64,
}

impl fmt::Display for NoSuchSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuchSize { text, unit, step, largest } = self;
        write!(f, "`{text}` is not a valid number of {unit}: ")?;
        write!(f, "use a multiple of {step} up to {largest}, such as `{step}` or `2^K`")
    }
}

impl Sizes {
    /// What a text like `4096` or `2^22` says.
    pub(super) fn parse(&self, text: &str) -> Result<u64, NoSuchSize> {
        let number = match text.split_once('^') {
            Some((base, exponent)) => match (base.parse::<u64>(), exponent.parse()) {
                (Ok(base), Ok(exponent)) => base.checked_pow(exponent),
                _ => None,
            },
            None => text.parse().ok(),
        };
        let fits = |n: &u64| (1..=self.largest).contains(n) && n.is_multiple_of(self.step);
        let Sizes { unit, step, largest, .. } = *self;
        number.filter(fits).ok_or_else(|| NoSuchSize { text: text.to_owned(), unit, step, largest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_or_a_power_that_the_kernel_can_do() {
        let sizes = Sizes { unit: "points", usual: 256, small: 256, step: 256, largest: 1 << 20 };
        assert_eq!(sizes.parse("512"), Ok(512));
        assert_eq!(sizes.parse("2^20"), Ok(1 << 20));
        for wrong in ["", "0", "2^0", "300", "2^21", "2^64", "2^", "^2", "-256", "256 "] {
            assert!(sizes.parse(wrong).is_err(), "{wrong}");
        }
        let message = sizes.parse("300").unwrap_err().to_string();
        let expected = "`300` is not a valid number of points: use a multiple of 256 up to 1048576, such as `256` or `2^K`";
        assert_eq!(message, expected);
    }
}
