//! Nodes of graphs that decide what follows, and kept attributes of streams, nodes and managed
//! memory.

use super::*;
use crate::{
    CaptureMode, ConditionKind, CudaError, GraphTask, LaunchAttributeId, Place, SetRequest, Spot,
};

/// `down` takes 1 from a word and has its node go on while that is not 0; `decide` gives a node the
/// word.
const DECIDING: &str = ".version 7.0 .target sm_80 .address_size 64
    .extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
    .visible .entry down(.param .u64 p, .param .u64 h) {
      .reg .u64 %a, %h; .reg .u32 %v;
      ld.param.u64 %a, [p]; ld.param.u64 %h, [h]; ld.global.u32 %v, [%a]; sub.u32 %v, %v, 1;
      st.global.u32 [%a], %v;
      { .param .b64 x; .param .b32 y; st.param.b64 [x], %h; st.param.b32 [y], %v;
        call.uni cudaGraphSetConditional, (x, y); }
      ret;
    }
    .visible .entry decide(.param .u64 p, .param .u64 h) {
      .reg .u64 %a, %h; .reg .u32 %v;
      ld.param.u64 %a, [p]; ld.param.u64 %h, [h]; ld.global.u32 %v, [%a];
      { .param .b64 x; .param .b32 y; st.param.b64 [x], %h; st.param.b32 [y], %v;
        call.uni cudaGraphSetConditional, (x, y); }
      ret;
    }";

fn put(fake: &Fake, call: &mut crate::Call<'_>, to: u64, word: u32) {
    fake.0.lock().unwrap().piece(OWN, 4).copy_from_slice(&word.to_le_bytes());
    let stream = call.stream(0, LEGACY).unwrap();
    call.copy(Spot::Device(to), Spot::Host(OWN), 4, stream, true).unwrap();
}

fn word(fake: &Fake, call: &mut crate::Call<'_>, from: u64) -> u32 {
    let stream = call.stream(0, LEGACY).unwrap();
    call.copy(Spot::Host(OWN), Spot::Device(from), 4, stream, true).unwrap();
    u32::from_le_bytes(fake.0.lock().unwrap().piece(OWN, 4).to_vec().try_into().unwrap())
}

fn launch(call: &mut crate::Call<'_>, instance: Handle) {
    let mut run = call.launch_graph(instance, 0, LEGACY).unwrap();
    assert_eq!(call.go_on(&mut run).unwrap(), None);
    call.synchronise_context().unwrap();
}

