//! The state of an mbarrier object, in its 64 bits of shared memory (PTX ISA 9.7.13.15.1 and .2).
//!
//! Its bits are opaque to programs; this layout is our own. From the lowest: pending arrivals (20),
//! arrivals that a phase waits for (20), transactions expected and not complete (21, signed),
//! unused (1), the parity of the phase (1), and a one. The state from `arrive` has the parity in
//! its lowest bit and the pending arrivals in its high half.

/// The most arrivals that a phase may wait for.
const MOST_ARRIVALS: u32 = (1 << 20) - 1;

/// The most bytes of transactions that may be expected, or may complete before they are expected.
const MOST_TRANSACTIONS: i64 = (1 << 20) - 1;

/// An mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierObject {
    /// The parity of the phase that is not complete.
    pub parity: bool,
    /// Arrivals that the phase waits for.
    pub pending: u32,
    /// Arrivals that each later phase waits for.
    pub expected: u32,
    /// Bytes of transactions that the phase waits for; below 0 when they completed before they were
    /// expected.
    pub transactions: i32,
}

/// A misuse of an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierMisuse {
    /// There is no object at this address of shared memory.
    Missing(u64),
    /// The address is not in shared memory.
    NotShared(u64),
    /// The object is initialised for this many arrivals, which is not allowed.
    Count(u32),
    /// More arrivals than are pending, or none.
    Arrivals {
        /// How many.
        count: u32,
        /// How many are pending.
        pending: u32,
    },
    /// This many bytes of transactions, which is out of range.
    Transactions(i64),
    /// An arrival that must not complete the phase does.
    Completes,
}

impl MbarrierObject {
    /// A new object for this many arrivals.
    pub(in crate::machine) fn new(count: u32) -> Result<MbarrierObject, MbarrierMisuse> {
        match count {
            1..=MOST_ARRIVALS => Ok(MbarrierObject {
                parity: false,
                pending: count,
                expected: count,
                transactions: 0,
            }),
            _ => Err(MbarrierMisuse::Count(count)),
        }
    }

    /// The object with these bits; `None` if they are no object.
    pub fn of_bits(bits: u64) -> Option<MbarrierObject> {
        let field = |from: u32, bits_of: u32| (bits >> from & ((1 << bits_of) - 1)) as u32;
        (bits >> 63 == 1 && field(61, 1) == 0).then(|| MbarrierObject {
            parity: field(62, 1) == 1,
            pending: field(0, 20),
            expected: field(20, 20),
            transactions: (field(40, 21) << 11) as i32 >> 11,
        })
    }

    /// Its bits.
    pub fn bits(self) -> u64 {
        let transactions = u64::from(self.transactions as u32) & ((1 << 21) - 1);
        1 << 63
            | u64::from(self.parity) << 62
            | transactions << 40
            | u64::from(self.expected) << 20
            | u64::from(self.pending)
    }

    /// The state that an arrival returns: the state before it.
    pub(in crate::machine) fn state(self) -> u64 {
        u64::from(self.pending) << 32 | u64::from(self.parity)
    }

    /// Whether the phase of a state is complete.
    pub(in crate::machine) fn has_completed(self, state: u64) -> bool {
        (state & 1 == 1) != self.parity
    }

    /// The phase waits for this many more bytes.
    pub(in crate::machine) fn expect(&mut self, bytes: i64) -> Result<(), MbarrierMisuse> {
        let sum = i64::from(self.transactions) + bytes;
        if bytes.abs() > MOST_TRANSACTIONS || sum.abs() > MOST_TRANSACTIONS {
            return Err(MbarrierMisuse::Transactions(sum));
        }
        self.transactions = sum as i32;
        Ok(())
    }

    /// This many bytes have arrived. Returns whether the phase is complete with them.
    pub(in crate::machine) fn complete(&mut self, bytes: i64) -> Result<bool, MbarrierMisuse> {
        self.expect(-bytes)?;
        Ok(self.end_phase())
    }

    /// The phase waits for one more arrival.
    pub(in crate::machine) fn add_arrival(&mut self) -> Result<(), MbarrierMisuse> {
        if self.pending >= MOST_ARRIVALS {
            return Err(MbarrierMisuse::Count(self.pending + 1));
        }
        self.pending += 1;
        Ok(())
    }

    /// Counts arrivals. With `drops`, later phases wait for that many fewer. Returns whether the
    /// phase is complete with them.
    pub(in crate::machine) fn arrive(
        &mut self,
        count: u32,
        drops: bool,
    ) -> Result<bool, MbarrierMisuse> {
        if count == 0 || count > self.pending || drops && count > self.expected {
            return Err(MbarrierMisuse::Arrivals { count, pending: self.pending });
        }
        self.pending -= count;
        self.expected -= if drops { count } else { 0 };
        Ok(self.end_phase())
    }

    /// Begins the next phase when nothing is pending. Returns whether it did so.
    fn end_phase(&mut self) -> bool {
        let is_complete = self.pending == 0 && self.transactions == 0;
        if is_complete {
            self.parity = !self.parity;
            self.pending = self.expected;
        }
        is_complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_bits_comes_out_again() {
        for (pending, expected, transactions, parity) in
            [(0, 1, 0, false), (MOST_ARRIVALS, 7, -1, true), (3, MOST_ARRIVALS, -1_048_575, true)]
        {
            let object = MbarrierObject { parity, pending, expected, transactions };
            assert_eq!(MbarrierObject::of_bits(object.bits()), Some(object));
        }
        assert_eq!(MbarrierObject::of_bits(0), None);
        assert_eq!(MbarrierObject::of_bits(u64::MAX), None);
        assert_eq!(MbarrierObject::of_bits(0xa5a5_a5a5_a5a5_a5a5), None);
    }

    #[test]
    fn a_phase_is_complete_when_all_have_arrived_and_all_bytes_are_there() {
        let mut object = MbarrierObject::new(2).unwrap();
        let state = object.state();
        object.expect(32).unwrap();
        assert!(!object.arrive(2, false).unwrap());
        assert!(!object.has_completed(state));
        assert!(!object.complete(16).unwrap());
        assert!(object.complete(16).unwrap());
        assert!(object.has_completed(state));
        assert_eq!((object.pending, object.transactions), (2, 0));
    }

    #[test]
    fn who_drops_out_is_not_waited_for_again() {
        let mut object = MbarrierObject::new(3).unwrap();
        assert!(!object.arrive(1, true).unwrap());
        assert!(object.arrive(2, false).unwrap());
        assert_eq!((object.pending, object.expected), (2, 2));
    }

    #[test]
    fn too_much_of_anything_is_refused() {
        assert_eq!(MbarrierObject::new(0), Err(MbarrierMisuse::Count(0)));
        assert_eq!(MbarrierObject::new(1 << 20), Err(MbarrierMisuse::Count(1 << 20)));
        let mut object = MbarrierObject::new(1).unwrap();
        let many = MbarrierMisuse::Arrivals { count: 2, pending: 1 };
        assert_eq!(object.arrive(2, false), Err(many));
        object.expect((1 << 20) - 1).unwrap();
        assert_eq!(object.expect(1), Err(MbarrierMisuse::Transactions(1 << 20)));
    }
}
