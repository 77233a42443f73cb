//! Clocks against the definition, without any clock: paths in a graph with the documented rules as
//! edges.

use petgraph::algo::has_path_connecting;
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::prelude::*;

use crate::observe::{OperationId, Order};
use crate::streams::Timelines;

/// What host code does next. Streams: 0 is the default stream, 1 and 2 are blocking, 3 and 4 are
/// not.
#[derive(Clone, Copy, Debug)]
enum Call {
    Launch(usize),
    Access,
    Record { event: usize, stream: usize },
    Wait { stream: usize, event: usize },
    Synchronise,
    SynchroniseStream(usize),
    SynchroniseEvent(usize),
}

const BLOCKING: [bool; 5] = [false, true, true, false, false];
const EVENTS: usize = 3;

fn call() -> impl Strategy<Value = Call> {
    let stream = || 0..BLOCKING.len();
    prop_oneof![
        6 => stream().prop_map(Call::Launch),
        2 => Just(Call::Access),
        3 => (0..EVENTS, stream()).prop_map(|(event, stream)| Call::Record { event, stream }),
        3 => (stream(), 0..EVENTS).prop_map(|(stream, event)| Call::Wait { stream, event }),
        1 => Just(Call::Synchronise),
        1 => stream().prop_map(Call::SynchroniseStream),
        1 => (0..EVENTS).prop_map(Call::SynchroniseEvent),
    ]
}

/// The documented rules as edges.
struct Reference {
    graph: DiGraph<(), ()>,
    /// The host's calls so far; each happens after the one before.
    host: Vec<NodeIndex>,
    /// Actions and their streams.
    actions: Vec<(usize, NodeIndex)>,
    records: [Option<NodeIndex>; EVENTS],
}

impl Reference {
    fn call(&mut self) -> NodeIndex {
        let node = self.graph.add_node(());
        if let Some(last) = self.host.last() {
            self.graph.add_edge(*last, node, ());
        }
        self.host.push(node);
        node
    }

    /// The host issues an action to a stream.
    fn action(&mut self, stream: usize) -> NodeIndex {
        let call = self.call();
        let node = self.graph.add_node(());
        self.graph.add_edge(call, node, ());
        for (other, earlier) in &self.actions {
            let same = *other == stream;
            let default_waits = stream == 0 && BLOCKING[*other];
            let waits_for_default = BLOCKING[stream] && *other == 0;
            if same || default_waits || waits_for_default {
                self.graph.add_edge(*earlier, node, ());
            }
        }
        self.actions.push((stream, node));
        node
    }

    /// The node of an operation that takes part in the comparison.
    fn perform(&mut self, call: Call) -> Option<NodeIndex> {
        match call {
            Call::Launch(stream) => return Some(self.action(stream)),
            Call::Access => return Some(self.call()),
            Call::Record { event, stream } => self.records[event] = Some(self.action(stream)),
            Call::Wait { stream, event } => {
                let node = self.action(stream);
                if let Some(record) = self.records[event] {
                    self.graph.add_edge(record, node, ());
                }
            }
            Call::Synchronise => self.wait_for(|_| true),
            Call::SynchroniseStream(stream) => self.wait_for(|of| of == stream),
            Call::SynchroniseEvent(event) => {
                let call = self.call();
                if let Some(record) = self.records[event] {
                    self.graph.add_edge(record, call, ());
                }
            }
        }
        None
    }

    fn wait_for(&mut self, stream: impl Fn(usize) -> bool) {
        let call = self.call();
        for (_, node) in self.actions.iter().filter(|(of, _)| stream(*of)) {
            self.graph.add_edge(*node, call, ());
        }
    }
}

fn timelines() -> Timelines {
    let mut timelines = Timelines::default();
    for blocking in &BLOCKING[1..] {
        timelines.stream(*blocking);
    }
    for _ in 0..EVENTS {
        timelines.event();
    }
    timelines
}

/// The order of an operation that takes part in the comparison.
fn perform(timelines: &mut Timelines, call: Call) -> Option<Order> {
    match call {
        Call::Launch(stream) => return Some(timelines.issue(stream)),
        Call::Access => return Some(timelines.by_host()),
        Call::Record { event, stream } => timelines.record(event, stream),
        Call::Wait { stream, event } => timelines.wait(stream, event),
        Call::Synchronise => timelines.synchronise(),
        Call::SynchroniseStream(stream) => timelines.synchronise_stream(stream),
        Call::SynchroniseEvent(event) => timelines.synchronise_event(event),
    }
    None
}

