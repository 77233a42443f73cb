//! A quick look at a whole run: does any thread read a byte that was never written?
//!
//! Most launches do not. Then no register holds anything undefined, nothing must be passed on from
//! register to register, and there is nothing to find. So the quick look observes accesses alone,
//! and keeps a bit for each byte. When it sees a read of an unwritten byte, the whole analysis
//! watches the same run once more. It finds out whether the read has an effect. (So launches that
//! copy padding run twice.)
//!
//! The whole analysis watches some programs from the beginning: those with local memory, functions,
//! asynchronous copies, mbarriers, clusters, or operations on ranges of memory. An access outside
//! of a block's shared memory counts as one of unwritten bytes.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use warpsim_language::internal::InternalError;

use super::Uninitialized;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Kind, Program};
use crate::observe::{
    Access, AccessKind, Accesses, Analysis, EndedRun, Event, Interest, LaunchFacts, Observer,
    WarpEvent,
};
use crate::ptx::Space;
use crate::report::{Code, Finding};

/// Looks for uses of values that were never written: quickly first, and then as [`Uninitialized`]
/// does if needed.
#[derive(Clone, Debug, Default)]
pub struct FirstLook {
    /// The known state of memory from launch to launch. It also watches launches without a quick
    /// look.
    whole: Uninitialized,
    quick: Option<Quick>,
}

/// A launch at which a quick look is taken.
#[derive(Clone, Debug)]
struct Quick {
    /// The analysis as it was before the launch.
    before: Uninitialized,
    /// Shared memory of a block as it begins.
    beginning: Written,
    /// That of the block that was looked for last, while it is alive: its number.
    current: (Option<u64>, Written),
    /// That of the other blocks that are alive.
    others: HashMap<u64, Written, FxBuildHasher>,
    /// A thread has read an unwritten byte.
    has_missed: bool,
}

impl FirstLook {
    /// One that has seen nothing.
    pub fn new() -> FirstLook {
        FirstLook::default()
    }
}

/// Whether a quick look at a program sees all that there is.
fn is_plain(program: &Program) -> bool {
    let has_local = program.functions.iter().any(|function| function.local_bytes > 0);
    let is_plain =
        |kind: &Kind| kind.is_done_at_once() && !matches!(kind, Kind::Span(_) | Kind::Stack(_));
    let mut operations = program.operations.iter();
    program.functions.len() == 1 && !has_local && operations.all(|one| is_plain(&one.kind))
}

impl Quick {
    fn new(before: Uninitialized, launch: &LaunchFacts) -> Quick {
        let mut beginning = Written::new(launch.shared_bytes.into());
        beginning.write(0, launch.program.reserved_shared_bytes.into());
        let current = (None, beginning.clone());
        Quick { before, beginning, current, others: HashMap::default(), has_missed: false }
    }

    #[inline]
    fn shared(&mut self, block: u64) -> &mut Written {
        if self.current.0 != Some(block) {
            self.enter(block);
        }
        &mut self.current.1
    }

    /// Makes a block the current one.
    fn enter(&mut self, block: u64) {
        let known = self.others.remove(&block);
        if let (Some(last), written) = &mut self.current {
            let written = std::mem::replace(written, Written::new(0));
            self.others.insert(*last, written);
        }
        match known {
            Some(written) => self.current.1 = written,
            None => self.current.1.be(&self.beginning),
        }
        self.current.0 = Some(block);
    }

    fn block_end(&mut self, block: u64) {
        if self.current.0 == Some(block) {
            self.current.0 = None;
        }
        self.others.remove(&block);
    }
}

impl FirstLook {
    /// An access to global memory.
    fn global(&mut self, access: &Access<'_>) -> bool {
        let global = &mut self.whole.global;
        if !global.may_miss(access.addresses, access.mask) {
            return true;
        }
        let width = access.width.clamp(1, 8);
        let pieces = |lane: usize| {
            let offsets = (0..access.bytes).step_by(width as usize);
            offsets.map(move |offset| access.addresses[lane].wrapping_add(offset.into()))
        };
        let mut is_written = true;
        for address in lanes_of(access.mask).flat_map(pieces) {
            is_written &= access.kind == AccessKind::Write || global.missing(address, width) == 0;
            match access.kind {
                AccessKind::Read => {}
                AccessKind::Write | AccessKind::Atomic => global.write(address, width, 0),
            }
        }
        is_written
    }
}

impl Observer for FirstLook {
    fn interest(&self) -> Interest {
        match &self.quick {
            Some(quick) => {
                let is_defined = quick.beginning.is_empty() && self.whole.global.is_defined();
                Interest::none().with_accesses(!is_defined)
            }
            None => self.whole.interest(),
        }
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.quick = is_plain(&launch.program).then(|| Quick::new(self.whole.clone(), launch));
        match self.quick {
            Some(_) => self.whole.global.begin(launch.number, &launch.unwritten),
            None => self.whole.launch_begin(launch),
        }
    }

