//! The behaviour that a program may rely on.

use super::*;
use crate::{Block, CudaError, PointerKind, Spot};

#[test]
fn nothing_works_before_cu_init_and_little_without_a_context() {
    let driver = Driver::new(Options::default(), Box::new(Fake::default()));
    let mut caller = Caller::default();
    assert_eq!(driver.enter(&mut caller).err(), Some(CudaError::NotInitialized));
    assert_eq!(driver.initialise(1), Err(CudaError::InvalidValue));
    driver.initialise(0).unwrap();
    let mut call = driver.enter(&mut caller).unwrap();
    assert_eq!(call.allocate(4), Err(CudaError::InvalidContext));
    assert_eq!(call.device(1), Err(CudaError::InvalidDevice));
    assert_eq!(call.pop_context(), Err(CudaError::InvalidContext));
}

#[test]
fn contexts_are_a_stack_and_what_was_destroyed_is_told_from_what_never_was() {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let primary = call.current_context().unwrap();
    let other = call.create_context(0).unwrap();
    assert_eq!(call.current_context(), Some(other));
    let memory = call.allocate(100).unwrap();
    assert_eq!(call.pop_context(), Ok(other));
    assert_eq!(call.current_context(), Some(primary));
    assert_eq!(call.destroy_context(primary), Err(CudaError::InvalidContext));
    call.push_context(other).unwrap();
    call.push_context(primary).unwrap();
    call.destroy_context(other).unwrap();
    assert_eq!(call.pointer(memory), Err(CudaError::InvalidValue), "it was the context's");
    assert_eq!(call.pop_context(), Ok(primary));
    assert_eq!(call.context(), Err(CudaError::ContextIsDestroyed));
    assert_eq!(call.push_context(77), Err(CudaError::InvalidContext));
}

#[test]
fn a_launch_doubles_words_that_copies_bring_and_take_away() {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let twice = call.module_function(module, "twice").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate(16).unwrap();
    fake.0.lock().unwrap().piece(OWN, 16).copy_from_slice(&[1, 0, 0, 0].repeat(4));
    call.copy(Spot::Device(memory), Spot::Host(OWN), 16, stream, true).unwrap();
    call.launch(&request(twice, 4, &memory.to_le_bytes()), stream).unwrap();
    call.copy(Spot::Host(OWN + 16), Spot::Device(memory), 16, stream, true).unwrap();
    assert_eq!(fake.0.lock().unwrap().piece(OWN + 16, 16), [2, 0, 0, 0].repeat(4));
    // A module's variable is memory, too.
    let (counter, bytes) = call.module_variable(module, "counter").unwrap();
    assert_eq!(bytes, 4);
    call.launch(&request(twice, 1, &counter.to_le_bytes()), stream).unwrap();
    call.copy(Spot::Unified(OWN), Spot::Unified(counter), 4, stream, true).unwrap();
    assert_eq!(fake.0.lock().unwrap().piece(OWN, 4), [82, 0, 0, 0]);
}

#[test]
fn a_fault_shows_when_the_host_waits_and_stays_until_the_context_is_reset() {
    for (kernel, parameters, error) in [
        ("wild", 64u64.to_le_bytes().as_slice(), CudaError::IllegalAddress),
        ("wild", (crate::DEVICE_MEMORY + 1).to_le_bytes().as_slice(), CudaError::MisalignedAddress),
        ("fail", &[], CudaError::LaunchFailed),
        ("masked", &[], CudaError::IllegalInstruction),
        ("spin", &[], CudaError::LaunchTimeout),
    ] {
        let (driver, fake, mut caller) = driver(Options::default());
        let mut call = driver.enter(&mut caller).unwrap();
        // So that the misaligned address has memory around it.
        let memory = call.allocate(64).unwrap();
        let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
        let wrong = call.module_function(module, kernel).unwrap();
        let twice = call.module_function(module, "twice").unwrap();
        let stream = call.stream(0, LEGACY).unwrap();
        call.launch(&request(wrong, 1, parameters), stream).unwrap();
        // What comes behind it does not happen.
        call.launch(&request(twice, 1, &memory.to_le_bytes()), stream).unwrap();
        assert_eq!(call.synchronise_context(), Err(error), "{kernel}");
        assert_eq!(call.allocate(4), Err(error));
        assert_eq!(call.free(memory), Err(error));
        call.reset_primary();
        assert_eq!(call.pointer(memory), Err(CudaError::InvalidValue));
        call.allocate(4).unwrap();
        let recorded = fake.0.lock().unwrap().recorded.concat();
        assert!(recorded.contains(&format!("\"kernel\":\"{kernel}\"")), "{recorded}");
    }
}

