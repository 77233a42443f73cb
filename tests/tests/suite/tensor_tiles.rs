//! Tensor cores: what an H200 made of random tiles of each form, and a plain loop with exact
//! numbers, against the simulator.

use serde_json::Value;
use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::observe::Uninitialized;
use warpsim::report::Severity;
use warpsim_effort::cases;
use warpsim_tests::tiles::{digests, draw, forms, kernel, reference};

/// Digests of what an H200 (driver 580.159.04) wrote, form by form, from tile 0 on.
fn recording() -> Vec<Value> {
    serde_json::from_str(include_str!("../../recordings/tensor-tiles.json")).unwrap()
}

#[test]
fn tiles_are_those_of_an_h200_bit_for_bit() {
    let recorded = recording();
    let forms = forms();
    assert_eq!(recorded.len(), forms.len());
    let mut wrong = Vec::new();
    for (form, recorded) in forms.iter().zip(&recorded) {
        assert_eq!(recorded["form"], form.text);
        let tiles = recorded["tiles"].as_u64().unwrap();
        let inputs = digests::inputs(form, 0, tiles);
        let words = digests::run(&mut Simulator::default(), form, &inputs).unwrap();
        if recorded["sha256"] != digests::digest(&words) {
            wrong.push(&form.text);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_plain_loop_gives_what_an_h200_gave() {
    for (form, recorded) in forms().iter().zip(&recording()).step_by(cases(12, 1)) {
        let tiles = 0..recorded["tiles"].as_u64().unwrap();
        let words: Vec<u32> =
            tiles.flat_map(|number| reference::product(form, &draw::tile(form, number))).collect();
        assert_eq!(recorded["sha256"], digests::digest(&words), "{}", form.text);
    }
}

#[test]
fn tiles_are_those_of_a_plain_loop() {
    let tiles = cases(16, 512);
    for form in forms() {
        let inputs = digests::inputs(&form, 1_000_000, tiles);
        let words = digests::run(&mut Simulator::default(), &form, &inputs).unwrap();
        let [read, written] = form.tile_words();
        for (number, (read, wrote)) in (0..).zip(inputs.chunks(read).zip(words.chunks(written))) {
            let right = reference::product(&form, read);
            assert_eq!(wrote, right, "tile {} of {}", 1_000_000 + number, form.text);
        }
    }
}

/// Words of tiles from [`draw::FAINT`] on, whose products are about as small as the least numbers
/// of f32, as an H200 (driver 580.159.04) wrote them: the form, the tile, the word, its bits. Some
/// are other numbers where the bound of the largest exponent is not known, the others where it is
/// taken as -132 or -126.
#[test]
fn numbers_near_the_least_are_summed_as_an_h200_sums_them() {
    let recorded = include_str!("../../recordings/tensor-faint.json");
    let recorded: Vec<(String, u64, usize, String)> = serde_json::from_str(recorded).unwrap();
    assert_eq!(recorded.len(), 58);
    let forms = forms();
    for (text, tile, word, bits) in recorded {
        let form = forms.iter().find(|form| form.text == text).unwrap();
        let expected = u32::from_str_radix(&bits, 16).unwrap();
        let inputs = digests::inputs(form, draw::FAINT + tile, kernel::WARPS as u64);
        let words = digests::run(&mut Simulator::default(), form, &inputs).unwrap();
        let plain = reference::product(form, &draw::tile(form, draw::FAINT + tile));
        assert_eq!((words[word], plain[word]), (expected, expected), "tile {tile} of {text}");
    }
}

/// The findings on unwritten values in a kernel of `matrix_unwritten.ptx`.
fn unwritten(kernel: &str) -> usize {
    let text = include_str!("../../ptx/matrix_unwritten.ptx");
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("matrix_unwritten.ptx", text).unwrap()).unwrap();
    let out = gpu.allocate(256).unwrap();
    let mut watching = Uninitialized::default();
    let launch = Launch::new(1, 32);
    gpu.launch_observed(module, kernel, &launch, &[Argument::Pointer(out)], &mut watching).unwrap();
    let findings = watching.findings();
    findings.iter().filter(|finding| finding.severity > Severity::Note).count()
}

#[test]
fn what_mma_makes_of_rows_that_were_never_written_is_not_known_and_the_rest_is() {
    assert_eq!(unwritten("good"), 0);
    assert!(unwritten("bad_row") > 0);
    assert!(unwritten("bad_column") > 0);
}
