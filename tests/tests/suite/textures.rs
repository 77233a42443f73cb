//! Textures and surfaces (PTX ISA 9.7.10, 9.7.11): lookups against what an H200 gave, which
//! `tests/hardware/textures.txt` holds, and surfaces against the ISA's words.

use warpsim::element::ElementType;
use warpsim::host::{
    AddressMode, Argument, Device as _, ImageHandle, Launch, Sampler, Simulator, Texels,
};
use warpsim::report::{Code, Outcome};
use warpsim_tests::launching::Bench;

/// The lookups of a case, in the file's words.
struct Case<'t> {
    name: &'t str,
    instruction: &'t str,
    texels: Texels,
    sampler: Sampler,
    bytes: Vec<u8>,
    lookups: Vec<([u32; 3], [u32; 4])>,
}

fn words<const N: usize>(text: &str) -> [u32; N] {
    let words: Vec<u32> =
        text.split_whitespace().map(|w| u32::from_str_radix(w, 16).unwrap()).collect();
    words.try_into().unwrap()
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix("case ") {
            let parts: Vec<&str> = rest.split(' ').collect();
            let [name, instruction, format, size, filter, address, coordinates, read] = parts[..]
            else {
                panic!("{line}")
            };
            let (element, channels) = format.split_once('x').unwrap();
            let size: Vec<u32> = size.split('x').map(|n| n.parse().unwrap()).collect();
            let element: ElementType = element.parse().unwrap();
            let texels = Texels::new(element, channels.parse().unwrap(), &size).unwrap();
            let sampler = Sampler {
                linear: filter == "linear",
                address: match address {
                    "wrap" => AddressMode::Wrap,
                    "mirror" => AddressMode::Mirror,
                    "border" => AddressMode::Border,
                    _ => AddressMode::Clamp,
                },
                normalized: coordinates == "normalized",
                as_float: read == "float",
                ..Sampler::default()
            };
            let (bytes, lookups) = (Vec::new(), Vec::new());
            cases.push(Case { name, instruction, texels, sampler, bytes, lookups });
            continue;
        }
        let case = cases.last_mut().unwrap();
        if let Some(hex) = line.strip_prefix("texels ") {
            let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).unwrap();
            case.bytes = (0..hex.len()).step_by(2).map(byte).collect();
        } else {
            let (at, result) = line.split_once(" = ").unwrap();
            case.lookups.push((words(at), words(result)));
        }
    }
    cases
}

/// A kernel that executes an instruction at the coordinates of its thread.
fn kernel(instruction: &str) -> String {
    let at = match () {
        () if instruction.contains(".1d.") => "{%i0}",
        () if instruction.contains(".2d.") => "{%i0, %i1}",
        () => "{%i0, %i1, %i2, %i2}",
    };
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 handle, .param .u64 at, .param .u64 out)\n{{\n  \
         .reg .b32 %i<3>, %r<4>, %t; .reg .b64 %h, %at, %out, %o;\n  \
         ld.param.u64 %h, [handle];\n  ld.param.u64 %at, [at];\n  ld.param.u64 %out, [out];\n  \
         mov.u32 %t, %tid.x;\n  mul.wide.u32 %o, %t, 16;\n  add.u64 %at, %at, %o;\n  \
         add.u64 %out, %out, %o;\n  ld.global.b32 %i0, [%at];\n  ld.global.b32 %i1, [%at+4];\n  \
         ld.global.b32 %i2, [%at+8];\n  {instruction} {{%r0, %r1, %r2, %r3}}, [%h, {at}];\n  \
         st.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}};\n  ret;\n}}\n"
    )
}

/// The greatest magnitude among texels.
fn greatest(case: &Case<'_>) -> f32 {
    let size = case.texels.element().size();
    let bits = case
        .bytes
        .chunks(size)
        .map(|cell| cell.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte)));
    match case.texels.element() {
        ElementType::F32 | ElementType::F16 => {
            bits.map(|bits| (case.texels.element().float(bits) as f32).abs()).fold(0.0, f32::max)
        }
        _ => 1.0,
    }
}

