//! Random programs: sequences of calls with handles that are right, of the wrong kind, gone, or
//! never valid, and with numbers of all sizes. Nothing panics, whatever they do, and no message
//! reports a bug of ours. When all contexts are gone, so is all memory and every handle.

use std::cell::Cell;

use proptest::prelude::*;

use super::over::{finished, runner};
use super::*;
use crate::{
    Access, ArrayShape, Block, Call, CaptureMode, CudaError, ElementType, FunctionAttribute,
    GRANULARITY, GraphTask, HostCall, Resource, Sampler, SetRequest, Spot,
};

/// A call and three numbers. Each call makes what it needs from them.
pub(super) type Step = (u8, u64, u64, u64);

/// What a program has got so far, by kind, and things that it has not.
pub(super) struct Program {
    handles: [Vec<u64>; KINDS],
    pointers: Vec<u64>,
    launches: u64,
}

/// Kinds of handles; the last holds what never was one.
const KINDS: usize = 13;
const CONTEXT: usize = 0;
const MODULE: usize = 1;
const FUNCTION: usize = 2;
const STREAM: usize = 3;
const EVENT: usize = 4;
const POOL: usize = 5;
const GRAPH: usize = 6;
const NODE: usize = 7;
const INSTANCE: usize = 8;
const MEMORY: usize = 9;
const OBJECT: usize = 10;
const ARRAY: usize = 11;
const NONE: usize = 12;

impl Program {
    pub(super) fn new() -> Program {
        let mut handles: [Vec<u64>; KINDS] = Default::default();
        handles[NONE] = vec![0, 1, 2, 77];
        Program { handles, pointers: vec![0, 64, OWN], launches: 0 }
    }

    /// All handles and pointers.
    pub(super) fn all(&self) -> (Vec<u64>, Vec<u64>) {
        (self.handles.concat(), self.pointers.clone())
    }

    /// Mostly of the kind, and now and then of any.
    fn handle(&self, kind: usize, choice: u64) -> u64 {
        let kind = match choice % 8 {
            0 => (choice >> 3) as usize % KINDS,
            _ => kind,
        };
        let of_kind = &self.handles[kind];
        let chosen = of_kind.len().checked_sub(1 + (choice >> 3) as usize % of_kind.len().max(1));
        chosen.map_or(0, |index| of_kind[index])
    }

    fn pointer(&self, choice: u64) -> u64 {
        self.pointers[(choice % self.pointers.len() as u64) as usize].wrapping_add(choice >> 60)
    }

    fn got(&mut self, kind: usize, answer: Result<u64, CudaError>) {
        self.handles[kind].extend(answer);
    }

    fn got_memory(&mut self, answer: Result<u64, CudaError>) {
        self.pointers.extend(answer);
    }
}

/// Small, at a boundary, or huge.
pub(super) fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0u64..70,
        2 => 0u64..5000,
        1 => Just(u64::MAX),
        1 => Just(1 << 63),
        1 => any::<u64>(),
    ]
}

/// A place of the program's own memory, in which this many bytes are.
fn own(at: u64, bytes: u64) -> Option<u64> {
    let at = at % 4096;
    (bytes <= OWN_BYTES as u64 - at).then_some(OWN + at)
}

/// Whether a call succeeds is its own business here.
fn ignore<T>(_: T) {}

