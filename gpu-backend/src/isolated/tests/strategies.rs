//! Random messages: every variant, with values at the edges.

use std::borrow::Cow;
use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use warpsim::element::ElementType;
use warpsim::host::{
    AddressMode, Argument, ArgumentPlace, DeviceError, Download, Ended, Event, ImageHandle, Launch,
    LaunchHandle, ModuleHandle, Pointer, Sampler, Stream, StreamKind, Texels,
};
use warpsim::ptx::{SourcePosition, Space, Type};
use warpsim::report::{
    Checked, Code, Counts, Finding, Hazard, Mend, Outcome, Report, Severity, Site,
};

use crate::error::{GpuError, Lacking};
use crate::isolated::messages::{Answer, Call, Opened, Request};
use crate::probe::GpuFacts;

fn text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![Just(String::new()), "[a-z.%]{1,12}", "\\PC{0,8}"]
}

fn pointer() -> impl Strategy<Value = Pointer> {
    any::<u64>().prop_map(Pointer)
}

fn module() -> impl Strategy<Value = ModuleHandle> {
    any::<usize>().prop_map(ModuleHandle::new)
}

fn stream() -> impl Strategy<Value = Stream> {
    any::<usize>().prop_map(Stream::new)
}

fn event() -> impl Strategy<Value = Event> {
    any::<usize>().prop_map(Event::new)
}

fn argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        any::<u8>().prop_map(Argument::U8),
        any::<i8>().prop_map(Argument::I8),
        any::<u16>().prop_map(Argument::U16),
        any::<i16>().prop_map(Argument::I16),
        any::<u32>().prop_map(Argument::U32),
        any::<i32>().prop_map(Argument::I32),
        any::<u64>().prop_map(Argument::U64),
        any::<i64>().prop_map(Argument::I64),
        any::<u32>().prop_map(|bits| Argument::F32(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Argument::F64(f64::from_bits(bits))),
        pointer().prop_map(Argument::Pointer),
        vec(any::<u8>(), 0..20).prop_map(Argument::Bytes),
        (vec(any::<u8>(), 0..20), vec((any::<u64>(), any::<u64>().prop_map(Pointer)), 0..3))
            .prop_map(|(bytes, pointers)| Argument::Struct { bytes, pointers }),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let launch = (any::<[u32; 3]>(), any::<[u32; 3]>(), any::<u32>(), any::<bool>());
    (module(), text(), launch, vec(argument(), 0..5)).prop_map(
        |(module, kernel, (grid, block, shared, cooperative), arguments)| Call {
            module,
            kernel,
            launch: Launch { grid, block, shared, cooperative },
            arguments,
        },
    )
}

fn texels() -> impl Strategy<Value = Texels> {
    use ElementType as E;
    let types = vec![E::U8, E::I8, E::U16, E::I16, E::U32, E::I32, E::F16, E::F32];
    let channels = prop::sample::select(vec![1, 2, 4]);
    (prop::sample::select(types), channels, vec(1..=16_384_u32, 1..=3))
        .prop_filter_map("such texels", |(ty, channels, extent)| {
            Texels::new(ty, channels, &extent).ok()
        })
        .prop_flat_map(|plain| {
            let layers = option::of(1..=2048_u32);
            (Just(plain), any::<bool>(), layers, 1..=8_u32)
        })
        .prop_map(|(plain, is_cube, layers, levels)| {
            let cube = plain.clone().cube().ok().filter(|_| is_cube).unwrap_or(plain);
            let layered = layers.and_then(|n| cube.clone().layered(n).ok()).unwrap_or(cube);
            layered.clone().mipmapped(levels).unwrap_or(layered)
        })
}

fn sampler() -> impl Strategy<Value = Sampler> {
    use AddressMode as A;
    let address = prop::sample::select(vec![A::Wrap, A::Clamp, A::Mirror, A::Border]);
    let words = any::<[bool; 4]>();
    (words, address).prop_map(|([linear, normalized, between_levels, as_float], address)| Sampler {
        linear,
        address,
        normalized,
        between_levels,
        as_float,
    })
}

