//! Graphs: what they do, in which order, and which races they have.

use super::*;
use crate::{
    CaptureMode, CudaError, GraphTask, HostCall, NodeKind, SetRequest, Spot, UpdateResult,
};

/// A program with a context, `twice`, a buffer of four words and the legacy stream.
struct Setting {
    driver: Driver,
    fake: Fake,
    caller: Caller,
    twice: Handle,
    memory: u64,
}

fn setting(options: Options) -> Setting {
    let (driver, fake, mut caller) = driver(options);
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let twice = call.module_function(module, "twice").unwrap();
    let memory = call.allocate(16).unwrap();
    drop(call);
    Setting { driver, fake, caller, twice, memory }
}

fn fill(memory: u64, byte: u8) -> GraphTask {
    GraphTask::Set(SetRequest { to: memory, value: vec![byte, 0, 0, 0], shape: [4, 1], pitch: 0 })
}

/// Launches an instance in a stream; the functions of the program that it calls.
fn launch(call: &mut crate::Call<'_>, instance: Handle, stream: Handle) -> Vec<HostCall> {
    let mut run = call.launch_graph(instance, stream, LEGACY).unwrap();
    std::iter::from_fn(|| call.go_on(&mut run).unwrap()).collect()
}

fn first_word(setting: &Setting, call: &mut crate::Call<'_>) -> u32 {
    let stream = call.stream(0, LEGACY).unwrap();
    call.copy(Spot::Host(OWN), Spot::Device(setting.memory), 4, stream, true).unwrap();
    let word = setting.fake.0.lock().unwrap().piece(OWN, 4).to_vec();
    u32::from_le_bytes(word.try_into().unwrap())
}

#[test]
fn steps_go_in_the_order_of_the_edges_whatever_the_order_of_the_nodes() {
    for check in [false, true] {
        let mut all = setting(Options { check, ..Options::default() });
        let mut caller = std::mem::take(&mut all.caller);
        let mut call = all.driver.enter(&mut caller).unwrap();
        let graph = call.create_graph();
        let kernel = GraphTask::Kernel(request(all.twice, 4, &all.memory.to_le_bytes()));
        let second = call.add_node(graph, &[], kernel.clone()).unwrap();
        let host = call
            .add_node(graph, &[second], GraphTask::Host(HostCall { function: 7, data: 9 }))
            .unwrap();
        let third = call.add_node(graph, &[host], kernel).unwrap();
        let first = call.add_node(graph, &[], fill(all.memory, 5)).unwrap();
        call.add_edges(graph, &[(first, second)]).unwrap();
        assert_eq!(call.add_edges(graph, &[(first, second)]), Err(CudaError::InvalidValue));
        assert_eq!(call.graph_roots(graph), Ok(vec![first]));
        assert_eq!(call.nodes_before(third), Ok(vec![host]));
        assert_eq!(call.nodes_behind(first), Ok(vec![second]));
        let instance = call.instantiate(graph, false).unwrap();
        call.destroy_graph(graph).unwrap();
        assert_eq!(call.graph_nodes(graph), Err(CudaError::InvalidValue));
        for _ in 0..2 {
            assert_eq!(launch(&mut call, instance, 0), [HostCall { function: 7, data: 9 }]);
            assert_eq!(first_word(&all, &mut call), 20);
        }
        // What a node does may be changed, switched off, or made like another graph's.
        call.set_step_task(instance, first, fill(all.memory, 7)).unwrap();
        call.enable_step(instance, third, false).unwrap();
        launch(&mut call, instance, 0);
        assert_eq!(first_word(&all, &mut call), 14);
        assert_eq!(
            call.set_step_task(instance, first, GraphTask::Empty),
            Err(CudaError::InvalidValue)
        );
        call.destroy_instance(instance).unwrap();
        assert_eq!(call.destroy_instance(instance), Err(CudaError::InvalidValue));
        drop(call);
        assert!(!all.fake.0.lock().unwrap().recorded.concat().contains("race"), "{check}");
    }
}

