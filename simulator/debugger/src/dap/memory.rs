//! Instructions and bytes: `disassemble` and `readMemory`.

use serde_json::{Value, json};
use warpsim::lower::Pc;

use super::adapter::Adapter;
use super::requests::{Disassemble, ReadMemory, Refusal, arguments};
use super::variables::referred;

/// The most instructions and bytes of an answer.
const MOST_INSTRUCTIONS: usize = 1 << 16;
const MOST_BYTES: usize = 1 << 20;

/// The operation that a client refers to.
pub(super) fn instruction(reference: &str, offset: i64) -> Result<Pc, Refusal> {
    let digits = reference.strip_prefix("0x");
    let pc = digits.and_then(|digits| i64::from_str_radix(digits, 16).ok());
    let pc = pc.and_then(|pc| pc.checked_add(offset)).and_then(|pc| Pc::try_from(pc).ok());
    pc.ok_or_else(|| format!("`{reference}` is no reference to an instruction"))
}

impl Adapter<'_, '_> {
    pub(super) fn disassemble(&mut self, message: &Value) -> Result<Value, Refusal> {
        let Disassemble { memory_reference, offset, instruction_offset, instruction_count } =
            arguments(message)?;
        let begin = i64::from(instruction(&memory_reference, 0)?)
            .saturating_add(offset)
            .saturating_add(instruction_offset);
        let mut rows = Vec::new();
        for k in 0..instruction_count.min(MOST_INSTRUCTIONS) {
            rows.push(self.instruction_row(begin.saturating_add(k as i64)));
        }
        Ok(json!({ "instructions": rows }))
    }

    fn instruction_row(&self, pc: i64) -> Value {
        let place = Pc::try_from(pc).ok().and_then(|pc| self.debugger().place_at(pc));
        let Some(place) = place else {
            let address = format!("{:#x}", pc.max(0));
            return json!({
                "address": address,
                "instruction": "(no instruction)",
                "presentationHint": "invalid",
            });
        };
        let source = place.source.as_ref();
        let known = source.filter(|s| self.debugger().sources().file(&s.file).is_some());
        json!({
            "address": format!("{pc:#x}"),
            "instruction": &*place.text,
            "location": known.map(|position| self.source_row(&position.file)),
            "line": known.map(|position| i64::from(position.line) + self.line_offset),
        })
    }

    pub(super) fn read_memory(&self, message: &Value) -> Result<Value, Refusal> {
        let ReadMemory { memory_reference, offset, count } = arguments(message)?;
        let count = count.min(MOST_BYTES);
        let region = referred(&memory_reference, offset, count)
            .ok_or_else(|| format!("`{memory_reference}` is no reference to memory"))?;
        let address = format!("{:#x}", region.address);
        // At the end of an allocation fewer bytes can be read.
        let mut readable = count;
        loop {
            let mut part = region.clone();
            part.cells = readable as u64;
            match self.debugger().bytes(&part) {
                Ok(bytes) => {
                    return Ok(json!({
                        "address": address,
                        "unreadableBytes": count - readable,
                        "data": base64(&bytes),
                    }));
                }
                Err(error) if readable == 0 => return Err(error.to_string()),
                Err(_) => readable /= 2,
            }
        }
    }
}

/// Bytes as the protocol has them: RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3)
            .fold(0u32, |word, k| word << 8 | u32::from(chunk.get(k).copied().unwrap_or_default()));
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_rfc_4648_has_its_test_vectors() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in vectors {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
