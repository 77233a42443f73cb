//! `--expect`: what a buffer is to hold after the launches, by its text alone.

use warpsim::host::ArgumentPlace;

/// What a buffer is to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The buffer.
    pub parameter: ArgumentPlace,
    /// INIT, or a file that ends in `.npy`.
    pub contents: String,
}

impl Expectation {
    /// Reads `K=INIT` or `K=FILE.npy`.
    ///
    /// # Errors
    /// The text is neither.
    pub fn parse(text: &str) -> Result<Expectation, String> {
        let wanted = "use K=INIT or K=FILE.npy for parameter K, counted from 0: 1=list:1,3,6 or \
                      1=sums.npy";
        let (parameter, contents) = text.split_once('=').ok_or(wanted)?;
        let parameter = parameter.parse().map_err(|_| wanted)?;
        if contents.is_empty() {
            return Err(wanted.to_owned());
        }
        Ok(Expectation { parameter, contents: contents.to_owned() })
    }
}