#[test]
fn a_circle_cannot_be_launched_and_an_instance_is_updated_only_from_a_graph_like_its_own() {
    let mut all = setting(Options::default());
    let mut caller = std::mem::take(&mut all.caller);
    let mut call = all.driver.enter(&mut caller).unwrap();
    let graph = call.create_graph();
    let a = call.add_node(graph, &[], fill(all.memory, 1)).unwrap();
    let b = call.add_node(graph, &[a], GraphTask::Empty).unwrap();
    let instance = call.instantiate(graph, false).unwrap();
    let other = call.clone_graph(graph).unwrap();
    let of_other = call.find_in_clone(a, other).unwrap();
    assert_eq!(call.find_in_clone(b, graph), Err(CudaError::InvalidValue));
    call.set_node_task(of_other, fill(all.memory, 6)).unwrap();
    assert_eq!(call.update_instance(instance, other), Ok(UpdateResult::Success));
    launch(&mut call, instance, 0);
    assert_eq!(first_word(&all, &mut call), 6);
    let more = call.add_node(other, &[], GraphTask::Empty).unwrap();
    assert_eq!(call.update_instance(instance, other), Ok(UpdateResult::TopologyChanged));
    call.destroy_node(more).unwrap();
    call.destroy_node(of_other).unwrap();
    call.add_node(other, &[], GraphTask::Empty).unwrap();
    assert_eq!(call.update_instance(instance, other), Ok(UpdateResult::TopologyChanged));
    call.add_edges(graph, &[(b, a)]).unwrap();
    assert_eq!(call.instantiate(graph, false), Err(CudaError::InvalidValue));
    // A child graph is a copy, and its nodes are the copy's.
    let parent = call.create_graph();
    call.remove_edges(graph, &[(b, a)]).unwrap();
    let child = call.add_node(parent, &[], GraphTask::Child(graph)).unwrap();
    let Ok(GraphTask::Child(inside)) = call.node_task(child) else { panic!("a child graph") };
    assert_eq!(call.destroy_graph(inside), Err(CudaError::InvalidValue));
    assert_eq!(call.node_task(child).unwrap().kind(), NodeKind::Graph);
    call.destroy_graph(graph).unwrap();
    let nested = call.instantiate(parent, false).unwrap();
    launch(&mut call, nested, 0);
    assert_eq!(first_word(&all, &mut call), 1);
    call.set_step_task(nested, child, GraphTask::Child(inside)).unwrap();
    assert_eq!(
        call.set_step_task(nested, child, GraphTask::Child(parent)),
        Err(CudaError::GraphExecUpdateFailure)
    );
}

#[test]
fn kernels_that_no_edge_orders_race_and_those_that_one_orders_do_not() {
    for (is_ordered, is_captured) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut all = setting(Options { check: true, ..Options::default() });
        let mut caller = std::mem::take(&mut all.caller);
        let mut call = all.driver.enter(&mut caller).unwrap();
        let stream = call.create_stream(1, 0).unwrap();
        let plain = call.stream(0, LEGACY).unwrap();
        call.set(all.memory, &[1, 0, 0, 0], [4, 1], 0, plain).unwrap();
        call.synchronise_context().unwrap();
        let twice = request(all.twice, 4, &all.memory.to_le_bytes());
        let graph = if is_captured {
            let (fork, join) = (call.create_event(0).unwrap(), call.create_event(0).unwrap());
            let side = call.create_stream(1, 0).unwrap();
            call.begin_capture(stream, LEGACY, CaptureMode::Global, None).unwrap();
            call.record_event(fork, stream, LEGACY).unwrap();
            let own = call.stream(stream, LEGACY).unwrap();
            call.launch(&twice, own).unwrap();
            if is_ordered {
                call.record_event(fork, stream, LEGACY).unwrap();
            }
            call.wait_for_event(side, LEGACY, fork).unwrap();
            let other = call.stream(side, LEGACY).unwrap();
            call.launch(&twice, other).unwrap();
            call.record_event(join, side, LEGACY).unwrap();
            call.wait_for_event(stream, LEGACY, join).unwrap();
            call.end_capture(stream, LEGACY).unwrap()
        } else {
            let graph = call.create_graph();
            let first = call.add_node(graph, &[], GraphTask::Kernel(twice.clone())).unwrap();
            let before = if is_ordered { vec![first] } else { Vec::new() };
            call.add_node(graph, &before, GraphTask::Kernel(twice)).unwrap();
            graph
        };
        let instance = call.instantiate(graph, false).unwrap();
        launch(&mut call, instance, stream);
        call.synchronise_stream(stream, LEGACY).unwrap();
        drop(call);
        let recorded = all.fake.0.lock().unwrap().recorded.concat();
        let found = recorded.contains("\"code\":\"race\"");
        assert_eq!(found, !is_ordered, "ordered {is_ordered}, captured {is_captured}: {recorded}");
    }
}

#[test]
fn two_launches_of_an_instance_are_ordered_and_so_is_what_the_stream_holds() {
    let mut all = setting(Options { check: true, ..Options::default() });
    let mut caller = std::mem::take(&mut all.caller);
    let mut call = all.driver.enter(&mut caller).unwrap();
    let (a, b) = (call.create_stream(1, 0).unwrap(), call.create_stream(1, 0).unwrap());
    let graph = call.create_graph();
    call.add_node(graph, &[], fill(all.memory, 3)).unwrap();
    let instance = call.instantiate(graph, false).unwrap();
    let twice = request(all.twice, 4, &all.memory.to_le_bytes());
    launch(&mut call, instance, a);
    launch(&mut call, instance, b);
    let behind = call.stream(b, LEGACY).unwrap();
    call.launch(&twice, behind).unwrap();
    call.synchronise_context().unwrap();
    drop(call);
    let recorded = all.fake.0.lock().unwrap().recorded.concat();
    assert!(!recorded.contains("\"code\":\"race\""), "{recorded}");
}