pub(super) fn step(call: &mut Call<'_>, program: &mut Program, (what, a, b, c): Step) {
    let signed = b as u32 as i32;
    let what = match what % 64 {
        // Losing its contexts ends what a program can do, so that it is rarer than a launch.
        0..8 if c % 6 != 0 => 35,
        what => what,
    };
    match what {
        0 => program.got(CONTEXT, call.create_context(a as u32)),
        1 => ignore(call.destroy_context(program.handle(CONTEXT, a))),
        2 => program.got(CONTEXT, Ok(call.retain_primary())),
        3 => ignore(call.release_primary()),
        4 => ignore(call.set_current_context(Some(program.handle(CONTEXT, a)))),
        5 => ignore(call.push_context(program.handle(CONTEXT, a))),
        6 => program.got(CONTEXT, call.pop_context()),
        7 => call.reset_primary(),
        8 => ignore((
            call.limit(a as u32),
            call.set_limit(a as u32, b),
            call.set_cache_config(c as u32),
        )),
        9 => {
            // As text, or in a container of ours, whole or not.
            let image = match c % 4 {
                0 => crate::container(KERNELS.as_bytes()),
                1 => {
                    let cut = crate::container(KERNELS.as_bytes());
                    cut.into_iter().take((b % 1000) as usize).collect()
                }
                2.. => KERNELS.as_bytes().to_vec(),
            };
            program.got(MODULE, call.load_module(&image, None).map_err(|e| e.error));
        }
        10 => ignore(call.unload_module(program.handle(MODULE, a))),
        11 => {
            let names = ["twice", "wild", "fail", "big", "counter", ""];
            program.got(
                FUNCTION,
                call.module_function(program.handle(MODULE, a), names[(b % 6) as usize]),
            );
        }
        12 => {
            let found = call.module_variable(program.handle(MODULE, a), "counter");
            program.got_memory(found.map(|(address, _)| address));
        }
        13 => program.got_memory(call.allocate(a)),
        14 => program.got_memory(call.allocate_managed(a, b as u32)),
        15 => program.got_memory(call.allocate_locked(a, b as u32)),
        16 => ignore(call.free(program.pointer(a))),
        17 => ignore(call.free_locked(program.pointer(a))),
        18 => program.got_memory(call.allocate_from_pool(Some(program.handle(POOL, a)), b)),
        19 => ignore(call.free_later(program.pointer(a), None)),
        20 => drop(
            call.allocate_pitch(a, b, c as u32).map(|(address, _)| program.pointers.push(address)),
        ),
        21 => ignore(own(a, b).map(|address| call.register(address, b, c as u32))),
        22 => ignore(call.unregister(OWN + a % 4096)),
        23 => ignore((call.pointer(program.pointer(a)), call.pointer(b), call.locked_flags(c))),
        24 => program.got(STREAM, call.create_stream(a as u32, signed)),
        25 => ignore(call.destroy_stream(program.handle(STREAM, a))),
        26 => ignore(call.synchronise_stream(program.handle(STREAM, a), DefaultStream::PerThread)),
        27 => program.got(EVENT, call.create_event(a as u32)),
        28 => ignore(call.destroy_event(program.handle(EVENT, a))),
        29 => {
            ignore(call.record_event(program.handle(EVENT, a), program.handle(STREAM, b), LEGACY))
        }
        30 => {
            ignore(call.wait_for_event(program.handle(STREAM, a), LEGACY, program.handle(EVENT, b)))
        }
        31 => ignore((
            call.synchronise_event(program.handle(EVENT, a)),
            call.elapsed(program.handle(EVENT, a), program.handle(EVENT, b)),
        )),
        32 => {
            let Ok(stream) = call.stream(program.handle(STREAM, a), LEGACY) else { return };
            let device = Spot::Device(program.pointer(b));
            ignore(own(a, c).map(|host| call.copy(device, Spot::Host(host), c, stream, true)));
            ignore(own(b, c).map(|host| call.copy(Spot::Host(host), device, c, stream, false)));
        }
        33 => {
            let Ok(stream) = call.stream(program.handle(STREAM, a), DefaultStream::PerThread)
            else {
                return;
            };
            let (to, from) = (program.pointer(a), program.pointer(b));
            let extent = [a % 80, b, c];
            let block =
                Block { to: (Spot::Device(to), b, c), from: (Spot::Device(from), c, b), extent };
            // More rows than there are bytes are refused, and never gone through.
            ignore(call.copy_block(&block, stream, a % 2 == 0));
        }
        34 => {
            let Ok(stream) = call.stream(program.handle(STREAM, a), LEGACY) else { return };
            ignore(call.set(program.pointer(b), &[1, 2, 3, 4][..1 << (a % 3)], [b, c], a, stream));
        }
        35 | 36 => {
            let Ok(stream) = call.stream(program.handle(STREAM, a), LEGACY) else { return };
            let mut launch = request(program.handle(FUNCTION, b), (c % 70) as u32, &[]);
            launch.parameters = program.pointer(c).to_le_bytes().repeat(3);
            (launch.shared, launch.cooperative) = (a as u32 % 70_000, c % 5 == 0);
            program.launches += u64::from(call.launch(&launch, stream).is_ok());
        }
        37 => ignore(call.synchronise_context()),
        38 => {
            let Some(attribute) = FunctionAttribute::of_number(a as u32 % 20) else { return };
            let function = program.handle(FUNCTION, b);
            ignore((
                call.function_attribute(function, attribute),
                call.occupancy(function, signed, c),
            ));
            ignore((
                call.set_function_attribute(function, attribute, signed),
                call.available_shared(function, signed),
            ));
        }
        40 => program.got(GRAPH, Ok(call.create_graph())),
        41 => ignore(call.destroy_graph(program.handle(GRAPH, a))),
        42..=44 => {
            let behind = [program.handle(NODE, a), program.handle(NODE, b)];
            let behind = &behind[..(c % 3) as usize];
            let task = task(program, a, b, c);
            program.got(NODE, call.add_node(program.handle(GRAPH, a), behind, task));
        }
        45 => {
            let edge = [(program.handle(NODE, a), program.handle(NODE, b))];
            let graph = program.handle(GRAPH, c);
            ignore((call.add_edges(graph, &edge), call.graph_edges(graph)));
            ignore((
                call.graph_roots(graph),
                call.nodes_before(edge[0].0),
                call.nodes_behind(edge[0].1),
            ));
            if a % 3 == 0 {
                ignore(call.remove_edges(graph, &edge));
            }
        }
        46 => {
            program.got(GRAPH, call.clone_graph(program.handle(GRAPH, a)));
            ignore(call.destroy_node(program.handle(NODE, b)));
        }
        47 => program.got(INSTANCE, call.instantiate(program.handle(GRAPH, a), c % 2 == 0)),
        48 => {
            let launched =
                call.launch_graph(program.handle(INSTANCE, a), program.handle(STREAM, b), LEGACY);
            let Ok(mut run) = launched else { return };
            while let Ok(Some(_)) = call.go_on(&mut run) {}
        }
        49 => {
            let (instance, node) = (program.handle(INSTANCE, a), program.handle(NODE, b));
            let task = task(program, b, c, a);
            ignore((
                call.set_step_task(instance, node, task.clone()),
                call.set_node_task(node, task),
            ));
            ignore((
                call.enable_step(instance, node, c % 2 == 0),
                call.is_step_enabled(instance, node),
            ));
            ignore(call.update_instance(instance, program.handle(GRAPH, c)));
            if c % 5 == 0 {
                ignore(call.destroy_instance(instance));
            }
        }
        50 => {
            let mode = CaptureMode::of_number((b % 3) as u32).unwrap();
            let into =
                (c % 4 == 0).then(|| (program.handle(GRAPH, b), vec![program.handle(NODE, c)]));
            let stream = program.handle(STREAM, a);
            ignore((
                call.begin_capture(stream, LEGACY, mode, into),
                call.capture_facts(stream, LEGACY),
            ));
            ignore(call.exchange_capture_mode(mode));
        }
        51 => {
            let stream = program.handle(STREAM, a);
            ignore(call.update_capture(stream, LEGACY, &[program.handle(NODE, b)], c % 2 == 0));
            program.got(GRAPH, call.end_capture(stream, LEGACY));
        }
        52..=56 => map(call, program, (what, a, b, c)),
        57..=59 => keep(call, program, (what, a, b, c)),
        60..=62 => picture(call, program, (what, a, b, c)),
        _ => {
            program.got(POOL, Ok(call.create_pool()));
            ignore((
                call.destroy_pool(program.handle(POOL, a)),
                call.set_pool_attribute(program.handle(POOL, b), a as u32, c),
            ));
            ignore((
                call.pool_attribute(program.handle(POOL, b), a as u32),
                call.memory_info(),
                call.device_attribute(a as u32),
            ));
        }
    }
}

