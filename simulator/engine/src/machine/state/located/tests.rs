//! Where observers see the accesses of some of a gang's warps.

use super::*;

fn found(row: Option<usize>, each: Vec<Found>) -> LocatedAccess {
    let (space, allocation) = (Space::Global, Some(0));
    LocatedAccess {
        pc: None,
        offset: 0,
        around: Around { space, window: 0, origin: 4096, bytes: 4096, allocation },
        reach: Reach { base: Slot::register(0), shift: 0, bytes: 4, within: 0 },
        row,
        each: Arc::new(each),
        shift: 16,
        ends: (0, 4096),
    }
}

#[test]
fn of_a_row_the_accesses_of_some_warps_begin_behind_those_of_the_warps_before() {
    let found = found(Some(64), Vec::new());
    // 32 lanes of 4 bytes for each warp.
    for (warp, before) in [(0, 0), (1, 128), (5, 640)] {
        let Places::Row(address) = found.places(warp..8) else { panic!("a row") };
        assert_eq!(address, 4096 + 64 + 16 + before);
        assert_eq!(found.span(warp), (64 + 16 + before as usize, 128));
    }
}

#[test]
fn of_others_it_is_told_which_is_that_of_the_first_warp() {
    let each: Vec<Found> =
        (0..4).map(|warp| Found { halves: None, low: 8 * warp, end: 8 * warp + 8 }).collect();
    let found = found(None, each);
    let Places::Each { origin, found: told, from } = found.places(2..4) else { panic!("no row") };
    assert_eq!((origin, told[from].low, from), (4096 + 16, 16, 2));
    assert_eq!(found.span(2), (16 + 16, 8));
}
