//! Tensor cores: what an H200 made of random tiles of each form, and a plain loop with exact numbers, against the
//! simulator.

use serde_json::Value;
use warpsim::host::Simulator;
use warpsim_tests::tiles::{digests, draw, forms, reference};

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
    for (form, recorded) in forms().iter().zip(&recording()).step_by(3) {
        let tiles = 0..recorded["tiles"].as_u64().unwrap();
        let words: Vec<u32> =
            tiles.flat_map(|number| reference::product(form, &draw::tile(form, number))).collect();
        assert_eq!(recorded["sha256"], digests::digest(&words), "{}", form.text);
    }
}

#[test]
fn tiles_are_those_of_a_plain_loop() {
    let tiles = warpsim_effort::cases(16, 512);
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
