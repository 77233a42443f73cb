//! Straight-line programs of register forms (PTX ISA 9.7.1 to 9.7.9).
//!
//! Each step is one instruction, whose operands come from the table of operands, from earlier
//! results, or are in the text. Every result is stored, so that a difference points at an
//! instruction. The carry flag is set before a step that reads it and read after one that writes
//! it, except between steps of a chain.
//!
//! These programs leave out what PTX leaves open, and what a driver's optimiser was found to do
//! otherwise. The result of a `mul` without rounding is not used again, as it may be fused with an
//! addition. Nothing is divided by an immediate zero. There are no immediate NaNs, and no two
//! immediates in one instruction. f64 arithmetic may have several NaNs to hand on. So each NaN is
//! made the same one before it is stored or used.

use std::fmt::Write as _;

use warpsim::host::Launch;
use warpsim::lanes::Role;
use warpsim::ptx::Type;

use super::draw::Draw;
use super::forms::{Forms, Number, RegisterForm};
use super::operands::{PLACES, Pool, immediate};
use super::program::{Section, Written};
use super::video;

/// Steps of a program.
const STEPS: usize = 24;

/// A straight-line program.
#[derive(Clone, Debug)]
pub struct Straight {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// What each thread does.
    pub steps: Vec<Step>,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is.
    pub form: RegisterForm,
    /// Its sources in the order of the text.
    pub sources: Vec<Source>,
    /// The cell whose low bit is the carry before.
    pub carry: usize,
    /// Whether the carry comes from the step before.
    pub follows: bool,
    /// Whether an optional second predicate is written.
    pub both: bool,
    /// Whether the predicate of a Boolean operation is negated.
    pub negated: bool,
    /// The size in bits of a destination and a source that may be wider than their types.
    pub wide: [u32; 2],
    /// The text before and behind the operands of a video instruction.
    pub video: video::Affixes,
}

/// Where an operand comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The table, at this cell plus the thread's number; of a predicate, the low bit.
    Cell(usize),
    /// The result of an earlier step.
    Result(usize),
    /// The text.
    Immediate(String),
}

/// The size of a type in bits; 1 for predicates.
pub fn bits(ty: Type) -> u32 {
    ty.bytes().map_or(1, |bytes| 8 * bytes)
}

impl Step {
    /// The size of the register of a source.
    fn source_bits(&self, role: Role) -> u32 {
        match role {
            Role::WideA(_) => self.wide[1],
            _ => role.source().map_or(32, |ty| bits(ty).max(if ty == Type::Pred { 1 } else { 16 })),
        }
    }

    /// The size of the register of the result.
    pub fn result_bits(&self) -> u32 {
        let of = |role: &Role| match role {
            Role::D(Type::Pred) | Role::DPair | Role::DFirst => Some(1),
            Role::D(ty) | Role::DWith(ty) => Some(bits(*ty).max(16)),
            Role::WideD(_) => Some(self.wide[0]),
            _ => None,
        };
        self.form.roles.iter().find_map(of).unwrap_or(32)
    }

    fn unpacks(&self) -> bool {
        self.form.text.contains("unpack")
    }

    fn reads_carry(&self) -> bool {
        self.form.is(Role::CarryIn)
    }

    fn writes_carry(&self) -> bool {
        self.form.is(Role::CarryOut)
    }

    /// Whether a source is something that PTX, or the driver, leaves open; see the module.
    fn is_open(&self, source: &Source, role: Role, before: &[Step]) -> bool {
        let form = &self.form;
        match source {
            Source::Cell(_) => false,
            Source::Result(of) => {
                let of = &before[*of];
                let divisor =
                    matches!(form.opcode(), "div" | "rem") && form.number(role) == Number::Integer;
                let twice = matches!(form.opcode(), "min" | "max") && self.sources[0] == *source;
                let second = matches!(role, Role::B(_));
                second && (divisor || twice)
                    || form.opcode() == "fns" && matches!(role, Role::C(_))
                    || of.form.opcode() == "cnot"
                    || of.form.opcode() == "set" && self.is_merged_with_set()
            }
            // Zero and one leave an operand as it is, with the bits of its NaN.
            Source::Immediate(text) => ["00000000", "3F800000", "3FF00000", "BF8", "BFF0"]
                .iter()
                .any(|bits| text.len() > 9 && text[2..].starts_with(bits) || text == "0f80000000"),
        }
    }

