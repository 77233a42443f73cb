//! The order of an instruction's modifiers.
//!
//! The ISA's syntax lines give one order. NVIDIA's assembler takes any, and compilers and people
//! write several (`atom.global.gpu.acq_rel.add.u32`, `ld.global.volatile.u32`, `add.ftz.rn.f32`).
//! All orders of some sixty instructions, shown to the assembler, gave two rules:
//!
//! - types keep their order: `cvt.f32.s32` is not `cvt.s32.f32`;
//! - parts of the opcode's name stay directly behind it: `mul.lo`, `bar.red`, `cvta.to`.
//!
//! `scripts/check-order.sh` asks the assembler again.

use crate::ptx::Type;

/// Whether a modifier is the name of a type, or of the layout of a matrix: `mma.row.col` is not
/// `mma.col.row` either.
pub(super) fn is_type(modifier: &str) -> bool {
    let small = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "ue8m0", "s2f6"];
    Type::from_keyword(modifier).is_some()
        || small.iter().any(|format| modifier.starts_with(format))
        || matches!(modifier, "tf32" | "u4" | "s4" | "u2" | "s2" | "row" | "col")
}

/// The modifiers that belong to an opcode's name.
fn belonging_to_the_name(opcode: &str) -> &'static [&'static str] {
    match opcode {
        "mul" | "mad" | "madc" | "mul24" | "mad24" | "dp2a" => &["lo", "hi", "wide"],
        "shf" => &["l", "r"],
        "bar" | "barrier" => &["cta", "cluster", "warp", "sync", "arrive", "red", "wait"],
        "brx" => &["idx"],
        "cvt" => &["pack"],
        "cvta" => &["to"],
        "fence" | "membar" => &["proxy"],
        _ => &[],
    }
}

/// The modifiers of an instruction that no part of a pattern has taken yet.
#[derive(Clone, Debug)]
pub(super) struct Remaining<'a, 'm> {
    modifiers: &'a [&'m str],
    /// A bit for each that is taken.
    taken: u64,
    /// What belongs to the opcode's name, and how many of the first modifiers do.
    belonging: &'static [&'static str],
    name: usize,
}

impl<'a, 'm> Remaining<'a, 'm> {
    /// All of them; none when there are more than any instruction has.
    pub(super) fn new(opcode: &str, modifiers: &'a [&'m str]) -> Option<Remaining<'a, 'm>> {
        let belonging = belonging_to_the_name(opcode);
        let name = modifiers.iter().take_while(|modifier| belonging.contains(modifier)).count();
        (modifiers.len() < 64).then_some(Remaining { modifiers, taken: 0, belonging, name })
    }

    /// Takes a modifier of this name, if the rules allow it in this place.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let mut free = (0..self.modifiers.len()).filter(|at| self.taken >> at & 1 == 0);
        let first = free.clone().next();
        let in_name = first.filter(|at| *at < self.name);
        let found = match in_name {
            Some(at) => (self.modifiers[at] == name).then_some(at),
            None if self.belonging.contains(&name) => None,
            None if is_type(name) => free
                .find(|at| is_type(self.modifiers[*at]))
                .filter(|at| self.modifiers[*at] == name),
            None => free.find(|at| self.modifiers[*at] == name),
        };
        if let Some(at) = found {
            self.taken |= 1 << at;
        }
        found.is_some()
    }

    /// Whether all are taken.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.count_ones() as usize == self.modifiers.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::lookup;

    /// The pattern of the form that a text takes.
    fn pattern(text: &str) -> Option<&'static str> {
        let mut names = text.split('.');
        let opcode = names.next().unwrap();
        let modifiers: Vec<&str> = names.collect();
        lookup(opcode, &modifiers).ok().map(|found| found.form.pattern.0)
    }

    #[test]
    fn modifiers_may_stand_in_any_order() {
        for (written, usual) in [
            ("atom.global.gpu.acq_rel.add.u32", "atom.acq_rel.gpu.global.add.u32"),
            ("atom.u32.add.global", "atom.global.add.u32"),
            ("add.ftz.rn.f32", "add.rn.ftz.f32"),
            ("add.f32.rn", "add.rn.f32"),
            ("div.ftz.rn.f32", "div.rn.ftz.f32"),
            ("cvt.ftz.rn.f32.f64", "cvt.rn.ftz.f32.f64"),
            ("cvt.f32.rn.f64", "cvt.rn.f32.f64"),
            ("ld.global.volatile.u32", "ld.volatile.global.u32"),
            ("ld.global.v2.ca.f32", "ld.global.ca.v2.f32"),
            ("ld.sys.relaxed.global.u32", "ld.relaxed.sys.global.u32"),
            ("setp.and.lt.s32", "setp.lt.and.s32"),
            ("shfl.down.sync.b32", "shfl.sync.down.b32"),
            ("min.abs.xorsign.NaN.ftz.f32", "min.ftz.NaN.xorsign.abs.f32"),
            ("mad.hi.s32.sat", "mad.hi.sat.s32"),
            ("barrier.red.aligned.popc.u32", "barrier.red.popc.aligned.u32"),
            ("fence.gpu.acquire", "fence.acquire.gpu"),
        ] {
            let usual = pattern(usual);
            assert!(usual.is_some());
            assert_eq!(pattern(written), usual, "{written}");
        }
    }

    #[test]
    fn types_keep_their_order_and_names_their_place() {
        for text in [
            "cvt.f64.f32.rn",
            "set.s16.u64.lt",
            "mul.u32.lo",
            "mad.sat.hi.s32",
            "bar.popc.red.u32",
            "bar.sync.warp",
            "shf.b32.l.wrap",
            "cvta.global.to.u64",
            "add.add.f32",
            "add.rn.rn.f32",
        ] {
            assert_eq!(pattern(text), None, "{text}");
        }
        assert_ne!(pattern("cvt.rn.f32.f64"), pattern("cvt.f64.f32"));
    }

    #[test]
    fn what_modifiers_need_does_not_depend_on_their_order() {
        let level = |text: &str| {
            let mut names = text.split('.');
            let opcode = names.next().unwrap();
            let modifiers: Vec<&str> = names.collect();
            lookup(opcode, &modifiers).unwrap().opcode.level(&modifiers)
        };
        assert_eq!(level("ld.global.b32.v8"), level("ld.global.v8.b32"));
        assert_eq!(level("cvt.f32.ftz.bf16"), level("cvt.ftz.f32.bf16"));
    }
}
