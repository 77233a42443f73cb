//! Video instructions (PTX ISA 9.7.18): modifiers, selectors and signs, as one setting of the
//! operation.
//!
//! A selector follows a register: `%r1.b3` and `%r1.h0` in scalar instructions, `%r1.h32` and
//! `%r1.b7654` in instructions on halves and bytes. There each digit names an element of `a` (the
//! lower numbers) or of `b`, and the first digit is for the highest result. For a destination the
//! digits are the places to write.

use crate::internal;
use crate::isa::VideoInstruction;
use crate::lanes::primitive::Video;
use crate::lanes::primitive::video::{Comparison, Elements, Second, Setting};
use crate::lanes::{Operands, Primitive, RegisterOperation};
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operation::Kind;
use crate::lower::scope::Entity;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Type};

/// An operand without its sign and its selector, and both of them.
struct Selected {
    operand: Operand,
    selector: Option<String>,
    negated: bool,
}

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn video(
        &mut self,
        form: Form<'_>,
        instruction: VideoInstruction,
    ) -> Result<(), LowerError> {
        let VideoInstruction { operation, elements } = instruction;
        let (first, c) = form.at_least::<3>(1)?;
        let [d, a, b] = first.each_ref().map(|operand| self.selected(operand));
        let c = c.first().map(|operand| self.selected(operand));
        let mut setting = modifiers(form, operation)?;
        setting.count = elements;
        match elements {
            1 => {
                self.scalar(&mut setting, &a, &b)?;
                self.merged(form, &mut setting, &d, c.is_some())?;
            }
            _ => {
                let c = c.as_ref().ok_or_else(|| form.operand_count())?;
                self.simd(&mut setting, elements, [&d, &a, &b, c])?;
            }
        }
        self.signs(operation, &mut setting, [&d, &a, &b], c.as_ref())?;
        if operation == Video::VmadB32 && c.is_none() {
            return Err(form.operand_count());
        }
        let source_c = match &c {
            Some(c) if c.selector.is_some() => {
                return Err(self.wrong_operand(&form.operands()[3], "a register without selector"));
            }
            Some(c) => self.source(&c.operand, Type::B32)?,
            None => self.constants.w32(0),
        };
        let operands = Operands {
            a: self.source(&a.operand, Type::B32)?,
            b: self.source(&b.operand, Type::B32)?,
            c: source_c,
            e: self.constants.w64(setting.word()),
            d: self.destination(&d.operand, Type::B32)?,
            ..Operands::default()
        };
        self.emit(Kind::Lanes(RegisterOperation::new(Primitive::Video(operation), operands)));
        Ok(())
    }

    /// Splits an operand. `%v.x` of a vector register is an element, no selector.
    fn selected(&mut self, operand: &Operand) -> Selected {
        let (operand, negated) = match &operand.kind {
            OperandKind::Negate(inner) => (&**inner, true),
            _ => (operand, false),
        };
        let span = operand.span;
        match &operand.kind {
            OperandKind::Member(name, selector)
                if matches!(self.scopes.lookup(name), Some(Entity::Register(_))) =>
            {
                let operand = Operand { kind: OperandKind::Name(name.clone()), span };
                Selected { operand, selector: Some(selector.to_string()), negated }
            }
            _ => Selected { operand: operand.clone(), selector: None, negated },
        }
    }

    /// The elements of `a` and `b` for a scalar instruction.
    fn scalar(&self, setting: &mut Setting, a: &Selected, b: &Selected) -> Result<(), LowerError> {
        for (of, elements, first) in [(a, &mut setting.a, 0), (b, &mut setting.b, 4)] {
            let (bytes, at) = self.part(of)?;
            elements.bytes = bytes;
            elements.at[0] = at + first / bytes;
        }
        Ok(())
    }

    /// Where a scalar instruction puts its result: a selected part is merged into `c`.
    fn merged(
        &self,
        form: Form<'_>,
        setting: &mut Setting,
        d: &Selected,
        has_c: bool,
    ) -> Result<(), LowerError> {
        let (bytes, at) = self.part(d)?;
        if d.selector.is_some() && setting.second != Second::Merge {
            let expected = "no selector beside `.add`, `.min` and `.max`";
            return Err(self.wrong_operand(&form.operands()[0], expected));
        }
        let needs_c = d.selector.is_some() || setting.second != Second::Merge;
        if needs_c && !has_c {
            return Err(form.operand_count());
        }
        (setting.bytes, setting.mask) = (bytes, 1 << at);
        Ok(())
    }

    /// `.b0` to `.b3`, `.h0`, `.h1` or nothing: bytes of the part, and its place.
    fn part(&self, of: &Selected) -> Result<(u8, u8), LowerError> {
        match of.selector.as_deref().map(str::as_bytes) {
            None => Ok((4, 0)),
            Some([b'b', digit @ b'0'..=b'3']) => Ok((1, digit - b'0')),
            Some([b'h', digit @ b'0'..=b'1']) => Ok((2, digit - b'0')),
            Some(_) => Err(self.wrong_selector(of, "`.b0` to `.b3`, `.h0` or `.h1`")),
        }
    }

    /// The elements of an instruction on halves or bytes, and the elements that it writes.
    fn simd(
        &self,
        setting: &mut Setting,
        count: u8,
        [d, a, b, c]: [&Selected; 4],
    ) -> Result<(), LowerError> {
        for of in [a, b, c] {
            if !matches!(of.operand.kind, OperandKind::Name(_) | OperandKind::Member(..)) {
                return Err(self.wrong_operand(&of.operand, "a register"));
            }
        }
        (setting.a.at, setting.b.at) = (self.picked(a, count, 0)?, self.picked(b, count, count)?);
        (setting.a.bytes, setting.b.bytes, setting.bytes) = (4 / count, 4 / count, 4 / count);
        setting.mask = self.mask(d, count)?;
        Ok(())
    }

    /// The selected elements of `a` and `b`; those from `first` on without a selector.
    fn picked(&self, of: &Selected, count: u8, first: u8) -> Result<[u8; 4], LowerError> {
        let mut at = [0, 1, 2, 3].map(|i| if i < count { first + i } else { 0 });
        let Some(selector) = &of.selector else { return Ok(at) };
        let digits = digits(selector, count, 2 * count);
        let digits = digits.filter(|digits| digits.len() == usize::from(count));
        let digits = digits.ok_or_else(|| {
            let (letter, last) = (letter(count), 2 * count - 1);
            self.wrong_selector(of, &format!("`.{letter}` and {count} digits from 0 to {last}"))
        })?;
        for (at, digit) in at.iter_mut().zip(digits.iter().rev()) {
            *at = *digit;
        }
        Ok(at)
    }

    /// The written elements of the destination: a bit for each.
    fn mask(&self, of: &Selected, count: u8) -> Result<u8, LowerError> {
        let Some(selector) = &of.selector else { return Ok((1 << count) - 1) };
        let digits = digits(selector, count, count);
        let digits = digits.filter(|d| d.is_sorted_by(|high, low| high > low));
        let digits = digits.ok_or_else(|| {
            let (letter, last) = (letter(count), count - 1);
            let expected = format!("`.{letter}` and digits from {last} to 0 in descending order");
            self.wrong_selector(of, &expected)
        })?;
        Ok(digits.iter().fold(0, |mask, digit| mask | 1 << digit))
    }

    /// The signs of operands, which `vmad` may have: of a factor or of `c`, and none with `.po`.
    fn signs(
        &self,
        operation: Video,
        setting: &mut Setting,
        [d, a, b]: [&Selected; 3],
        c: Option<&Selected>,
    ) -> Result<(), LowerError> {
        let negated_c = c.is_some_and(|c| c.negated);
        setting.negates_product = a.negated != b.negated;
        setting.negates_c = negated_c;
        let signed = [Some(d), Some(a), Some(b), c].into_iter().flatten().find(|of| of.negated);
        let Some(signed) = signed else { return Ok(()) };
        let expected = match operation {
            Video::VmadB32 if d.negated => "a register",
            Video::VmadB32 if setting.plus_one => "no sign beside `.po`",
            Video::VmadB32 if setting.negates_product && negated_c => {
                "a sign of a factor or of `c`"
            }
            Video::VmadB32 => return Ok(()),
            Video::VaddB32
            | Video::VsubB32
            | Video::VabsdiffB32
            | Video::VminB32
            | Video::VmaxB32
            | Video::VavrgB32
            | Video::VshlB32
            | Video::VshrB32
            | Video::VsetB32 => "an operand without a sign",
        };
        Err(self.wrong_operand(&signed.operand, expected))
    }

    fn wrong_selector(&self, of: &Selected, expected: &str) -> LowerError {
        let selector = of.selector.as_deref().unwrap_or_default();
        let found = format!("selector `.{selector}`");
        let kind = crate::lower::error::LowerErrorKind::Operand {
            operand: found,
            expected: expected.into(),
        };
        LowerError::at(kind, of.operand.span)
    }
}

