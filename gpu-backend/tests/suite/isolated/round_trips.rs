//! The trait does the same through the child as on the simulator itself.

use std::time::{Duration, Instant};

use warpsim::element::ElementType;
use warpsim::host::{
    Argument, Device, DeviceError, Launch, Pointer, Sampler, Simulator, Stream, StreamKind, Texels,
};
use warpsim::lower::LowerErrorKind;
use warpsim::ptx::{Module, parse};
use warpsim::report::Outcome;
use warpsim_gpu::{GpuError, Isolated, IsolatedSettings, JitLevel};

use super::{kernels, start, tests};
use crate::programs;

tests![
    the_name_says_that_it_is_no_gpu,
    memory_comes_back_as_it_was_written,
    large_copies_arrive_whole,
    a_kernel_changes_memory,
    arguments_of_every_kind_arrive,
    variables_are_found,
    refusals_keep_their_kinds,
    a_module_that_is_refused_is_refused_at_its_own_place,
    streams_events_and_copies_work,
    textures_and_surfaces_are_made_in_the_child_and_lost_with_it,
    clearing_frees_everything_and_starts_over,
    the_driver_s_level_decides_what_is_cached,
    a_planted_difference_is_seen,
    files_that_are_linked_arrive_as_such,
    structs_and_cooperative_launches_arrive,
    an_unclear_stand_in_is_refused,
    an_empty_launch_takes_less_than_100_microseconds,
];

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

fn download(gpu: &mut impl Device, from: Pointer, bytes: usize) -> Vec<u8> {
    let mut into = vec![0; bytes];
    gpu.download(from, &mut into).expect("it can be read");
    into
}

fn the_name_says_that_it_is_no_gpu() {
    let gpu = start("simulator");
    assert_eq!(gpu.name(), "simulator (standing in for a GPU)");
    assert_eq!(gpu.facts().name, gpu.name());
    assert_eq!(gpu.facts().multiprocessors, 132);
    assert_eq!(gpu.facts().capability, (9, 0));
}

fn memory_comes_back_as_it_was_written() {
    let mut gpu = start("simulator");
    let buffer = gpu.allocate(256).expect("there is room");
    let bytes: Vec<u8> = (0..=255).collect();
    gpu.upload(buffer, &bytes).expect("it fits");
    assert_eq!(download(&mut gpu, buffer.offset(16), 100), &bytes[16..116]);
    gpu.define(buffer, 256).expect("it is there");
    gpu.free(buffer).expect("it is there");
    let freed = DeviceError::Freed { address: buffer.0, bytes: 1 };
    assert_eq!(gpu.download(buffer, &mut [0]), Err(freed));
}

fn large_copies_arrive_whole() {
    let mut gpu = start("simulator");
    let bytes: Vec<u8> =
        (0..40_000_003_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let buffer = gpu.allocate(bytes.len() as u64).expect("there is room");
    gpu.upload(buffer, &bytes).expect("it fits");
    assert!(download(&mut gpu, buffer, bytes.len()) == bytes);
}

fn a_kernel_changes_memory() {
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::increment()).expect("it loads");
    let buffer = gpu.allocate(16).expect("there is room");
    gpu.upload(buffer, &[9, 0, 0, 0, 255, 0, 0, 0, 0, 1, 0, 0, 255, 255, 255, 255]).expect("fits");
    let report = gpu
        .launch(module, "increment", &Launch::new(1, 4), &[Argument::Pointer(buffer)])
        .expect("it starts");
    assert_eq!(report.outcome, Outcome::Completed);
    assert!(report.findings.is_empty());
    assert_eq!(words(&download(&mut gpu, buffer, 16)), [10, 256, 257, 0]);
}

fn arguments_of_every_kind_arrive() {
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::arguments()).expect("it loads");
    let out = gpu.allocate(32).expect("there is room");
    let arguments = [
        Argument::Pointer(out),
        Argument::U8(0xfe),
        Argument::I16(-2),
        Argument::U32(0xdead_beef),
        Argument::I64(i64::MIN),
        Argument::F32(f32::from_bits(0x7fc0_1234)),
        Argument::F64(-0.0),
        Argument::Bytes(vec![1, 2, 3, 4]),
    ];
    gpu.launch(module, "all", &Launch::new(1, 1), &arguments).expect("it starts");
    let found = download(&mut gpu, out, 32);
    let expected: Vec<u8> = [
        &[0xfe, 0, 0xfe, 0xff][..],
        &[0xef, 0xbe, 0xad, 0xde],
        &[0, 0, 0, 0, 0, 0, 0, 0x80],
        &[0x34, 0x12, 0xc0, 0x7f],
        &[1, 2, 3, 4],
        &[0, 0, 0, 0, 0, 0, 0, 0x80],
    ]
    .concat();
    assert_eq!(found, expected);
}

