//! What a person reads about the pass.

use super::{kernel, register_cache};
use crate::passes::Remark;
use crate::ptx::{SourceMap, parse};

fn messages(module: &crate::ptx::Module) -> String {
    let remarks = register_cache(module).remarks;
    let lines = remarks.iter().map(|remark| remark.message(&module.source));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_naive_scan_is_explained_access_by_access() {
    let path = format!("{}/../../tests/hardware/scan_naive.ptx", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let module = parse("scan_naive.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(messages(&module), @r"
    the store at line 12 stays in %r4: line 13 overwrites it before anything may read it, no store happens
    the load at line 13 reads %r4, cached at line 12: no load happens
    the store at line 13 stays in %r6: line 14 overwrites it before anything may read it, no store happens
    the load at line 14 reads %r6, cached at line 13: no load happens
    the store at line 14 stays in %r6: line 15 overwrites it before anything may read it, no store happens
    the load at line 15 reads %r6, cached at line 14: no load happens
    the store at line 15 stays in %r6: line 16 overwrites it before anything may read it, no store happens
    the load at line 16 reads %r6, cached at line 15: no load happens
    the store at line 16 stays in %r6: line 17 overwrites it before anything may read it, no store happens
    the load at line 17 reads %r6, cached at line 16: no load happens
    the store at line 17 waits in %r6: it happens just before line 19
    the load at line 18 reads %r6, cached at line 17: no load happens
    ");
}

#[test]
fn each_kind_of_change_has_its_words() {
    let module = kernel(
        "mov.u32 %r1, %tid.x;
         st.shared.u32 [s], %r1;
         add.u32 %r1, %r1, 1;
         ld.shared.u32 %r2, [s];
         st.shared.u8 [s+8], 255;
         ld.shared.s8 %r3, [s+8];
         ld.shared.u32 %r4, [t];
         ld.shared.u32 %r5, [t];
         st.shared.u32 [s], %r5;
         mov.u32 %r5, 0;
         ld.shared.u32 %r6, [t+4];
         add.u32 %r6, %r6, %r5;",
    );
    insta::assert_snapshot!(messages(&module), @r"
    the store at line 8 stays in %r1: line 15 overwrites it before anything may read it, no store happens
    the load at line 10 reads %kept0, cached at line 8: no load happens
    the store of 255 at line 11 waits: it happens just before line 19
    the load at line 12 reads 255, cached at line 11: no load happens
    the load at line 14 reads %r4, loaded at line 13: no load happens
    the store at line 15 waits in %kept1: it happens just before line 19
    ");
}

#[test]
fn a_reason_can_speak_of_source_lines() {
    let path = format!(
        "{}/../../tests/corpus/nvrtc13-sm80-G/k01_scan_plain.ptx",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let module = parse("k01.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let lines = SourceMap::of(&module);
    let worded = |remark: &Remark| {
        remark.worded(&|inst, _| {
            lines.position(inst).map_or("?".to_string(), |position| position.line.to_string())
        })
    };
    let remarks = register_cache(&module).remarks;
    let scan = remarks.iter().filter(|remark| &*remark.function == "scan_plain");
    let words: Vec<String> = scan.map(worded).collect();
    insta::assert_snapshot!(words.join("\n"), @r"
    the store at line 14 stays in %r5: line 15 overwrites it before anything may read it, no store happens
    the load at line 15 reads %r5, cached at line 14: no load happens
    the store at line 15 stays in %r12: line 16 overwrites it before anything may read it, no store happens
    the load at line 16 reads %r12, cached at line 15: no load happens
    the store at line 16 stays in %r18: line 17 overwrites it before anything may read it, no store happens
    the load at line 17 reads %r18, cached at line 16: no load happens
    the store at line 17 stays in %r24: line 18 overwrites it before anything may read it, no store happens
    the load at line 18 reads %r24, cached at line 17: no load happens
    the store at line 18 stays in %r30: line 19 overwrites it before anything may read it, no store happens
    the load at line 19 reads %r30, cached at line 18: no load happens
    the load at line 20 reads %r36, cached at line 19: no load happens
    ");
}