/// The letter of the selectors of this many elements.
const fn letter(count: u8) -> char {
    if count == 2 { 'h' } else { 'b' }
}

/// The digits of a selector, each below a bound.
fn digits(selector: &str, count: u8, bound: u8) -> Option<Vec<u8>> {
    let digits = selector.strip_prefix(letter(count))?;
    let digits: Vec<u8> = digits.bytes().map(|digit| digit.wrapping_sub(b'0')).collect();
    (!digits.is_empty() && digits.iter().all(|digit| *digit < bound)).then_some(digits)
}

/// The settings of the modifiers.
fn modifiers(form: Form<'_>, operation: Video) -> Result<Setting, LowerError> {
    let modifiers = || form.instruction.modifiers.iter().map(|m| &*m.text);
    let types: Vec<bool> =
        modifiers().filter(|m| matches!(*m, "u32" | "s32")).map(|m| m == "s32").collect();
    // The result of a comparison has no type: it is unsigned.
    let (d, a, b) = match (operation, types.as_slice()) {
        (Video::VsetB32, [a, b]) => (false, *a, *b),
        (_, [d, a, b]) => (*d, *a, *b),
        (_, types) => {
            return Err(internal!("`{}` with {} types", form.found.opcode.name, types.len()).into());
        }
    };
    let second = form.find(|modifier| match modifier {
        "add" => Some(Second::Add),
        "min" => Some(Second::Min),
        "max" => Some(Second::Max),
        _ => None,
    });
    let plain = Setting::PLAIN;
    let mut setting = Setting {
        a: Elements { signed: a, ..plain.a },
        b: Elements { signed: b, ..plain.b },
        signed: d,
        saturates: form.has("sat"),
        second: second.unwrap_or(Second::Merge),
        wraps: form.has("wrap"),
        plus_one: form.has("po"),
        ..plain
    };
    let scale = |modifier: &str| match modifier {
        "shr7" => Some(7),
        "shr15" => Some(15),
        _ => None,
    };
    setting.scale = form.find(scale).unwrap_or(0);
    if operation == Video::VsetB32 {
        setting.comparison = form.choose("a comparison", comparison)?;
    }
    Ok(setting)
}

fn comparison(modifier: &str) -> Option<Comparison> {
    Some(match modifier {
        "eq" => Comparison::Eq,
        "ne" => Comparison::Ne,
        "lt" => Comparison::Lt,
        "le" => Comparison::Le,
        "gt" => Comparison::Gt,
        "ge" => Comparison::Ge,
        _ => return None,
    })
}