    /// Whether a driver's optimiser makes a `set` part of this instruction when it uses the result;
    /// then the two give other results than one by one at level 0.
    fn is_merged_with_set(&self) -> bool {
        let number = self.sources.iter().any(|s| matches!(s, Source::Immediate(_)));
        match self.form.opcode() {
            "div" | "rem" | "sqrt" | "cnot" => true,
            "set" | "setp" => number,
            _ => false,
        }
    }

    /// What the result is a number of.
    fn number(&self) -> Number {
        let is_result = |role: &&Role| role.destination().is_some();
        let role = self.form.roles.iter().find(is_result);
        role.map_or(Number::Pred, |role| self.form.number(*role))
    }
}

/// The program of this number. Half of its steps go through all forms in turn, the others take any
/// opcode and any form of it.
pub fn drawn(forms: &Forms, seed: u64, index: u64, draw: &mut Draw) -> Straight {
    let mut program = Straight { blocks: 4, threads: 128, steps: Vec::new() };
    let count = forms.exact.len();
    for k in 0..STEPS {
        let form = if k % 2 == 0 {
            let slot = index as usize * (STEPS / 2) + k / 2;
            (slot.wrapping_mul(7919).wrapping_add(seed as usize % 65_536)) % count
        } else {
            let opcode = draw.below(forms.by_opcode.len());
            draw.of(&forms.by_opcode[opcode])
        };
        add(&mut program, &forms.exact[form], draw, true);
        while program.steps.last().is_some_and(Step::writes_carry) && draw.percent(50) {
            extend_chain(&mut program, forms, draw);
        }
    }
    program.settle();
    program
}

/// One step for each of some approximate forms.
pub fn drawn_approximate(forms: &Forms, index: u64, draw: &mut Draw) -> Straight {
    let mut program = Straight { blocks: 4, threads: 128, steps: Vec::new() };
    let count = forms.approximate.len();
    for k in 0..STEPS {
        let form = &forms.approximate[(index as usize * STEPS + k) % count];
        add(&mut program, form, draw, false);
    }
    program
}

/// Another step that reads the carry that the last one left.
fn extend_chain(program: &mut Straight, forms: &Forms, draw: &mut Draw) {
    let reads: Vec<&Vec<usize>> =
        forms.by_opcode.iter().filter(|of| forms.exact[of[0]].is_chained()).collect();
    if reads.is_empty() {
        return;
    }
    let of = draw.of(&reads);
    add(program, &forms.exact[draw.of(of)], draw, true);
    if let Some(step) = program.steps.last_mut() {
        step.follows = step.reads_carry();
    }
}

impl RegisterForm {
    /// Whether its opcode is one of those that read the carry.
    fn is_chained(&self) -> bool {
        matches!(self.opcode(), "addc" | "subc" | "madc")
    }
}

/// Adds a step with operands.
fn add(program: &mut Straight, form: &RegisterForm, draw: &mut Draw, chained: bool) {
    let wider = |least: u32, draw: &mut Draw| {
        let sizes = [16, 32, 64];
        let from = sizes.iter().position(|size| *size >= least).unwrap_or(2);
        draw.of(&sizes[from..])
    };
    let type_of = |wide: fn(&Role) -> Option<Type>| form.roles.iter().find_map(wide);
    let d = type_of(|r| if let Role::WideD(ty) = r { Some(*ty) } else { None });
    let a = type_of(|r| if let Role::WideA(ty) = r { Some(*ty) } else { None });
    let mut step = Step {
        form: form.clone(),
        sources: Vec::new(),
        carry: Pool::Word32.start() + draw.below(PLACES),
        follows: false,
        both: draw.percent(50),
        negated: draw.percent(50),
        wide: [d, a].map(|ty| wider(ty.map_or(32, bits), draw)),
        video: video::Affixes::default(),
    };
    if form.is_video() {
        step.video = video::Affixes::drawn(form, draw);
    }
    for role in form.roles {
        if let Some(ty) = role.source() {
            let source = source(program, &step, *role, ty, draw, chained);
            step.sources.push(source);
        }
    }
    program.steps.push(step);
}

