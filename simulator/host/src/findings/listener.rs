//! Reports findings as they are found, before all requested schedules have run.

use std::fmt;
use std::sync::Arc;

use crate::check::Merged;
use crate::report::Finding;

/// Receives findings as they are found. It gets each pair of source places once, with the first
/// schedule that showed it. The order does not depend on the number of host threads. The report at
/// the end has all findings, with how often they happened. A launch waits while the listener runs.
///
/// ```
/// use std::sync::mpsc::channel;
/// use warpsim::host::{Checking, Device, Launch, Listener, Simulator};
///
/// let text = ".version 7.0 .target sm_70 .address_size 64 .visible .global .u32 cell;
///     .visible .entry k() { .reg .u32 %t; mov.u32 %t, %tid.x; st.global.u32 [cell], %t; ret; }";
/// let (sender, told) = channel();
/// let mut gpu = Simulator::default();
/// gpu.settings_mut().checking = Some(Checking::default());
/// gpu.settings_mut().listener = Some(Listener::new(move |finding| drop(sender.send(finding.clone()))));
/// let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// let report = gpu.launch(module, "k", &Launch::new(1, 2), &[])?;
/// assert_eq!(told.recv()?.code, report.findings[0].code);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(&Finding) + Send + Sync>);

impl Listener {
    /// A listener that calls this function.
    pub fn new(tell: impl Fn(&Finding) + Send + Sync + 'static) -> Listener {
        Listener(Arc::new(tell))
    }

    /// Tells of those that were added since the last time.
    pub(crate) fn tell_new(&self, merged: &mut Merged) {
        merged.take_new(|finding| (self.0)(finding));
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
