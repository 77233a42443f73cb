//! What a video instruction gives, written down from the pseudo code of the PTX ISA (9.7.18), from
//! its text alone: a list of elements, one list after the other. It shares nothing with the
//! simulator.

/// The result of an instruction on the values of its three sources. Its text is as PTX has it:
/// `vadd2.u32.s32.u32.sat d.h1, a.h23, b, c`, whatever the registers are called.
///
/// # Panics
/// It is no video instruction.
pub fn result(instruction: &str, a: u32, b: u32, c: u32) -> u32 {
    let (name, operands) = instruction.split_once(' ').expect("operands");
    let words: Vec<&str> = name.split('.').collect();
    let operands: Vec<&str> = operands.split(',').map(|o| o.trim().trim_end_matches(';')).collect();
    let text = Text { words, operands };
    match text.words[0] {
        "vmad" => text.multiply_and_add(a, b, c),
        name if name.ends_with('2') => text.simd(2, a, b, c),
        name if name.ends_with('4') => text.simd(4, a, b, c),
        _ => text.scalar(a, b, c),
    }
}

struct Text<'t> {
    words: Vec<&'t str>,
    operands: Vec<&'t str>,
}

/// Two's complement of this many bits, or not.
fn extended(value: u64, bits: u32, signed: bool) -> i128 {
    let value = i128::from(value) % (1i128 << bits);
    if signed && value >= 1i128 << (bits - 1) { value - (1i128 << bits) } else { value }
}

