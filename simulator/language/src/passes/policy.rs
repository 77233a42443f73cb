//! Which rules of the register-caching pass are on, and, in tests, which one is broken.
//!
//! Tests plant one [`Fault`] at a time to show that the property test notices each. Outside tests
//! [`Policy::broken`] is constantly false and no fault can be planted.

/// The rules, and the planted fault.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    /// A load may take the value that a store put there.
    pub(super) forward_stores: bool,
    /// A load may take the value that an earlier load read there.
    pub(super) reuse_loads: bool,
    /// A store that is overwritten before anything may read it goes.
    pub(super) delete_dead_stores: bool,
    /// The last store of a cached location moves down as far as it can.
    pub(super) sink_stores: bool,
    #[cfg(test)]
    pub(super) fault: Option<Fault>,
}

impl Policy {
    /// Everything on, nothing broken.
    pub(super) const ALL: Policy = Policy {
        forward_stores: true,
        reuse_loads: true,
        delete_dead_stores: true,
        sink_stores: true,
        #[cfg(test)]
        fault: None,
    };

    /// Whether a test asked for this precaution to be left out.
    #[cfg(test)]
    pub(super) fn broken(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Whether a test asked for this precaution to be left out: never, outside tests.
    #[cfg(not(test))]
    pub(super) fn broken(&self, _: Fault) -> bool {
        false
    }
}

/// One precaution that a test can leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Two addresses that nothing is known about are taken to be different.
    UnknownPointersNeverAlias,
    /// Only accesses of exactly the same bytes conflict.
    IgnorePartialOverlap,
    /// A value is forwarded to a load of another width at the same address.
    IgnoreWidth,
    /// A narrow value is moved where it should be extended.
    ForgetExtension,
    /// Sign or zero extension of an address is always taken to be exact.
    WideningIsAlwaysExact,
    /// An instruction under a guard is taken to write its registers always.
    IgnoreGuardsOfDefinitions,
    /// A store under a guard is taken to happen always.
    IgnoreGuardsOfStores,
    /// A loop's back edge brings nothing new.
    IgnoreBackEdges,
    /// Where paths join, only the first one counts.
    IgnoreJoins,
    /// A register is taken to hold a value for ever.
    IgnoreRedefinition,
    /// A register of an inner scope is taken to be visible everywhere.
    IgnoreScopes,
    /// Volatile accesses are taken for plain ones.
    VolatileIsPlain,
    /// A call is taken to touch no memory.
    IgnoreCalls,
    /// Barriers and fences end nothing.
    IgnoreBarriers,
    /// Nobody reads memory after the end.
    DropFlushAtExit,
    /// Reads do not keep a store alive.
    IgnoreReadsOfDeadStores,
    /// An address from before a redefinition is taken for the one after it.
    IgnoreInstances,
    /// A covering store is taken to cover more than its bytes.
    IgnoreCoverage,
    /// A store may sink below accesses of the same bytes.
    SinkBelowAliases,
    /// A sunk store uses whatever its registers hold by then.
    SinkWithoutSaving,
}

#[cfg(test)]
impl Fault {
    /// Every fault.
    pub(super) const ALL: [Fault; 20] = [
        Fault::UnknownPointersNeverAlias,
        Fault::IgnorePartialOverlap,
        Fault::IgnoreWidth,
        Fault::ForgetExtension,
        Fault::WideningIsAlwaysExact,
        Fault::IgnoreGuardsOfDefinitions,
        Fault::IgnoreGuardsOfStores,
        Fault::IgnoreBackEdges,
        Fault::IgnoreJoins,
        Fault::IgnoreRedefinition,
        Fault::IgnoreScopes,
        Fault::VolatileIsPlain,
        Fault::IgnoreCalls,
        Fault::IgnoreBarriers,
        Fault::DropFlushAtExit,
        Fault::IgnoreReadsOfDeadStores,
        Fault::IgnoreInstances,
        Fault::IgnoreCoverage,
        Fault::SinkBelowAliases,
        Fault::SinkWithoutSaving,
    ];
}