/// How exact hardware's sums of texels of a type are: it adds integers with 16 bits, and f16 as such.
fn precision(element: ElementType) -> f32 {
    match element {
        ElementType::F32 => 2e-7,
        ElementType::F16 => 0.0005,
        _ => 1.3 / 65536.0,
    }
}

#[test]
fn lookups_give_what_an_h200_gave() {
    let text = include_str!("../../hardware/textures.txt");
    let all = cases(text);
    assert!(all.len() > 100, "{}", all.len());
    for case in &all {
        let mut bench = Bench::of_text("texture.ptx", &kernel(case.instruction));
        let image = bench.gpu.texture(&case.texels, case.sampler, &case.bytes).unwrap();
        let at: Vec<u32> =
            case.lookups.iter().flat_map(|(at, _)| [at[0], at[1], at[2], 0]).collect();
        let (at, out) = (bench.buffer(&at), bench.buffer(&vec![0u32; at.len()]));
        let arguments = [Argument::U64(image.handle), at.into(), out.into()];
        bench.run("k", &Launch::new(1, case.lookups.len() as u32), &arguments);
        let results = bench.read(out);
        // What is filtered is a float; of three directions hardware's weights are others.
        let filtered = case.sampler.linear && case.instruction.starts_with("tex");
        let real = case.instruction.contains("v4.f32");
        let bound = match case.texels.extent().len() {
            _ if !(filtered && real) => 0.0,
            3 => greatest(case) * 4.0 / 256.0,
            _ => greatest(case) * precision(case.texels.element()),
        };
        for (found, (at, right)) in results.chunks(4).zip(&case.lookups) {
            for (found, right) in found.iter().zip(right) {
                let [a, b] = [*found, *right].map(f32::from_bits);
                let near = found == right || bound > 0.0 && (a - b).abs() <= bound;
                assert!(near, "{} at {at:x?}: {a} ({found:#x}), not {b} ({right:#x})", case.name);
            }
        }
    }
}

const SURFACE: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry k(.param .u64 handle, .param .u64 out)\n{\n  \
    .reg .b32 %t, %x, %y, %r0, %r1; .reg .b64 %h, %out, %o; .reg .pred %p;\n  \
    ld.param.u64 %h, [handle];\n  ld.param.u64 %out, [out];\n  mov.u32 %t, %tid.x;\n  \
    mul.wide.u32 %o, %t, 8;\n  add.u64 %out, %out, %o;\n  mov.u32 %x, %tid.x;\n  \
    mul.lo.u32 %x, %x, 4;\n  sub.u32 %x, %x, 8;\n  mov.u32 %r1, 77;\n  BODY\n  \
    st.global.v2.b32 [%out], {%r0, %r1};\n  ret;\n}\n";

/// A surface of 4 by 2 words, 100 and on, and a kernel of eight threads at the bytes -8, -4, ... 20 of a
/// row.
fn surface(body: &str) -> (Bench, ImageHandle) {
    let mut bench = Bench::of_text("surface.ptx", &SURFACE.replace("BODY", body));
    let texels = Texels::new(ElementType::U32, 1, &[4, 2]).unwrap();
    let bytes: Vec<u8> = (100..108u32).flat_map(u32::to_le_bytes).collect();
    let image = bench.gpu.surface(&texels, &bytes).unwrap();
    (bench, image)
}

fn run_on(bench: &mut Bench, image: ImageHandle) -> (Outcome, Vec<u32>, Vec<u32>) {
    let out = bench.buffer(&[0u32; 16]);
    let arguments = [Argument::U64(image.handle), out.into()];
    let report = bench.launch("k", &Launch::new(1, 8), &arguments);
    let mut bytes = [0; 32];
    bench.gpu.download(image.texels, &mut bytes).unwrap();
    let (cells, _) = bytes.as_chunks::<4>();
    let texels = cells.iter().map(|cell| u32::from_le_bytes(*cell)).collect();
    (report.outcome, bench.read(out).chunks(2).map(|pair| pair[0]).collect(), texels)
}

