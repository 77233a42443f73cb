//! The text that a driver is given (PTX ISA 11.1, `.version` and `.target`).
//!
//! A driver refuses PTX of a later version than its own, and of a later architecture than the
//! GPU's, whether or not anything in the text needs them. Then the module is printed with what the
//! two have, and the driver says so if an instruction needs more.

use std::sync::Arc;

use warpsim::ptx::{self, Module, Version};

use crate::probe::GpuFacts;

/// A module's text for a GPU and its driver: the one it was parsed from, if it is still that, so
/// that the lines in the driver's messages are the user's; else printed.
pub(super) fn text_for(module: &Module, facts: &GpuFacts) -> String {
    let lowered = lowered(module, facts);
    let printed = ptx::print(lowered.as_ref().unwrap_or(module));
    let source = &module.source;
    match ptx::parse(source.name(), source.text()) {
        Ok(parsed) if ptx::print(&parsed) == printed => source.text().to_owned(),
        _ => printed,
    }
}

/// The module with a version and a target that driver and GPU take; `None` when its own will do.
fn lowered(module: &Module, facts: &GpuFacts) -> Option<Module> {
    let newest = newest_version(facts.cuda);
    let asked = (module.version.major, module.version.minor);
    let has = facts.capability.0 * 10 + facts.capability.1;
    let is_above = |name: &ptx::Name| architecture(&name.text).is_some_and(|sm| sm > has);
    if asked <= newest && !module.target.iter().any(is_above) {
        return None;
    }
    let mut lowered = module.clone();
    let (major, minor) = asked.min(newest);
    lowered.version = Version { major, minor };
    for name in lowered.target.iter_mut().filter(|name| is_above(name)) {
        name.text = Arc::from(format!("sm_{has}"));
    }
    Some(lowered)
}

/// 120 of `sm_120`; nothing of `sm_120a`, whose instructions are its own, nor of an option.
fn architecture(target: &str) -> Option<u32> {
    target.strip_prefix("sm_")?.parse().ok()
}

/// The latest PTX version that a driver of this version of CUDA takes (PTX ISA, "Release Notes").
pub(crate) fn newest_version(cuda: (u32, u32)) -> (u32, u32) {
    match cuda {
        (11, minor) => (7, minor),
        (12, minor @ 0..=5) => (8, minor),
        (12, minor) => (8, minor - 1),
        // From 13.0, which has 9.0, the two go together.
        (major @ 13.., minor) => (major - 4, minor),
        _ => (6, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(cuda: (u32, u32), capability: (u32, u32)) -> GpuFacts {
        GpuFacts {
            ordinal: 0,
            name: "NVIDIA H200".to_owned(),
            capability,
            multiprocessors: 132,
            memory: 1 << 37,
            cuda,
            driver: None,
        }
    }

    fn module(head: &str) -> Result<Module, Box<dyn std::error::Error>> {
        let text = format!("{head} .address_size 64\n.entry k() {{ ret; }} // kept");
        Ok(ptx::parse("k.ptx", &text)?)
    }

    #[test]
    fn a_text_that_driver_and_gpu_take_is_given_as_it_was_written()
    -> Result<(), Box<dyn std::error::Error>> {
        let module = module(".version 9.0 .target sm_90")?;
        assert_eq!(text_for(&module, &facts((13, 0), (9, 0))), module.source.text());
        Ok(())
    }

    #[test]
    fn a_later_version_or_target_is_lowered_to_what_is_there()
    -> Result<(), Box<dyn std::error::Error>> {
        let module = module(".version 9.5 .target sm_120, debug")?;
        let text = text_for(&module, &facts((13, 0), (9, 0)));
        assert!(text.contains(".version 9.0"), "{text}");
        assert!(text.contains(".target sm_90, debug"), "{text}");
        Ok(())
    }

    #[test]
    fn a_target_of_one_architecture_alone_is_left_to_the_driver()
    -> Result<(), Box<dyn std::error::Error>> {
        let module = module(".version 8.6 .target sm_100a")?;
        let text = text_for(&module, &facts((12, 9), (9, 0)));
        assert!(text.contains(".target sm_100a"), "{text}");
        Ok(())
    }

    #[test]
    fn versions_of_the_language_follow_those_of_the_driver() {
        let pairs = [((11, 8), (7, 8)), ((12, 0), (8, 0)), ((12, 5), (8, 5)), ((12, 6), (8, 5))];
        let later = [((12, 9), (8, 8)), ((13, 0), (9, 0)), ((13, 1), (9, 1))];
        for (cuda, version) in pairs.into_iter().chain(later) {
            assert_eq!(newest_version(cuda), version, "{cuda:?}");
        }
    }
}