pub(super) fn request() -> impl Strategy<Value = Request> {
    let bytes = any::<usize>();
    let kind = prop_oneof![Just(StreamKind::Blocking), Just(StreamKind::NonBlocking)];
    prop_oneof![
        Just(Request::Clear),
        any::<u64>().prop_map(|bytes| Request::Allocate { bytes }),
        any::<u64>().prop_map(|bytes| Request::AllocateHost { bytes }),
        pointer().prop_map(|to| Request::HostWrite { to }),
        (pointer(), bytes).prop_map(|(from, bytes)| Request::HostRead { from, bytes }),
        (stream(), pointer(), pointer(), any::<u64>())
            .prop_map(|(stream, to, from, bytes)| Request::CopyAsync { stream, to, from, bytes }),
        pointer().prop_map(|pointer| Request::Free { pointer }),
        pointer().prop_map(|to| Request::Upload { to }),
        (pointer(), any::<u64>()).prop_map(|(start, bytes)| Request::Define { start, bytes }),
        (pointer(), bytes).prop_map(|(from, bytes)| Request::Download { from, bytes }),
        (vec((text(), text()), 0..3), option::of(any::<u8>()))
            .prop_map(|(texts, jit)| Request::Load { texts, jit }),
        (module(), text()).prop_map(|(module, name)| Request::Variable { module, name }),
        call().prop_map(|call| Request::Launch { call }),
        (texels(), sampler()).prop_map(|(texels, sampler)| Request::Texture { texels, sampler }),
        texels().prop_map(|texels| Request::Surface { texels }),
        kind.prop_map(|kind| Request::Stream { kind }),
        Just(Request::Event),
        (stream(), call()).prop_map(|(stream, call)| Request::LaunchOn { stream, call }),
        (stream(), pointer()).prop_map(|(stream, to)| Request::UploadAsync { stream, to }),
        (stream(), pointer(), bytes).prop_map(|(stream, from, bytes)| Request::DownloadAsync {
            stream,
            from,
            bytes
        }),
        any::<u64>().prop_map(|n| Request::Fetch { download: Download::new(n) }),
        (event(), stream()).prop_map(|(event, stream)| Request::Record { event, stream }),
        (stream(), event()).prop_map(|(stream, event)| Request::Wait { stream, event }),
        (event(), event()).prop_map(|(start, end)| Request::Elapsed { start, end }),
        Just(Request::Synchronise),
        stream().prop_map(|stream| Request::SynchroniseStream { stream }),
        event().prop_map(|event| Request::SynchroniseEvent { event }),
    ]
}

fn place() -> impl Strategy<Value = SourcePosition> {
    (text(), any::<u32>(), any::<u32>()).prop_map(|(file, line, column)| SourcePosition {
        file: file.into(),
        line,
        column,
        inlined_at: Vec::new(),
    })
}

fn position() -> impl Strategy<Value = SourcePosition> {
    (place(), vec(place(), 0..3))
        .prop_map(|(place, inlined_at)| SourcePosition { inlined_at, ..place })
}

fn site() -> impl Strategy<Value = Site> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u32>());
    let places = (option::of(text()), option::of(position()));
    (text(), any::<[u32; 3]>(), any::<[u32; 3]>(), numbers, places).prop_map(
        |(operation, thread, block, (warp, lane, ptx_line), (ptx_file, source))| Site {
            operation,
            thread,
            block,
            warp,
            lane,
            ptx_line,
            ptx_file,
            source,
        },
    )
}

