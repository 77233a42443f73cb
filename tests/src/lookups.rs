//! Lookups of textures with what an H200 gave for them: the file's format, and how they are done
//! again.
//!
//! A file has cases, each with a line
//! `case NAME INSTRUCTION FORMAT SIZE FILTER ADDRESS COORDINATES READ [WORD...]`, a line
//! `texels HEX`, and a line for each lookup. The latter has the words of the instruction's operands
//! (the layer, coordinates, level or gradients, offsets), ` = `, and the words of the results. The
//! words at the end are `layers=N`, `cube`, `levels=N`, `between` (levels are weighted) and
//! `offset` (the instruction has one).

use std::fmt::Write as _;

use warpsim::element::ElementType;
use warpsim::host::{AddressMode, Argument, Device, DeviceError, Launch, Sampler, Texels};
use warpsim::ptx::{Module, parse};
use warpsim::report::Outcome;

/// Operands and results of a lookup, as words.
pub type Lookup = (Vec<u32>, [u32; 4]);

/// Lookups of one texture by one instruction.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// The instruction with its modifiers.
    pub instruction: String,
    /// The texture.
    pub texels: Texels,
    /// How it is looked up.
    pub sampler: Sampler,
    /// Whether offsets are given.
    pub has_offset: bool,
    /// The texels' bytes.
    pub bytes: Vec<u8>,
    /// The lookups, and the results of an H200.
    pub lookups: Vec<Lookup>,
}

/// The cases of a file.
///
/// # Errors
/// The line that is not understood.
pub fn cases(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let read = match (line.strip_prefix("case "), cases.last_mut()) {
            (Some(head), _) => case(head).map(|case| cases.push(case)),
            (None, Some(case)) => more(case, line),
            (None, None) => None,
        };
        read.ok_or_else(|| format!("not understood: {line}"))?;
    }
    Ok(cases)
}

fn case(head: &str) -> Option<Case> {
    let parts: Vec<&str> = head.split(' ').collect();
    let [name, instruction, format, size, filter, address, coordinates, read, words @ ..] =
        parts.as_slice()
    else {
        return None;
    };
    let (element, channels) = format.split_once('x')?;
    let size: Option<Vec<u32>> = size.split('x').map(|n| n.parse().ok()).collect();
    let element: ElementType = element.parse().ok()?;
    let mut texels = Texels::new(element, channels.parse().ok()?, &size?).ok()?;
    if words.contains(&"cube") {
        texels = texels.cube().ok()?;
    }
    for word in words {
        if let Some(layers) = word.strip_prefix("layers=") {
            texels = texels.layered(layers.parse().ok()?).ok()?;
        }
        if let Some(levels) = word.strip_prefix("levels=") {
            texels = texels.mipmapped(levels.parse().ok()?).ok()?;
        }
    }
    let address = match *address {
        "wrap" => AddressMode::Wrap,
        "clamp" => AddressMode::Clamp,
        "mirror" => AddressMode::Mirror,
        "border" => AddressMode::Border,
        _ => return None,
    };
    let sampler = Sampler {
        linear: *filter == "linear",
        address,
        normalized: *coordinates == "normalized",
        between_levels: words.contains(&"between"),
        as_float: *read == "float",
    };
    Some(Case {
        name: (*name).to_owned(),
        instruction: (*instruction).to_owned(),
        texels,
        sampler,
        has_offset: words.contains(&"offset"),
        bytes: Vec::new(),
        lookups: Vec::new(),
    })
}

fn more(case: &mut Case, line: &str) -> Option<()> {
    if let Some(hex) = line.strip_prefix("texels ") {
        let byte = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
        case.bytes = (0..hex.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
        return Some(());
    }
    let words = |text: &str| -> Option<Vec<u32>> {
        text.split_whitespace().map(|w| u32::from_str_radix(w, 16).ok()).collect()
    };
    let (at, result) = line.split_once(" = ")?;
    case.lookups.push((words(at)?, words(result)?.try_into().ok()?));
    Some(())
}

/// The registers `%i` from one on: this many.
fn registers(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|i| format!("%i{i}")).collect()
}

/// A vector of registers, filled up to four where there are three.
fn vector(mut registers: Vec<String>) -> String {
    if registers.len() == 3 {
        registers.push("%i0".to_owned());
    }
    format!("{{{}}}", registers.join(", "))
}

impl Case {
    /// The operands behind the destination, and how many words they are.
    fn operands(&self) -> (String, usize) {
        let geometry = self.instruction.split('.');
        let geometry = geometry.clone().find(|m| ["cube", "acube"].contains(m)).is_some();
        let directions = self.texels.extent().len();
        let layer = usize::from(self.texels.layers().is_some());
        let coordinates = layer + if geometry { 3 } else { directions };
        let mut at = registers(0, coordinates);
        // Of four coordinates the first three count where there is no layer of a cube.
        if coordinates == 3 {
            at.push("%i0".to_owned());
        }
        let mut text = format!("[%h, {{{}}}]", at.join(", "));
        let mut used = coordinates;
        if self.instruction.contains(".level.") {
            let _ = write!(text, ", %i{used}");
            used += 1;
        }
        if self.instruction.contains(".grad.") {
            for _ in 0..2 {
                let _ = write!(text, ", {}", vector(registers(used, directions)));
                used += directions;
            }
        }
        if self.has_offset {
            let _ = write!(text, ", {}", vector(registers(used, directions)));
            used += directions;
        }
        (text, used)
    }

