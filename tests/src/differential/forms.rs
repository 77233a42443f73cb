//! The forms of the instruction table, as the programs of the search use them.
//!
//! Everything is read off the table: the register forms, all their modifiers spelled out, with the
//! roles and types of their operands; and for the support table, which family has which form.

use std::collections::{BTreeMap, BTreeSet};

use warpsim::isa::{self, Action, Structural};
use warpsim::lanes::Role;
use warpsim::ptx::Type;

use super::single::{self, Entry, Reach, branched, entries, images};

/// A register form with all its modifiers spelled out.
#[derive(Clone, Debug)]
pub struct RegisterForm {
    /// `add.rn.ftz.f32`; of a `mov` that packs or unpacks also that and how many: `mov.b32 pack 2`;
    /// and if only the number of sources distinguishes two forms, also this number for the second
    /// form: `min.f32 of 3`.
    pub text: String,
    /// The operands, in the order of the text.
    pub roles: &'static [Role],
}

/// `mov`, which lowering translates with its own code: whole registers, and packing and unpacking.
/// Forms with elements of 8 bits are left to the conformance files.
const MOVES: &[(&str, &[Role])] = {
    use Role::{A, B, C, D, E};
    use Type::{B16, B32, B64, F32, F64, Pred, S16, S32, S64, U16, U32, U64};
    &[
        ("mov.pred", &[D(Pred), A(Pred)]),
        ("mov.b16", &[D(B16), A(B16)]),
        ("mov.b32", &[D(B32), A(B32)]),
        ("mov.b64", &[D(B64), A(B64)]),
        ("mov.u16", &[D(U16), A(U16)]),
        ("mov.u32", &[D(U32), A(U32)]),
        ("mov.u64", &[D(U64), A(U64)]),
        ("mov.s16", &[D(S16), A(S16)]),
        ("mov.s32", &[D(S32), A(S32)]),
        ("mov.s64", &[D(S64), A(S64)]),
        ("mov.f32", &[D(F32), A(F32)]),
        ("mov.f64", &[D(F64), A(F64)]),
        ("mov.b32 pack 2", &[D(B32), A(B16), B(B16)]),
        ("mov.b64 pack 2", &[D(B64), A(B32), B(B32)]),
        ("mov.b64 pack 4", &[D(B64), A(B16), B(B16), C(B16), E(B16)]),
        ("mov.b32 unpack 2", &[D(B16), D(B16), A(B32)]),
        ("mov.b64 unpack 2", &[D(B32), D(B32), A(B64)]),
        ("mov.b64 unpack 4", &[D(B16), D(B16), D(B16), D(B16), A(B64)]),
    ]
};

/// The operands of a video instruction, which lowering translates with its own code. The text
/// beside them is drawn ([`super::video`]).
static VIDEO: &[Role] =
    &[Role::D(Type::B32), Role::A(Type::B32), Role::B(Type::B32), Role::C(Type::B32)];

/// The operands of `lop3` with a predicate, which lowering translates with its own code.
static LOGIC: &[Role] = &[
    Role::DWith(Type::B32),
    Role::A(Type::B32),
    Role::B(Type::B32),
    Role::C(Type::B32),
    Role::E(Type::U32),
    Role::MaybeNotC,
];

impl RegisterForm {
    /// The form that a text spells.
    pub fn of(text: &str) -> Option<RegisterForm> {
        if let Some((_, roles)) = MOVES.iter().find(|(name, _)| *name == text) {
            return Some(RegisterForm { text: text.to_owned(), roles });
        }
        match found(text)?.form.action {
            Action::Lanes { operands, .. } => {
                Some(RegisterForm { text: text.to_owned(), roles: operands })
            }
            Action::Structural(Structural::Video(_)) => {
                Some(RegisterForm { text: text.to_owned(), roles: VIDEO })
            }
            Action::Structural(Structural::Lop3) => {
                Some(RegisterForm { text: text.to_owned(), roles: LOGIC })
            }
            _ => None,
        }
    }

    /// The instruction as PTX writes it.
    pub fn mnemonic(&self) -> &str {
        self.text.split(' ').next().unwrap_or_default()
    }

