//! Tiles through a device, and what came of many of them as a digest, to compare with what an
//! H200 answered.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use warpsim::host::{Argument, Device, Launch};

use super::{Form, draw, kernel};

/// What a device makes of the tiles with these numbers. Their count is a multiple of
/// [`kernel::WARPS`].
///
/// # Errors
/// The device's error, or another number of tiles.
pub fn run(device: &mut dyn Device, form: &Form, inputs: &[u32]) -> Result<Vec<u32>, String> {
    let [read, written] = form.tile_words();
    let tiles = inputs.len() / read;
    if tiles == 0 || !tiles.is_multiple_of(kernel::WARPS) {
        return Err(format!("{tiles} tiles, which is no multiple of {}", kernel::WARPS));
    }
    let said = |error: warpsim::host::DeviceError| format!("{}: {error}", form.text);
    let module = warpsim::ptx::parse("tile.ptx", &kernel::text(form));
    let module = device.load(&module.map_err(|e| e.to_string())?).map_err(said)?;
    let bytes: Vec<u8> = inputs.iter().flat_map(|word| word.to_le_bytes()).collect();
    let from = device.allocate(bytes.len() as u64).map_err(said)?;
    let mut out = vec![0; 4 * tiles * written];
    let to = device.allocate(out.len() as u64).map_err(said)?;
    device.upload(from, &bytes).map_err(said)?;
    let grid = [(tiles / kernel::WARPS) as u32, 1, 1];
    let launch = Launch { grid, block: [32, kernel::WARPS as u32, 1], ..Launch::default() };
    let arguments = [Argument::Pointer(from), Argument::Pointer(to)];
    let report = device.launch(module, "k", &launch, &arguments).map_err(said)?;
    if report.outcome != warpsim::report::Outcome::Completed {
        return Err(format!("{}: {:?}", form.text, report.outcome));
    }
    device.download(to, &mut out).map_err(said)?;
    device.free(from).and_then(|()| device.free(to)).map_err(said)?;
    Ok(out
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}

/// The words that the first tiles of a form read.
pub fn inputs(form: &Form, first: u64, count: u64) -> Vec<u32> {
    (first..first + count).flat_map(|number| draw::tile(form, number)).collect()
}

/// The SHA-256 of words.
pub fn digest(words: &[u32]) -> String {
    let mut hasher = Sha256::new();
    words.iter().for_each(|word| hasher.update(word.to_le_bytes()));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line of the recording: of this many tiles of a form, from number 0 on.
pub fn line(form: &Form, tiles: u64, words: &[u32]) -> Value {
    json!({"form": form.text, "tiles": tiles, "sha256": digest(words)})
}