fn variables_are_found() {
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::variables()).expect("it loads");
    let (table, bytes) = gpu.variable(module, "table").expect("it is there");
    assert_eq!(bytes, 16);
    assert_eq!(words(&download(&mut gpu, table, 16)), [3, 5, 7, 11]);
    assert_eq!(gpu.variable(module, "factor").expect("it is there").1, 4);
    let error = gpu.variable(module, "tabel").expect_err("there is none");
    let available = vec!["table".to_owned(), "factor".to_owned()];
    assert_eq!(error, DeviceError::UnknownVariable { name: "tabel".to_owned(), available });
}

/// The refusals arrive as the simulator itself gives them.
fn refusals_keep_their_kinds() {
    fn refusals(gpu: &mut impl Device) -> Vec<DeviceError> {
        let module = gpu.load(&kernels::increment()).expect("it loads");
        let buffer = gpu.allocate(16).expect("there is room");
        let stream = gpu.stream(StreamKind::NonBlocking).expect("there are streams");
        let copy = gpu.download_async(stream, buffer, 4).expect("it is issued");
        let good = [Argument::Pointer(buffer)];
        let one = Launch::new(1, 1);
        let mut launch = |kernel, shape, arguments: &[Argument]| {
            gpu.launch(module, kernel, &shape, arguments).expect_err("it cannot start")
        };
        let mut refusals = vec![
            launch("decrement", one, &good),
            launch("increment", one, &[]),
            launch("increment", one, &[Argument::F32(1.0)]),
            launch("increment", Launch::new(1, 2048), &good),
        ];
        refusals.push(gpu.allocate(1 << 50).expect_err("too much"));
        refusals.push(gpu.upload(Pointer(12), &[1]).expect_err("nothing is there"));
        refusals.push(gpu.fetch(copy).expect_err("nobody waited"));
        refusals.push(gpu.free(buffer).expect_err("it is in use"));
        refusals.push(gpu.synchronise_stream(Stream::new(77)).expect_err("there is none"));
        gpu.synchronise().expect("it ends");
        gpu.fetch(copy).expect("it is there now");
        refusals.push(gpu.fetch(copy).expect_err("it was taken"));
        gpu.free(buffer).expect("it is not in use");
        refusals.push(gpu.free(buffer).expect_err("it is free"));
        refusals
    }
    let expected = refusals(&mut Simulator::default());
    let found = refusals(&mut start("simulator"));
    // Addresses are the same on both, because they have done the same.
    assert_eq!(found, expected);
    let kinds: std::collections::HashSet<_> = expected.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), 10, "BadPointer and the others: {expected:?}");
}

fn a_module_that_is_refused_is_refused_at_its_own_place() {
    let text = "\n\n\n.version 7.0\n.target sm_70\n.address_size 64\n\n.global .u32 x = nowhere;\n";
    let module = warpsim::ptx::parse("x.ptx", text).expect("it is well-formed");
    let error = start("simulator").load(&module).expect_err("it means nothing");
    let DeviceError::Program(error) = error else { panic!("{error:?}") };
    assert!(!matches!(error.kind, LowerErrorKind::UnknownOpcode(_)));
    let at = module.source.position(error.span.start);
    assert_eq!(at.line, 8);
}

