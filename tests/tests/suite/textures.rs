//! Textures and surfaces (PTX ISA 9.7.10, 9.7.11): lookups against what an H200 gave, which
//! `tests/hardware/textures.txt` holds, and surfaces against the ISA's words.

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device as _, ImageHandle, Launch, Sampler, Simulator, Texels};
use warpsim::report::{Code, Outcome};
use warpsim_tests::launching::Bench;
use warpsim_tests::lookups::cases;

/// All results, bit for bit, except for the sums of three directions that `filter` describes.
#[test]
fn lookups_give_what_an_h200_gave() {
    let (mut all, mut different) = (0, Vec::new());
    for text in [
        include_str!("../../hardware/textures.txt"),
        include_str!("../../hardware/textures_more.txt"),
        include_str!("../../hardware/textures_found.txt"),
    ] {
        for case in cases(text).unwrap() {
            all += case.lookups.len();
            for (i, found) in case.differences(&mut Simulator::default()).unwrap() {
                let (at, right) = &case.lookups[i];
                let what = format!("{} at {at:x?}: {found:x?}, not {right:x?}", case.name);
                different.push(what);
            }
        }
    }
    assert!(all > 5000, "{all}");
    assert!(different.is_empty(), "{} of {all}:\n{}", different.len(), different.join("\n"));
}

const SURFACE: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry k(.param .u64 handle, .param .u64 out)\n{\n  \
    .reg .b32 %t, %x, %y, %r0, %r1; .reg .b64 %h, %out, %o; .reg .pred %p;\n  \
    ld.param.u64 %h, [handle];\n  ld.param.u64 %out, [out];\n  mov.u32 %t, %tid.x;\n  \
    mul.wide.u32 %o, %t, 8;\n  add.u64 %out, %out, %o;\n  mov.u32 %x, %tid.x;\n  \
    mul.lo.u32 %x, %x, 4;\n  sub.u32 %x, %x, 8;\n  mov.u32 %r1, 77;\n  BODY\n  \
    st.global.v2.b32 [%out], {%r0, %r1};\n  ret;\n}\n";

/// A surface of 4 by 2 words, 100 and on, and a kernel of eight threads at the bytes -8, -4, ... 20
/// of a row.
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
fn a_lookup_says_that_its_texels_are_there() {
    let body = "tex.1d.v4.u32.s32 {%r0, %r1, %r1, %r1}|%p, [%h, {%t}]; selp.b32 %r0, %r0, 0, %p;";
    let mut bench = Bench::of_text("texture.ptx", &SURFACE.replace("BODY", body));
    let texels = Texels::new(ElementType::U32, 1, &[8]).unwrap();
    let bytes: Vec<u8> = (100..108u32).flat_map(u32::to_le_bytes).collect();
    let image = bench.gpu.texture(&texels, Sampler::default(), &bytes).unwrap();
    let out = bench.buffer(&[0u32; 16]);
    bench.run("k", &Launch::new(1, 8), &[Argument::U64(image.handle), out.into()]);
    let found: Vec<u32> = bench.read(out).chunks(2).map(|pair| pair[0]).collect();
    assert_eq!(found, [100, 101, 102, 103, 104, 105, 106, 107]);
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
    assert!(told.contains("0x3 is not the handle of a texture or surface"), "{told}");
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

/// What a kernel of one thread leaves of two texels, after `body` on the surface `%h` with `%r0`
/// and `%r1`.
fn left(element: ElementType, channels: u32, bytes: &[u8], body: &str) -> Vec<u8> {
    let mut bench = Bench::of_text("surface.ptx", &SURFACE.replace("BODY", body));
    let texels = Texels::new(element, channels, &[2]).unwrap();
    let image = bench.gpu.surface(&texels, bytes).unwrap();
    let out = bench.buffer(&[0u32; 2]);
    bench.run("k", &Launch::new(1, 1), &[Argument::U64(image.handle), out.into()]);
    let mut left = vec![0; bytes.len()];
    bench.gpu.download(image.texels, &mut left).unwrap();
    left
}

#[test]
fn a_formatted_store_writes_channels_of_the_surface_s_type_as_an_h200_does() {
    // The second texel. A value that is too great becomes the greatest, and a missing channel
    // becomes zero.
    let body = "mov.u32 %x, 1; mov.u32 %r0, 300; sust.p.1d.v2.b32.trap [%h, {%x}], {%r0, %r1};";
    assert_eq!(left(ElementType::U8, 4, &[9; 8], body), [9, 9, 9, 9, 255, 77, 0, 0]);
    assert_eq!(left(ElementType::I8, 2, &[9; 4], body), [9, 9, 127, 77]);
    let body = "mov.u32 %x, 1; mov.u32 %r0, 0xbf6a57d9; sust.p.1d.b32.zero [%h, {%x}], %r0;";
    assert_eq!(left(ElementType::F16, 1, &[9; 4], body), [9, 9, 0x52, 0xbb]);
    let body = "mov.u32 %x, 2; sust.p.1d.b32.zero [%h, {%x}], %r1;";
    assert_eq!(left(ElementType::U32, 1, &[9; 8], body), [9; 8]);
}

#[test]
fn a_formatted_reduction_compares_as_the_surface_s_type_does() {
    let bytes: Vec<u8> = [5u32, 0xffff_fff0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let body = "mov.u32 %x, 1; sured.p.min.1d.b32.trap [%h, {%x}], %r1;";
    assert_eq!(left(ElementType::U32, 1, &bytes, body)[4..], [77, 0, 0, 0]);
    assert_eq!(left(ElementType::I32, 1, &bytes, body)[4..], [0xf0, 0xff, 0xff, 0xff]);
}