fn finding() -> impl Strategy<Value = Finding> {
    use Code as C;
    let severity = prop::sample::select(vec![Severity::Note, Severity::Warning, Severity::Error]);
    let code = prop::sample::select(vec![
        C::Race,
        C::Unordered,
        C::BarrierDivergence,
        C::SyncMask,
        C::ShuffleInactiveLane,
        C::Uninitialized,
        C::ScheduleDependent,
        C::SharedOverlap,
        C::RedundantBarrier,
        C::OutOfBounds,
        C::Misaligned,
        C::UseAfterFree,
        C::Deadlock,
        C::Livelock,
        C::Trap,
        C::Fault,
        C::Limit,
        C::Hung,
    ]);
    let hazard = prop::sample::select(vec![
        None,
        Some(Hazard::ReadAfterWrite),
        Some(Hazard::WriteAfterRead),
        Some(Hazard::WriteAfterWrite),
    ]);
    let space = prop::sample::select(vec![
        None,
        Some(Space::Global),
        Some(Space::Shared),
        Some(Space::Local),
        Some(Space::Const),
        Some(Space::Param),
        Some(Space::Tex),
    ]);
    let object =
        (option::of(any::<u64>()), option::of(text()), option::of(any::<(usize, Option<u64>)>()));
    let mend =
        prop::sample::select(vec![None, Some(Mend::Warp), Some(Mend::Block), Some(Mend::Grid)]);
    let lines = (vec(text(), 0..3), vec(text(), 0..3), option::of(text()), option::of(text()));
    let what = (severity, code, hazard, space, object);
    (what, vec(site(), 0..3), any::<u64>(), text(), lines, mend).prop_map(
        |(what, sites, count, explanation, (notes, chain, help, replay), mend)| {
            let (severity, code, hazard, space, (address, object, argument)) = what;
            let mut finding = Finding::new(severity, code, explanation);
            finding.hazard = hazard;
            finding.space = space;
            finding.address = address;
            finding.object = object;
            finding.argument =
                argument.map(|(argument, offset)| ArgumentPlace { argument, offset });
            finding.sites = sites;
            finding.count = count;
            finding.notes = notes;
            finding.chain = chain;
            finding.help = help;
            finding.mend = mend;
            finding.replay = replay;
            finding
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    use Outcome as O;
    let outcome = prop::sample::select(vec![
        O::Completed,
        O::Finding,
        O::Deadlock,
        O::Livelock,
        O::Limit,
        O::Fault,
        O::Trap,
        O::Hung,
    ]);
    let counts = any::<[u64; 5]>().prop_map(|[a, b, c, d, e]| Counts {
        warp_instructions: a,
        lane_instructions: b,
        branches: c,
        divergent_branches: d,
        barriers: e,
    });
    let checked = (vec(text(), 0..3), any::<bool>(), vec(text(), 0..3)).prop_map(
        |(schedules, every_schedule, unfinished)| Checked { schedules, every_schedule, unfinished },
    );
    (outcome, counts, vec(finding(), 0..3), option::of(checked)).prop_map(
        |(outcome, counts, findings, checked)| {
            let mut report = Report::new(outcome, counts).with_findings(findings);
            report.checked = checked;
            report
        },
    )
}

fn ended() -> impl Strategy<Value = Ended> {
    (any::<u64>(), text(), report()).prop_map(|(launch, kernel, report)| Ended {
        launch: LaunchHandle::new(launch),
        kernel,
        report,
    })
}

fn facts() -> impl Strategy<Value = GpuFacts> {
    let pair = any::<(u32, u32)>();
    let sizes = (any::<u32>(), any::<u32>(), any::<u64>());
    (any::<u32>(), text(), pair, sizes, pair, option::of(text())).prop_map(
        |(ordinal, name, capability, sizes, cuda, driver)| GpuFacts {
            ordinal,
            name,
            capability,
            multiprocessors: sizes.0,
            shared_per_block: sizes.1,
            memory: sizes.2,
            cuda,
            driver,
        },
    )
}

fn gpu_error() -> impl Strategy<Value = GpuError> {
    let call = prop::sample::select(vec!["cuInit", "cuCtxSynchronize"]).prop_map(Cow::from);
    let version = || any::<(u32, u32)>();
    let lacking = prop_oneof![
        (version(), version(), version()).prop_map(|(needed, cuda, has)| Lacking::Version {
            needed,
            cuda,
            has
        }),
        version().prop_map(|(needed, has)| Lacking::Target { needed, has }),
    ];
    prop_oneof![
        ((text(), text(), any::<u32>()), lacking, (any::<u32>(), text())).prop_map(
            |((name, file, line), lacking, (code, words))| {
                GpuError::ModuleNeedsMore { name, file, line, lacking, code, words }
            }
        ),
        Just(GpuError::NoDriver),
        any::<(u32, u32)>().prop_map(|(ordinal, count)| GpuError::NoGpu { ordinal, count }),
        (call.clone(), any::<u32>(), text(), text(), text()).prop_map(
            |(call, code, name, words, log)| GpuError::Driver { call, code, name, words, log }
        ),
        call.prop_map(|name| GpuError::MissingFunction { name }),
        text().prop_map(|what| GpuError::Worker { what }),
        text().prop_map(|text| GpuError::ZeroByte { text }),
        (vec(text(), 0..3), option::of(text()), any::<u32>(), text()).prop_map(
            |(files, refused, code, words)| GpuError::NotLinked { files, refused, code, words }
        ),
    ]
}

fn type_() -> impl Strategy<Value = Type> {
    use Type as T;
    prop::sample::select(vec![
        T::B8,
        T::B16,
        T::B32,
        T::B64,
        T::B128,
        T::U8,
        T::U16,
        T::U32,
        T::U64,
        T::S8,
        T::S16,
        T::S32,
        T::S64,
        T::F16,
        T::F16x2,
        T::Bf16,
        T::Bf16x2,
        T::F32,
        T::F64,
        T::Pred,
        T::Texref,
        T::Samplerref,
        T::Surfref,
    ])
}

/// All kinds but [`DeviceError::Program`], which cannot be sent.
fn device_error() -> impl Strategy<Value = DeviceError> {
    use DeviceError as E;
    let names = || (text(), vec(text(), 0..4));
    let numbers = any::<(u64, u64)>();
    let what = prop::sample::select(vec!["stream", "event", "copy"]).prop_map(Cow::from);
    prop_oneof![
        names().prop_map(|(name, available)| E::UnknownKernel { name, available }),
        names().prop_map(|(name, available)| E::UnknownVariable { name, available }),
        (text(), any::<usize>(), any::<usize>())
            .prop_map(|(kernel, expected, found)| { E::ArgumentCount { kernel, expected, found } }),
        (any::<usize>(), text(), type_(), any::<u64>(), text()).prop_map(
            |(index, parameter, expected, size, found)| E::ArgumentType {
                index,
                parameter,
                expected,
                size,
                found
            }
        ),
        text().prop_map(|reason| E::ImpossibleLaunch { reason }),
        numbers.prop_map(|(requested, available)| E::OutOfMemory { requested, available }),
        numbers.prop_map(|(address, bytes)| E::BadPointer { address, bytes }),
        numbers.prop_map(|(address, bytes)| E::Freed { address, bytes }),
        (any::<u64>(), text(), any::<usize>()).prop_map(|(address, user, stream)| E::StillInUse {
            address,
            user,
            stream
        }),
        any::<usize>().prop_map(|stream| E::NotSynchronised { stream }),
        Just(E::EventPending),
        what.clone().prop_map(|what| E::UnknownHandle { what }),
        what.prop_map(|what| E::NotSupported { what }),
        Just(E::UnknownModule),
        Just(E::Lost),
        text().prop_map(E::Driver),
    ]
}

pub(super) fn opened() -> impl Strategy<Value = Opened> {
    prop_oneof![facts().prop_map(Ok), gpu_error().prop_map(Err)]
}

pub(super) fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        gpu_error().prop_map(|error| Answer::Failed { error }),
        device_error().prop_map(|error| Answer::Refused { error }),
        text().prop_map(|words| Answer::NotLowered { words }),
        Just(Answer::Done),
        pointer().prop_map(|pointer| Answer::Pointer { pointer }),
        (pointer(), any::<u64>()).prop_map(|(pointer, bytes)| Answer::Variable { pointer, bytes }),
        module().prop_map(|module| Answer::Module { module }),
        stream().prop_map(|stream| Answer::Stream { stream }),
        event().prop_map(|event| Answer::Event { event }),
        (any::<u64>(), pointer())
            .prop_map(|(handle, texels)| Answer::Image { image: ImageHandle { handle, texels } }),
        any::<u64>().prop_map(|n| Answer::Launch { launch: LaunchHandle::new(n) }),
        any::<u64>().prop_map(|n| Answer::Copy { download: Download::new(n) }),
        report().prop_map(|report| Answer::Report { report }),
        vec(ended(), 0..3).prop_map(|ended| Answer::Ended { ended }),
        any::<Duration>().prop_map(|time| Answer::Elapsed { time }),
    ]
}