fn streams_events_and_copies_work() {
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::increment()).expect("it loads");
    let buffer = gpu.allocate(8).expect("there is room");
    let first = gpu.stream(StreamKind::NonBlocking).expect("there are streams");
    let second = gpu.stream(StreamKind::Blocking).expect("there are streams");
    let (one, other) = (gpu.event().expect("events"), gpu.event().expect("events"));
    gpu.upload_async(first, buffer, &[1, 0, 0, 0, 7, 0, 0, 0]).expect("it is issued");
    let arguments = [Argument::Pointer(buffer)];
    let shape = Launch::new(1, 2);
    let a = gpu.launch_on(first, module, "increment", &shape, &arguments).expect("issued");
    gpu.record(one, first).expect("there is such an event");
    gpu.wait(second, one).expect("there is such an event");
    let b = gpu.launch_on(second, module, "increment", &shape, &arguments).expect("issued");
    let copy = gpu.download_async(second, buffer, 8).expect("it is issued");
    gpu.record(other, second).expect("there is such an event");
    assert_eq!(gpu.elapsed(one, other), Err(DeviceError::EventPending));
    let ended = gpu.synchronise_event(other).expect("it ends");
    let names: Vec<_> = ended.iter().map(|e| (e.launch, e.kernel.as_str())).collect();
    assert_eq!(names, [(a, "increment"), (b, "increment")]);
    assert!(ended.iter().all(|e| e.report.outcome == Outcome::Completed));
    assert_eq!(words(&gpu.fetch(copy).expect("it was waited for")), [3, 9]);
    assert!(gpu.elapsed(one, other).expect("both were waited for") > Duration::ZERO);
    assert_eq!(gpu.elapsed(other, one), Ok(Duration::ZERO));
    let page_locked = gpu.allocate_host(8).expect("there is room");
    gpu.host_write(page_locked, &[5, 0, 0, 0, 6, 0, 0, 0]).expect("it is page-locked");
    gpu.copy_async(first, buffer, page_locked, 8).expect("it is issued");
    gpu.copy_async(first, page_locked.offset(4), buffer, 4).expect("it is issued");
    gpu.synchronise_stream(first).expect("it ends");
    let mut read = [0; 8];
    gpu.host_read(page_locked, &mut read).expect("it is page-locked");
    assert_eq!(words(&read), [5, 5]);
    let refused = gpu.host_write(buffer, &[0]);
    assert_eq!(refused, Err(DeviceError::BadPointer { address: buffer.0, bytes: 1 }));
    gpu.free(page_locked).expect("nothing uses it");
    let c = gpu.launch_on(Stream::DEFAULT, module, "increment", &shape, &arguments).expect("ok");
    let ended = gpu.synchronise_stream(Stream::DEFAULT).expect("it ends");
    assert_eq!(ended.iter().map(|e| e.launch).collect::<Vec<_>>(), [c]);
    assert_eq!(gpu.synchronise(), Ok(Vec::new()));
}

fn clearing_frees_everything_and_starts_over() {
    let mut gpu = start("simulator");
    let process = gpu.process();
    let old = gpu.load(&kernels::increment()).expect("it loads");
    let most = gpu.facts().memory;
    let buffer = gpu.allocate(most).expect("there is room for one");
    gpu.allocate(1).expect_err("there is no room for another");
    gpu.clear().expect("it clears");
    assert_eq!(gpu.process(), process, "it is the same child");
    assert_eq!(gpu.upload(buffer, &[1]), Err(DeviceError::Lost));
    let one = Launch::new(1, 1);
    assert_eq!(gpu.launch(old, "increment", &one, &[]), Err(DeviceError::Lost));
    assert!(gpu.allocate(most).is_ok(), "the memory is free");
    let new = gpu.load(&kernels::empty()).expect("it loads");
    assert_ne!(new, old);
    let report = gpu.launch(new, "empty", &one, &[]).expect("it starts");
    assert_eq!(report.outcome, Outcome::Completed);
}

fn the_driver_s_level_decides_what_is_cached() {
    let mut gpu = start("simulator");
    let out = gpu.allocate(4).expect("there is room");
    let mut at = |level: JitLevel| {
        gpu.settings_mut().jit = level;
        let module = gpu.load(&kernels::cached()).expect("it loads");
        gpu.launch(module, "cached", &Launch::new(1, 2), &[Argument::Pointer(out)])
            .expect("it starts");
        words(&download(&mut gpu, out, 4))
    };
    assert_eq!(at(JitLevel::Level(0)), [0]);
    assert_eq!(at(JitLevel::Level(1)), [1]);
    assert_eq!(at(JitLevel::Default), [1]);
}

fn a_planted_difference_is_seen() {
    let mut gpu = start("simulator:off-by-one");
    let module = gpu.load(&kernels::increment()).expect("it loads");
    let buffer = gpu.allocate(8).expect("there is room");
    gpu.upload(buffer, &[1, 0, 0, 0, 2, 0, 0, 0]).expect("it fits");
    assert_eq!(words(&download(&mut gpu, buffer, 8)), [1, 2]);
    gpu.launch(module, "increment", &Launch::new(1, 2), &[Argument::Pointer(buffer)]).expect("ok");
    assert_eq!(words(&download(&mut gpu, buffer, 8)), [3, 3]);
    assert_eq!(words(&download(&mut gpu, buffer, 8)), [2, 3]);
}

