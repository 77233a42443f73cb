//! The selectors and signs of video instructions (PTX ISA 9.7.18), which are beside the operands:
//! drawn for each instruction, as the assembler takes them together.

use super::draw::Draw;
use super::forms::RegisterForm;

/// The parts of a register.
const PARTS: [&str; 6] = ["b0", "b1", "b2", "b3", "h0", "h1"];

/// The text before and behind each operand, destination first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affixes([(&'static str, String); 4]);

impl Affixes {
    /// Those of an instruction, as a driver for an H200 does what the ISA says of them.
    pub fn drawn(form: &RegisterForm, draw: &mut Draw) -> Affixes {
        Affixes::of(form, PARTS.len() - 1, draw)
    }

    /// All that the assembler takes.
    pub fn any(form: &RegisterForm, draw: &mut Draw) -> Affixes {
        Affixes::of(form, PARTS.len(), draw)
    }

    /// Half of the operands have none; a destination one of the first parts.
    fn of(form: &RegisterForm, parts: usize, draw: &mut Draw) -> Affixes {
        let mut affixes = Affixes::default();
        let opcode = form.opcode();
        let count = match opcode.as_bytes() {
            [.., b'2'] => 2,
            [.., b'4'] => 4,
            _ => 1,
        };
        for (i, (_, selector)) in affixes.0.iter_mut().enumerate().take(3) {
            let excluded = i == 0 && count == 1 && !takes_a_destination_selector(form);
            if draw.percent(50) && !excluded {
                *selector = match count {
                    1 => {
                        format!(".{}", draw.of(&PARTS[..if i == 0 { parts } else { PARTS.len() }]))
                    }
                    count if i == 0 => mask(count, draw),
                    count => lanes(count, draw),
                };
            }
        }
        if opcode == "vmad" && !form.has("po") {
            let [_, a, b, c] = &mut affixes.0;
            match draw.below(4) {
                0 => a.0 = "-",
                1 => b.0 = "-",
                2 => c.0 = "-",
                _ => {}
            }
        }
        affixes
    }

    /// An operand with the text around it.
    pub fn around(&self, operand: usize, text: &str) -> String {
        match self.0.get(operand) {
            Some((sign, selector)) => format!("{sign}{text}{selector}"),
            None => text.to_owned(),
        }
    }
}

/// Whether a scalar instruction can merge its result into a part of `c`.
fn takes_a_destination_selector(form: &RegisterForm) -> bool {
    form.opcode() != "vmad" && !["add", "min", "max"].iter().any(|second| form.has(second))
}

/// Which elements are written, the highest first: at least one.
fn mask(count: usize, draw: &mut Draw) -> String {
    let written = 1 + draw.below((1 << count) - 1);
    let digits = (0..count).rev().filter(|i| written >> i & 1 == 1);
    let start = if count == 2 { ".h" } else { ".b" };
    digits.fold(start.to_owned(), |text, digit| text + &digit.to_string())
}

/// Which elements are taken out of `a` and `b`.
fn lanes(count: usize, draw: &mut Draw) -> String {
    let start = if count == 2 { ".h" } else { ".b" };
    let drawn =
        (0..count).fold(start.to_owned(), |text, _| text + &draw.below(2 * count).to_string());
    // `.b1024` is a type to NVIDIA's assembler, which it then refuses here.
    if drawn == ".b1024" { ".b1025".to_owned() } else { drawn }
}
