//! What shared memory holds when a block starts.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

use super::profile::SharedInit;
use crate::machine::memory::Pages;

/// The contents of the multiprocessors' shared memory after their last block.
pub type Leftovers = FxHashMap<u32, Pages>;

/// The byte of [`SharedInit::Poison`].
const POISON: u8 = 0xa5;

/// The shared memory of a block about to start; `spare` is unused memory.
pub(in crate::machine) fn initial(
    init: SharedInit,
    block: u64,
    bytes: u64,
    left: Option<&Pages>,
    spare: Option<Pages>,
) -> Pages {
    let mut pages = Pages::zeroed(bytes, spare);
    if init == SharedInit::Zero {
        return pages;
    }
    let mut content = vec![0; bytes as usize];
    match init {
        SharedInit::Zero => {}
        SharedInit::Poison => content.fill(POISON),
        SharedInit::Random(seed) => {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(block);
            random.fill_bytes(&mut content);
        }
        SharedInit::Leftover => {
            let Some(left) = left else { return pages };
            left.read_bytes(0, &mut content);
        }
    }
    pages.write_bytes(0, &content);
    pages
}

/// Keeps the shared memory that a block left in place of the previous one. Returns the memory of
/// the latter.
pub(in crate::machine) fn keep(
    leftovers: &mut Leftovers,
    multiprocessor: u32,
    mut pages: Pages,
) -> Option<Pages> {
    if pages.bytes() == 0 {
        return None;
    }
    if let Some(old) = leftovers.get(&multiprocessor)
        && old.bytes() > pages.bytes()
    {
        let from = pages.bytes();
        let mut tail = vec![0; (old.bytes() - from) as usize];
        old.read_bytes(from, &mut tail);
        pages.grow(old.bytes());
        pages.write_bytes(from, &tail);
    }
    leftovers.insert(multiprocessor, pages)
}