#[test]
fn a_capture_ends_where_it_began_joined_and_without_anything_that_cannot_be_captured() {
    let mut all = setting(Options::default());
    let mut caller = std::mem::take(&mut all.caller);
    let mut call = all.driver.enter(&mut caller).unwrap();
    let (stream, side) = (call.create_stream(1, 0).unwrap(), call.create_stream(1, 0).unwrap());
    let (event, outside) = (call.create_event(0).unwrap(), call.create_event(0).unwrap());
    let begin = |call: &mut crate::Call<'_>| {
        call.begin_capture(stream, LEGACY, CaptureMode::Global, None).unwrap()
    };
    assert_eq!(
        call.begin_capture(0, LEGACY, CaptureMode::Global, None),
        Err(CudaError::StreamCaptureImplicit)
    );
    assert_eq!(call.end_capture(stream, LEGACY), Err(CudaError::IllegalState));
    // A stream that was forked off and not joined.
    begin(&mut call);
    call.record_event(event, stream, LEGACY).unwrap();
    call.wait_for_event(side, LEGACY, event).unwrap();
    assert!(call.capture_facts(side, LEGACY).unwrap().unwrap().is_valid);
    let other = call.stream(side, LEGACY).unwrap();
    call.set(all.memory, &[1], [16, 1], 0, other).unwrap();
    assert_eq!(call.end_capture(side, LEGACY), Err(CudaError::StreamCaptureUnmatched));
    assert_eq!(call.end_capture(stream, LEGACY), Err(CudaError::StreamCaptureInvalidated));
    begin(&mut call);
    call.record_event(event, stream, LEGACY).unwrap();
    call.wait_for_event(side, LEGACY, event).unwrap();
    call.set(all.memory, &[1], [16, 1], 0, other).unwrap();
    assert_eq!(call.end_capture(stream, LEGACY), Err(CudaError::StreamCaptureUnjoined));
    assert_eq!(call.capture_facts(side, LEGACY), Ok(None));
    // What makes it invalid, and what that answers.
    type Wrong = fn(&mut crate::Call<'_>, [Handle; 4]) -> Result<(), CudaError>;
    let wrongs: [(Wrong, CudaError); 5] = [
        (
            |call, [stream, ..]| call.synchronise_stream(stream, LEGACY),
            CudaError::StreamCaptureUnsupported,
        ),
        (|call, _| call.synchronise_context(), CudaError::StreamCaptureUnsupported),
        (|call, _| call.allocate(4).map(|_| ()), CudaError::StreamCaptureUnsupported),
        (
            |call, [stream, _, _, outside]| call.wait_for_event(stream, LEGACY, outside),
            CudaError::StreamCaptureIsolation,
        ),
        (
            |call, [stream, _, event, _]| {
                call.record_event(event, stream, LEGACY)?;
                call.synchronise_event(event)
            },
            CudaError::CapturedEvent,
        ),
    ];
    for (wrong, error) in wrongs {
        begin(&mut call);
        assert_eq!(wrong(&mut call, [stream, side, event, outside]), Err(error));
        assert!(!call.capture_facts(stream, LEGACY).unwrap().unwrap().is_valid);
        assert_eq!(call.end_capture(stream, LEGACY), Err(CudaError::StreamCaptureInvalidated));
    }
    // A stream that waits for the legacy one cannot be captured beside it; a thread that asked for
    // it may allocate.
    let blocking = call.create_stream(0, 0).unwrap();
    call.begin_capture(blocking, LEGACY, CaptureMode::Relaxed, None).unwrap();
    call.allocate(4).unwrap();
    let legacy = call.stream(0, LEGACY).unwrap();
    assert_eq!(
        call.set(all.memory, &[1], [16, 1], 0, legacy),
        Err(CudaError::StreamCaptureImplicit)
    );
    assert_eq!(call.end_capture(blocking, LEGACY), Err(CudaError::StreamCaptureInvalidated));
    // Nothing has happened to the memory, and a stream that is destroyed takes its capture with it.
    assert_eq!(first_word(&all, &mut call), 0);
    begin(&mut call);
    call.destroy_stream(stream).unwrap();
    call.synchronise_context().unwrap();
    assert_eq!(first_word(&all, &mut call), 0);
}