    /// A kernel of `(handle, operands, results)` in which each thread does a lookup.
    pub fn kernel(&self) -> String {
        let (operands, _) = self.operands();
        let (d, after) = match () {
            () if self.instruction.contains(".f16x2.") => ("{%r0, %r1}", ""),
            () if self.instruction.contains(".v4.f16.") => (
                "{%q0, %q1, %q2, %q3}",
                "cvt.u32.u16 %r0, %q0; cvt.u32.u16 %r1, %q1; cvt.u32.u16 %r2, %q2; cvt.u32.u16 %r3, %q3;",
            ),
            () => ("{%r0, %r1, %r2, %r3}", ""),
        };
        let instruction = &self.instruction;
        format!(
            ".version 8.0\n.target sm_70\n.address_size 64\n\
             .visible .entry k(.param .u64 handle, .param .u64 at, .param .u64 out)\n{{\n  \
             .reg .b32 %i<8>, %r<4>, %t, %b, %n; .reg .b64 %h, %at, %out, %o; .reg .b16 %q<4>;\n  \
             ld.param.u64 %h, [handle];\n  ld.param.u64 %at, [at];\n  ld.param.u64 %out, [out];\n  \
             mov.u32 %t, %tid.x;\n  mov.u32 %b, %ctaid.x;\n  mov.u32 %n, %ntid.x;\n  \
             mad.lo.u32 %t, %b, %n, %t;\n  mul.wide.u32 %o, %t, 32;\n  add.u64 %at, %at, %o;\n  \
             mul.wide.u32 %o, %t, 16;\n  add.u64 %out, %out, %o;\n  \
             ld.global.v4.b32 {{%i0, %i1, %i2, %i3}}, [%at];\n  \
             ld.global.v4.b32 {{%i4, %i5, %i6, %i7}}, [%at+16];\n  \
             mov.b32 %r0, 0;\n  mov.b32 %r1, 0;\n  mov.b32 %r2, 0;\n  mov.b32 %r3, 0;\n  \
             {instruction} {d}, {operands};\n  {after}\n  \
             st.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}};\n  ret;\n}}\n"
        )
    }

    /// What a device gives for each lookup.
    ///
    /// # Errors
    /// The device's error. A launch that does not end well is described in words.
    pub fn results(&self, device: &mut dyn Device) -> Result<Vec<[u32; 4]>, String> {
        let told = |error: DeviceError| format!("{}: {error}", self.name);
        let module: Module = parse("lookups.ptx", &self.kernel()).map_err(|e| e.to_string())?;
        let module = device.load(&module).map_err(told)?;
        let image = device.texture(&self.texels, self.sampler, &self.bytes).map_err(told)?;
        // Whole blocks; those beyond the end look up what the last does.
        const BLOCK: usize = 64;
        let blocks = self.lookups.len().div_ceil(BLOCK);
        let mut operands = Vec::new();
        for i in 0..blocks * BLOCK {
            let (at, _) = &self.lookups[i.min(self.lookups.len() - 1)];
            let mut words = at.clone();
            words.resize(8, 0);
            operands.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        let at = device.allocate(operands.len() as u64).map_err(told)?;
        device.upload(at, &operands).map_err(told)?;
        let mut bytes = vec![0; blocks * BLOCK * 16];
        let out = device.allocate(bytes.len() as u64).map_err(told)?;
        let arguments =
            [Argument::U64(image.handle), Argument::Pointer(at), Argument::Pointer(out)];
        let launch = Launch::new(blocks as u32, BLOCK as u32);
        let report = device.launch(module, "k", &launch, &arguments).map_err(told)?;
        if report.outcome != Outcome::Completed {
            return Err(format!("{}: {report:?}", self.name));
        }
        device.download(out, &mut bytes).map_err(told)?;
        for pointer in [at, out, image.texels] {
            device.free(pointer).map_err(told)?;
        }
        let words: Vec<u32> =
            bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
        let results = words.as_chunks::<4>().0.iter().copied();
        Ok(results.take(self.lookups.len()).collect())
    }

    /// The numbers of the lookups whose results differ from the file's, with the results here.
    ///
    /// # Errors
    /// As of [`Case::results`].
    pub fn differences(&self, device: &mut dyn Device) -> Result<Vec<(usize, [u32; 4])>, String> {
        let results = self.results(device)?;
        let pairs = results.into_iter().zip(&self.lookups).enumerate();
        Ok(pairs
            .filter(|(_, (found, (_, right)))| found != right)
            .map(|(i, (f, _))| (i, f))
            .collect())
    }
}
