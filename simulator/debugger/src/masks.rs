//! Lanes of a warp as 32 characters, as a person compares them between lines.

use warpsim::lanes::{LANES, Mask};

/// Lanes as characters, lane 0 first: `#` for lanes of the mask, `.` for other existing lanes, and
/// a blank for lanes that do not exist.
///
/// ```
/// use warpsim_debugger::mask_text;
///
/// assert_eq!(mask_text(0xf, 0xff), "####....");
/// ```
pub fn mask_text(mask: Mask, exists: Mask) -> String {
    let character = |lane: usize| match (mask >> lane & 1, exists >> lane & 1) {
        (1, _) => '#',
        (_, 1) => '.',
        _ => ' ',
    };
    let text: String = (0..LANES).map(character).collect();
    text.trim_end().to_owned()
}