    fn before(&mut self, event: &Event<'_>) {
        match self.quick {
            Some(_) => {}
            None => self.whole.before(event),
        }
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let Some(quick) = &mut self.quick else { return self.whole.access(event, access) };
        if quick.has_missed {
            return;
        }
        let is_written = match access.space {
            Space::Shared => quick.shared(event.block).access(access),
            Space::Global => self.global(access),
            // The host has written the parameters of a kernel, and texels are there from the
            // beginning.
            Space::Param | Space::Const | Space::Tex => true,
            Space::Local => false,
        };
        if let Some(quick) = &mut self.quick {
            quick.has_missed |= !is_written;
        }
    }

    fn accesses(&mut self, accesses: &Accesses<'_>) {
        let Some(quick) = &mut self.quick else {
            return accesses.each(|event, access| self.whole.access(event, access));
        };
        if quick.has_missed {
            return;
        }
        match accesses.space {
            Space::Shared => quick.has_missed = !quick.shared(accesses.block).accesses(accesses),
            Space::Global if self.whole.global.is_defined() => {}
            Space::Global | Space::Local | Space::Param | Space::Const | Space::Tex => {
                accesses.each(|event, access| self.access(event, access))
            }
        }
    }

    fn together(&mut self, event: &WarpEvent<'_>) {
        match self.quick {
            Some(_) => {}
            None => self.whole.together(event),
        }
    }

    fn block_end(&mut self, block: u64) {
        match &mut self.quick {
            Some(quick) => quick.block_end(block),
            None => self.whole.block_end(block),
        }
    }

    fn launch_end(&mut self) {
        match &mut self.quick {
            Some(quick) => {
                quick.current.0 = None;
                quick.others.clear();
            }
            None => self.whole.launch_end(),
        }
    }
}

impl Analysis for FirstLook {
    fn name(&self) -> &'static str {
        self.whole.name()
    }

    fn looks_for(&self) -> &'static str {
        self.whole.looks_for()
    }

    fn codes(&self) -> &'static [Code] {
        self.whole.codes()
    }

    fn findings(&mut self, run: &mut dyn EndedRun) -> Vec<Finding> {
        if let Some(quick) = self.quick.take()
            && quick.has_missed
        {
            self.whole = quick.before;
            run.again(&mut self.whole);
        }
        Analysis::findings(&mut self.whole, run)
    }

    fn bug(&mut self) -> Option<InternalError> {
        self.whole.bug()
    }

    fn boxed(&self) -> Box<dyn Analysis> {
        Box::new(self.clone())
    }
}

/// Which bytes of a block's shared memory have been written, a bit each.
#[derive(Clone, Debug)]
struct Written {
    bytes: u64,
    words: Vec<u64>,
    /// How many bytes have not been written.
    left: u64,
}

/// If the lanes of an access are within this distance, the access is looked at as a whole.
const NEAR: u64 = 1024;

impl Written {
    /// This many bytes, all unwritten.
    fn new(bytes: u64) -> Written {
        Written { bytes, words: vec![0; bytes.div_ceil(64) as usize], left: bytes }
    }

    /// Makes it like another one, in its place.
    fn be(&mut self, other: &Written) {
        let Written { bytes, words, left } = other;
        (self.bytes, self.left) = (*bytes, *left);
        self.words.clone_from(words);
    }

    fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The words of a range, each with the bits of it that are in the range.
    fn words(from: u64, end: u64) -> impl Iterator<Item = (usize, u64)> {
        (from / 64..end.div_ceil(64)).map(move |word| {
            let low = u64::MAX << from.saturating_sub(word * 64);
            let high = u64::MAX >> (word * 64 + 64).saturating_sub(end);
            (word as usize, low & high)
        })
    }

    fn write(&mut self, from: u64, end: u64) {
        for (word, bits) in Written::words(from, end.min(self.bytes)) {
            let before = self.words[word];
            self.words[word] = before | bits;
            self.left -= u64::from((bits & !before).count_ones());
        }
    }

    /// Whether all bytes of a range have been written.
    #[inline]
    fn has(&self, from: u64, end: u64) -> bool {
        from <= end
            && end <= self.bytes
            && Written::words(from, end).all(|(word, bits)| self.words[word] & bits == bits)
    }

    /// Whether everything from the lowest to the highest byte of an access has been written, where
    /// these are near each other.
    #[inline]
    fn has_all_around(&self, addresses: &[u64; LANES], mask: Mask, bytes: u64) -> bool {
        let (low, high) = match mask {
            Mask::MAX => {
                addresses.iter().fold((u64::MAX, 0), |(low, high), a| (low.min(*a), high.max(*a)))
            }
            _ => lanes_of(mask).fold((u64::MAX, 0), |(low, high), lane| {
                (low.min(addresses[lane]), high.max(addresses[lane]))
            }),
        };
        high.wrapping_sub(low) < NEAR && self.has(low, high.saturating_add(bytes))
    }

