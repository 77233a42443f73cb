//! What the texts of the programs say, before anything runs.

use warpsim::host;
use warpsim_programs::{all, find};

#[test]
fn every_text_parses_and_defines_the_kernel_of_every_variant() {
    for program in all() {
        for (form, _) in program.ptx {
            let module = program.module(*form).unwrap();
            let kernels = host::kernels(&module);
            for variant in program.variants {
                let name = program.name;
                assert!(kernels.contains(&variant.kernel), "{name} {form:?} {}", variant.kernel);
            }
        }
    }
}

#[test]
fn every_text_names_the_source_it_was_made_from() {
    for program in all() {
        for (_, ptx) in program.ptx {
            let directive = format!("\t.file\t1 \"{}\"", program.source.file);
            assert!(ptx.text.lines().any(|line| line == directive), "{}", ptx.file);
        }
    }
}

#[test]
fn names_are_unique_and_find_what_they_name() {
    for program in all() {
        assert!(std::ptr::eq(find(program.name).unwrap(), *program));
        for (index, variant) in program.variants.iter().enumerate() {
            let first = program.variants.iter().position(|other| other.name == variant.name);
            assert_eq!(first, Some(index), "{} {}", program.name, variant.name);
        }
    }
    assert!(find("no such program").is_none());
}

#[test]
fn the_oracles_agree_with_closed_forms() {
    let numbers: Vec<i32> = (1..=1000).collect();
    let triangular: Vec<i32> = (1..=1000).map(|n| n * (n + 1) / 2).collect();
    let oracle = |name: &str| {
        let program = find(name).unwrap();
        program.oracle(&program.variants[0], &numbers)
    };
    assert_eq!(oracle("volatile"), triangular.clone().into());
    assert_eq!(oracle("scan"), triangular.into());
    assert_eq!(oracle("reduce"), vec![500_500].into());
    assert_eq!(oracle("reduce-tail"), vec![500_500].into());
}
