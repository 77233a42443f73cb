//! `st.bulk` and `discard` (PTX ISA 9.7.9.13, 9.7.9.17): a span of memory, word by word.
//!
//! Each word is its own access, which is checked and reported. A thread with fewer bytes than
//! others of its warp finishes earlier. Discarded memory stays unchanged.

use super::addresses::{Addresses, By, addresses_of, by_space, named_space};
use crate::lanes::{LANES, lanes_of};
use crate::lower::{DISCARDED, Span, SpanAction};
use crate::machine::memory::MemoryFault;
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::Stop;
use crate::machine::state::warp::Warp;
use crate::observe::AccessKind;
use crate::ptx::Space;

/// Bytes of a word.
const WORD: u64 = 8;

impl Execution<'_, '_> {
    /// Executes `st.bulk` or `discard`.
    #[inline(never)]
    pub(in crate::machine) fn span(
        &mut self,
        warp: &mut Warp,
        span: &Span,
        by: By,
    ) -> Result<(), Stop> {
        let found = addresses_of(&span.target, &warp.frames[usize::from(by.frame)]);
        match named_space(&span.target) {
            Some(space) => self.span_in(warp, span, by, space, &found),
            None => {
                by_space(&span.target, &found, by.active).try_for_each(|(space, active, found)| {
                    self.span_in(warp, span, By { active, ..by }, space, &found)
                })
            }
        }
    }

    fn span_in(
        &mut self,
        warp: &mut Warp,
        span: &Span,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        let bytes = *warp.frames[usize::from(by.frame)].registers.w64(span.bytes);
        let alignment = match span.action {
            SpanAction::Clear => WORD,
            SpanAction::Discard => DISCARDED.into(),
        };
        let is_bad = |lane: &usize| {
            !found[*lane].is_multiple_of(alignment) || !bytes[*lane].is_multiple_of(WORD)
        };
        if let Some(lane) = lanes_of(by.active).find(is_bad) {
            let at = self.thread(warp, 1 << lane, by.pc);
            let fault = MemoryFault::Misaligned { alignment: alignment as u32 };
            let (address, bytes) = (found[lane], bytes[lane] as u32);
            return Err(Stop::Memory { at, space, address, bytes, fault });
        }
        let mut done = 0;
        loop {
            let left = lanes_of(by.active).filter(|lane| bytes[*lane] > done);
            let active = left.fold(0, |mask, lane| mask | 1 << lane);
            if active == 0 {
                return Ok(());
            }
            let (by, words) = (By { active, ..by }, found.map(|a| a.wrapping_add(done)));
            self.admit(warp, &span.target, by, space, &words, AccessKind::Write)?;
            if span.action == SpanAction::Clear {
                self.write(warp, space, &words, active, WORD as u32, &[0; LANES])?;
            }
            done += WORD;
        }
    }
}