    /// The text before the first dot.
    pub fn opcode(&self) -> &str {
        self.text.split('.').next().unwrap_or_default()
    }

    /// Whether a modifier is among its own.
    pub fn has(&self, modifier: &str) -> bool {
        self.mnemonic().split('.').skip(1).any(|m| m == modifier)
    }

    /// Whether it is a video instruction.
    pub fn is_video(&self) -> bool {
        std::ptr::eq(self.roles, VIDEO)
    }

    /// Whether an operand has this role.
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether the ISA leaves the bits of the results open.
    pub fn is_approximate(&self) -> bool {
        self.has("approx") || self.text.starts_with("div.full")
    }

    /// What an operand of this role is a number of. A driver takes a register without a type for
    /// one of the type of the instruction that wrote it, so that what one of floats wrote is no
    /// good as an integer; see the book.
    pub fn number(&self, role: Role) -> Number {
        let ty = match role {
            Role::D(ty) | Role::DWith(ty) | Role::WideD(ty) => ty,
            role => role.source().unwrap_or(Type::Pred),
        };
        let named = matches!(self.opcode(), "slct" | "selp" | "mov") && !matches!(role, Role::C(_));
        let first = self.mnemonic().split('.').skip(1).find(|m| *m != "ftz");
        match ty {
            Type::F16 => Number::F16,
            Type::Bf16 => Number::Bf16,
            Type::F16x2 => Number::F16x2,
            Type::Bf16x2 => Number::Bf16x2,
            Type::F32 => Number::F32,
            Type::F64 => Number::F64,
            Type::Pred => Number::Pred,
            _ if named && first == Some("f32") => Number::F32,
            _ if named && first == Some("f64") => Number::F64,
            _ => Number::Integer,
        }
    }

    /// Whether the result may be a NaN of f64 whose bits PTX leaves open: either of two NaN
    /// operands may be passed on, and a driver exchanges operands.
    pub fn hands_on_a_nan(&self) -> bool {
        let opcodes = ["add", "sub", "mul", "fma", "mad", "min", "max", "div"];
        self.mnemonic().ends_with(".f64") && opcodes.contains(&self.opcode())
    }

    /// Whether another instruction may use the result. Not the result of a `mul` that may be fused,
    /// or of `abs` and `neg`. A driver makes the latter part of the next instruction. There the
    /// bits of a NaN, and the sign of the least integer, are no longer the result's.
    pub fn can_be_used(&self) -> bool {
        !self.may_be_fused()
            && !self.text.contains("unpack")
            && !matches!(self.opcode(), "abs" | "neg")
    }

    /// Whether its result may be fused with a following addition, which rounds differently: PTX
    /// says so of a `mul` whose rounding is not spelled out.
    pub fn may_be_fused(&self) -> bool {
        let real = ["f32", "f64", "f16", "f16x2", "bf16", "bf16x2"].iter().any(|ty| self.has(ty));
        self.opcode() == "mul" && real && !["rn", "rz", "rm", "rp"].iter().any(|r| self.has(r))
    }
}

/// What the table has for a text of this module.
fn found(text: &str) -> Option<isa::Found> {
    let (mnemonic, sources) = match text.split_once(" of ") {
        Some((mnemonic, sources)) => (mnemonic, Some(sources.parse::<usize>().ok()?)),
        None => (text, None),
    };
    let mut names = mnemonic.split('.');
    let (opcode, modifiers) = (names.next()?, names.collect::<Vec<_>>());
    match sources {
        Some(sources) => isa::lookup_with(opcode, &modifiers, sources + 1).ok(),
        None => isa::lookup(opcode, &modifiers).ok(),
    }
}

/// The texts of a form with these modifiers, what may be absent in braces.
fn texts(opcode: &str, form: &'static isa::Form, pattern: &str) -> Vec<String> {
    let sources = |form: &isa::Form| match form.action {
        Action::Lanes { operands, .. } => Some(operands.len() - 1),
        Action::Structural(_) | Action::Unsupported(_) => None,
    };
    let told_apart = |modifiers: String| {
        let text = opcode.to_owned() + &modifiers;
        let Some(own) = sources(form) else { return text };
        match found(&text).and_then(|found| sources(found.form)) {
            Some(first) if first != own => format!("{text} of {own}"),
            Some(_) | None => text,
        }
    };
    without_braces(pattern).into_iter().map(told_apart).collect()
}

