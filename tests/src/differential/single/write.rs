//! Writing a program of single instructions as PTX: the kernel around the steps, and what every
//! step uses.

use std::fmt::Write as _;

use warpsim::isa::{self, Action, Structural, WarpInstruction};

use super::branched::{self, Company};
use super::images;
use super::{Single, Step};
use crate::differential::draw::Draw;
use crate::differential::operands::{PLACES, Pool};
use crate::differential::program::{Image, Section, Written};

/// Bytes of a thread's own cells in each memory.
pub(super) const OWN: usize = 32;

/// Bytes of a warp's matrices in shared memory: 2048 that are read, 1024 that are written.
pub(super) const TILES: usize = 3072;

/// What numbers memory is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// Integers.
    Words,
    /// Pairs of f16.
    Halves,
    /// Pairs of bf16.
    Brains,
    /// Any bits, such that floats of every size and place are finite and less than 2.
    Finite,
}

/// A space, and whether it is reached by a generic address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) space: &'static str,
    pub(super) generic: bool,
}

pub(super) struct Body<'a> {
    pub(super) out: String,
    pub(super) draw: Draw,
    pub(super) program: &'a Single,
    /// Where `.const` memory is.
    pub(super) name: &'a str,
    /// The instruction, and its modifiers.
    pub(super) text: String,
    sections: Vec<Section>,
    /// Bytes of the sections before.
    at: usize,
    /// Whether own cells in global memory are in use where the next section would be.
    given: bool,
    /// Registers of 1, 16, 32, 64 and 128 bits.
    used: [usize; 5],
    labels: usize,
    /// Who executes the step.
    company: Company,
    /// The textures and surfaces so far.
    pub(super) images: Vec<Image>,
    /// What a second kernel does.
    pub(super) afterwards: String,
}

pub(super) fn program(program: &Single, name: &str) -> Written {
    let mut body = Body {
        out: String::new(),
        draw: Draw::new(&[0]),
        program,
        name,
        text: String::new(),
        sections: Vec::new(),
        at: 0,
        given: false,
        used: [0; 5],
        labels: 0,
        company: Company::Block,
        images: Vec::new(),
        afterwards: String::new(),
    };
    let threads = program.threads as usize;
    let (all, [declared, begun]) = match program.branches {
        None => {
            let step = |step| body.step(step, Company::Block);
            (program.steps.iter().map(step).collect::<String>(), Default::default())
        }
        Some(seed) => {
            let mut draw = Draw::new(&[seed]);
            let head = branched::head(threads, &mut draw);
            (body.branches(&program.steps, 3, &mut draw), head)
        }
    };
    let (declared, begun) = match body.images.is_empty() {
        true => (declared, begun),
        false => (declared + images::HEAD[0], begun + images::HEAD[1]),
    };
    let parameters: String =
        (0..body.images.len()).map(|number| format!(", .param .u64 image{number}")).collect();
    let head = head([name, &parameters, &declared, &begun], threads);
    let constants: Vec<String> = (0..64).map(|i| ((i * 37 + 11) % 256).to_string()).collect();
    let mut text = format!(
        ".const .align 16 .b8 {name}_constants[64] = {{{}}};\n{head}{all}  ret;\n}}\n",
        constants.join(", ")
    );
    let afterwards = (!body.afterwards.is_empty()).then(|| format!("{name}_afterwards"));
    if let Some(second) = &afterwards {
        let head = head.replacen(name, second, 1);
        let _ = write!(text, "{head}{}  ret;\n}}\n", body.afterwards);
    }
    Written {
        text,
        launch: program.launch(),
        sections: body.sections,
        images: body.images,
        afterwards,
    }
}