/// Calls of virtual memory management. Sizes are small multiples of what they have to be multiples
/// of, mostly.
fn map(call: &mut Call<'_>, program: &mut Program, (what, a, b, c): Step) {
    let bytes = if c % 7 == 0 { c } else { (c % 4) * GRANULARITY };
    let at = program.pointer(a).wrapping_add((b % 3) * GRANULARITY);
    match what {
        52 => {
            let reserved = call.reserve_addresses(bytes, b % 3, at);
            program.got_memory(reserved);
            // All that follows, or one after the other and mostly wrong.
            if let (Ok(start), 0) = (reserved, a % 2) {
                let memory = call.create_memory(bytes, 0);
                program.got(MEMORY, memory);
                ignore(memory.map(|memory| call.map_memory(start, bytes, 0, memory)));
                ignore(call.set_access(start, bytes, Access::ReadWrite));
            }
        }
        53 => program.got(MEMORY, call.create_memory(bytes, b as u32 % 2)),
        54 => {
            let memory = program.handle(MEMORY, b);
            ignore(call.map_memory(at, bytes, a % 2, memory));
            ignore(call.set_access(at, bytes, Access::ReadWrite));
        }
        55 => {
            let access = Access::of_number(b % 4);
            ignore(access.map(|access| call.set_access(at, bytes, access)));
            program.got(MEMORY, call.retain_memory(at));
            ignore((call.access(at), call.shareable(program.handle(MEMORY, b))));
        }
        _ => {
            ignore((call.unmap_memory(at, bytes), call.free_addresses(at, bytes)));
            ignore(call.release_memory(program.handle(MEMORY, b)));
        }
    }
}