/// The texts of a line of the support table.
pub fn texts_of(entry: &isa::FormEntry) -> Vec<String> {
    let pattern = entry.form.strip_prefix(entry.opcode).expect("it begins with the opcode");
    let of_section = |opcode: &&&isa::Opcode| opcode.section == entry.section;
    let forms = isa::opcodes_named(entry.opcode).iter().filter(of_section).flat_map(|o| o.forms);
    let has = |form: &&isa::Form| form.pattern.expand().iter().any(|own| own == pattern);
    // Equal lines differ in nothing that a text here says.
    forms.filter(has).take(1).flat_map(|form| texts(entry.opcode, form, pattern)).collect()
}

/// What a register holds a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named like the types")]
pub enum Number {
    Pred,
    Integer,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    F32,
    F64,
}

/// The forms that programs are drawn from.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    /// The forms with defined bits.
    pub exact: Vec<RegisterForm>,
    /// The others.
    pub approximate: Vec<RegisterForm>,
    /// The numbers of the exact ones by opcode.
    pub by_opcode: Vec<Vec<usize>>,
    /// The forms that do more than compute, as programs of single instructions write them.
    pub single: Vec<Entry>,
    /// The forms among them that may be in branches, and video instructions.
    pub branched: Vec<Entry>,
    /// The forms on textures and surfaces.
    pub images: Vec<Entry>,
}

impl Forms {
    /// All forms of the table that the target has.
    pub fn of_the_table() -> Forms {
        let moves = MOVES.iter().map(|(text, _)| (*text).to_owned());
        let here = spelled().into_iter().filter(|text| left_out(text).is_none());
        Forms {
            single: entries(Reach::Hopper),
            branched: branched(),
            images: images(),
            ..Forms::of(here.chain(moves))
        }
    }

    /// The forms with these texts; those that the table does not have are left out.
    pub fn of(texts: impl IntoIterator<Item = String>) -> Forms {
        let mut forms = Forms::default();
        let mut opcodes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for form in texts.into_iter().filter_map(|text| RegisterForm::of(&text)) {
            if form.is_approximate() {
                forms.approximate.push(form);
            } else {
                opcodes.entry(form.opcode().to_owned()).or_default().push(forms.exact.len());
                forms.exact.push(form);
            }
        }
        forms.by_opcode = opcodes.into_values().collect();
        forms
    }

    /// The same forms, only those whose text begins like this.
    #[must_use]
    pub fn beginning_with(&self, start: &str) -> Forms {
        let all = self.exact.iter().chain(&self.approximate).map(|form| form.text.clone());
        let of = |entries: &[Entry]| {
            entries.iter().filter(|entry| entry.form.starts_with(start)).cloned().collect()
        };
        Forms {
            single: of(&self.single),
            branched: of(&self.branched),
            images: of(&self.images),
            ..Forms::of(all.filter(|text| text.starts_with(start)))
        }
    }
}

/// Every register form of the table, sorted.
fn spelled() -> Vec<String> {
    let mut all = BTreeSet::new();
    for opcode in isa::opcodes() {
        let computes = |form: &&isa::Form| {
            matches!(
                form.action,
                Action::Lanes { .. } | Action::Structural(Structural::Video(_) | Structural::Lop3)
            )
        };
        for form in opcode.forms.iter().filter(computes) {
            for pattern in form.pattern.expand() {
                all.extend(texts(opcode.name, form, &pattern));
            }
        }
    }
    all.into_iter().collect()
}

/// `.rn{.ftz}{.sat|.relu}` with every choice of the parts in braces.
pub fn without_braces(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (choices, after) = rest.split_once('}').unwrap_or((rest, ""));
    let ends = without_braces(after);
    let middles = std::iter::once("").chain(choices.split('|'));
    middles.flat_map(|m| ends.iter().map(move |end| format!("{before}{m}{end}"))).collect()
}

