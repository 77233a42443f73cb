//! Kernels in CUDA C++, as compilers translate them, that were run on an H200. Its results show
//! which are wrong.

use std::path::{Path, PathBuf};

use super::*;

fn forms() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let folders = std::fs::read_dir(corpus).unwrap();
    let files = folders.map(|f| f.unwrap().path().join("h200_kernels.ptx"));
    files.filter(|f| f.exists()).collect()
}

#[test]
fn the_kernels_that_were_run_on_hardware_get_their_verdicts() {
    let forms = forms();
    assert!(forms.len() >= 4, "{forms:?}");
    for form in forms {
        let text = std::fs::read_to_string(&form).unwrap();
        let module = warpsim::ptx::parse("h200_kernels.ptx", &text).unwrap();
        for (kernel, threads, expected) in [
            ("partbar", 32, DIVERGES),
            ("partbar", 64, DIVERGES),
            ("divbar", 64, DIVERGES),
            ("mismatch", 64, DIVERGES),
            ("evenbar", 32, DIVERGES),
            ("evenbar", 64, DIVERGES),
            ("earlyexit", 64, CLEAN),
            ("earlyexit", 96, CLEAN),
            ("cnt", 96, CLEAN),
            ("shfl", 32, CLEAN),
            ("syncw", 32, CLEAN),
        ] {
            let found = |model, schedule| codes(&run(&module, kernel, threads, model, schedule).1);
            for schedule in SCHEDULES {
                for model in MODELS {
                    let found = found(model, schedule);
                    assert_eq!(found, expected, "{kernel} {threads} {model:?} {schedule} {form:?}");
                }
            }
        }
        for (model, schedule) in MODELS.iter().flat_map(|m| SCHEDULES.map(|s| (*m, s))) {
            let found = codes(&run(&module, "badshfl", 32, model, schedule).1);
            assert!(found.contains(&"shuffle-inactive-lane"), "{model:?} {schedule} {form:?}");
            assert_ne!(found, CLEAN);
        }
        for kernel in ["spin", "spin2"] {
            for schedule in SCHEDULES {
                let (_, findings) = run(&module, kernel, 32, Model::Independent, schedule);
                assert_eq!(codes(&findings), CLEAN, "{kernel} {schedule} {form:?}");
            }
        }
    }
}
