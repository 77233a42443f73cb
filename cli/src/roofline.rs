//! The roofline of a launch: how many operations on floating-point numbers it does for a byte of
//! global memory, and how much of the device's peak that allows (Williams, Waterman and Patterson,
//! "Roofline", CACM 2009).
//!
//! The simulator has no clock, so a launch is a line across the picture and not a point. Its height
//! on a GPU is not known, only that it is below the roof. Bytes are counted in the sectors that
//! requests take. Caches are not modelled: where they hold data that is read again, fewer bytes
//! come from memory, and the line is further to the right.

use serde::Serialize;
use warpsim::host::DeviceProfile;
use warpsim::observe::{Precision, Totals};
use warpsim_driver_core::Peaks;

/// The roofline of a launch on a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RooflineRow {
    device: String,
    /// Bytes of the sectors that requests to global memory took.
    bytes: u64,
    /// Bytes of global memory that the device moves in a second, at most.
    peak_bytes: u64,
    /// One for each width of numbers that the launch computes with.
    roofs: Vec<RoofRow>,
}

/// What limits operations on numbers of one width.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RoofRow {
    precision: String,
    /// Operations of the launch; a fused one is two.
    operations: u64,
    /// Operations that the device does in a second, at most.
    peak_operations: u64,
    /// Operations for a byte of global memory.
    intensity: f64,
    /// From so many on, arithmetic is the limit, and below it memory.
    ridge: f64,
    /// The highest share of the peak that memory allows: 1 where memory is not the limit.
    attainable: f64,
}

impl RooflineRow {
    /// The roofline of what was counted. `None` where nothing was computed with floating-point
    /// numbers, or global memory was not accessed.
    pub(crate) fn of(totals: &Totals, profile: &DeviceProfile) -> Option<RooflineRow> {
        let bytes = totals.global_bytes();
        let peaks = Peaks::of(profile);
        let roofs: Vec<RoofRow> = totals
            .floating
            .iter()
            .filter(|(_, of)| of.operations > 0 && bytes > 0)
            .map(|(precision, of)| roof(*precision, of.operations, bytes, &peaks))
            .collect();
        let device = profile.name.clone();
        (!roofs.is_empty()).then_some(RooflineRow { device, bytes, peak_bytes: peaks.bytes, roofs })
    }

    /// A sentence for each roof.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = String> {
        self.roofs.iter().map(|roof| {
            let RoofRow { precision, intensity, ridge, attainable, .. } = roof;
            let limit = if *attainable < 1.0 {
                let percent = attainable * 100.0;
                format!("memory limits the launch to {percent:.1} % of the {precision} peak")
            } else {
                "arithmetic is the limit".to_owned()
            };
            format!(
                "{intensity:.2} {precision} operations a byte of global memory, without caches; {} \
                 balances at {ridge:.1}, so {limit}",
                self.device
            )
        })
    }
}

fn roof(precision: Precision, operations: u64, bytes: u64, peaks: &Peaks) -> RoofRow {
    let peak = match precision {
        Precision::Fp16 => peaks.fp16,
        Precision::Fp32 => peaks.fp32,
        Precision::Fp64 => peaks.fp64,
    };
    let intensity = operations as f64 / bytes as f64;
    let ridge = peak as f64 / peaks.bytes as f64;
    RoofRow {
        precision: precision.to_string(),
        operations,
        peak_operations: peak,
        intensity,
        ridge,
        attainable: (intensity / ridge).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum of two vectors of singles takes 12 bytes for one operation. An H200 does 66.9 * 10^12
    /// operations and moves 4.92 * 10^12 bytes a second: 13.6 operations a byte.
    #[test]
    fn a_vector_sum_is_limited_by_memory_to_a_share_of_the_peak() {
        let peaks = Peaks::of(&DeviceProfile::h200());
        let sum = roof(Precision::Fp32, 1000, 12_000, &peaks);
        assert!((sum.intensity - 1.0 / 12.0).abs() < 1e-12);
        assert!((sum.ridge - 13.608).abs() < 0.001, "{}", sum.ridge);
        assert!((sum.attainable - 0.006_124).abs() < 0.000_001, "{}", sum.attainable);
        let product = roof(Precision::Fp32, 100_000, 1000, &peaks);
        assert!((product.attainable - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_launch_without_floating_point_numbers_has_no_roofline() {
        assert_eq!(RooflineRow::of(&Totals::default(), &DeviceProfile::h200()), None);
    }
}