/// Why a register form is not compared, where it is not.
pub fn left_out(text: &str) -> Option<&'static str> {
    match text {
        "cvt.f32.f32" | "cvt.f64.f64" => {
            Some("the driver makes NaNs quiet at level 0, and leaves the instruction out at others")
        }
        "cvt.rna.satfinite.tf32.f32" => {
            Some("an H200 takes one from the tenth bit of a NaN's payload")
        }
        _ if is_emulated_otherwise(text) => {
            Some("a driver makes other instructions of it, which do not do what the ISA says")
        }
        _ => missing_on_sm_90(text),
    }
}

/// Whether a driver for an H200 gives something else than the ISA for a scalar video instruction. A
/// destination `.h1` does so, too, and is not drawn.
fn is_emulated_otherwise(text: &str) -> bool {
    let mut names = text.split('.');
    let scalar = names.next().is_some_and(|opcode| {
        opcode.starts_with('v') && !opcode.ends_with(['2', '4']) && opcode != "vote"
    });
    scalar && names.any(|modifier| matches!(modifier, "sat" | "min" | "max" | "shr7" | "shr15"))
}

/// Why a register form is not drawn for an H200, where it is not.
fn missing_on_sm_90(text: &str) -> Option<&'static str> {
    let mnemonic = text.split(' ').next()?;
    let modifiers: Vec<&str> = mnemonic.split('.').skip(1).collect();
    let needs = found(text)?.opcode.level(&modifiers).target;
    let bytes = ["bf16.u8", "bf16.s8", "u8.bf16", "s8.bf16"].iter().any(|end| text.ends_with(end));
    if bytes {
        return Some("registers of 8 bits can be neither loaded nor stored as the others are");
    }
    (needs > 90).then_some("needs sm_100")
}

/// Where a supported form of the table is written by the search, or why it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// By the straight-line programs.
    Straight,
    /// By those that measure approximate forms.
    Approximate,
    /// By structured programs, if the opcode shows which programs have it.
    Structured,
    /// By programs of single instructions.
    Single,
    /// By programs of instructions on textures and surfaces.
    Images,
    /// Nowhere, for a reason.
    Nowhere(&'static str),
}

impl Place {
    /// Of a line of the support table; `None` when that form is not supported.
    pub fn of(entry: &isa::FormEntry) -> Option<Place> {
        if !entry.supported {
            return None;
        }
        let mut spelled = texts_of(entry);
        // The compared forms come before the others.
        if RegisterForm::of(spelled.first()?).is_some() {
            spelled.sort_by_cached_key(|text| left_out(text).is_some());
        }
        let text = spelled.first()?.clone();
        Some(match RegisterForm::of(&text) {
            Some(form) => match left_out(&text) {
                Some(why) => Place::Nowhere(why),
                None if form.is_approximate() => Place::Approximate,
                None => Place::Straight,
            },
            None => single::place(&entry.form),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_what_is_optional_is_spelled_out() {
        let spelled = without_braces(".rn{.ftz}{.sat|.relu}.f16");
        let expected = ["", ".sat", ".relu", ".ftz", ".ftz.sat", ".ftz.relu"];
        assert_eq!(spelled, expected.map(|middle| format!(".rn{middle}.f16")));
    }

    #[test]
    fn the_forms_are_those_of_the_recorded_registers_operations() {
        let recording = include_str!("../../recordings/register-operations.json");
        let forms = Forms::of_the_table();
        let all = forms.exact.iter().chain(&forms.approximate);
        let known = |text: &str| {
            recording.contains(&format!("\n\"{text}\":"))
                || recording.contains(&format!("\n\"approx {text}\":"))
        };
        // Forms that lowering translates with its own code are not among them.
        let elsewhere = |form: &RegisterForm| {
            form.opcode() == "mov"
                || [VIDEO, LOGIC].iter().any(|roles| std::ptr::eq(form.roles, *roles))
        };
        let all = all.filter(|form| !elsewhere(form));
        let unknown: Vec<&String> = all.map(|f| &f.text).filter(|text| !known(text)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(forms.exact.len() > 5000 && forms.approximate.len() > 20);
    }
}
