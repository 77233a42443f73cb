//! Where memory was allocated and freed, for messages about it.
//!
//! This is kept if launches are checked, for memory that is gone, too: a message about an access to
//! it has both places. A place takes some hundred bytes. A place that many pieces of memory have is
//! kept once (see [`crate::Host::site`]).

use std::collections::BTreeMap;

use warpsim::report::{Code, Finding};

use crate::host::Site;
use crate::state::Call;

/// The places of all memory that there is and was, by its first address.
#[derive(Debug, Default)]
pub(crate) struct Lives(BTreeMap<u64, Life>);

#[derive(Debug)]
struct Life {
    bytes: u64,
    allocated: Option<Box<dyn Site>>,
    /// It was freed, and where.
    freed: Option<Option<Box<dyn Site>>>,
}

impl Lives {
    /// The memory at an address: the live one, or else the last one there.
    fn around(&self, address: u64) -> Option<&Life> {
        let (base, life) = self.0.range(..=address).next_back()?;
        (address - base < life.bytes).then_some(life)
    }

    /// Whether an address is one of memory that was freed.
    pub(crate) fn is_freed(&self, address: u64) -> bool {
        self.around(address).is_some_and(|life| life.freed.is_some())
    }

    /// Where the memory at an address was allocated, and where it was freed, in words.
    pub(crate) fn notes(&self, address: u64) -> Vec<String> {
        let Some(life) = self.around(address) else { return Vec::new() };
        let place = |site: &Option<Box<dyn Site>>| site.as_ref().and_then(|site| site.text());
        let allocated = place(&life.allocated).map(|at| format!("allocated by {at}"));
        let freed = life.freed.as_ref().and_then(place).map(|at| format!("freed by {at}"));
        allocated.into_iter().chain(freed).collect()
    }

    /// Adds to each finding of an access to freed memory where the memory was freed.
    pub(crate) fn explain(&self, findings: &mut [Finding]) {
        for finding in findings.iter_mut().filter(|one| one.code == Code::UseAfterFree) {
            let notes = finding.address.map_or_else(Vec::new, |address| self.notes(address));
            finding.notes.extend(notes);
        }
    }
}

impl Call<'_> {
    /// Memory is there from now on, allocated by the call that is being carried out.
    pub(crate) fn is_allocated(&mut self, base: u64, bytes: u64) {
        if self.state.options.check {
            let life = Life { bytes, allocated: self.host.site(), freed: None };
            self.state.lives.0.insert(base, life);
        }
    }

    /// Memory was freed by the call that is being carried out.
    pub(crate) fn is_freed(&mut self, base: u64) {
        if self.state.options.check
            && let Some(life) = self.state.lives.0.get_mut(&base)
        {
            life.freed = Some(self.host.site());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct At(&'static str);

    impl Site for At {
        fn text(&self) -> Option<String> {
            Some(self.0.to_owned())
        }
    }

    #[test]
    fn the_places_are_those_of_the_memory_around_an_address() {
        let mut lives = Lives::default();
        for (base, freed) in [(0x1000, None), (0x2000, Some(Some(Box::new(At("f")) as _)))] {
            let life = Life { bytes: 16, allocated: Some(Box::new(At("a"))), freed };
            lives.0.insert(base, life);
        }
        assert_eq!(lives.notes(0x1000), ["allocated by a"]);
        assert_eq!(lives.notes(0x200f), ["allocated by a", "freed by f"]);
        assert!(lives.is_freed(0x2000) && !lives.is_freed(0x1000) && !lives.is_freed(0));
        assert_eq!(lives.notes(0x2010), Vec::<String>::new());
    }
}
