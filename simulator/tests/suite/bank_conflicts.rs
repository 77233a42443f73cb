//! Bank conflicts: 32 banks, each a word of 32 bits wide (CUDA C++ Programming Guide, "Shared
//! Memory").

use warpsim::host::{Analyses, Checking, Device, Launch, Simulator};
use warpsim::report::{Code, Finding, Severity};

/// Each of 64 threads stores at `%t * scale` bytes in an array of shared memory.
fn conflicts(scale: u32, store: &str, is_asked_for: bool) -> Vec<Finding> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n
         .visible .entry kernel() {{
           .shared .align 16 .b8 tile[16384]; .reg .b32 %t, %o; .reg .b64 %d;
           mov.u32 %t, %tid.x;
           mul.lo.u32 %o, %t, {scale};
           cvt.u64.u32 %d, %t;
           mov.u32 %t, tile;
           add.u32 %o, %o, %t;
           {store}
           ret;
         }}"
    );
    let mut gpu = Simulator::default();
    let analyses = if is_asked_for { Analyses::on_request() } else { Analyses::default() };
    gpu.settings_mut().checking = Some(Checking::default().with_analyses(analyses));
    let module = gpu.load(&warpsim::ptx::parse("kernel.ptx", &text).unwrap()).unwrap();
    gpu.launch(module, "kernel", &Launch::new(1, 64), &[]).unwrap().findings
}

const WORD: &str = "st.shared.u32 [%o], 1;";

#[test]
fn the_degree_is_the_most_words_that_one_bank_is_asked_for() {
    // A stride of n words lets gcd(n, 32) lanes meet at one bank.
    for (words, degree) in [(1, 1), (2, 2), (3, 1), (8, 8), (32, 32), (33, 1), (48, 16)] {
        let found = conflicts(4 * words, WORD, true);
        match degree {
            1 => assert_eq!(found, [], "stride {words}"),
            _ => {
                let head = format!("{degree}-way bank conflict");
                assert!(found[0].explanation.starts_with(&head), "stride {words}: {found:?}");
                assert_eq!((found.len(), found[0].count), (1, 2), "one in each warp");
            }
        }
    }
}

#[test]
fn lanes_at_one_word_and_wide_accesses_side_by_side_do_not_conflict() {
    assert_eq!(conflicts(0, WORD, true), []);
    assert_eq!(conflicts(1, "st.shared.u8 [%o], 1;", true), []);
    assert_eq!(conflicts(8, "st.shared.u64 [%o], %d;", true), []);
    assert_eq!(conflicts(16, "st.shared.v4.u32 [%o], {1, 2, 3, 4};", true), []);
    assert_eq!(conflicts(64, "st.shared.v4.u32 [%o], {1, 2, 3, 4};", true).len(), 1);
}

#[test]
fn it_is_a_note_for_those_who_ask() {
    let found = conflicts(128, WORD, true);
    assert_eq!((found[0].code, found[0].severity), (Code::BankConflict, Severity::Note));
    assert_eq!(found[0].object.as_deref(), Some("tile"));
    assert_eq!(conflicts(128, WORD, false), []);
}