    /// Several warps access at one instruction. Whether everything that they read has been written.
    fn accesses(&mut self, accesses: &Accesses<'_>) -> bool {
        if self.left == 0 && accesses.end <= self.bytes {
            return true;
        }
        let bytes = accesses.bytes();
        let mut is_written = true;
        // Mostly warps read what those before have read, or what lies beside it.
        let mut known = 0..0;
        for warp in accesses.warps() {
            let Some(halves) = warp.halves else {
                accesses.one(&warp, |_, access| is_written &= self.access(access));
                continue;
            };
            for half in halves {
                let (from, end) = (half.address, half.address + half.bytes(bytes));
                if known.start <= from && end <= known.end {
                    continue;
                }
                let has_all = self.has(from, end);
                match accesses.kind {
                    AccessKind::Read => is_written &= has_all,
                    AccessKind::Write if has_all => {}
                    AccessKind::Write => self.write(from, end),
                    AccessKind::Atomic => {
                        is_written &= has_all;
                        self.write(from, end);
                    }
                }
                known = from..end;
            }
        }
        is_written
    }

    /// An access happens. Whether everything that it reads has been written.
    fn access(&mut self, access: &Access<'_>) -> bool {
        let bytes = u64::from(access.bytes);
        if self.has_all_around(access.addresses, access.mask, bytes) {
            return true;
        }
        let mut is_written = true;
        for lane in lanes_of(access.mask) {
            let (from, end) =
                (access.addresses[lane], access.addresses[lane].saturating_add(bytes));
            match access.kind {
                AccessKind::Read => is_written &= self.has(from, end),
                AccessKind::Write => self.write(from, end),
                AccessKind::Atomic => {
                    is_written &= self.has(from, end);
                    self.write(from, end);
                }
            }
        }
        is_written
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::lower::{Order, Scope, Semantics};

    fn access<'a>(
        kind: AccessKind,
        addresses: &'a [u64; LANES],
        mask: Mask,
        bytes: u32,
    ) -> Access<'a> {
        Access {
            kind,
            space: Space::Shared,
            mask,
            addresses,
            bytes,
            width: bytes,
            semantics: Semantics { order: Order::Weak, scope: Scope::System },
            non_coherent: false,
            flight: None,
        }
    }

    #[test]
    fn each_block_begins_with_nothing_written_and_keeps_what_it_writes() {
        let beginning = Written::new(64);
        let (current, others) = ((None, beginning.clone()), HashMap::default());
        let before = Uninitialized::default();
        let mut quick = Quick { before, beginning, current, others, has_missed: false };
        quick.shared(0).write(0, 64);
        quick.shared(1).write(0, 8);
        assert!(quick.shared(0).has(0, 64) && quick.shared(1).has(0, 8));
        assert!(!quick.shared(1).has(0, 9));
        [0, 1].into_iter().for_each(|block| quick.block_end(block));
        assert!(!quick.shared(2).has(0, 1) && !quick.shared(3).has(0, 1));
    }

    proptest! {
        /// Against a set of bytes.
        #[test]
        fn a_byte_is_there_when_somebody_has_written_it(
            accesses in proptest::collection::vec(
                (0..3_usize, 0..2000_u64, 0..80_u64, proptest::array::uniform32(0..40_u64), any::<Mask>(), any::<bool>(), 0..4_u32),
                1..40,
            ),
        ) {
            let bytes = 4000;
            let (mut written, mut plain) = (Written::new(bytes), BTreeSet::new());
            for (kind, base, step, odd, mask, is_whole, width) in accesses {
                let kind = [AccessKind::Read, AccessKind::Write, AccessKind::Atomic][kind];
                let width = 1 << width;
                let mask = if is_whole { Mask::MAX } else { mask };
                let address = |lane: usize| if is_whole { base + step * lane as u64 } else { base + odd[lane] };
                let addresses: [u64; LANES] = std::array::from_fn(address);
                let mut expected = true;
                for lane in lanes_of(mask) {
                    for byte in addresses[lane]..addresses[lane] + u64::from(width) {
                        expected &= kind == AccessKind::Write || plain.contains(&byte);
                        // Beyond the end nothing is ever written.
                        if kind != AccessKind::Read && byte < bytes {
                            plain.insert(byte);
                        }
                    }
                }
                prop_assert_eq!(written.access(&access(kind, &addresses, mask, width)), expected);
            }
        }
    }

    proptest! {
        #[test]
        fn accesses_told_at_once_write_and_miss_what_they_do_one_by_one(
            all in proptest::collection::vec(crate::gathered::gathered(4), 1..20),
            hole in prop_oneof![Just(None), (0..600_u64, 0..16_u64).prop_map(Some)],
        ) {
            let bytes = crate::gathered::memory(Space::Shared).1;
            let mut at_once = Written::new(bytes);
            if let Some((from, size)) = hole {
                at_once.write(0, from);
                at_once.write(from + size, bytes);
            }
            let mut singly = at_once.clone();
            for gathered in all.iter().filter(|gathered| gathered.space == Space::Shared) {
                let (mut found, mut expected) = (true, true);
                gathered.tell(|accesses| {
                    found &= at_once.accesses(accesses);
                    accesses.each(|_, access| expected &= singly.access(access));
                });
                prop_assert_eq!(found, expected);
                prop_assert_eq!(&at_once.words, &singly.words);
                let written: u32 = at_once.words.iter().map(|word| word.count_ones()).sum();
                prop_assert_eq!(at_once.left, bytes - u64::from(written));
            }
        }
    }
}
