//! Accesses to memory with the same addresses as an earlier one, except for their offsets. Both
//! take the addresses from the same register, which is not written in between.
//!
//! Both are in one basic block, without guards. Only register operations, other accesses and
//! barriers lie between them. So a warp that executes the first one executes the second one with
//! the same lanes and the same register. A missed pair costs only time. Nothing here is part of the
//! PTX ISA.

use crate::lower::operations::access::{Base, Target};
use crate::lower::operations::conduct::{Access, Conduct};
use crate::lower::operations::operand::{Pc, Register, Role};
use crate::lower::operations::operation::Operation;

/// For each operation, the access before it.
#[derive(Debug, Default)]
pub(crate) struct Again(Vec<Option<Pc>>);

impl Again {
    /// Examines all operations.
    pub(crate) fn of(operations: &[Operation]) -> Again {
        let mut before = vec![None; operations.len()];
        // The last access from each register that has not been written since.
        let mut last: Vec<(Register, &Target, Pc)> = Vec::new();
        for ((operation, pc), before) in operations.iter().zip(0..).zip(&mut before) {
            if operation.leader {
                last.clear();
            }
            let target = match operation.kind.conduct() {
                Conduct::Access(Access::Load(load)) => Some(&load.target),
                Conduct::Access(Access::Store(store)) => Some(&store.target),
                Conduct::Registers(_) | Conduct::Barrier(_) => None,
                Conduct::Access(Access::Atomic(_))
                | Conduct::Branch { .. }
                | Conduct::Own(_)
                | Conduct::Leave
                | Conduct::Warp(_)
                | Conduct::Fence
                | Conduct::Block
                | Conduct::Beyond(_) => {
                    last.clear();
                    None
                }
            };
            if let Some(target) = target.filter(|_| operation.guard.is_none())
                && let Some(base) = base_of(target)
            {
                let known = last.iter_mut().find(|(register, ..)| *register == base);
                match known {
                    Some((_, first, at)) => {
                        *before = goes_alike(first, target).then_some(*at);
                        (*first, *at) = (target, pc);
                    }
                    None => last.push((base, target, pc)),
                }
            }
            let written = operation.operands();
            let written = written.iter().filter(|one| matches!(one.role, Role::Writes(_)));
            for one in written {
                last.retain(|(register, ..)| *register != one.register);
            }
        }
        Again(before)
    }

    /// The access before the one at this place with the same addresses, except for their offsets.
    #[inline]
    pub(crate) fn before(&self, pc: Pc) -> Option<Pc> {
        self.0.get(pc as usize).copied().flatten()
    }
}

/// The register of an access's addresses.
fn base_of(target: &Target) -> Option<Register> {
    match target.base {
        Base::W64(slot) => Some(Register::data(slot, true)),
        Base::W32(slot) => Some(Register::data(slot, false)),
        Base::Absolute | Base::Frame | Base::FrameParam => None,
    }
}

/// Whether two accesses from one register go to places that differ only in their offsets.
fn goes_alike(a: &Target, b: &Target) -> bool {
    a.space == b.space && a.width * a.elements == b.width * b.elements
}

#[cfg(test)]
mod tests {
    use crate::lower::{Placement, lower};

    /// The places of accesses, each with the place of the access before it.
    fn pairs(body: &str) -> Vec<(u32, u32)> {
        let text = format!(
            ".version 7.0 .target sm_80 .address_size 64 .entry k() {{ .shared .align 8 .b8 s[64];
             .reg .pred %p; .reg .u32 %a, %b; .reg .u64 %d, %e; {body} ret; }}"
        );
        let module = crate::ptx::parse("k.ptx", &text).unwrap();
        let program = lower(&module, "k", &Placement::default()).unwrap();
        let at = |pc| program.again.before(pc).map(|before| (pc, before));
        (0..program.operations.len() as u32).filter_map(at).collect()
    }

    #[test]
    fn an_access_goes_where_the_last_one_from_its_register_went() {
        let load = "ld.shared.u32 %a, [%d+8];";
        assert_eq!(
            pairs(&format!("{load} add.u32 %a, %a, 1; st.shared.u32 [%d], %a; {load}")),
            [(2, 0), (3, 2)]
        );
        assert_eq!(pairs(&format!("{load} ld.shared.u32 %b, [%e]; bar.sync 0; {load}")), [(3, 0)]);
    }

    #[test]
    fn an_access_is_not_told_by_another_after_which_something_may_have_changed() {
        let load = "ld.shared.u32 %a, [%d];";
        let between = [
            "add.u64 %d, %d, 8;",
            "@%p add.u64 %d, %d, 8;",
            "ld.shared.u64 %d, [%e];",
            "to: add.u32 %b, %b, 1; @%p bra to;",
            "bar.warp.sync -1;",
            "membar.gl;",
            "atom.shared.add.u32 %b, [%e], 1;",
        ];
        for between in between {
            assert_eq!(pairs(&format!("{load} {between} {load}")), [], "{between}");
        }
        assert_eq!(pairs("ld.shared.u32 %a, [%d]; ld.global.u32 %a, [%d];"), []);
        assert_eq!(pairs("ld.shared.u32 %a, [%d]; ld.shared.u64 %e, [%d];"), []);
        assert_eq!(pairs("ld.shared.u64 %d, [%d]; ld.shared.u64 %e, [%d];"), []);
        assert_eq!(pairs(&format!("{load} @%p {load}")), []);
        assert_eq!(pairs(&format!("@%p {load} {load}")), []);
    }
}
