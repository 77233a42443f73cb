//! What the debug information of two compilers says, and what wrong bytes of it do.

use warpsim::ptx::parse;

use super::build::read;
use super::sections::Sections;
use super::*;

const CLANG: &str = include_str!("../../tests/suite/variables/clang.ptx");
const NVRTC: &str = include_str!("../../tests/suite/variables/nvrtc.ptx");

fn sections(text: &str) -> Sections {
    Sections::of(&parse("variables.ptx", text).unwrap()).unwrap()
}

/// Asks for everything that the debugger asks for.
fn look_through(info: &DebugInfo, lines: u32) -> usize {
    let mut found = 0;
    for line in (0..lines).step_by(7) {
        let address = code_address(line);
        for scope in info.scopes_at(address) {
            for variable in &scope.variables {
                found += usize::from(info.bytes(variable.ty).is_some());
                if let Some(expression) = variable.locations.at(address) {
                    found += usize::from(evaluate(expression, info.address_bytes).is_ok());
                }
            }
        }
    }
    found
}

#[test]
fn functions_have_the_variables_that_the_source_declares() {
    for text in [CLANG, NVRTC] {
        let info = read(&sections(text)).unwrap();
        let line = text.lines().position(|line| line.contains("bar.sync")).unwrap() as u32 + 1;
        let scopes = info.scopes_at(code_address(line));
        let names = |is_parameter| -> Vec<&str> {
            let of = scopes[0].variables.iter().filter(|v| v.is_parameter == is_parameter);
            of.map(|variable| variable.name.as_str()).collect()
        };
        assert_eq!(scopes[0].kind, ScopeKind::Function);
        assert_eq!(names(true), ["a", "n", "shift", "out"]);
        for name in ["i", "squares", "half", "odd", "letter", "wide", "colour", "thing"] {
            let all: Vec<&str> =
                scopes.iter().flat_map(|s| &s.variables).map(|v| v.name.as_str()).collect();
            assert!(all.contains(&name), "{name} of {all:?}");
        }
        assert!(info.globals.iter().any(|variable| variable.name == "table"));
        assert!(look_through(&info, text.lines().count() as u32) > 100);
    }
}

#[test]
fn registers_are_names_packed_into_a_number() {
    // 0x257231 is `%r1`, in groups of seven bits.
    let regx = [0x90, 0xb1, 0xe4, 0x95, 0x01];
    assert_eq!(evaluate(&regx, 8), Ok(Spot::Register("%r1".to_owned())));
    // 0x2572643132 is `%rd12`.
    let regx = [0x90, 0xb2, 0xe2, 0x90, 0x93, 0xd7, 0x04];
    assert_eq!(evaluate(&regx, 8), Ok(Spot::Register("%rd12".to_owned())));
    assert_eq!(evaluate(&[0x10, 0x05], 8), Ok(Spot::Value(5)));
    for wrong in [&[][..], &[0x90], &[0x90, 0x05], &[0x22], &[0x06], &[0x03, 1, 2], &[0xff]] {
        assert!(evaluate(wrong, 8).is_err(), "{wrong:?}");
    }
}

#[test]
fn wrong_bytes_never_panic_or_hang() {
    let mut random = 7u64;
    let mut next = |below: usize| {
        // Numbers as Knuth's MMIX has them.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (random >> 33) as usize % below.max(1)
    };
    let (mut read_well, mut refused) = (0, 0);
    for text in [CLANG, NVRTC] {
        let whole = sections(text);
        let lines = text.lines().count() as u32;
        for _ in 0..1500 {
            let mut wrong = whole.clone();
            for _ in 0..=next(4) {
                let names = [".debug_info", ".debug_info", ".debug_abbrev", ".debug_loc"];
                let bytes = wrong.bytes_mut(names[next(names.len())]);
                match next(8) {
                    0 => bytes.truncate(next(bytes.len() + 1)),
                    _ if bytes.is_empty() => {}
                    _ => {
                        let at = next(bytes.len());
                        bytes[at] = next(256) as u8;
                    }
                }
            }
            match read(&wrong) {
                Ok(info) => {
                    read_well += 1;
                    look_through(&info, lines);
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(read_well > 100 && refused > 100, "{read_well} read, {refused} refused");
}