proptest! {
    #[test]
    fn clocks_say_what_paths_of_documented_edges_say(calls in prop::collection::vec(call(), 1..40)) {
        let mut reference = Reference {
            graph: DiGraph::new(),
            host: Vec::new(),
            actions: Vec::new(),
            records: [None; EVENTS],
        };
        let mut timelines = timelines();
        let mut operations = Vec::new();
        for call in calls {
            let node = reference.perform(call);
            let order = perform(&mut timelines, call);
            prop_assert_eq!(node.is_some(), order.is_some());
            operations.extend(node.zip(order));
        }
        for (from, earlier) in &operations {
            for (to, later) in &operations {
                let path = from != to && has_path_connecting(&reference.graph, *from, *to, None);
                prop_assert_eq!(
                    later.is_after(earlier.operation()),
                    path,
                    "{:?} before {:?}", earlier, later
                );
            }
        }
    }
}

/// Two launches: the first in stream `a`, then what `between` does, then the second in stream `b`.
/// Whether the first happens before the second.
fn ordered(a: usize, b: usize, between: &[Call]) -> bool {
    let mut timelines = timelines();
    let first = timelines.issue(a);
    for call in between {
        perform(&mut timelines, *call);
    }
    timelines.issue(b).is_after(first.operation())
}

#[test]
fn different_streams_are_unordered_and_one_stream_is_in_order() {
    assert!(ordered(1, 1, &[]) && ordered(3, 3, &[]) && ordered(0, 0, &[]));
    assert!(!ordered(1, 2, &[]) && !ordered(3, 4, &[]) && !ordered(1, 3, &[]));
}

#[test]
fn the_default_stream_orders_blocking_streams_and_no_others() {
    assert!(ordered(0, 1, &[]) && ordered(1, 0, &[]));
    assert!(!ordered(0, 3, &[]) && !ordered(3, 0, &[]));
    // The documentation's own example: k1 in s, k2 in the default stream, k3 in s; here with
    // another blocking stream for k3.
    assert!(ordered(1, 2, &[Call::Launch(0)]));
    assert!(!ordered(3, 4, &[Call::Launch(0)]));
}

#[test]
fn an_event_orders_what_was_recorded_before_what_waits() {
    let record = |stream| Call::Record { event: 0, stream };
    let wait = |stream| Call::Wait { stream, event: 0 };
    assert!(ordered(3, 4, &[record(3), wait(4)]));
    assert!(!ordered(3, 4, &[wait(4), record(3)]), "waiting for what is recorded later");
    assert!(!ordered(3, 4, &[record(3), wait(1)]), "another stream waits");
    assert!(!ordered(3, 4, &[record(4), wait(4)]), "recorded in another stream");
    assert!(!ordered(3, 4, &[record(3), record(4), wait(4)]), "the latest record counts");
    assert!(ordered(3, 4, &[record(3), wait(4), record(4)]), "recording again changes no wait");
}

#[test]
fn the_host_that_waited_orders_what_it_issues_next() {
    assert!(ordered(3, 4, &[Call::Synchronise]));
    assert!(ordered(3, 4, &[Call::SynchroniseStream(3)]));
    assert!(!ordered(3, 4, &[Call::SynchroniseStream(4)]));
    let record = Call::Record { event: 1, stream: 3 };
    assert!(ordered(3, 4, &[record, Call::SynchroniseEvent(1)]));
    assert!(!ordered(3, 4, &[Call::SynchroniseEvent(1), record]));
}

#[test]
fn the_host_is_ordered_before_what_it_issues_and_after_what_it_waits_for() {
    let mut timelines = timelines();
    let early = timelines.by_host();
    let launch = timelines.issue(3);
    let unwaited = timelines.by_host();
    timelines.synchronise_stream(3);
    let waited = timelines.by_host();
    assert!(launch.is_after(early.operation()));
    assert!(!unwaited.is_after(launch.operation()) && !launch.is_after(unwaited.operation()));
    assert!(waited.is_after(launch.operation()));
    assert_eq!(waited.operation().timeline, OperationId::HOST);
    assert!(timelines.host().has(launch.operation()));
}