#[test]
fn a_load_outside_of_a_surface_gives_zero_or_the_nearest_word() {
    let (mut bench, image) = surface("suld.b.2d.b32.zero %r0, [%h, {%x, 1}];");
    assert_eq!(run_on(&mut bench, image).1, [0, 0, 104, 105, 106, 107, 0, 0]);
    let (mut bench, image) = surface("suld.b.2d.b32.clamp %r0, [%h, {%x, 5}];");
    assert_eq!(run_on(&mut bench, image).1, [104, 104, 104, 105, 106, 107, 107, 107]);
}

#[test]
fn a_store_outside_of_a_surface_is_left_out_and_one_inside_is_there() {
    let body = "setp.ne.u32 %p, %x, 4; @%p sust.b.2d.b32.zero [%h, {%x, 1}], %x; mov.u32 %r0, 0;";
    let (mut bench, image) = surface(body);
    assert_eq!(run_on(&mut bench, image).2, [100, 101, 102, 103, 0, 105, 8, 12]);
    let body = "mov.u32 %y, 1; sured.b.add.2d.u32.clamp [%h, {%x, 0}], %y; mov.u32 %r0, 0;";
    let (mut bench, image) = surface(body);
    assert_eq!(run_on(&mut bench, image).2, [103, 102, 103, 106, 104, 105, 106, 107]);
}

#[test]
fn an_access_outside_of_a_surface_ends_the_launch_when_it_says_trap() {
    let (mut bench, image) = surface("suld.b.2d.b32.trap %r0, [%h, {%x, 1}];");
    let out = bench.buffer(&[0u32; 16]);
    let arguments = [Argument::U64(image.handle), out.into()];
    let report = bench.launch("k", &Launch::new(1, 8), &arguments);
    assert_ne!(report.outcome, Outcome::Completed);
    assert_eq!(report.findings[0].code, Code::OutOfBounds);
    assert!(report.findings[0].explanation.contains("byte -8 of row 1"), "{report:?}");
}

#[test]
fn sizes_are_asked_for_and_what_is_no_handle_is_told() {
    let body = "suq.width.b32 %r0, [%h]; suq.height.b32 %r1, [%h]; mad.lo.u32 %r0, %r0, 10, %r1;";
    let (mut bench, image) = surface(body);
    assert_eq!(run_on(&mut bench, image).1, [42; 8]);
    let (mut bench, _) = surface("suld.b.2d.b32.zero %r0, [%h, {%x, 1}];");
    let out = bench.buffer(&[0u32; 16]);
    let report = bench.launch("k", &Launch::new(1, 8), &[Argument::U64(3), out.into()]);
    let told = &report.findings[0].explanation;
    assert!(told.contains("0x3 is the handle of no texture or surface"), "{told}");
}

#[test]
fn two_threads_that_store_to_one_place_of_a_surface_race() {
    for (body, racy) in [
        ("mov.u32 %y, 0; sust.b.2d.b32.zero [%h, {%y, 1}], %x; mov.u32 %r0, 0;", true),
        ("sust.b.2d.b32.zero [%h, {%x, 1}], %x; mov.u32 %r0, 0;", false),
    ] {
        let (mut bench, image) = surface(body);
        bench.gpu.settings_mut().checking = Some(warpsim::host::Checking::default());
        let out = bench.buffer(&[0u32; 16]);
        let arguments = [Argument::U64(image.handle), out.into()];
        let report = bench.launch("k", &Launch::new(1, 8), &arguments);
        let races = report.findings.iter().any(|finding| finding.code == Code::Race);
        assert_eq!(races, racy, "{report:?}");
    }
}

#[test]
fn a_fork_has_the_same_objects() {
    let (mut bench, image) = surface("suld.b.2d.b32.zero %r0, [%h, {%x, 1}];");
    let out = bench.buffer(&[0u32; 16]);
    let mut other: Simulator = bench.gpu.fork();
    let arguments = [Argument::U64(image.handle), out.into()];
    let report = other.launch(bench.handle, "k", &Launch::new(1, 8), &arguments).unwrap();
    assert_eq!(report.outcome, Outcome::Completed);
}
