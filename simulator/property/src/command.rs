//! A failure as a line for the shell.

use super::case::{Case, Cells, Value};
use super::judge::Wrong;
use super::kernel::Kernel;
use crate::drawing::element::ElementType;
use crate::drawing::structs::{Passed, Structs};
use crate::host::{DeviceProfile, Extent, Model, SharedInit};

/// Buffers of more cells are written out only when all are the same.
const CELLS: usize = 64;

/// The command that shows a failure again; `None` where a buffer is too long for a line, or the
/// device is one that was made up.
pub(super) fn line(kernel: &Kernel, case: &Case, schedule: &str, wrong: &Wrong) -> Option<String> {
    if kernel.profile != DeviceProfile::default() {
        return None;
    }
    let command = match wrong {
        Wrong::Found(_) | Wrong::Stopped { .. } => "check",
        Wrong::Differs(_) | Wrong::Mismatch(_) => "run",
    };
    let (file, name) = (kernel.file(), &kernel.name);
    let mut line = format!("warpsim {command} {} --kernel {}", quoted(&file), quoted(name));
    for (linked, _) in kernel.sources.named(name).iter().skip(1) {
        line += &format!(" --link {}", quoted(linked));
    }
    let (grid, block) = (Extent(case.launch.grid), Extent(case.launch.block));
    line += &format!(" --grid {grid} --block {block}");
    if case.launch.shared != 0 {
        line += &format!(" --shared {}", case.launch.shared);
    }
    if case.launch.cooperative {
        line += " --cooperative";
    }
    let of = |number: usize| specification(case.arguments.get(number)?, &kernel.structs);
    for passed in kernel.structs.passed(case.arguments.len()) {
        let specification = match passed {
            Passed::Whole(number) => of(number)?,
            Passed::Struct(_, fields) => {
                let field = |(at, number): &(u64, usize)| Some(format!("{at}: {}", of(*number)?));
                let fields: Option<Vec<String>> = fields.iter().map(field).collect();
                format!("{{{}}}", fields?.join(", "))
            }
        };
        line += &format!(" --arg {}", quoted(&specification));
    }
    if kernel.model != Model::default() {
        line += &format!(" --model {}", kernel.model.name());
    }
    match kernel.shared_init {
        SharedInit::Zero => {}
        SharedInit::Poison => line += " --shared-init poison",
        SharedInit::Random(seed) => line += &format!(" --shared-init random:{seed}"),
        SharedInit::Leftover => line += " --shared-init leftover",
    }
    line += &format!(" --schedule {}", quoted(schedule));
    Some(line)
}

/// A word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn specification(value: &Value, structs: &Structs) -> Option<String> {
    Some(match value {
        Value::Again(of) => format!("@{}", structs.place(*of)),
        Value::Scalar { ty, bits } => format!("{ty}:{}", cell(*ty, *bits)),
        Value::Buffer(Cells { ty, bits }) => {
            let length = bits.len();
            let head = format!("{ty}[{length}]");
            let first = bits.first().copied().unwrap_or(0);
            if bits.iter().all(|other| *other == first) {
                return Some(match first {
                    0 => head,
                    _ => format!("{head}=fill:{}", cell(*ty, first)),
                });
            }
            if length > CELLS {
                return None;
            }
            let cells: Vec<String> = bits.iter().map(|bits| cell(*ty, *bits)).collect();
            format!("{head}=list:{}", cells.join(","))
        }
    })
}

/// A number as the command reads it; floats by their bits, which nothing rounds.
fn cell(ty: ElementType, bits: u64) -> String {
    match ty {
        ElementType::F32 if !is_short(ty, bits) => format!("0f{bits:08X}"),
        ElementType::F64 if !is_short(ty, bits) => format!("0d{bits:016X}"),
        _ => ty.text(bits),
    }
}

/// Whether a float is a small integer, which reads better in decimal.
fn is_short(ty: ElementType, bits: u64) -> bool {
    let value = ty.float(bits);
    value.trunc() == value && value.abs() < 1e6 && bits != ty.of_float(-0.0)
}