#[test]
fn managed_memory_is_the_same_for_host_and_device() {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let twice = call.module_function(module, "twice").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate_managed(128 << 10, 1).unwrap();
    assert_eq!(call.pointer(memory + 5).unwrap().kind, PointerKind::Managed);
    let last = memory + (128 << 10) - 4;
    fake.0.lock().unwrap().piece(last, 4).copy_from_slice(&[3, 0, 0, 0]);
    call.launch(&request(twice, 1, &last.to_le_bytes()), stream).unwrap();
    call.synchronise_context().unwrap();
    assert_eq!(fake.0.lock().unwrap().piece(last, 4), [6, 0, 0, 0]);
    call.register(OWN, 4096, 0).unwrap();
    assert_eq!(call.register(OWN + 4095, 2, 0), Err(CudaError::HostMemoryAlreadyRegistered));
    let on_device = call.pointer(OWN + 8).unwrap().device;
    fake.0.lock().unwrap().piece(OWN + 8, 4).copy_from_slice(&[9, 0, 0, 0]);
    call.launch(&request(twice, 1, &on_device.to_le_bytes()), stream).unwrap();
    assert_eq!(fake.0.lock().unwrap().piece(OWN + 8, 4), [18, 0, 0, 0]);
    call.unregister(OWN).unwrap();
    assert_eq!(call.unregister(OWN), Err(CudaError::HostMemoryNotRegistered));
    call.free(memory).unwrap();
}

#[test]
fn rows_and_slices_are_copied_where_they_belong() {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate(4096).unwrap();
    call.set(memory, &[0xee], [4096, 1], 0, stream).unwrap();
    let bytes: Vec<u8> = (0..24).collect();
    fake.0.lock().unwrap().piece(OWN, 24).copy_from_slice(&bytes);
    // 2 slices of 3 rows of 4 bytes, to rows of 10 and slices of 100.
    let to = (Spot::Device(memory + 1), 10, 100);
    let block = Block { to, from: (Spot::Host(OWN), 4, 12), extent: [4, 3, 2] };
    call.copy_block(&block, stream, true).unwrap();
    call.copy(Spot::Host(OWN + 100), Spot::Device(memory), 140, stream, true).unwrap();
    let mut wanted = vec![0xee; 140];
    for (at, byte) in (0u8..24).enumerate() {
        wanted[1 + at % 4 + at / 4 % 3 * 10 + at / 12 * 100] = byte;
    }
    assert_eq!(fake.0.lock().unwrap().piece(OWN + 100, 140), wanted);
    // Where one row does not fit nothing moves.
    let over = Block {
        to: (Spot::Device(memory + 4096 - 202), 100, 0),
        from: (Spot::Host(OWN), 4, 0),
        extent: [4, 3, 1],
    };
    assert_eq!(call.copy_block(&over, stream, true), Err(CudaError::InvalidValue));
    call.copy(Spot::Host(OWN + 300), Spot::Device(memory + 4096 - 202), 202, stream, true).unwrap();
    assert_eq!(fake.0.lock().unwrap().piece(OWN + 300, 202), [0xee; 202]);
    // Sums that run over are errors.
    for extent in [[u64::MAX, 2, 2], [4, u64::MAX, 1], [4, 2, u64::MAX]] {
        let block = Block { extent, ..block };
        assert_eq!(call.copy_block(&block, stream, true), Err(CudaError::InvalidValue));
    }
    let short = Block { to: (Spot::Device(memory), 3, 100), ..block };
    assert_eq!(call.copy_block(&short, stream, true), Err(CudaError::InvalidValue));
}

