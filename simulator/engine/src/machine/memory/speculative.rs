//! Global memory of blocks that run ahead of their turn: a snapshot.
//!
//! The snapshot notes word by word what such blocks read and wrote, and which reductions they
//! deferred. When their turn comes, [`GlobalMemory::commit`] writes their changes to memory, unless
//! an earlier block has meanwhile written a word that they read. In that case nothing is committed,
//! and they run again. So memory is left as one block after the other leaves it.
//!
//! A reduction with an unused old value (`red`, or `atom` into a register that is never read) is
//! deferred as an operation. It is applied when the blocks' turn comes, after their writes, and
//! does not count as a read. If the blocks themselves read or write the word later, all deferred
//! reductions are carried out first, and no more are deferred.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::global::GlobalMemory;
use super::marks::{Marked, Marks, Touched, spot};
use super::pages::PAGE_BYTES;
use super::speculation::{Deferred, Speculation};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::Pc;
use crate::observe::AccessKind;

const PAGE: u64 = PAGE_BYTES as u64;

/// The most reductions that are deferred: more would cost more memory than they are worth.
const MOST_DEFERRED: usize = 1 << 20;

/// The words that were written since a snapshot, by allocation and page.
#[derive(Debug, Default)]
pub(in crate::machine) struct Written(FxHashMap<(usize, usize), Marks>);

/// The changes of blocks to global memory ahead of their turn.
#[derive(Debug, Default)]
pub(in crate::machine) struct Changes {
    /// By allocation: the pages that were touched, and the bytes of those that were written.
    touched: Vec<Vec<(Touched, Vec<u8>)>>,
    deferred: Vec<Deferred>,
    /// The allocation of the last access.
    last: usize,
}

impl Changes {
    /// Whether earlier blocks have meanwhile written what these read.
    fn conflict(&self, written: &Written) -> bool {
        let mut each = self.touched.iter().enumerate();
        each.any(|(index, pages)| {
            pages.iter().any(|(touched, _)| written.overlaps((index, touched.page), &touched.read))
        })
    }
}

impl Written {
    fn overlaps(&self, page: (usize, usize), read: &Marks) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Some(written) = self.0.get(&page) else { return false };
        written.iter().zip(read).any(|(written, read)| written & read != 0)
    }

    fn add(&mut self, page: (usize, usize), marks: &Marks) {
        let all = self.0.entry(page).or_default();
        all.iter_mut().zip(marks).for_each(|(all, marks)| *all |= marks);
    }

    fn add_element(&mut self, page: (usize, usize), offset: u64, bytes: u32) {
        let (at, bits) = spot(offset, bytes);
        self.0.entry(page).or_default()[at] |= bits;
    }
}

impl GlobalMemory {
    /// A snapshot for blocks that run ahead of their turn. `unused` lists the operations with
    /// unused results.
    pub(in crate::machine) fn speculative(&mut self, unused: &Arc<[bool]>) -> GlobalMemory {
        let marked = self.allocations.iter().map(|a| Marked::new(a.pages.bytes()));
        let speculation = Speculation {
            marked: marked.collect(),
            unused: Arc::clone(unused),
            defers: true,
            deferred: Vec::new(),
            broken: None,
        };
        let mut memory = self.snapshot();
        memory.speculation = Some(Box::new(speculation));
        memory
    }

    /// Whether the memory belongs to blocks that run ahead of their turn, so that accesses are
    /// noted.
    #[inline]
    pub(in crate::machine) fn is_speculative(&self) -> bool {
        self.speculation.is_some()
    }

    /// Notes an admitted access before it is carried out. A memory that is no snapshot notes
    /// nothing.
    pub(in crate::machine) fn note(
        &mut self,
        kind: AccessKind,
        addresses: &[u64; LANES],
        mask: Mask,
        bytes: u32,
    ) {
        let mut is_reduced = false;
        let noted = self.by_page(addresses, mask, |marked, page, here| {
            is_reduced |= marked.note(kind, page, addresses, here, bytes)?;
            Ok(())
        });
        self.keep(noted);
        if is_reduced {
            let caught_up = self.catch_up();
            self.keep(caught_up);
        }
    }