/// Calls of arrays, textures and surfaces.
fn picture(call: &mut Call<'_>, program: &mut Program, (what, a, b, c): Step) {
    use ElementType::{Bf16, F16, F32, U8, U32};
    let element = [U8, U32, F16, F32, Bf16][(a % 5) as usize];
    let (channels, handle) = ((b % 5) as u32, program.handle(ARRAY, c));
    match what {
        60 => {
            let shape =
                ArrayShape { extent: [a, b, c % 7], element, channels, flags: a as u32 % 9 };
            program.got(ARRAY, call.create_array(shape));
            ignore((call.array(handle), call.array_end(handle, [a, b, c], [b, c, a])));
        }
        61 => {
            let address = program.pointer(b);
            let resource = match a % 3 {
                0 => Resource::Array(handle),
                1 => Resource::Linear { address, element, channels, bytes: c },
                _ => {
                    let (width, height, pitch) = (c, b, c);
                    Resource::Pitched { address, element, channels, width, height, pitch }
                }
            };
            let sampler =
                Sampler { linear: b % 2 == 0, as_float: c % 2 == 0, ..Sampler::default() };
            program.got(ARRAY, call.create_texture(resource, sampler));
            program.got(ARRAY, call.create_surface(resource));
        }
        _ => {
            ignore((call.destroy_image(handle, a % 2 == 0), call.destroy_array(handle)));
        }
    }
}

/// Calls of what graphs have: memory that they allocate, and objects that they keep.
fn keep(call: &mut Call<'_>, program: &mut Program, (what, a, b, c): Step) {
    let graph = program.handle(GRAPH, a);
    match what {
        57 => {
            let behind = [program.handle(NODE, b)];
            let added = call.add_allocation(graph, &behind[..(c % 2) as usize], b);
            program.got(NODE, added.map(|(node, _)| node));
            program.got_memory(added.map(|(_, address)| address));
        }
        58 => {
            let Ok(stream) = call.stream(program.handle(STREAM, a), LEGACY) else { return };
            program.got_memory(call.allocate_in_stream(None, b, stream));
            ignore((call.free_in_stream(program.pointer(c), stream), call.graph_memory(b as u32)));
        }
        _ => {
            let (object, count) = (program.handle(OBJECT, b), (c % 4) as u32);
            program.got(OBJECT, call.create_object(HostCall { function: a % 2, data: b }, count));
            ignore((call.retain_object(object, count), call.release_object(object, count)));
            ignore(call.keep_object(graph, object, count, a % 2 == 0));
            ignore((call.give_back_object(graph, object, count), call.take_destroyed()));
        }
    }
}