fn source(
    program: &Straight,
    step: &Step,
    role: Role,
    ty: Type,
    draw: &mut Draw,
    chained: bool,
) -> Source {
    let form = &step.form;
    if form.opcode() == "lop3" && matches!(role, Role::E(_)) {
        return Source::Immediate(draw.below(256).to_string());
    }
    let pool = Pool::of(form, role, ty, draw);
    let cell = Source::Cell(pool.start() + draw.below(PLACES));
    if !chained {
        return cell;
    }
    if draw.percent(30) {
        let size = step.source_bits(role);
        let number = form.number(role);
        let fits = |(_, s): &(usize, &Step)| {
            s.result_bits() == size && s.number() == number && s.form.can_be_used()
        };
        let fitting: Vec<usize> =
            program.steps.iter().enumerate().filter(fits).map(|(i, _)| i).collect();
        if !fitting.is_empty() {
            return Source::Result(draw.of(&fitting));
        }
    }
    // The same operand twice, but not for `min` and `max`: a driver leaves out `min(a, a)` of
    // floats.
    if draw.percent(4)
        && !matches!(form.opcode(), "min" | "max")
        && let Some(Source::Cell(at)) = step.sources.first()
        && pool != Pool::Small
        && Pool::of(form, form.roles[1], ty, &mut draw.clone()) == pool
    {
        return Source::Cell(*at);
    }
    // Not two: the driver's compiler computes results that are the same for all.
    let numbers = step.sources.iter().any(|s| matches!(s, Source::Immediate(_)));
    if draw.percent(18)
        && !numbers
        && form.mnemonic() != "mov.pred"
        && let Some(text) = immediate(form, role, pool, ty, draw)
        && !(matches!(form.opcode(), "div" | "rem") && text == "0")
    {
        return Source::Immediate(text);
    }
    cell
}

impl Straight {
    /// The same without some steps; what used their results uses the table.
    #[must_use]
    pub fn without(&self, parts: std::ops::Range<usize>) -> Straight {
        let kept = |i: usize| !parts.contains(&i);
        let place = |i: usize| if i < parts.start { i } else { i - parts.len() };
        let mut steps = Vec::new();
        for (i, step) in self.steps.iter().enumerate().filter(|(i, _)| kept(*i)) {
            let mut step = step.clone();
            for source in &mut step.sources {
                if let Source::Result(of) = *source {
                    *source = match kept(of) {
                        true => Source::Result(place(of)),
                        false => Source::Cell(Pool::Word64.start() + of),
                    };
                }
            }
            step.follows &= i > 0 && kept(i - 1);
            steps.push(step);
        }
        Straight { steps, ..self.clone() }
    }

    /// Takes from the table what a step had better not take from elsewhere.
    fn settle(&mut self) {
        for i in 0..self.steps.len() {
            let (before, rest) = self.steps.split_at_mut(i);
            let step = &mut rest[0];
            let roles: Vec<Role> =
                step.form.roles.iter().copied().filter(|r| r.source().is_some()).collect();
            for (k, role) in roles.into_iter().enumerate() {
                if step.is_open(&step.sources[k], role, before) {
                    let mut draw = Draw::new(&[i as u64, k as u64]);
                    let ty = role.source().unwrap_or(Type::B32);
                    let pool = Pool::of(&step.form, role, ty, &mut draw);
                    step.sources[k] = Source::Cell(pool.start() + draw.below(PLACES));
                }
            }
        }
    }

