//! Random lookups in random textures, against the Programming Guide's formula in double precision.
//!
//! The oracle adds, along each direction, the texels of an endless row by the distance of their
//! middles. It has no fixed point and none of the simulator's code. Hardware has 8 bits of
//! fraction: a bound says how much the two may differ (CUDA C++ Programming Guide, "Linear
//! Filtering").

use proptest::prelude::*;
use warpsim::element::ElementType;
use warpsim::host::{AddressMode, Sampler, Simulator, Texels};
use warpsim_tests::lookups::Case;

/// A texture of f32 and where it is looked up, in texels.
#[derive(Clone, Debug)]
struct Random {
    extent: Vec<u32>,
    layers: Option<u32>,
    sampler: Sampler,
    texels: Vec<f32>,
    places: Vec<(u32, [f32; 3])>,
}

fn random() -> impl Strategy<Value = Random> {
    use AddressMode as A;
    let address = prop::sample::select(vec![A::Wrap, A::Clamp, A::Mirror, A::Border]);
    let sampler =
        (any::<bool>(), any::<bool>(), address).prop_map(|(linear, normalized, address)| Sampler {
            linear,
            normalized,
            address,
            ..Sampler::default()
        });
    let shape = (prop::collection::vec(1..=7_u32, 1..=3), prop::option::of(1..=3_u32));
    (shape, sampler).prop_flat_map(|((extent, layers), sampler)| {
        let layers = layers.filter(|_| extent.len() < 3);
        let slices = layers.unwrap_or(1) as usize;
        let count = extent.iter().map(|n| *n as usize).product::<usize>() * slices;
        let texels = prop::collection::vec(-64.0..64.0_f32, count);
        let place = (0..5_u32, prop::array::uniform3(-9.0..17.0_f32));
        let places = prop::collection::vec(place, 64);
        (texels, places).prop_map(move |(texels, places)| Random {
            extent: extent.clone(),
            layers,
            sampler,
            texels,
            places,
        })
    })
}

/// The texel at a place of the endless row that an address mode makes of `n`.
fn in_row(sampler: &Sampler, place: i64, n: i64) -> Option<usize> {
    let mut place = place;
    let repeats = sampler.normalized;
    match sampler.address {
        AddressMode::Border => return (0..n).contains(&place).then_some(place as usize),
        AddressMode::Wrap if repeats => {
            while place < 0 {
                place += n;
            }
            while place >= n {
                place -= n;
            }
        }
        AddressMode::Mirror if repeats => {
            // Each step over an end is a step back from it.
            let (mut at, mut step) = (0, if place >= 0 { 1 } else { -1 });
            for _ in 0..place.abs() {
                if (0..n).contains(&(at + step)) {
                    at += step;
                } else {
                    step = -step;
                }
            }
            place = at;
        }
        AddressMode::Wrap | AddressMode::Mirror | AddressMode::Clamp => {
            place = place.max(0).min(n - 1);
        }
    }
    Some(place as usize)
}

/// What a lookup gives, and `None` where a rounding decides which texel it is.
fn right(random: &Random, layer: u32, at: &[f64]) -> Option<f64> {
    let mut terms = vec![(1.0, Some(0_usize))];
    let mut stride = 1;
    for (x, n) in at.iter().zip(&random.extent) {
        let (x, size) = (*x, i64::from(*n));
        let row: Vec<(f64, i64)> = if random.sampler.linear {
            let first = (x - 0.5).floor();
            let second = x - 0.5 - first;
            vec![(1.0 - second, first as i64), (second, first as i64 + 1)]
        } else {
            if (x - x.round()).abs() < 1e-4 {
                return None;
            }
            vec![(1.0, x.floor() as i64)]
        };
        let mut next = Vec::new();
        for (weight, place) in &terms {
            for (more, along) in &row {
                let here = in_row(&random.sampler, *along, size);
                let place = place.zip(here).map(|(place, here)| place + here * stride);
                next.push((weight * more, place));
            }
        }
        terms = next;
        stride *= *n as usize;
    }
    let layer = random.layers.map_or(0, |count| layer.min(count - 1)) as usize;
    let texel = |place: usize| f64::from(random.texels[layer * stride + place]);
    Some(terms.iter().map(|(weight, place)| weight * place.map_or(0.0, texel)).sum())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn random_lookups_are_those_of_the_formula(random in random()) {
        let directions = random.extent.len();
        let plain = Texels::new(ElementType::F32, 1, &random.extent).unwrap();
        let (texels, geometry) = match random.layers {
            Some(layers) => (plain.layered(layers).unwrap(), format!("a{directions}d")),
            None => (plain, format!("{directions}d")),
        };
        let scale = |i: usize| match random.sampler.normalized {
            true => random.extent[i] as f32,
            false => 1.0,
        };
        let operands = |(layer, place): &(u32, [f32; 3])| {
            let layer = random.layers.map(|_| *layer);
            let at = (0..directions).map(|i| (place[i] / scale(i)).to_bits());
            layer.into_iter().chain(at).collect::<Vec<u32>>()
        };
        let case = Case {
            name: "random".to_owned(),
            instruction: format!("tex.{geometry}.v4.f32.f32"),
            texels,
            sampler: random.sampler,
            has_offset: false,
            bytes: random.texels.iter().flat_map(|texel| texel.to_le_bytes()).collect(),
            lookups: random.places.iter().map(|place| (operands(place), [0; 4])).collect(),
        };
        let results = case.results(&mut Simulator::default()).unwrap();
        // Half a 256th along each direction, and each rounding of a weight moves as much from texel
        // to texel.
        let steps = if random.sampler.linear { 2 * directions } else { 0 };
        // Of one direction, the border lies above and below the row, too.
        let half = directions == 1 && random.layers.is_none() && random.sampler.linear
            && random.sampler.address == AddressMode::Border;
        for ((layer, place), found) in random.places.iter().zip(results) {
            let at: Vec<f64> =
                (0..directions).map(|i| f64::from(place[i] / scale(i)) * f64::from(scale(i))).collect();
            let Some(right) = right(&random, *layer, &at) else { continue };
            let right = if half { right / 2.0 } else { right };
            let bound = 128.0 * (steps as f64 + 0.1) / 256.0 * f64::from(u8::from(steps > 0)) + 1e-3;
            let found = f32::from_bits(found[0]);
            prop_assert!(
                (f64::from(found) - right).abs() <= bound,
                "layer {layer} at {at:?}: {found}, not {right}"
            );
        }
    }
}