    /// Notes accesses to all bytes of a range of an allocation, which begins and ends with a word.
    pub(in crate::machine) fn note_run(
        &mut self,
        kind: AccessKind,
        allocation: usize,
        bytes: Range<u64>,
    ) {
        let Some(speculation) = self.speculation.as_deref_mut() else { return };
        let noted = match speculation.marked.get_mut(allocation) {
            Some(marked) => marked.note_run(kind, bytes),
            None => Err(internal!("allocation {allocation} has no marks")),
        };
        let caught_up = match noted {
            Ok(true) => self.catch_up(),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        self.keep(caught_up);
    }

    /// Keeps an internal error for [`GlobalMemory::into_changes`].
    #[inline]
    fn keep(&mut self, result: Result<(), InternalError>) {
        if let (Err(error), Some(speculation)) = (result, self.speculation.as_deref_mut()) {
            speculation.broken.get_or_insert(error);
        }
    }

    /// Notes that bytes of one lane are about to be read.
    pub(in crate::machine) fn note_bytes(&mut self, address: u64, bytes: u64) {
        if self.speculation.is_none() {
            return;
        }
        let first = address / 4 * 4;
        for word in (first..address.saturating_add(bytes)).step_by(4) {
            self.note(AccessKind::Read, &[word; LANES], 1, 4);
        }
    }

    /// Calls `each` for each page that lanes touch, with those lanes.
    fn by_page(
        &mut self,
        addresses: &[u64; LANES],
        mask: Mask,
        mut each: impl FnMut(&mut Marked, usize, Mask) -> Result<(), InternalError>,
    ) -> Result<(), InternalError> {
        if self.speculation.is_none() {
            return Ok(());
        }
        let mut rest = mask;
        while rest != 0 {
            let first = addresses[rest.trailing_zeros() as usize % LANES];
            let mut apart = 0;
            for (lane, address) in addresses.iter().enumerate() {
                apart |= (address ^ first) & u64::from(rest >> lane & 1).wrapping_neg();
            }
            // Usually all lanes are in one page.
            let mut here = rest;
            if apart >= PAGE {
                for (lane, address) in addresses.iter().enumerate() {
                    let is_here = Mask::from(address / PAGE == first / PAGE) << lane;
                    here = here & !(1 << lane) | is_here & rest;
                }
            }
            let index = self.at_or_below(first).ok_or_else(|| not_there(first))?;
            let page = ((first - self.allocations[index].base) / PAGE) as usize;
            let marked = self.speculation.as_deref_mut().and_then(|s| s.marked.get_mut(index));
            let marked = marked.ok_or_else(|| internal!("allocation {index} has no marks"))?;
            each(marked, page, here & rest)?;
            rest &= !here;
        }
        Ok(())
    }

    /// Defers reductions of lanes, if possible. Returns whether it did so.
    pub(in crate::machine) fn defer(
        &mut self,
        pc: Pc,
        addresses: &[u64; LANES],
        mask: Mask,
        bytes: u32,
        reduction: impl Fn(usize) -> Deferred,
    ) -> bool {
        let Some(speculation) = self.speculation.as_deref() else { return false };
        let is_unused = speculation.unused.get(pc as usize) == Some(&true);
        let has_room = speculation.deferred.len() < MOST_DEFERRED;
        if !(speculation.defers && is_unused && has_room) {
            return false;
        }
        let noted = self.by_page(addresses, mask, |marked, page, here| {
            marked.reduce(page, addresses, here, bytes)
        });
        self.keep(noted);
        if let Some(speculation) = self.speculation.as_deref_mut() {
            speculation.deferred.extend(lanes_of(mask).map(reduction));
        }
        if let Some(last) = lanes_of(mask).next_back().and_then(|l| self.at_or_below(addresses[l]))
        {
            self.last = last;
        }
        true
    }

    /// Carries out the deferred reductions, because one of their words is now read or written. From
    /// then on none is deferred.
    #[cold]
    fn catch_up(&mut self) -> Result<(), InternalError> {
        let speculation = self.speculation.as_deref_mut().ok_or_else(no_snapshot)?;
        speculation.defers = false;
        for reduction in std::mem::take(&mut speculation.deferred) {
            let at = [reduction.address; LANES];
            self.by_page(&at, 1, |marked, page, here| {
                marked.note(AccessKind::Atomic, page, &at, here, reduction.bytes).map(|_| ())
            })?;
            self.apply(&reduction)?;
        }
        Ok(())
    }

    /// Carries out an admitted reduction. Nothing is freed while reductions are deferred.
    fn apply(&mut self, reduction: &Deferred) -> Result<(), InternalError> {
        let Deferred { address, bytes, operation, ty, b, c } = *reduction;
        let allocation = self.find(address, bytes.into()).map_err(|_| not_there(address))?;
        let offset = address - allocation.base;
        let old = allocation.pages.read(offset, bytes);
        allocation.pages.write(offset, bytes, operation.apply(ty, old, b, c, true));
        Ok(())
    }

    /// The reads and writes of the blocks.
    pub(in crate::machine) fn into_changes(self) -> Result<Changes, InternalError> {
        let speculation = self.speculation.ok_or_else(no_snapshot)?;
        if let Some(error) = speculation.broken {
            return Err(error);
        }
        let allocations = self.allocations.iter().zip(speculation.marked);
        let touched = allocations.map(|(allocation, marked)| {
            let with_words = |touched: Touched| {
                let is_written = touched.written.iter().any(|marks| *marks != 0);
                let mut bytes = vec![0; if is_written { PAGE_BYTES } else { 0 }];
                allocation.pages.read_bytes(touched.page as u64 * PAGE, &mut bytes);
                (touched, bytes)
            };
            marked.into_touched().into_iter().map(with_words).collect()
        });
        let touched = touched.collect();
        Ok(Changes { touched, deferred: speculation.deferred, last: self.last })
    }

    /// Commits the writes of blocks whose turn has come, unless they read words that were written
    /// since the snapshot. Returns whether it did so.
    pub(in crate::machine) fn commit(
        &mut self,
        changes: Changes,
        written: &mut Written,
    ) -> Result<bool, InternalError> {
        if changes.conflict(written) {
            return Ok(false);
        }
        let is_untouched = changes.touched.iter().all(Vec::is_empty);
        for (index, pages) in changes.touched.into_iter().enumerate() {
            for (touched, bytes) in pages.iter().filter(|(_, bytes)| !bytes.is_empty()) {
                written.add((index, touched.page), &touched.written);
                let start = touched.page as u64 * PAGE;
                for run in runs(&touched.written) {
                    let end = start + run.start as u64;
                    self.allocations[index].pages.write_bytes(end, &bytes[run]);
                }
            }
        }
        for reduction in &changes.deferred {
            self.apply(reduction)?;
            let address = reduction.address;
            let index = self.at_or_below(address).ok_or_else(|| not_there(address))?;
            let offset = address - self.allocations[index].base;
            written.add_element((index, (offset / PAGE) as usize), offset, reduction.bytes);
        }
        if !is_untouched {
            self.last = changes.last;
        }
        Ok(true)
    }
}

fn not_there(address: u64) -> InternalError {
    internal!("an access to {address:#x} has been admitted, where no allocation is")
}

fn no_snapshot() -> InternalError {
    internal!("memory that is no snapshot is asked for what blocks did to it")
}

/// The consecutive marked words of a page, as ranges of bytes.
fn runs(marks: &Marks) -> impl Iterator<Item = Range<usize>> {
    let is_marked = |word: &usize| marks[word / 64] >> (word % 64) & 1 == 1;
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = (next..PAGE_BYTES / 4).find(is_marked)?;
        let end = (first..PAGE_BYTES / 4).find(|word| !is_marked(word));
        next = end.unwrap_or(PAGE_BYTES / 4);
        Some(first * 4..next * 4)
    })
}