    /// Which section the result of a step is.
    pub fn section(&self, step: usize) -> usize {
        (0..step).map(|i| 1 + usize::from(self.shows_carry(i))).sum()
    }

    /// Whether the carry that a step leaves is a section, too.
    fn shows_carry(&self, step: usize) -> bool {
        let carried = self.steps.get(step + 1).is_some_and(|next| next.follows);
        self.steps[step].writes_carry() && !carried
    }

    /// All threads.
    pub fn count(&self) -> usize {
        (self.blocks * self.threads) as usize
    }

    /// As PTX.
    pub fn write(&self, name: &str) -> Written {
        let mut writer = Writer { body: String::new(), used: [0; 4], program: self };
        let results: Vec<String> = (0..self.steps.len()).map(|i| format!("{i}")).collect();
        let mut sections = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            writer.step(i, step, sections.len(), self.shows_carry(i), &results);
            sections.push(Section { label: step.form.text.clone(), words: self.count() });
            if self.shows_carry(i) {
                let label = format!("{} (carry)", step.form.text);
                sections.push(Section { label, words: self.count() });
            }
        }
        let [p, h, r, d] = writer.used;
        let steps = self.steps.len();
        let text = format!(
            ".visible .entry {name}(.param .u64 table, .param .u64 out)\n{{\n  \
             .reg .pred %nan, %p<{p}>, %pp<{steps}>, %pq<{steps}>; \
             .reg .b16 %h<{h}>, %hh<{steps}>;\n  \
             .reg .b32 %r<{r}>, %rr<{steps}>, %x, %y, %carry; \
             .reg .b64 %d<{d}>, %dd<{steps}>, %in, %out, %o;\n  \
             ld.param.u64 %in, [table];\n  ld.param.u64 %out, [out];\n  mov.u32 %x, %tid.x;\n  \
             mov.u32 %y, %ctaid.x;\n  mad.lo.u32 %x, %y, {threads}, %x;\n  \
             mul.wide.u32 %o, %x, 8;\n  \
             add.u64 %in, %in, %o;\n  add.u64 %out, %out, %o;\n{body}  ret;\n}}\n",
            p = p.max(1),
            h = h.max(1),
            r = r.max(1),
            d = d.max(1),
            steps = steps.max(1),
            threads = self.threads,
            body = writer.body,
        );
        Written::of_memory(text, Launch::new(self.blocks, self.threads), sections)
    }
}

struct Writer<'a> {
    body: String,
    /// Temporary registers of 1, 16, 32 and 64 bits.
    used: [usize; 4],
    program: &'a Straight,
}

