//! The kernels of the programs for any launch and any data that they are made for: those that are
//! right are free of races and of everything else that is looked for, and those that are wrong on
//! purpose are found, each for what it is there for.

use warpsim::property::{
    Counterexample, Failure, Kernel, LaunchShapes, Wrong, buffer, launch, scalar,
};
use warpsim::report::Code;
use warpsim_effort::cases;
use warpsim_programs::{Program, Soundness, Variant, find};

/// How the kernel of a variant is launched.
type Launched = fn(Kernel, &Variant) -> Kernel;

/// The programs here.
const PROGRAMS: [(&str, Launched); 6] = [
    ("count-sixes", count_sixes),
    ("last-block", last_block),
    ("find-max", find_max),
    ("trapezoid", trapezoid),
    ("votes", votes),
    ("reduce-tail", reduce_tail),
];

/// Whole blocks of this many threads.
fn blocks_of(threads: u32) -> LaunchShapes {
    launch().blocks(1..=4).threads(threads..=threads)
}

fn count_sixes(kernel: Kernel, _: &Variant) -> Kernel {
    kernel
        .launch(launch().threads(1..=256))
        .argument(buffer::<i32>().lengths(1..=1500).between(5..=6))
        .argument(scalar::<i32>().length_of(0))
        .argument(buffer::<i32>().one_per_thread().zeros())
        .argument(buffer::<i32>().length(1).zeros())
}

fn last_block(kernel: Kernel, _: &Variant) -> Kernel {
    kernel
        .launch(blocks_of(64))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(scalar::<i32>().total_threads())
        .argument(buffer::<i32>().one_per_block().zeros())
        .argument(buffer::<i32>().length(1).zeros())
}

fn votes(kernel: Kernel, _: &Variant) -> Kernel {
    kernel
        .launch(blocks_of(96))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<u32>().per_thread(3).zeros())
}

fn reduce_tail(kernel: Kernel, _: &Variant) -> Kernel {
    kernel
        .launch(blocks_of(256))
        .argument(buffer::<i32>().one_per_thread().any())
        .argument(buffer::<i32>().one_per_block().zeros())
        .argument(scalar::<i32>().total_threads())
}

fn find_max(kernel: Kernel, _: &Variant) -> Kernel {
    kernel
        .launch(launch().threads(1..=256))
        .argument(buffer::<u32>().lengths(1..=1500).any())
        .argument(scalar::<u64>().length_of(0))
        .argument(buffer::<u32>().length(1).zeros())
}

fn trapezoid(kernel: Kernel, variant: &Variant) -> Kernel {
    let kernel = kernel.launch(blocks_of(64));
    let points = || scalar::<i32>().total_threads();
    match variant.kernel {
        "whole_grid" => kernel
            .argument(buffer::<f64>().one_per_thread().zeros())
            .argument(scalar::<f64>().value(-1.0))
            .argument(scalar::<f64>().value(1.0))
            .argument(points()),
        _ => kernel
            .argument(buffer::<f64>().one_per_thread().between(-1.0..=1.0))
            .argument(buffer::<f64>().one_per_block())
            .argument(points()),
    }
}

/// Every variant in every form, for the property library.
fn kernels() -> Vec<(String, &'static Variant, Kernel)> {
    let mut all = Vec::new();
    for (name, launched) in PROGRAMS {
        let program: &Program = find(name).unwrap();
        for (form, text) in program.ptx {
            for variant in program.variants {
                let kernel = Kernel::from_ptx(text.text, variant.kernel);
                let kernel =
                    launched(kernel, variant).cases(cases(4, 60)).drawn_schedules(cases(1, 4));
                all.push((format!("{name} {} {}", variant.name, form.name()), variant, kernel));
            }
        }
    }
    all
}

#[test]
fn what_is_right_is_clean_for_every_launch() {
    let mut tried = 0;
    for (name, variant, kernel) in kernels() {
        if variant.soundness == Soundness::Synchronised {
            kernel.clean().unwrap_or_else(|failure| panic!("{name}: {failure}"));
            tried += 1;
        }
    }
    assert!(tried > 0);
}

fn found(counterexample: &Counterexample) -> Vec<Code> {
    match &counterexample.wrong {
        Wrong::Found(findings) | Wrong::Stopped { findings, .. } => {
            findings.iter().map(|finding| finding.code).collect()
        }
        wrong => panic!("no finding: {wrong:?}"),
    }
}

#[test]
fn what_is_wrong_on_purpose_is_found_for_what_it_is() {
    let mut tried = 0;
    for (name, variant, kernel) in kernels() {
        let Soundness::Faulty(codes) = variant.soundness else { continue };
        let failure = match codes.contains(&Code::Race) {
            true => kernel.race_free(),
            false => kernel.clean(),
        };
        let Err(Failure::Counterexample(counterexample)) = failure else {
            panic!("{name}: {failure:?}")
        };
        let found = found(&counterexample);
        assert!(codes.iter().any(|code| found.contains(code)), "{name}: {found:?}");
        tried += 1;
    }
    assert!(tried > 0);
}

#[test]
fn the_tails_that_trust_their_lanes_are_found() {
    for (name, variant, kernel) in kernels() {
        if matches!(variant.soundness, Soundness::WarpSynchronous | Soundness::AsWritten) {
            assert!(matches!(kernel.clean(), Err(Failure::Counterexample(_))), "{name}");
        }
    }
}
