//! Takes the time of the operations of streams, if a timeline is requested.
//!
//! [`crate::told::spans`] says what the times are. A refused operation has no time.

use warpsim::host::Stream;

use crate::Handle;
use crate::state::Call;
use crate::told::journal::Entry;
use crate::told::spans::{Begun, SpanEntry, SpanTask};

impl Call<'_> {
    /// An operation begins; `None` if no timeline is requested.
    pub(crate) fn begin_span(&self) -> Option<Begun> {
        let is_wanted = self.state.options.timeline;
        let begun = || Begun { moment: self.host.now(), first: self.state.device.issued() + 1 };
        is_wanted.then(begun)
    }

    /// It has been carried out.
    pub(crate) fn end_span(
        &self,
        begun: Option<Begun>,
        (stream, context): (Stream, Handle),
        task: impl FnOnce() -> SpanTask,
    ) {
        let Some(Begun { moment, first }) = begun else { return };
        let entry = Entry::Span(SpanEntry {
            process: self.host.process(),
            thread: moment.thread,
            context,
            stream: stream.number() as u64,
            start: moment.nanoseconds,
            nanoseconds: self.host.now().nanoseconds.saturating_sub(moment.nanoseconds),
            operations: (first, self.state.device.issued()),
            task: task(),
        });
        self.host.record(&entry.line());
    }
}
