//! Graphs that allocate, and objects of the program that graphs keep.

use super::*;
use crate::{
    Answer, Call, CaptureMode, CudaError, GraphTask, HostCall, NodeKind, SetRequest, Spot,
};

/// Issues all steps of a launch.
fn launch(call: &mut Call<'_>, instance: Handle) -> Answer<()> {
    let mut run = call.launch_graph(instance, 0, LEGACY)?;
    while call.go_on(&mut run)?.is_some() {}
    Ok(())
}

/// The first word at an address of the device.
fn word(call: &mut Call<'_>, fake: &Fake, address: u64) -> Answer<u32> {
    let stream = call.stream(0, LEGACY)?;
    call.copy(Spot::Host(OWN), Spot::Device(address), 4, stream, true)?;
    let mut memory = fake.0.lock().unwrap();
    Ok(u32::from_le_bytes(memory.piece(OWN, 4).try_into().unwrap()))
}

#[test]
fn what_a_captured_stream_allocates_is_there_from_that_node_to_the_one_that_frees_it() -> Answer<()>
{
    for check in [false, true] {
        let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
        let mut call = driver.enter(&mut caller)?;
        let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
        let twice = call.module_function(module, "twice")?;
        let out = call.allocate(128)?;
        let handle = call.create_stream(1, 0)?;
        let stream = call.stream(handle, LEGACY)?;
        call.begin_capture(handle, LEGACY, CaptureMode::Global, None)?;
        let address = call.allocate_in_stream(None, 128, stream)?;
        call.set(address, &21u32.to_le_bytes(), [32, 1], 0, stream)?;
        call.launch(&request(twice, 32, &address.to_le_bytes()), stream)?;
        call.copy(Spot::Device(out), Spot::Device(address), 128, stream, false)?;
        call.free_in_stream(address, stream)?;
        let graph = call.end_capture(handle, LEGACY)?;
        let mut kinds = Vec::new();
        for node in call.graph_nodes(graph)? {
            kinds.push(call.node_task(node)?.kind());
        }
        use NodeKind::{Kernel, MemAlloc, MemFree, Memcpy, Memset};
        assert_eq!(kinds, [MemAlloc, Memset, Kernel, Memcpy, MemFree]);
        // It is not there yet.
        assert_eq!(word(&mut call, &fake, address), Err(CudaError::InvalidValue));
        assert_eq!(call.free(address), Err(CudaError::InvalidValue));
        let instance = call.instantiate(graph, false)?;
        for _ in 0..3 {
            launch(&mut call, instance)?;
            call.synchronise_context()?;
            assert_eq!(word(&mut call, &fake, out), Ok(42));
            assert_eq!(word(&mut call, &fake, address), Err(CudaError::InvalidValue));
            assert_eq!(call.graph_memory(0), Ok(0));
        }
        // Two launches that nothing waits between.
        launch(&mut call, instance)?;
        launch(&mut call, instance)?;
        call.synchronise_context()?;
        assert_eq!(word(&mut call, &fake, out), Ok(42));
        drop(call);
        driver.finish(false);
        let recorded = fake.0.lock().unwrap().recorded.concat();
        assert!(!recorded.contains("findings") && !recorded.contains("bug"), "{recorded}");
    }
    Ok(())
}

#[test]
fn memory_that_outlives_its_graph_is_freed_by_the_program_or_by_the_next_launch() -> Answer<()> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let (free, _) = call.memory_info()?;
    let graph = call.create_graph();
    let (node, address) = call.add_allocation(graph, &[], 256)?;
    let set = SetRequest { to: address, value: vec![7], shape: [256, 1], pitch: 0 };
    call.add_node(graph, &[node], GraphTask::Set(set))?;
    assert!(matches!(call.node_task(node)?, GraphTask::Allocate(m) if m.address() == address));
    let instance = call.instantiate(graph, false)?;
    launch(&mut call, instance)?;
    assert_eq!(word(&mut call, &fake, address), Ok(0x0707_0707));
    assert_eq!((call.graph_memory(0)?, call.memory_info()?.0), (256, free - 256));
    // A second launch would have the memory twice.
    assert_eq!(launch(&mut call, instance), Err(CudaError::InvalidValue));
    let stream = call.stream(0, LEGACY)?;
    call.free_in_stream(address, stream)?;
    launch(&mut call, instance)?;
    call.free(address)?;
    assert_eq!(call.free(address), Err(CudaError::InvalidValue));
    let forgetful = call.instantiate(graph, true)?;
    launch(&mut call, forgetful)?;
    launch(&mut call, forgetful)?;
    // Another graph may free it.
    let other = call.create_graph();
    let freeing = call.add_node(other, &[], GraphTask::Free(address))?;
    assert_eq!(call.node_task(freeing)?.kind(), NodeKind::MemFree);
    let other = call.instantiate(other, false)?;
    launch(&mut call, other)?;
    assert_eq!(call.memory_info()?.0, free);
    assert_eq!(launch(&mut call, other), Err(CudaError::InvalidValue));
    Ok(())
}

#[test]
fn a_graph_that_allocates_is_not_copied_and_frees_once_what_a_graph_allocates() -> Answer<()> {
    const NO: CudaError = CudaError::InvalidValue;
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let graph = call.create_graph();
    assert_eq!(call.add_allocation(graph, &[], 0), Err(NO));
    assert_eq!(call.add_allocation(graph, &[], 1 << 50), Err(CudaError::OutOfMemory));
    let (node, address) = call.add_allocation(graph, &[], 64)?;
    let own = call.allocate(64)?;
    assert_eq!(call.add_node(graph, &[node], GraphTask::Free(own)), Err(NO));
    assert_eq!(call.add_node(graph, &[node], GraphTask::Free(address + 8)), Err(NO));
    call.add_node(graph, &[node], GraphTask::Free(address))?;
    assert_eq!(call.add_node(graph, &[node], GraphTask::Free(address)), Err(NO));
    let parent = call.create_graph();
    let unsupported = Err(CudaError::NotSupported);
    assert_eq!(call.clone_graph(graph), unsupported);
    assert_eq!(call.add_node(parent, &[], GraphTask::Child(graph)), unsupported);
    assert_eq!(call.destroy_node(node), Err(CudaError::NotSupported));
    Ok(())
}

#[test]
fn an_object_is_destroyed_when_the_program_and_all_graphs_have_given_it_back() -> Answer<()> {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let destroy = HostCall { function: 1, data: 5 };
    let object = call.create_object(destroy, 2)?;
    let graph = call.create_graph();
    call.keep_object(graph, object, 1, true)?;
    call.keep_object(graph, object, 2, false)?;
    call.release_object(object, 1)?;
    assert_eq!(call.release_object(object, 1), Err(CudaError::InvalidValue));
    // An instance has what its graph has, and a copy, too.
    let (copy, instance) = (call.clone_graph(graph)?, call.instantiate(graph, false)?);
    call.give_back_object(graph, object, 2)?;
    assert_eq!(call.give_back_object(graph, object, 2), Err(CudaError::InvalidValue));
    call.destroy_graph(graph)?;
    call.destroy_graph(copy)?;
    assert_eq!(call.take_destroyed(), []);
    call.destroy_instance(instance)?;
    assert_eq!(call.take_destroyed(), [destroy]);
    assert_eq!(call.take_destroyed(), []);
    assert_eq!(call.retain_object(object, 1), Err(CudaError::InvalidValue));
    assert_eq!(
        call.create_object(HostCall { function: 0, data: 5 }, 1),
        Err(CudaError::InvalidValue)
    );
    Ok(())
}