#[test]
fn a_kernel_tells_its_attributes_and_occupancy_and_dynamic_memory_has_to_be_asked_for() {
    use crate::FunctionAttribute as F;
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
    let big = call.module_function(module, "big").unwrap();
    assert_eq!(call.function_attribute(big, F::MaxThreadsPerBlock), Ok(1024));
    assert_eq!(call.function_attribute(big, F::BinaryVersion), Ok(90));
    // The kernels are for sm_80.
    assert_eq!(call.function_attribute(big, F::PtxVersion), Ok(80));
    // 2048 threads and 32 blocks on each of the 132 multiprocessors of an H200.
    assert_eq!(call.occupancy(big, 256, 0), Ok(8));
    assert_eq!(call.occupancy(big, 32, 0), Ok(32));
    assert_eq!(call.occupancy(big, 2000, 0), Ok(0));
    assert_eq!(call.best_block(big, 0, &mut |_| 0), Ok((264, 1024)));
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate(4).unwrap();
    let mut parameters = vec![0; 24];
    parameters[8..16].copy_from_slice(&memory.to_le_bytes());
    parameters[16] = 5;
    let mut launch = request(big, 1, &parameters);
    launch.shared = 100 << 10;
    assert_eq!(call.launch(&launch, stream), Err(CudaError::InvalidValue));
    call.set_function_attribute(big, F::MaxDynamicSharedSizeBytes, 100 << 10).unwrap();
    call.launch(&launch, stream).unwrap();
    let most = call.set_function_attribute(big, F::MaxDynamicSharedSizeBytes, 300 << 10);
    assert_eq!(most, Err(CudaError::InvalidValue));
}

#[test]
fn linked_texts_are_loaded_and_what_is_no_ptx_is_refused_with_a_log() {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let linker = call.create_linker().unwrap();
    let main = ".version 7.0 .target sm_70 .address_size 64 .extern .func help();
        .visible .entry k() { call help, (); ret; }";
    let library = ".version 7.0 .target sm_70 .address_size 64 .visible .func help() { ret; }";
    call.add_to_linker(linker, main.as_bytes(), None).unwrap();
    call.add_to_linker(linker, library.as_bytes(), Some("help.ptx")).unwrap();
    let image = call.complete_linker(linker).unwrap();
    let module = call.load_module(&image, None).unwrap();
    assert_eq!(call.module_kernels(module), Ok(vec!["k".to_owned()]));
    call.destroy_linker(linker).unwrap();
    assert_eq!(call.destroy_linker(linker), Err(CudaError::InvalidHandle));
    let error = call.load_module(b"no ptx", None).unwrap_err();
    assert_eq!(error.error, CudaError::InvalidPtx);
    assert!(!error.log.is_empty());
}

#[test]
fn a_launch_is_judged_when_it_was_carried_out_and_counted_when_it_could_be_issued() {
    let (driver, fake, mut caller) =
        driver(Options { check: true, max_steps: Some(100), ..Options::default() });
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), Some("kernels.ptx")).unwrap();
    let spin = call.module_function(module, "spin").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    // More threads than a block has.
    let refused = call.launch(&request(spin, 4096, &[]), stream);
    assert_eq!(refused, Err(CudaError::InvalidValue));
    let standing = |fake: &Fake| {
        let memory = fake.0.lock().unwrap();
        (memory.done.launches, memory.running, memory.recorded.len())
    };
    assert_eq!(standing(&fake), (0, None, 0));
    call.launch(&request(spin, 1, &[]), stream).unwrap();
    // Nobody has waited for it.
    assert_eq!(standing(&fake), (1, None, 1));
    drop(call);
    // At the end another thread may be in a call, with the driver or without.
    let held = driver.enter(&mut caller).unwrap();
    driver.finish(false);
    assert_eq!(fake.0.lock().unwrap().ended, Some(true));
    drop(held);
    driver.finish(true);
    assert_eq!(fake.0.lock().unwrap().ended, Some(true));
    driver.finish(false);
    assert_eq!(fake.0.lock().unwrap().ended, Some(false));
    assert_eq!(standing(&fake), (1, None, 1));
}

#[test]
fn a_checked_race_is_recorded_and_is_no_error_of_the_program() {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry racy(.param .u64 p) {
          .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p]; ld.global.u32 %v, [%a];
          add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret;
        }";
    let (driver, fake, mut caller) = driver(Options { check: true, ..Options::default() });
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(text.as_bytes(), Some("racy.ptx")).unwrap();
    let racy = call.module_function(module, "racy").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate(4).unwrap();
    call.set(memory, &[0; 4], [1, 1], 0, stream).unwrap();
    call.launch(&request(racy, 64, &memory.to_le_bytes()), stream).unwrap();
    assert_eq!(call.synchronise_context(), Ok(()));
    drop(call);
    let recorded = fake.0.lock().unwrap().recorded.concat();
    assert!(
        recorded.contains("racy.ptx") && recorded.to_lowercase().contains("race"),
        "{recorded}"
    );
}