/// The letter of registers of a size.
fn letter(bits: u32) -> (usize, &'static str) {
    match bits {
        1 => (0, "p"),
        16 => (1, "h"),
        64 => (3, "d"),
        _ => (2, "r"),
    }
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    fn temporary(&mut self, bits: u32) -> String {
        let (class, letter) = letter(bits);
        self.used[class] += 1;
        format!("%{letter}{}", self.used[class] - 1)
    }

    /// A register that holds a cell of the table.
    fn cell(&mut self, at: usize, bits: u32) -> String {
        let register = self.temporary(bits);
        let at = at * 8;
        if bits == 1 {
            self.line(&format!("ld.global.b32 %x, [%in+{at}];"));
            self.line("and.b32 %x, %x, 1;");
            self.line(&format!("setp.ne.u32 {register}, %x, 0;"));
        } else {
            self.line(&format!("ld.global.b{bits} {register}, [%in+{at}];"));
        }
        register
    }

    fn step(&mut self, i: usize, step: &Step, row: usize, shows_carry: bool, names: &[String]) {
        let mut sources = step.sources.iter();
        let (mut operands, mut elements, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for role in step.form.roles {
            let Some(_) = role.source() else {
                results.extend(self.destination(i, step, *role));
                continue;
            };
            let bits = step.source_bits(*role);
            let text = match sources.next() {
                Some(Source::Cell(at)) => self.cell(*at, bits),
                Some(Source::Result(of)) => format!("%{0}{0}{1}", letter(bits).1, names[*of]),
                Some(Source::Immediate(text)) => text.clone(),
                None => continue,
            };
            let negated = *role == Role::MaybeNotC && step.negated;
            elements.push(if negated { format!("!{text}") } else { text });
        }
        let list = |elements: &[String]| format!("{{{}}}", elements.join(", "));
        let results_written: Vec<String> =
            results.iter().map(|d| step.video.around(0, d)).collect();
        for (i, element) in elements.iter_mut().enumerate() {
            *element = step.video.around(i + 1, element);
        }
        if step.unpacks() {
            operands.push(list(&results));
        } else {
            operands.extend(results_written.first().cloned());
        }
        if step.form.text.contains(" pack") {
            operands.push(list(&elements));
        } else {
            operands.extend(elements);
        }
        if (step.reads_carry() || step.writes_carry()) && !step.follows {
            let carry = step.carry * 8;
            self.line(&format!("ld.global.b32 %carry, [%in+{carry}];"));
            self.line("and.b32 %carry, %carry, 1;");
            self.line("add.cc.u32 %carry, %carry, 0xffffffff;");
        }
        self.line(&format!("{} {};", step.form.mnemonic(), operands.join(", ")));
        if step.form.hands_on_a_nan()
            && let Some(d) = results.first()
        {
            self.line(&format!("testp.notanumber.f64 %nan, {d};"));
            self.line(&format!("selp.b64 {d}, 0x7ff8000000000000, {d}, %nan;"));
        }
        self.store(step, row, &results);
        if shows_carry {
            self.line("addc.u32 %carry, 0, 0;");
            let at = (row + 1) * self.program.count() * 8;
            self.line(&format!("st.global.b32 [%out+{at}], %carry;"));
        }
    }

    /// The names of a destination: one, or the names of the unpacked elements.
    fn destination(&mut self, i: usize, step: &Step, role: Role) -> Option<String> {
        match role {
            Role::CarryIn | Role::CarryOut | Role::True(_) => None,
            Role::DPair if step.both => Some(format!("%pp{i}|%pq{i}")),
            Role::DWith(_) => Some(format!("%rr{i}|%pp{i}")),
            Role::D(ty) if step.unpacks() => Some(self.temporary(bits(ty))),
            _ => {
                let letter = letter(step.result_bits()).1;
                Some(format!("%{letter}{letter}{i}"))
            }
        }
    }

    fn store(&mut self, step: &Step, row: usize, results: &[String]) {
        let at = row * self.program.count() * 8;
        let Some(result) = results.first() else { return };
        let size = step.result_bits();
        if step.unpacks() {
            let mut reversed: Vec<String> = results.to_vec();
            reversed.reverse();
            let (n, elements) = (reversed.len(), reversed.join(", "));
            self.line(&format!("st.global.v{n}.b{size} [%out+{at}], {{{elements}}};"));
        } else if let Some((word, p)) = result.split_once('|').filter(|_| size > 1) {
            // The predicate turns the word around.
            self.line(&format!("selp.b32 %x, 0xffffffff, 0, {p};"));
            self.line(&format!("xor.b32 %x, %x, {word};"));
            self.line(&format!("st.global.b{size} [%out+{at}], %x;"));
        } else if size == 1 {
            let (p, q) = result.split_once('|').unwrap_or((result, ""));
            self.line(&format!("selp.b32 %x, 1, 0, {p};"));
            if !q.is_empty() {
                self.line(&format!("selp.b32 %y, 2, 0, {q};"));
                self.line("or.b32 %x, %x, %y;");
            }
            self.line(&format!("st.global.b32 [%out+{at}], %x;"));
        } else {
            self.line(&format!("st.global.b{size} [%out+{at}], {result};"));
        }
    }
}
