//! What the warps of a block wait for, in words.

use std::fmt::Write;

use warpsim::host::{FragmentState, MbarrierObject};
use warpsim::observe::lane_list;

use super::console::Console;
use super::instructions::{lanes_in_words, short_at};
use crate::masks::mask_text;
use crate::waits::{MbarrierState, Poll};

impl Console<'_> {
    /// The barriers of the block in focus, and who waits for them.
    pub(super) fn barriers(&self) -> String {
        let block = self.debugger.focus().block;
        let Some(state) = self.debugger.stepper().block(block) else {
            return format!("block {block} has not begun, or has ended");
        };
        let mut text = String::new();
        for id in state.common.barriers.in_use() {
            for (number, warp) in (0..).zip(&state.warps) {
                let waits = warp.fragments.iter().filter(|f| f.state == FragmentState::Barrier(id));
                let waiting = waits.fold(0, |mask, fragment| mask | fragment.mask);
                let missing = warp.live & !waiting;
                let _ = writeln!(
                    text,
                    "barrier {id} warp {number:<3} {:<32} {}",
                    mask_text(waiting, warp.exists),
                    match missing {
                        0 => "all wait".to_owned(),
                        missing => format!("not there: lanes {}", lane_list(missing)),
                    }
                );
            }
        }
        for mbarrier in self.debugger.mbarriers(block) {
            let _ = writeln!(text, "{}", mbarrier_line(&mbarrier));
        }
        for poll in self.debugger.polls(block) {
            let _ = writeln!(text, "{}", self.poll_line(&poll));
        }
        match text.is_empty() {
            true => format!("nobody waits at a barrier in block {block}"),
            false => text,
        }
    }

    /// Lanes that read a word again and again: what they read, and who wrote it last.
    fn poll_line(&self, poll: &Poll) -> String {
        let steps = self.debugger.stepper().trace().steps();
        let name = match poll.region.name.as_str() {
            "" => format!("{:#x}", poll.region.address),
            name => name.to_owned(),
        };
        let mut text = format!(
            "warp {} {} poll {name}: read {} times",
            poll.warp,
            lanes_in_words(poll.lanes),
            poll.reads
        );
        if let Some(value) = poll.value {
            let _ = write!(text, ", each gave {value}");
        }
        if let Some(step) = steps.get(poll.step) {
            let _ = write!(text, "; {}", short_at(step));
        }
        match poll.writer {
            Some(writer) => {
                let _ = write!(text, "; written last by {}", writer.thread);
            }
            None => text += "; this launch has not written it",
        }
        text
    }
}

/// An mbarrier object: what its phase waits for.
fn mbarrier_line(mbarrier: &MbarrierState) -> String {
    let MbarrierObject { parity, pending, expected, transactions, .. } = mbarrier.object;
    let name = match &mbarrier.name {
        Some(name) => format!("{name} at {:#x}", mbarrier.address),
        None => format!("at {:#x}", mbarrier.address),
    };
    let bytes = match transactions {
        0 => "no bytes".to_owned(),
        1.. => format!("{transactions} bytes"),
        _ => format!("{} bytes fewer than have arrived", transactions.unsigned_abs()),
    };
    format!(
        "mbarrier {name}: the phase of parity {} waits for {pending} of {expected} arrivals and \
         {bytes}",
        u8::from(parity)
    )
}