/// What a node might do.
fn task(program: &Program, a: u64, b: u64, c: u64) -> GraphTask {
    match a % 9 {
        0 => GraphTask::Empty,
        8 => GraphTask::Free(program.pointer(b)),
        1 => GraphTask::Host(HostCall { function: b % 2, data: c }),
        2 => GraphTask::Child(program.handle(GRAPH, b)),
        3 => GraphTask::Wait(program.handle(EVENT, b)),
        4 => GraphTask::Record(program.handle(EVENT, b)),
        5 => {
            let value = vec![1; (c % 6) as usize];
            GraphTask::Set(SetRequest { to: program.pointer(b), value, shape: [c, 1], pitch: a })
        }
        6 => {
            let end = |pointer: u64| (Spot::Device(pointer), c, c);
            let extent = [c, 1, 1];
            let (to, from) = (end(program.pointer(b)), end(program.pointer(a)));
            GraphTask::Copy(Block { to, from, extent })
        }
        _ => {
            let mut launch = request(program.handle(FUNCTION, b), (c % 40) as u32, &[]);
            launch.parameters = program.pointer(c).to_le_bytes().repeat(3);
            GraphTask::Kernel(launch)
        }
    }
}

/// What a program begins with, so that it gets somewhere.
pub(super) fn first_steps(call: &mut Call<'_>, program: &mut Program) {
    for one in [(9, 0, 0, 0), (11, 9, 0, 0), (11, 9, 3, 0), (13, 64, 0, 0), (24, 0, 0, 0)] {
        step(call, program, one);
    }
}

/// Runs a program from several threads in turn, and checks the rest.
fn run(steps: &[Step], check: bool, launches: &Cell<u64>) -> Result<(), TestCaseError> {
    let options =
        Options { check, max_steps: Some(10_000), threads: Some(1), ..Options::default() };
    let (driver, fake, first) = driver(options);
    let mut callers = [first, Caller::default(), Caller::default()];
    let mut program = Program::new();
    first_steps(&mut driver.enter(&mut callers[0]).unwrap(), &mut program);
    for (number, one) in steps.iter().enumerate() {
        let mut call =
            driver.enter(&mut callers[if number % 7 == 6 { 1 + number % 2 } else { 0 }]).unwrap();
        step(&mut call, &mut program, *one);
    }
    launches.set(launches.get() + program.launches);
    finished(&driver, &fake, &program.all())
}

fn many(cases: u32, length: usize, check: bool) {
    let step = (any::<u8>(), number(), number(), number());
    let (mut runner, seed) = runner(cases);
    let steps = proptest::collection::vec(step, 1..length);
    let (calls, launches) = (Cell::new(0), Cell::new(0));
    let ran = runner.run(&steps, |steps| {
        calls.set(calls.get() + steps.len());
        run(&steps, check, &launches)
    });
    println!("seed {seed}: {cases} programs, {} calls, {} launches", calls.get(), launches.get());
    ran.unwrap();
    // The programs get somewhere: one in four launches something that the device can start.
    assert!(launches.get() > u64::from(cases) / 4, "{} launches", launches.get());
}

#[test]
fn random_calls_with_bad_arguments_are_errors_and_lose_nothing() {
    many(warpsim_effort::cases(200, 1_000_000), 60, false);
}

#[test]
fn the_same_goes_for_programs_whose_launches_are_checked() {
    many(warpsim_effort::cases(30, 5_000), 40, true);
}