/// The kernel's parameters, its variables, and where each thread's cells are.
fn head([name, parameters, declared, begun]: [&str; 4], threads: usize) -> String {
    format!(
        ".visible .entry {name}(.param .u64 table, .param .u64 out{parameters}) .explicitcluster .reqnctapercluster 1\n{{\n  \
         .shared .align 128 .b8 cells[{own}]; .shared .align 128 .b8 other[{own}];\n  \
         .shared .align 128 .b8 tiles[{tiles}]; .shared .align 8 .b64 object; .shared .b32 common;\n  \
         .local .align 32 .b8 kept[{OWN}];\n  {declared}\
         .reg .pred %first; .reg .b32 %t, %n, %b, %all, %lane, %s, %so, %sw;\n  \
         .reg .b64 %table, %base, %in, %out, %own, %w, %policy, %l;\n  \
         ld.param.u64 %table, [table];\n  ld.param.u64 %base, [out];\n  mov.u32 %t, %tid.x;\n  \
         mov.u32 %b, %ctaid.x;\n  mov.u32 %lane, %laneid;\n  mad.lo.u32 %all, %b, {threads}, %t;\n  \
         mul.wide.u32 %w, %all, 8;\n  add.u64 %in, %table, %w;\n  add.u64 %out, %base, %w;\n  \
         mul.wide.u32 %w, %all, {OWN};\n  add.u64 %own, %base, %w;\n  mov.u32 %s, cells;\n  \
         mad.lo.u32 %s, %t, {OWN}, %s;\n  mov.u32 %so, other;\n  mad.lo.u32 %so, %t, {OWN}, %so;\n  \
         shr.u32 %n, %t, 5;\n  mov.u32 %sw, tiles;\n  mad.lo.u32 %sw, %n, {TILES}, %sw;\n  \
         setp.eq.u32 %first, %t, 0;\n  mov.u64 %l, kept;\n  \
         {begun}createpolicy.fractional.L2::evict_first.b64 %policy, 0f3F800000;\n",
        own = threads * OWN,
        tiles = threads / 32 * TILES,
    )
}

/// What the table says of an instruction.
pub(super) fn action(text: &str) -> Option<Structural> {
    let mut names = text.split('.');
    let opcode = names.next()?;
    let modifiers: Vec<&str> = names.collect();
    match isa::lookup(opcode, &modifiers).ok()?.form.action {
        Action::Structural(structural) => Some(structural),
        Action::Lanes { .. } | Action::Unsupported(_) => None,
    }
}