impl Text<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Whether the types are signed, the destination's first. A comparison has no type there.
    fn signed(&self) -> [bool; 3] {
        let types: Vec<bool> = self
            .words
            .iter()
            .filter(|w| **w == "u32" || **w == "s32")
            .map(|w| *w == "s32")
            .collect();
        match types[..] {
            [d, a, b] => [d, a, b],
            [a, b] => [false, a, b],
            _ => panic!("{:?}", self.words),
        }
    }

    fn selector(&self, operand: usize) -> Option<&str> {
        self.operands[operand].split_once('.').map(|(_, selector)| selector)
    }

    /// partSelectSignExtend
    fn part(&self, operand: usize, value: u32, signed: bool) -> i128 {
        let bytes = value.to_le_bytes();
        let (start, length) = match self.selector(operand) {
            None => (0, 4),
            Some("h0") => (0, 2),
            Some("h1") => (2, 2),
            Some(byte) => (byte[1..].parse().expect("a digit"), 1),
        };
        let mut chosen = [0; 8];
        chosen[..length].copy_from_slice(&bytes[start..start + length]);
        extended(u64::from_le_bytes(chosen), 8 * length as u32, signed)
    }

    fn operation(&self, a: i128, b: i128) -> i128 {
        let name = self.words[0].trim_end_matches(['2', '4']);
        match name {
            "vadd" => a + b,
            "vsub" => a - b,
            "vabsdiff" if a > b => a - b,
            "vabsdiff" => b - a,
            "vmin" if a < b => a,
            "vmin" => b,
            "vmax" if a < b => b,
            "vmax" => a,
            "vavrg" => {
                let sum = a + b;
                if sum < 0 { sum.div_euclid(2) } else { (sum + 1).div_euclid(2) }
            }
            "vshl" | "vshr" => {
                let by = if self.has("wrap") { b % 32 } else { b.min(32) };
                let factor = 2i128.pow(by as u32);
                if name == "vshl" { a * factor } else { a.div_euclid(factor) }
            }
            "vset" => {
                let comparison = *self.words.iter().find(|w| COMPARISONS.contains(w)).expect("one");
                let order = a.cmp(&b);
                i128::from(match comparison {
                    "eq" => order.is_eq(),
                    "ne" => order.is_ne(),
                    "lt" => order.is_lt(),
                    "le" => order.is_le(),
                    "gt" => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
            other => panic!("{other}"),
        }
    }

    /// CLAMP to a destination of this many bits.
    fn saturated(&self, value: i128, bits: u32, signed: bool) -> i128 {
        let (least, most) = match signed {
            true => (-2i128.pow(bits - 1), 2i128.pow(bits - 1) - 1),
            false => (0, 2i128.pow(bits) - 1),
        };
        if self.has("sat") { value.clamp(least, most) } else { value }
    }

    fn scalar(&self, a: u32, b: u32, c: u32) -> u32 {
        let [signed_d, signed_a, signed_b] = self.signed();
        let value = self.operation(self.part(1, a, signed_a), self.part(2, b, signed_b));
        let part = self.selector(0);
        let bits = match part {
            None => 32,
            Some(part) if part.starts_with('h') => 16,
            Some(_) => 8,
        };
        let value = self.saturated(value, bits, signed_d);
        let c_value = extended(c.into(), 32, signed_d);
        let cut = extended(value.rem_euclid(1 << 32) as u64, 32, signed_d);
        let combined = match () {
            _ if self.has("add") => value + c_value,
            _ if self.has("min") => cut.min(c_value),
            _ if self.has("max") => cut.max(c_value),
            _ => value,
        };
        let low = combined.rem_euclid(1 << 32) as u32;
        let Some(part) = part else { return low };
        let place: usize = part[1..].parse().expect("a digit");
        let (mut bytes, new) = (c.to_le_bytes(), low.to_le_bytes());
        match part.starts_with('h') {
            true => bytes[2 * place..2 * place + 2].copy_from_slice(&new[..2]),
            false => bytes[place] = new[0],
        }
        u32::from_le_bytes(bytes)
    }

    fn simd(&self, count: usize, a: u32, b: u32, c: u32) -> u32 {
        let [signed_d, signed_a, signed_b] = self.signed();
        let bits = 32 / count as u32;
        let pieces = |word: u32| (0..count).map(move |i| u64::from(word) >> (i as u32 * bits));
        let all: Vec<u64> = pieces(a).chain(pieces(b)).collect();
        let selection = |operand: usize, first: usize| -> Vec<usize> {
            match self.selector(operand) {
                None => (first..first + count).collect(),
                Some(text) => text[1..]
                    .chars()
                    .rev()
                    .map(|d| d.to_digit(8).expect("a digit") as usize)
                    .collect(),
            }
        };
        let (from_a, from_b) = (selection(1, 0), selection(2, count));
        let results: Vec<i128> = (0..count)
            .map(|i| {
                let x = extended(all[from_a[i]], bits, signed_a);
                let y = extended(all[from_b[i]], bits, signed_b);
                self.saturated(self.operation(x, y), bits, signed_d)
            })
            .collect();
        let written =
            |i: usize| self.selector(0).is_none_or(|mask| mask[1..].contains(&i.to_string()));
        if self.has("add") {
            let sum = (0..count).filter(|i| written(*i)).map(|i| results[i]).sum::<i128>();
            return (i128::from(c) + sum).rem_euclid(1 << 32) as u32;
        }
        let old: Vec<u64> = pieces(c).collect();
        (0..count).fold(0, |d, i| {
            let piece = if written(i) { results[i] } else { i128::from(old[i]) };
            d | (piece.rem_euclid(1i128 << bits) as u32) << (i as u32 * bits)
        })
    }

    fn multiply_and_add(&self, a: u32, b: u32, c: u32) -> u32 {
        let [_, signed_a, signed_b] = self.signed();
        let negative: Vec<bool> = self.operands.iter().map(|o| o.starts_with('-')).collect();
        let against = negative[1] != negative[2];
        let signed = signed_a || signed_b || against || negative[3];
        let product = self.part(1, a, signed_a) * self.part(2, b, signed_b);
        let product = if against { -product } else { product };
        // The negated `c` is the complement, extended, and one.
        let c = match negative[3] {
            true => extended((!c).into(), 32, true) + 1,
            false => extended(c.into(), 32, signed),
        };
        let sum = product + c + i128::from(self.has("po"));
        let scale = if self.has("shr7") {
            128
        } else if self.has("shr15") {
            32768
        } else {
            1
        };
        let scaled = sum.div_euclid(scale);
        self.saturated(scaled, 32, signed).rem_euclid(1 << 32) as u32
    }
}

const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
