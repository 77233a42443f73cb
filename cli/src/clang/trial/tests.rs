//! The trial of a compiler: clang's output passes or fails as it should, and planted faults in it
//! are seen.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use super::*;
use crate::clang::installed;

/// What a clang that passes makes of the kernels at `-O2`; `None` where there is none.
fn compiled() -> Option<String> {
    let folder = crate::clang::folder().unwrap();
    let file = folder.path().join("kernels.cu");
    fs::write(&file, KERNELS).unwrap();
    for clang in installed() {
        let at = Clang::at(&clang.path, folder.path(), &[], &[]).unwrap();
        let device = Device { architecture: None, is_naive: false };
        if clang.version().is_some_and(|version| version.major >= 17)
            && let Ok(ptx) = at.device(&file, device, None)
        {
            return Some(ptx);
        }
    }
    eprintln!("skipped: no clang of version 17 or later");
    None
}

fn judged(ptx: &str) -> Vec<Mistake> {
    let module = ptx::parse("kernels", ptx).unwrap();
    judge(&module, "-O2").unwrap()
}

/// A fault of a compiler: the PTX has `to` in the place of `from`. At least the kernels of
/// `shown_by` show it.
struct Fault {
    from: &'static str,
    to: &'static str,
    shown_by: &'static [&'static str],
}

const fn fault(from: &'static str, to: &'static str, shown_by: &'static [&'static str]) -> Fault {
    Fault { from, to, shown_by }
}

const FAULTS: [Fault; 15] = [
    fault("bar.sync 0;", "", &["broadcast_shared", "broadcast_static", "broadcast_element"]),
    fault("bar.sync 0;", "", &["broadcast_flag", "broadcast_rounds", "last_block", "records"]),
    fault("bar.sync 0;", "", &["reduce_tree", "scan_steps", "exchange", "copied_beside"]),
    fault("bar.red.and.pred", "bar.red.or.pred", &["counted"]),
    fault("membar.gl;", "", &["message_between_blocks", "locked", "last_block"]),
    fault("atom.relaxed.gpu.add.u32", "atom.relaxed.gpu.max.u32", &["histogram", "last_block"]),
    fault("vote.sync.all.pred", "vote.sync.any.pred", &["votes"]),
    fault("redux.sync.min.u32", "redux.sync.max.u32", &["matches"]),
    fault("shfl.sync.bfly.b32", "shfl.sync.down.b32", &["shuffles"]),
    fault("bar.warp.sync", "// ", &["warp_exchange"]),
    fault("cp.async.wait_group 0;", "", &["copied_beside"]),
    fault("shr.s64", "shr.u64", &["signs"]),
    fault("mul.hi.u64", "mul.lo.u64", &["products"]),
    fault("st.local", "// ", &["indexed"]),
    fault("sqrt.rn.f32", "abs.f32", &["conversions"]),
];

#[test]
fn what_a_compiler_gets_wrong_is_seen_by_the_kernels_that_are_for_it() {
    let Some(ptx) = compiled() else { return };
    assert_eq!(judged(&ptx), []);
    for Fault { from, to, shown_by } in FAULTS {
        assert!(ptx.contains(from), "{from} is not in what the compiler writes");
        let mistakes = judged(&ptx.replace(from, to));
        for kernel in shown_by {
            let shows = |mistake: &&Mistake| mistake.kernel == *kernel;
            let mistake = mistakes.iter().find(shows);
            assert!(mistake.is_some(), "{from} is {to:?}: `{kernel}` does not show it");
        }
    }
}

/// Threads of a warp that went two ways do not count as one group.
#[test]
fn a_function_of_a_warp_that_is_moved_out_of_two_branches_is_seen() {
    let Some(ptx) = compiled() else { return };
    let (before, kernel) = ptx.split_at(ptx.find(".entry branches(").unwrap());
    let (kernel, behind) = kernel.split_at(kernel.find("\n}").unwrap());
    // As in LLVM up to version 16: the mask of all, taken before they diverge.
    let merged = of_all_lanes(kernel);
    let mistakes = judged(&format!("{before}{merged}{behind}"));
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert_eq!((mistakes[0].kernel.as_str(), mistakes[0].level.as_str()), ("branches", "-O2"));
}

/// Each `activemask.b32 %rN;` becomes the mask of all 32 lanes.
fn of_all_lanes(kernel: &str) -> String {
    let mut parts = kernel.split("activemask.b32 ");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (register, rest) = part.split_once(';').unwrap();
        text += &format!("mov.u32 {register}, -1;{rest}");
    }
    text
}

/// LLVM 14 to 16 make `bfe.u64 x, 63, 3` of it, whose upper bits are zeros (PTX ISA, `bfe`).
#[test]
fn the_wrong_field_of_a_sign_is_seen() {
    let Some(ptx) = compiled() else { return };
    let shift = ptx.lines().find(|line| line.contains("shr.s64") && line.ends_with(", 63;"));
    let wrong = shift.unwrap().replace("shr.s64", "shr.u64");
    let mistakes = judged(&ptx.replace(shift.unwrap(), &wrong));
    assert_eq!(mistakes.iter().map(|m| m.kernel.as_str()).collect::<Vec<_>>(), ["signs"]);
    assert!(mistakes[0].wrong.contains("`x < 0 ? 7 : 0`"), "{mistakes:?}");
    assert!(mistakes[0].evidence.ends_with(" is 0x1, 0x7 is right"), "{mistakes:?}");
}

#[test]
fn a_kernel_that_never_ends_or_faults_is_a_mistake_and_one_that_cannot_run_is_none() {
    let Some(ptx) = compiled() else { return };
    // The lock is never taken.
    let mistakes = judged(&ptx.replace("atom.relaxed.gpu.exch.b32", "atom.relaxed.gpu.or.b32"));
    assert!(mistakes.iter().any(|mistake| mistake.kernel == "locked"), "{mistakes:?}");
    // Addresses do not point to buffers.
    let mistakes = judged(&ptx.replace("cvta.to.global.u64", "// "));
    assert!(mistakes.len() > 5, "{mistakes:?}");
    // This is no PTX, so nothing follows for the compiler's code.
    let module = ptx::parse("kernels", &ptx.replace("st.global.u32", "st.shared.u32")).unwrap();
    assert!(matches!(judge(&module, "-O2"), Err(Stopped::Unusable(_))));
}