impl Body<'_> {
    pub(super) fn step(&mut self, step: &Step, company: Company) -> String {
        self.out.clear();
        self.company = company;
        self.used = [0; 5];
        self.draw = Draw::new(&[step.seed]);
        self.text.clone_from(&step.text);
        self.line("bar.sync 0;");
        match action(&step.text) {
            Some(action) => self.instruction(action),
            None => panic!("`{}` is no instruction of these programs", step.text),
        }
        assert!(self.is_written(), "the program of `{}` has all but the instruction", self.text);
        let [p, h, r, d, q] = self.used;
        let mut registers = String::new();
        for (count, ty, letter) in
            [(p, "pred", "p"), (h, "b16", "h"), (r, "b32", "r"), (d, "b64", "d"), (q, "b128", "q")]
        {
            if count > 0 {
                let _ = write!(registers, " .reg .{ty} %{letter}<{count}>;");
            }
        }
        format!("  {{{registers}\n{}  }}\n", self.out)
    }

    /// Whether the step has the instruction, with its operands.
    fn is_written(&self) -> bool {
        let of_line = |line: &str| {
            let mut words = line.split_whitespace().filter(|word| !word.starts_with('@'));
            words.next().is_some_and(|word| word.trim_end_matches(';') == self.text)
        };
        self.out.lines().any(of_line)
    }

    fn instruction(&mut self, action: Structural) {
        match action {
            Structural::Mov => self.mov(),
            Structural::Ld => self.load(),
            Structural::St => self.store(),
            Structural::Atom => self.atomic(true),
            Structural::Red => self.atomic(false),
            Structural::Cvta => self.cvta(),
            Structural::Isspacep => self.isspacep(),
            Structural::CreatePolicy => self.create_policy(),
            Structural::Discard => self.discard(),
            Structural::Fill => self.fill_with_zeros(),
            Structural::Alloca | Structural::StackSave | Structural::StackRestore => self.stack(),
            Structural::Fence | Structural::ProxyFence => self.fence(),
            Structural::CpAsync | Structural::CommitGroup | Structural::WaitGroup => self.copy(),
            Structural::CpBulk => self.bulk(),
            Structural::AsyncStore => self.store_to_be_told(),
            Structural::TryCancel | Structural::QueryCancel => self.cancellation(),
            Structural::Trap | Structural::Breakpoint => self.end(),
            Structural::CpPrefetch | Structural::Nothing => self.nothing(),
            Structural::Mapa | Structural::Getctarank => self.cluster_address(),
            Structural::ClusterBarrier => self.cluster_barrier(),
            Structural::Mbarrier(instruction) => self.mbarrier(instruction),
            Structural::CvtFour(_) => self.convert_four(),
            Structural::Warp(instruction) => match instruction {
                WarpInstruction::Redux => self.redux(),
                WarpInstruction::Activemask => self.activemask(),
                WarpInstruction::Elect => self.elect(),
                WarpInstruction::Movmatrix => self.movmatrix(),
                WarpInstruction::Ldmatrix => self.ldmatrix(),
                WarpInstruction::Stmatrix => self.stmatrix(),
                WarpInstruction::Mma => self.mma(),
                WarpInstruction::WmmaLoad
                | WarpInstruction::WmmaStore
                | WarpInstruction::WmmaMma => self.wmma(),
                WarpInstruction::Sync
                | WarpInstruction::Shfl
                | WarpInstruction::Vote
                | WarpInstruction::Match => self.of_another_family(),
            },
            // What needs branches, or other threads' state; `lop3` is a register form.
            Structural::Bra
            | Structural::BrxIdx
            | Structural::Call
            | Structural::Ret
            | Structural::Exit
            | Structural::Bar
            | Structural::BarRed
            | Structural::Lop3 => self.of_another_family(),
            Structural::Image(instruction) => self.image(instruction),
            Structural::Video(_) => self.video(),
        }
    }

    fn of_another_family(&self) -> ! {
        panic!("programs of another family write `{}`", self.text)
    }

    pub(super) fn line(&mut self, text: &str) {
        let said = self.company.said(text);
        if !said.is_empty() {
            let _ = writeln!(self.out, "  {said}");
        }
    }

    /// How many threads the step is for.
    pub(super) fn members(&self) -> u32 {
        match self.company {
            Company::Thread => 1,
            Company::Warp => 32,
            Company::Block => self.program.threads,
        }
    }

    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("W{}", self.labels)
    }

    /// Whether a modifier is among the instruction's own.
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.text.split('.').skip(1).any(|m| m == modifier)
    }

    /// The text for the cache hint, if the instruction takes one.
    pub(super) fn hint(&self) -> &'static str {
        if self.has("L2::cache_hint") { ", %policy" } else { "" }
    }

    fn register(&mut self, class: usize, letter: &str) -> String {
        self.used[class] += 1;
        format!("%{letter}{}", self.used[class] - 1)
    }

    pub(super) fn p(&mut self) -> String {
        self.register(0, "p")
    }

    pub(super) fn h(&mut self) -> String {
        self.register(1, "h")
    }

    pub(super) fn r(&mut self) -> String {
        self.register(2, "r")
    }

    pub(super) fn d(&mut self) -> String {
        self.register(3, "d")
    }

    pub(super) fn q(&mut self) -> String {
        self.register(4, "q")
    }

    /// A register of this many bits.
    pub(super) fn of_bits(&mut self, bits: usize) -> String {
        match bits {
            1 => self.p(),
            8 | 16 => self.h(),
            64 => self.d(),
            128 => self.q(),
            _ => self.r(),
        }
    }

    /// This many registers, as a list without braces.
    pub(super) fn several(&mut self, count: usize, bits: usize) -> Vec<String> {
        (0..count).map(|_| self.of_bits(bits)).collect()
    }

    /// The low 32 bits of a cell.
    fn cell(&mut self, pool: Pool) -> String {
        let at = (pool.start() + self.draw.below(PLACES)) * 8;
        let r = self.r();
        self.line(&format!("ld.global.b32 {r}, [%in+{at}];"));
        r
    }

    /// This many words, each thread its own.
    pub(super) fn words(&mut self, fill: Fill, count: usize) -> Vec<String> {
        let one = |body: &mut Self| match fill {
            Fill::Words => body.cell(Pool::Word32),
            Fill::Halves => body.cell(Pool::F16x2),
            Fill::Brains => body.cell(Pool::Bf16x2),
            Fill::Finite => {
                let pool = body.draw.of(&[Pool::Word32, Pool::F32, Pool::F16x2, Pool::Bf16x2]);
                let r = body.cell(pool);
                body.line(&format!("and.b32 {r}, {r}, 0xbfffbfff;"));
                r
            }
        };
        (0..count).map(|_| one(self)).collect()
    }

    /// This many values of this many bits out of words: halves are the low ones of a word each.
    pub(super) fn values(&mut self, fill: Fill, count: usize, bits: usize) -> Vec<String> {
        (0..count)
            .map(|_| {
                let per = bits.div_ceil(32);
                let words = self.words(fill, per);
                let to = self.of_bits(bits);
                match bits {
                    8 | 16 => self.line(&format!("cvt.u16.u32 {to}, {};", words[0])),
                    32 => self.line(&format!("mov.b32 {to}, {};", words[0])),
                    _ => self.line(&format!("mov.b{bits} {to}, {{{}}};", words.join(", "))),
                }
                to
            })
            .collect()
    }

    /// Stores registers of these sizes, each as a column of 64-bit words.
    pub(super) fn results(&mut self, registers: &[(usize, String)]) {
        self.keep_given();
        let mut words = 0;
        for (bits, register) in registers {
            let parts: Vec<(usize, String)> = match bits {
                1 => {
                    let r = self.r();
                    self.line(&format!("selp.b32 {r}, 1, 0, {register};"));
                    vec![(32, r)]
                }
                8 => vec![(16, register.clone())],
                128 => {
                    let (x, y) = (self.d(), self.d());
                    self.line(&format!("mov.b128 {{{x}, {y}}}, {register};"));
                    vec![(64, x), (64, y)]
                }
                bits => vec![(*bits, register.clone())],
            };
            for (bits, part) in parts {
                let at = self.at + words * self.program.count() * 8;
                self.line(&format!("st.global.b{bits} [%out+{at}], {part};"));
                words += 1;
            }
        }
        self.section("", words);
    }

    /// Own cells in global memory become a section: other threads must not write there.
    fn keep_given(&mut self) {
        if self.given {
            self.section(" (memory)", 4);
        }
    }

    /// A section of this many words of each thread, which the step has filled.
    pub(super) fn section(&mut self, more: &str, words: usize) {
        self.given = false;
        let words = words * self.program.count();
        self.sections.push(Section { label: format!("{}{more}", self.text), words });
        self.at += words * 8;
    }

    /// Where the next section is, behind `%own`: 32 bytes of each thread.
    pub(super) fn own_at(&self) -> usize {
        self.at
    }

    /// Words of own cells to memory: eight words.
    pub(super) fn put(&mut self, place: Place, words: &[String]) {
        self.given |= place.space == "global";
        for (half, four) in words.chunks(4).enumerate() {
            let list = four.join(", ");
            let at = half * 16;
            let text = match place.space {
                "global" => format!("st.global.v4.b32 [%own+{}], {{{list}}};", self.at + at),
                "local" => format!("st.local.v4.b32 [%l+{at}], {{{list}}};"),
                "other" => format!("st.shared.v4.b32 [%so+{at}], {{{list}}};"),
                _ => format!("st.shared.v4.b32 [%s+{at}], {{{list}}};"),
            };
            self.line(&text);
        }
    }

    /// The text in brackets for own cells at an offset.
    pub(super) fn address(&mut self, place: Place, offset: usize) -> String {
        let narrow = match place.space {
            "global" => return format!("%own+{}", self.at + offset),
            "local" if !place.generic => return format!("%l+{offset}"),
            "local" => {
                let d = self.d();
                self.line(&format!("cvta.local.u64 {d}, %l;"));
                return format!("{d}+{offset}");
            }
            "other" => "%so",
            _ => "%s",
        };
        if !place.generic {
            return format!("{narrow}+{offset}");
        }
        let d = self.generic(narrow);
        format!("{d}+{offset}")
    }

    /// The generic address of what an address in shared memory says.
    pub(super) fn generic(&mut self, narrow: &str) -> String {
        let d = self.d();
        self.line(&format!("cvt.u64.u32 {d}, {narrow};"));
        self.line(&format!("cvta.shared.u64 {d}, {d};"));
        d
    }

    /// What own cells hold then: eight words of each thread as a section.
    pub(super) fn show(&mut self, place: Place) {
        if place.space != "global" {
            self.keep_given();
            let base = match place.space {
                "local" => "local.v4.b32 LIST, [%l",
                "other" => "shared.v4.b32 LIST, [%so",
                _ => "shared.v4.b32 LIST, [%s",
            };
            for half in [0, 16] {
                let list = format!("{{{}}}", self.several(4, 32).join(", "));
                self.line(&format!("ld.{}+{half}];", base.replace("LIST", &list)));
                self.line(&format!("st.global.v4.b32 [%own+{}], {list};", self.at + half));
            }
        }
        self.section(" (memory)", 4);
    }

    /// Fills the warp's matrices in shared memory, or this many bytes of each lane behind `%own`.
    pub(super) fn fill_tiles(&mut self, fill: Fill) {
        for part in 0..4 {
            let words = self.words(fill, 4).join(", ");
            let at = part * 512;
            let r = self.r();
            self.line(&format!("mad.lo.u32 {r}, %lane, 16, %sw;"));
            self.line(&format!("st.shared.v4.b32 [{r}+{at}], {{{words}}};"));
        }
        self.line("bar.sync 0;");
    }
}

#[cfg(test)]
mod tests {
    use super::super::Single;

    #[test]
    #[should_panic(expected = "programs of another family write `bar.sync`")]
    fn a_step_of_another_family_fails() {
        Single::of(&["bar.sync"], 1).write("k");
    }

    #[test]
    #[should_panic(expected = "`mma.sync` is no instruction of these programs")]
    fn a_step_without_an_instruction_of_the_table_fails() {
        Single::of(&["mma.sync"], 1).write("k");
    }
}
