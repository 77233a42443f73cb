//! Cells of two memories, compared bit by bit, or within a given tolerance.
//!
//! A tolerance is for floating-point cells only; integers are equal or they are not. Without one,
//! two cells are equal if all their bits are equal: +0 and -0 differ, and so do two NaNs of
//! different payloads. With one, all zeros are equal and all NaNs are equal; an infinity is equal
//! to itself alone.

use warpsim::element::ElementType;

/// By how much floating-point cells may differ. Either is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tolerance {
    /// Units in the last place: steps from one number of the type to the next.
    pub(crate) ulp: Option<u64>,
    /// The absolute difference, computed in double precision.
    pub(crate) abs: Option<f64>,
}

/// A cell that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Differing {
    /// Its index in the buffer.
    pub(crate) index: u64,
    /// Its bits on the simulator.
    pub(crate) ours: u64,
    /// Its bits on the other side.
    pub(crate) theirs: u64,
}

/// The result of comparing cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Cells that were compared.
    pub(crate) compared: u64,
    /// Cells that differ.
    pub(crate) differing: u64,
    /// Cells whose bits differ, but not more than the tolerance allows.
    pub(crate) tolerated: u64,
    /// The largest difference of two finite floats, in units in the last place, whether tolerated
    /// or not; `None` when all bits are equal, or the cells are no floats.
    pub(crate) farthest: Option<u64>,
    /// The first cells that differ, up to the number asked for.
    pub(crate) first: Vec<Differing>,
}

/// Compares two memories of equal length, cell by cell, and keeps up to `keep` differences.
pub(crate) fn cells(
    element: ElementType,
    ours: &[u8],
    theirs: &[u8],
    tolerance: Tolerance,
    keep: usize,
) -> Differences {
    let mut differences = Differences::default();
    differences.add(element, ours, theirs, tolerance, keep);
    differences
}

impl Differences {
    /// Goes on with the next cells.
    pub(crate) fn add(
        &mut self,
        element: ElementType,
        ours: &[u8],
        theirs: &[u8],
        tolerance: Tolerance,
        keep: usize,
    ) {
        let before = self.compared;
        self.compared += (ours.len().min(theirs.len()) / element.size()) as u64;
        if ours == theirs {
            return;
        }
        let pairs = element.numbers(ours).zip(element.numbers(theirs));
        for ((ours, theirs), index) in pairs.zip(before..).filter(|((a, b), _)| a != b) {
            self.farthest = self.farthest.max(distance(element, ours, theirs));
            if tolerance.allows(element, ours, theirs) {
                self.tolerated += 1;
                continue;
            }
            self.differing += 1;
            if self.first.len() < keep {
                self.first.push(Differing { index, ours, theirs });
            }
        }
    }
}

impl Tolerance {
    /// Whether it allows two cells that differ in their bits.
    pub(crate) fn allows(self, element: ElementType, ours: u64, theirs: u64) -> bool {
        if !element.is_float() || self == Tolerance::default() {
            return false;
        }
        let (a, b) = (element.float(ours), element.float(theirs));
        if a.is_nan() || b.is_nan() {
            return a.is_nan() && b.is_nan();
        }
        // Between an infinity and anything else there is no distance, of either kind.
        let apart = distance(element, ours, theirs);
        a == b
            || self.ulp.is_some_and(|ulp| apart.is_some_and(|apart| apart <= ulp))
            || self.abs.is_some_and(|abs| (a - b).abs() <= abs)
    }
}