/// The stand-in links them itself, and one that takes no file of several says so.
fn files_that_are_linked_arrive_as_such() {
    programs::runs_linked(&mut start("simulator")).expect("it is linked");
    let refused = |module| {
        let error = start("simulator:no-linking").load(&module).expect_err("it does not link");
        error.to_string()
    };
    let words = refused(programs::linked().expect("they fit"));
    assert_eq!(words, "the driver does not link main.ptx, library.ptx\n  no linking was asked for");
    // What a pass has made of them is one text.
    let module = programs::linked().expect("they fit");
    let cached = warpsim::passes::register_cache(&module).expect("it can be rewritten").module;
    assert!(warpsim::ptx::linked_files(&module).is_some());
    assert_eq!(warpsim::ptx::linked_files(&cached).is_none(), cached.items != module.items);
}

fn structs_and_cooperative_launches_arrive() {
    let mut gpu = start("simulator");
    programs::runs_structs(&mut gpu).expect("it runs");
    programs::runs_cooperative(&mut gpu).expect("it runs");
}

fn an_unclear_stand_in_is_refused() {
    for (text, what) in [
        ("emulator", "`emulator` is not `simulator`"),
        ("simulator:quick", "`quick` is no word of it"),
        ("simulator:steps=many", "`steps=many` is no number"),
    ] {
        let error = Isolated::start_standing_in(text, IsolatedSettings::default());
        let GpuError::Worker { what: found } = error.expect_err("it is unclear") else {
            panic!("it is no such error")
        };
        assert!(found.ends_with(what), "{found}");
    }
    let settings = IsolatedSettings::default().with_ordinal(3);
    let error = Isolated::start_standing_in("simulator", settings).expect_err("there is only one");
    assert_eq!(error, GpuError::NoGpu { ordinal: 3, count: 1 });
}

/// The fastest of some rounds: others use the machine as well.
fn an_empty_launch_takes_less_than_100_microseconds() {
    // Short rounds, and many: on a busy machine one of them still runs undisturbed.
    const LAUNCHES: u32 = 10;
    let mut gpu = start("simulator");
    let module = gpu.load(&kernels::empty()).expect("it loads");
    let mut round = || {
        let begun = Instant::now();
        for _ in 0..LAUNCHES {
            gpu.launch(module, "empty", &Launch::new(1, 32), &[]).expect("it starts");
        }
        begun.elapsed() / LAUNCHES
    };
    let fastest = (0..400).map(|_| round()).min().expect("there are rounds");
    println!("an empty launch through the socket takes {fastest:?}");
    assert!(fastest < Duration::from_micros(100), "{fastest:?}");
}

/// `look(texture, surface)`: thread x puts what the texture gives at x + 0.25 into word x.
fn look() -> Module {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry look(.param .u64 texture, .param .u64 surface) {
            .reg .b64 %t, %s; .reg .b32 %x, %v<4>; .reg .f32 %f;
            ld.param.u64 %t, [texture]; ld.param.u64 %s, [surface];
            mov.u32 %x, %tid.x; cvt.rn.f32.u32 %f, %x; add.f32 %f, %f, 0f3E800000;
            tex.1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%f}];
            shl.b32 %x, %x, 2; sust.b.1d.b32.trap [%s, {%x}], %v0; ret;
        }";
    parse("look.ptx", text).expect("it is valid PTX")
}

fn textures_and_surfaces_are_made_in_the_child_and_lost_with_it() {
    let mut gpu = start("simulator");
    let texels = Texels::new(ElementType::F32, 1, &[4]).expect("there are such texels");
    let bytes: Vec<u8> = [0.0f32, 10.0, 20.0, 30.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let sampler = Sampler { linear: true, ..Sampler::default() };
    let texture = gpu.texture(&texels, sampler, &bytes).expect("it is made");
    let surface = gpu.surface(&texels, &[0; 16]).expect("it is made");
    let module = gpu.load(&look()).expect("it loads");
    let arguments = [Argument::U64(texture.handle), Argument::U64(surface.handle)];
    let report = gpu.launch(module, "look", &Launch::new(1, 4), &arguments).expect("it starts");
    assert_eq!(report.outcome, Outcome::Completed, "{report:?}");
    // Half a texel before the middle of the next: 0.75 of the one and 0.25 of the other.
    let right = [0.0f32, 7.5, 17.5, 27.5].map(f32::to_bits);
    assert_eq!(words(&download(&mut gpu, surface.texels, 16)), right);
    let short = gpu.texture(&texels, sampler, &[0; 15]);
    assert!(matches!(short, Err(DeviceError::BadTexels { .. })), "{short:?}");
    gpu.clear().expect("it clears");
    assert_eq!(gpu.download(surface.texels, &mut [0; 4]), Err(DeviceError::Lost));
}
