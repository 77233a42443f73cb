//! Kernels in the program's own memory: their changes are at the program's own addresses, with as
//! many pages as they need.

use super::{Fake, KERNELS, OWN, driver};
use crate::{Entry, Mapping, Options, OwnMemoryError, OwnMemoryRun};

const HEAD: &str = ".version 7.0 .target sm_80 .address_size 64\n";

/// Doubles the word at `p + 4 * (index * stride)` for each thread.
const STRIDED: &str = ".visible .entry strided(.param .u64 p, .param .u32 stride) {
      .reg .u64 %a, %o; .reg .u32 %t, %n, %b, %s, %v;
      ld.param.u64 %a, [p]; ld.param.u32 %s, [stride];
      mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %t, %b, %n, %t;
      mul.lo.u32 %t, %t, %s; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
      ld.global.u32 %v, [%a]; add.u32 %v, %v, %v; st.global.u32 [%a], %v; ret;
    }";

/// Follows the address that is in memory, and writes 7 there.
const FOLLOW: &str = ".visible .entry follow(.param .u64 p) {
      .reg .u64 %a; ld.param.u64 %a, [p]; ld.global.u64 %a, [%a]; st.global.u32 [%a], 7; ret;
    }";

fn own(bytes: usize) -> Mapping {
    Mapping { first: OWN, end: OWN + bytes as u64, is_writable: true }
}

/// Runs a kernel with this many bytes of the program's memory, in which word `i` is `i`.
fn run(
    text: &str,
    (values, grid, block): (&[u64], u32, u32),
    mapping: Mapping,
    options: Options,
) -> (Result<(), OwnMemoryError>, Vec<u32>, Fake) {
    let (driver, fake, mut caller) = driver(options);
    let words = ((mapping.end - mapping.first) / 4) as u32;
    let bytes: Vec<u8> = (0..words).flat_map(u32::to_le_bytes).collect();
    fake.0.lock().unwrap().pieces.insert(mapping.first, bytes);
    let source = format!("{HEAD}{text}\0");
    let run = OwnMemoryRun {
        source: source.as_bytes(),
        values,
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared: 0,
    };
    let ended = driver.enter(&mut caller).unwrap().run_in_own_memory(&run, &[mapping]);
    let words = {
        let memory = fake.0.lock().unwrap();
        assert_eq!(memory.running, None, "a launch that is over does not run");
        memory.pieces[&mapping.first].as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect()
    };
    (ended, words, fake)
}

#[test]
fn a_kernel_changes_memory_far_behind_its_argument_and_nothing_else() {
    // A mebibyte in words. Every 1024th is doubled, so pages beyond the first 64 KiB change.
    let (ended, words, _) = run(STRIDED, (&[OWN, 1024], 8, 32), own(1 << 20), Options::default());
    assert_eq!(ended, Ok(()));
    let wanted: Vec<u32> =
        (0..1 << 18).map(|word| if word % 1024 == 0 { 2 * word } else { word }).collect();
    assert!(words == wanted);
}

#[test]
fn an_address_in_memory_means_the_same_to_the_kernel() {
    let (driver, fake, mut caller) = driver(Options::default());
    let far = OWN + (1 << 19) + 12;
    let mut bytes = vec![0; 1 << 20];
    bytes[..8].copy_from_slice(&far.to_le_bytes());
    fake.0.lock().unwrap().pieces.insert(OWN, bytes);
    let source = format!("{HEAD}{FOLLOW}");
    let run = OwnMemoryRun {
        source: source.as_bytes(),
        values: &[OWN],
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
    };
    let mut call = driver.enter(&mut caller).unwrap();
    assert_eq!(call.run_in_own_memory(&run, &[own(1 << 20)]), Ok(()));
    let at = (far - OWN) as usize;
    assert_eq!(fake.0.lock().unwrap().pieces[&OWN][at..at + 8], [7, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn memory_that_the_program_has_not_is_out_of_bounds() {
    let (ended, words, fake) =
        run(STRIDED, (&[OWN, 1024], 9, 32), own(1 << 20), Options::default());
    let Err(OwnMemoryError::Stopped { kernel, .. }) = ended else {
        panic!("it ended with {ended:?}");
    };
    assert_eq!(kernel, "strided");
    assert_eq!(words[1024], 2048, "what was done before stays");
    let recorded = fake.0.lock().unwrap().recorded.clone();
    let [line] = &recorded[..] else { panic!("recorded {recorded:?}") };
    let Ok(Entry::Launch(entry)) = Entry::read(line) else { panic!("{line}") };
    let address = OWN + (1 << 20);
    assert_eq!(entry.findings[0].address, Some(address), "{}", entry.findings[0].explanation);
}

#[test]
fn races_are_found_where_launches_are_checked() {
    let checked = || Options { check: true, ..Options::default() };
    for (stride, findings) in [(0, 1), (1, 0)] {
        let (ended, _, fake) = run(STRIDED, (&[OWN, stride], 1, 2), own(1 << 16), checked());
        assert_eq!(ended, Ok(()), "stride {stride}");
        let recorded = fake.0.lock().unwrap().recorded.clone();
        assert_eq!(recorded.len(), findings, "stride {stride}: {recorded:?}");
    }
}

#[test]
fn what_cannot_run_says_why() {
    let refused = |text: &str, values: &[u64]| {
        run(text, (values, 1, 1), own(1 << 16), Options::default()).0.unwrap_err().to_string()
    };
    assert_eq!(refused(STRIDED, &[OWN]), "`strided` has 2 parameters, and 1 values are given",);
    assert_eq!(refused("", &[]), "the module has no kernel");
    assert!(refused(".entry k( { }", &[]).starts_with("the module cannot be read: "));
    let kernels = KERNELS.split_once('\n').expect("a head").1;
    assert_eq!(
        refused(kernels, &[]),
        "the module has several kernels: twice, spin, wild, fail, masked, big",
    );
}

#[test]
fn memory_that_is_read_only_stays_as_it_is() {
    let mapping = Mapping { is_writable: false, ..own(1 << 16) };
    let (ended, words, _) = run(STRIDED, (&[OWN, 1], 1, 4), mapping, Options::default());
    assert_eq!(ended, Err(OwnMemoryError::ReadOnly(OWN)));
    assert_eq!(words[..4], [0, 1, 2, 3]);
}