/// How many steps of the type lie between two finite floats. The two zeros are one number.
pub(crate) fn distance(element: ElementType, ours: u64, theirs: u64) -> Option<u64> {
    let finite = |bits| element.is_float() && element.float(bits).is_finite();
    let sign = 1_u64 << (element.size() * 8 - 1);
    let place = |bits: u64| {
        let magnitude = i128::from(bits & !sign & element.mask());
        if bits & sign == 0 { magnitude } else { -magnitude }
    };
    let apart = place(ours).abs_diff(place(theirs));
    (finite(ours) && finite(theirs)).then(|| u64::try_from(apart).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulp(ulp: u64) -> Tolerance {
        Tolerance { ulp: Some(ulp), abs: None }
    }

    fn abs(abs: f64) -> Tolerance {
        Tolerance { ulp: None, abs: Some(abs) }
    }

    /// How many of two f32 differ.
    fn differs(a: f32, b: f32, tolerance: Tolerance) -> bool {
        cells(ElementType::F32, &a.to_le_bytes(), &b.to_le_bytes(), tolerance, 1).differing == 1
    }

    #[test]
    fn without_a_tolerance_bits_count() {
        let nan = |payload: u32| f32::from_bits(0x7fc0_0000 | payload);
        assert!(!differs(1.5, 1.5, Tolerance::default()));
        assert!(!differs(nan(1), nan(1), Tolerance::default()));
        assert!(differs(0.0, -0.0, Tolerance::default()));
        assert!(differs(nan(1), nan(2), Tolerance::default()));
        assert!(differs(1.0, f32::from_bits(0x3f80_0001), Tolerance::default()));
    }

    #[test]
    fn a_tolerance_counts_steps_from_number_to_number_across_zero_too() {
        let next = f32::from_bits(0x3f80_0001);
        assert!(!differs(1.0, next, ulp(1)) && differs(1.0, next, ulp(0)));
        let tiny = f32::from_bits(1);
        assert!(!differs(-tiny, tiny, ulp(2)) && differs(-tiny, tiny, ulp(1)));
        assert!(!differs(0.0, -0.0, ulp(0)));
        assert_eq!(distance(ElementType::F16, 0x3c00, 0x3c02), Some(2));
        assert_eq!(distance(ElementType::F64, 1.0_f64.to_bits(), (-1.0_f64).to_bits()), {
            Some(2 * 1.0_f64.to_bits())
        });
    }

    #[test]
    fn a_tolerance_makes_all_nans_one_and_leaves_infinities_alone() {
        assert!(!differs(f32::NAN, -f32::NAN, ulp(0)) && !differs(f32::NAN, -f32::NAN, abs(0.0)));
        assert!(differs(f32::NAN, 1.0, ulp(u64::MAX)));
        assert!(differs(f32::MAX, f32::INFINITY, ulp(1)));
        assert!(differs(f32::INFINITY, f32::NEG_INFINITY, abs(f64::MAX)));
        assert!(!differs(f32::INFINITY, f32::INFINITY, ulp(0)));
    }

    #[test]
    fn an_absolute_tolerance_includes_its_bound() {
        assert!(!differs(1.0, 1.25, abs(0.25)) && differs(1.0, 1.25, abs(0.2499)));
    }

    #[test]
    fn integers_have_no_tolerance() {
        let found = cells(ElementType::I32, &[1, 0, 0, 0], &[2, 0, 0, 0], ulp(5), 1);
        assert_eq!((found.differing, found.farthest), (1, None));
    }

    #[test]
    fn differences_are_counted_and_the_first_are_kept_with_their_places_in_all_pieces() {
        let (ours, theirs) = ([1, 2, 3, 4], [1, 9, 3, 8]);
        let mut all = cells(ElementType::U8, &ours, &theirs, Tolerance::default(), 3);
        all.add(ElementType::U8, &ours, &theirs, Tolerance::default(), 3);
        assert_eq!((all.compared, all.differing), (8, 4));
        let places: Vec<u64> = all.first.iter().map(|d| d.index).collect();
        assert_eq!(places, [1, 3, 5]);
        assert_eq!(all.first[1], Differing { index: 3, ours: 4, theirs: 8 });
    }

    #[test]
    fn what_is_tolerated_is_counted_apart_and_the_farthest_is_told() {
        let numbers = |n: [u32; 3]| n.map(u32::to_le_bytes).concat();
        let (ours, theirs) =
            (numbers([0x3f80_0000; 3]), numbers([0x3f80_0001, 0x3f80_0000, 0x3f80_0007]));
        let found = cells(ElementType::F32, &ours, &theirs, ulp(2), 8);
        assert_eq!((found.tolerated, found.differing, found.farthest), (1, 1, Some(7)));
    }
}