#[test]
fn a_container_of_ours_is_loaded_as_its_text_and_constants_are_counted() {
    use crate::FunctionAttribute as F;
    let text = ".version 7.0 .target sm_70 .address_size 64
        .const .align 4 .b8 table[80]; .visible .const .u32 one = 1; .extern .const .u32 other;
        .visible .entry k() { ret; }";
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let image = crate::container(text.as_bytes());
    let module = call.load_module(&image, None).unwrap();
    let kernel = call.module_function(module, "k").unwrap();
    assert_eq!(call.function_attribute(kernel, F::ConstSizeBytes), Ok(84));
    let library = call.load_library(&image, None).unwrap();
    assert_eq!(call.module_kernels(library), Ok(vec!["k".to_owned()]));
    let cut = call.load_module(&image[..image.len() - 1], None).unwrap_err();
    assert_eq!(cut.error, CudaError::InvalidImage);
    let linker = call.create_linker().unwrap();
    call.add_to_linker(linker, &image, None).unwrap();
    assert!(call.complete_linker(linker).is_ok());
}

#[test]
fn why_a_kernel_cannot_be_compiled_is_told() {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .extern .func helper(); .visible .entry k() { call helper; ret; }";
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(text.as_bytes(), None).unwrap();
    assert_eq!(call.module_function(module, "k"), Err(CudaError::InvalidPtx));
    drop(call);
    let told = fake.0.lock().unwrap().told.concat();
    assert!(told.contains("`helper` is declared here, but no module defines it"), "{told}");
}

#[test]
fn more_threads_than_a_kernel_was_bounded_to_are_an_invalid_value_and_nothing_runs() {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry k() .maxntid 128, 1, 1 { ret; }";
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(text.as_bytes(), None).unwrap();
    let kernel = call.module_function(module, "k").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    assert_eq!(call.launch(&request(kernel, 256, &[]), stream), Err(CudaError::InvalidValue));
    assert_eq!(call.launch(&request(kernel, 128, &[]), stream), Ok(()));
    assert_eq!(call.synchronise_context(), Ok(()));
}

/// What the process leaked, as its journal says.
fn leaked(fake: &Fake) -> crate::Leaked {
    fake.0.lock().unwrap().done.leaked
}

/// Memory that a fault keeps from being freed was given back as far as the program goes. What it
/// never tried to free was not.
#[test]
fn what_the_program_frees_after_a_fault_is_no_leak_although_the_call_fails() {
    for frees in [true, false] {
        let (driver, fake, mut caller) = driver(Options { check: true, ..Options::default() });
        let mut call = driver.enter(&mut caller).unwrap();
        let module = call.load_module(KERNELS.as_bytes(), None).unwrap();
        let fail = call.module_function(module, "fail").unwrap();
        let stream = call.stream(0, LEGACY).unwrap();
        let pieces = [call.allocate(64), call.allocate_managed(64, 1), call.allocate_locked(64, 0)]
            .map(|piece| piece.unwrap());
        let never = call.allocate(32).unwrap();
        let created = call.create_memory(crate::GRANULARITY, 0).unwrap();
        call.launch(&request(fail, 1, &[]), stream).unwrap();
        let stays = Err(CudaError::LaunchFailed);
        assert_eq!(call.synchronise_context(), stays);
        if frees {
            assert_eq!([call.free(pieces[0]), call.free(pieces[1])], [stays, stays]);
            assert_eq!(call.free_locked(pieces[2]), stays);
            assert_eq!(call.release_memory(created), stays);
        }
        assert_eq!(call.pointer(never).map(|facts| facts.bytes), Ok(32));
        drop(call);
        driver.finish(false);
        let all = 32 + if frees { 0 } else { 3 * 64 + crate::GRANULARITY };
        let wanted = crate::Leaked { pieces: if frees { 1 } else { 5 }, bytes: all };
        assert_eq!(leaked(&fake), wanted, "{frees}");
    }
}