fn arguments(words: [u64; 2]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn set(to: u64, value: u8) -> GraphTask {
    GraphTask::Set(SetRequest { to, value: vec![value, 0, 0, 0], shape: [1, 1], pitch: 0 })
}

#[test]
fn a_body_goes_on_while_its_word_is_not_zero_and_begins_with_the_default_each_time() {
    for check in [false, true] {
        let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
        let mut call = driver.enter(&mut caller).unwrap();
        let module = call.load_module(DECIDING.as_bytes(), None).unwrap();
        let down = call.module_function(module, "down").unwrap();
        let counter = call.allocate(4).unwrap();
        let graph = call.create_graph();
        let handle = call.create_condition(graph, Some(1)).unwrap();
        let wanted = (handle, ConditionKind::While, 1);
        let (node, bodies) = call.add_conditional(graph, &[], wanted).unwrap();
        // A handle is one node's, and a loop has one body.
        assert_eq!(call.add_conditional(graph, &[], wanted), Err(CudaError::InvalidValue));
        let [body] = bodies[..] else { panic!("{bodies:?}") };
        let kernel = GraphTask::Kernel(request(down, 1, &arguments([counter, handle])));
        call.add_node(body, &[], kernel).unwrap();
        let after = call.allocate(4).unwrap();
        call.add_node(graph, &[node], set(after, 9)).unwrap();
        assert_eq!(call.clone_graph(graph), Err(CudaError::NotSupported));
        let instance = call.instantiate(graph, false).unwrap();
        call.destroy_graph(graph).unwrap();
        for rounds in [5, 1, 3] {
            put(&fake, &mut call, counter, rounds);
            put(&fake, &mut call, after, 0);
            launch(&mut call, instance);
            assert_eq!((word(&fake, &mut call, counter), word(&fake, &mut call, after)), (0, 9));
        }
        let recorded = fake.0.lock().unwrap().recorded.concat();
        assert!(!recorded.contains("\"code\""), "{check}: {recorded}");
    }
}

#[test]
fn the_word_says_which_body_follows() {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(DECIDING.as_bytes(), None).unwrap();
    let decide = call.module_function(module, "decide").unwrap();
    // The kind, how many bodies, and which of them each word means: from the documentation of
    // `CUgraphConditionalNodeType`.
    for (kind, count, meant) in [
        (ConditionKind::If, 1, [None, Some(0), Some(0), Some(0)]),
        (ConditionKind::If, 2, [Some(1), Some(0), Some(0), Some(0)]),
        (ConditionKind::Switch, 3, [Some(0), Some(1), Some(2), None]),
    ] {
        let (chosen, result) = (call.allocate(4).unwrap(), call.allocate(4).unwrap());
        let graph = call.create_graph();
        let handle = call.create_condition(graph, None).unwrap();
        let kernel = GraphTask::Kernel(request(decide, 1, &arguments([chosen, handle])));
        let first = call.add_node(graph, &[], kernel).unwrap();
        let (_, bodies) = call.add_conditional(graph, &[first], (handle, kind, count)).unwrap();
        for (body, value) in bodies.iter().zip(10..) {
            call.add_node(*body, &[], set(result, value)).unwrap();
        }
        let instance = call.instantiate(graph, false).unwrap();
        for (value, body) in (0..).zip(meant) {
            put(&fake, &mut call, chosen, value);
            put(&fake, &mut call, result, 1);
            launch(&mut call, instance);
            let wanted = body.map_or(1, |body| 10 + body);
            assert_eq!(word(&fake, &mut call, result), wanted, "{kind:?} of {count}: {value}");
        }
    }
    let graph = call.create_graph();
    let handle = call.create_condition(graph, None).unwrap();
    for (kind, count) in
        [(ConditionKind::While, 2), (ConditionKind::If, 3), (ConditionKind::Switch, 0)]
    {
        let added = call.add_conditional(graph, &[], (handle, kind, count));
        assert_eq!(added, Err(CudaError::InvalidValue));
    }
}

#[test]
fn a_loop_ends_where_its_body_faults() {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let fail = call.module_function(module, "fail").unwrap();
    let graph = call.create_graph();
    let handle = call.create_condition(graph, Some(1)).unwrap();
    let (_, bodies) = call.add_conditional(graph, &[], (handle, ConditionKind::While, 1)).unwrap();
    call.add_node(bodies[0], &[], GraphTask::Kernel(request(fail, 1, &[]))).unwrap();
    let instance = call.instantiate(graph, false).unwrap();
    let mut run = call.launch_graph(instance, 0, LEGACY).unwrap();
    assert_eq!(call.go_on(&mut run), Ok(None));
    assert_eq!(call.synchronise_context(), Err(CudaError::LaunchFailed));
}

#[test]
fn a_stream_that_was_joined_may_be_destroyed_before_the_capture_ends_and_one_that_was_not_is_missed()
 {
    for is_joined in [true, false] {
        let (driver, fake, mut caller) = driver(Options::default());
        let mut call = driver.enter(&mut caller).unwrap();
        let memory = call.allocate(4).unwrap();
        let (stream, side) = (call.create_stream(0, 0).unwrap(), call.create_stream(0, 0).unwrap());
        let (fork, join) = (call.create_event(0).unwrap(), call.create_event(0).unwrap());
        call.begin_capture(stream, LEGACY, CaptureMode::Global, None).unwrap();
        call.record_event(fork, stream, LEGACY).unwrap();
        call.wait_for_event(side, LEGACY, fork).unwrap();
        let on = call.stream(side, LEGACY).unwrap();
        call.set(memory, &[7, 0, 0, 0], [1, 1], 0, on).unwrap();
        if is_joined {
            call.record_event(join, side, LEGACY).unwrap();
            call.wait_for_event(stream, LEGACY, join).unwrap();
        }
        call.destroy_stream(side).unwrap();
        call.destroy_event(fork).unwrap();
        call.destroy_event(join).unwrap();
        // Another stream that is made meanwhile has nothing to do with it.
        call.create_stream(0, 0).unwrap();
        let ended = call.end_capture(stream, LEGACY);
        if !is_joined {
            assert_eq!(ended, Err(CudaError::StreamCaptureUnjoined));
            continue;
        }
        let instance = call.instantiate(ended.unwrap(), false).unwrap();
        launch(&mut call, instance);
        assert_eq!(word(&fake, &mut call, memory), 7);
    }
}

#[test]
fn attributes_of_streams_and_nodes_are_what_was_set_and_are_copied_and_cloned() {
    use LaunchAttributeId as Id;
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let (one, other) = (call.create_stream(0, -2).unwrap(), call.create_stream(0, 0).unwrap());
    let window: Vec<u8> = [
        7u64.to_le_bytes(),
        64u64.to_le_bytes(),
        [0, 0, 0, 63, 2, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    assert_eq!(call.stream_attribute(one, LEGACY, Id::AccessPolicyWindow), Ok(vec![0; 32]));
    call.set_stream_attribute(one, LEGACY, Id::AccessPolicyWindow, &window).unwrap();
    assert_eq!(call.stream_attribute(one, LEGACY, Id::AccessPolicyWindow), Ok(window.clone()));
    assert_eq!(call.stream_attribute(other, LEGACY, Id::AccessPolicyWindow), Ok(vec![0; 32]));
    call.copy_stream_attributes(other, one, LEGACY).unwrap();
    assert_eq!(call.stream_attribute(other, LEGACY, Id::AccessPolicyWindow), Ok(window.clone()));
    // CU_SYNC_POLICY_AUTO, and the priority of the stream.
    assert_eq!(call.stream_attribute(one, LEGACY, Id::SynchronizationPolicy), Ok(vec![1, 0, 0, 0]));
    assert_eq!(
        call.stream_attribute(one, LEGACY, Id::Priority),
        Ok((-2i32).to_le_bytes().to_vec())
    );
    call.set_stream_attribute(one, LEGACY, Id::Priority, &(-1i32).to_le_bytes()).unwrap();
    assert_eq!(call.stream_priority(one), Ok(-1));
    // A ratio beyond 1, a policy that there is not, and an attribute of kernels.
    let mut wrong = window.clone();
    wrong[16..20].copy_from_slice(&1.5f32.to_le_bytes());
    let mut set = |id, value: &[u8]| call.set_stream_attribute(one, LEGACY, id, value);
    assert_eq!(set(Id::AccessPolicyWindow, &wrong), Err(CudaError::InvalidValue));
    assert_eq!(set(Id::SynchronizationPolicy, &[9, 0, 0, 0]), Err(CudaError::InvalidValue));
    assert_eq!(set(Id::Cooperative, &[1, 0, 0, 0]), Err(CudaError::InvalidValue));

    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let spin = call.module_function(module, "spin").unwrap();
    let graph = call.create_graph();
    let kernel = GraphTask::Kernel(request(spin, 1, &[]));
    let a = call.add_node(graph, &[], kernel.clone()).unwrap();
    let b = call.add_node(graph, &[], kernel).unwrap();
    call.set_node_attribute(a, Id::Cooperative, &[1, 0, 0, 0]).unwrap();
    call.set_node_attribute(a, Id::Priority, &[3, 0, 0, 0]).unwrap();
    call.copy_node_attributes(b, a).unwrap();
    let clone = call.clone_graph(graph).unwrap();
    let cloned = call.find_in_clone(a, clone).unwrap();
    for node in [a, b, cloned] {
        assert_eq!(call.node_attribute(node, Id::Cooperative), Ok(vec![1, 0, 0, 0]));
        assert_eq!(call.node_attribute(node, Id::Priority), Ok(vec![3, 0, 0, 0]));
    }
    let empty = call.add_node(graph, &[], GraphTask::Empty).unwrap();
    assert_eq!(call.node_attribute(empty, Id::Priority), Err(CudaError::InvalidValue));
}

#[test]
fn what_is_asked_of_a_range_is_what_all_of_it_was_advised() {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let memory = call.allocate_managed(4096, 1).unwrap();
    let device = || Ok(Place::Device);
    // CU_MEM_ADVISE_SET_READ_MOSTLY of the first half, SET_PREFERRED_LOCATION and SET_ACCESSED_BY
    // of all.
    call.advise((memory, 2048), 1, device).unwrap();
    call.advise((memory, 4096), 3, device).unwrap();
    call.advise((memory, 4096), 5, || Place::of_device(-1)).unwrap();
    call.fetch(memory + 1024, 1024, Place::Device).unwrap();
    let first = call.range_facts(memory, 2048).unwrap();
    assert!(first.is_read_mostly && first.preferred == Some(Place::Device));
    assert_eq!(first.fetched, None, "half of it was fetched");
    assert_eq!(call.range_facts(memory + 1024, 1024).unwrap().fetched, Some(Place::Device));
    let all = call.range_facts(memory, 4096).unwrap();
    assert!(!all.is_read_mostly && all.preferred == Some(Place::Device));
    assert_eq!(all.accessed_by.into_iter().collect::<Vec<_>>(), [Place::Host(None)]);
    // UNSET_PREFERRED_LOCATION of one byte.
    call.advise((memory + 100, 1), 4, device).unwrap();
    assert_eq!(call.range_facts(memory, 4096).unwrap().preferred, None);
    assert_eq!(call.range_facts(memory + 101, 100).unwrap().preferred, Some(Place::Device));
    // No such advice, no such device, beyond the memory, and memory that is not managed.
    assert_eq!(call.advise((memory, 1), 9, device), Err(CudaError::InvalidValue));
    assert_eq!(Place::of_device(3), Err(CudaError::InvalidDevice));
    assert_eq!(call.advise((memory, 4097), 1, device), Err(CudaError::InvalidValue));
    let other = call.allocate(64).unwrap();
    assert_eq!(call.advise((other, 64), 1, device), Err(CudaError::InvalidValue));
    // A later allocation at the same place has no advice.
    call.free(memory).unwrap();
    let next = call.allocate_managed(4096, 1).unwrap();
    assert!(!call.range_facts(next, 2048).unwrap().is_read_mostly);
}

#[test]
fn a_context_is_destroyed_when_it_is_detached_once_more_than_attached() {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let context = call.create_context(0).unwrap();
    assert_eq!(call.attach_context(), Ok(context));
    call.detach_context(context).unwrap();
    assert_eq!(call.context(), Ok(context));
    call.detach_context(context).unwrap();
    assert_ne!(call.current_context(), Some(context));
    assert_eq!(call.detach_context(context), Err(CudaError::InvalidContext));
}
